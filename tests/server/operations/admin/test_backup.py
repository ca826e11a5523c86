"""A dump is complete, or it is not there."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from pierule_server.operations.admin.backup import _to, run


def test_a_dump_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> None:
        with _to(str(tmp_path / "monday.dump")) as file:
            file.write(b"half of it")
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_dump_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    with _to(str(tmp_path / "monday.dump")) as file:
        file.write(b"all of it")
        assert [each.name for each in tmp_path.iterdir()] == ["monday.dump.part"]
    (dump,) = tmp_path.iterdir()
    assert (dump.name, dump.read_bytes()) == ("monday.dump", b"all of it")


@pytest.mark.parametrize("kind", ["dump", "load"])
def test_a_file_that_cannot_be_used_is_named_as_it_was_given(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "nosuch" / "monday.dump"
    args = argparse.Namespace(kind=kind, file=str(file), store="embedded", data=tmp_path)
    assert run(args) == 1
    assert capsys.readouterr().err == f"pierule admin: {file}: No such file or directory\n"
