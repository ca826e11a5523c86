"""Finds out how much memory and how many cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def usable_memory(root: Path = Path("/")) -> int:
    """Bytes of memory that this process may use: the machine's, or fewer in a control group with a
    bound (a container, or a systemd unit with `MemoryMax`). /proc and /sys are under `root`."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    bounds = [int(text) for text in _bounds(root, "memory.max") if text.isdecimal()]
    return min([machine, *bounds])


def usable_cores(root: Path = Path("/")) -> int:
    """Cores that this process may use: the machine's, or fewer if its affinity or a control group
    says so (`--cpus` of a container, `CPUQuota` of a unit). /proc and /sys are under `root`."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    for text in _bounds(root, "cpu.max"):
        quota, _, period = text.partition(" ")
        if quota.isdecimal() and period.isdecimal():
            cores = min(cores, max(1, int(quota) // int(period)))
    return cores


def _bounds(root: Path, name: str) -> Iterator[str]:
    """The contents of the file `name` in the control group (version 2) of this process and in all
    groups around it."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for group in groups:
        number, _, path = group.split(":", 2)
        if number != "0":
            continue
        inner = PurePosixPath(path)
        for each in (inner, *inner.parents):
            try:
                bound = (root / "sys/fs/cgroup" / str(each).lstrip("/") / name).read_text()
            except OSError:
                continue
            yield bound.strip()
