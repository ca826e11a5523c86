"""How much memory and how many cores may be used."""

from __future__ import annotations

from pathlib import Path

from pierule_server.store.driver.machine import usable_cores, usable_memory


def machine(root: Path, group: str, bounds: dict[str, str], file: str = "memory.max") -> Path:
    """The files of a machine on which this process runs in a control group."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(f"1:name=other:/x\n0::{group}\n")
    for each, bound in bounds.items():
        folder = root / "sys/fs/cgroup" / each
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(f"{bound}\n")
    return root


def test_usable_memory_is_the_smallest_limit(tmp_path: Path) -> None:
    plain = usable_memory(tmp_path / "nothing")
    assert plain > 2**20
    unit = machine(tmp_path / "unit", "/a/b", {"a/b": "max", "a": str(2**20)})
    assert usable_memory(unit) == 2**20
    container = machine(tmp_path / "container", "/", {".": str(2**19)})
    assert usable_memory(container) == 2**19
    unbound = machine(tmp_path / "unbound", "/a", {"a": "max"})
    assert usable_memory(unbound) == plain


def test_usable_cores_are_those_of_the_machine_or_of_the_control_group(tmp_path: Path) -> None:
    plain = usable_cores(tmp_path / "nothing")
    assert plain >= 1
    container = machine(tmp_path / "container", "/", {".": "150000 100000"}, "cpu.max")
    assert usable_cores(container) == 1
    free = machine(tmp_path / "free", "/", {".": "max 100000"}, "cpu.max")
    assert usable_cores(free) == plain
