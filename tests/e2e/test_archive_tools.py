"""`pierule archive` as operators run it: real commands, one after the other."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from archive.games import a_game
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_archive.keys import kept_signers
from pierule_protocol.log.digest import RANGE
from support.preloaded import terminal


def ran(
    *arguments: object, status: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """`pierule archive`, done."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
    done = subprocess.run(
        [*terminal(), "archive", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, env=kept | environment,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with an archive of three games."""
    folder = tmp_path / "data"
    folder.mkdir()
    archive = Archive(opened(url_in(folder)))
    archive.add(
        a_game(f"room{access}", plies=3, access=access)
        for access in ("public", "private", "unlisted")
    )
    archive.engine.dispose()
    return folder


def test_a_backup_moves_an_archive_there_and_back(data: Path, tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("first", "second", "other"))
    done = ran("backup", first, "--data", data)
    assert done.stdout == f"{first}: everything up to number 3, in 1 files; 3 new lines\n"
    assert done.stderr == "", "progress is for terminals"
    assert ran("check", "--data", data).stdout == "3 numbers, 0 flaws\n"
    imported = "import", first, "--deleted", "none", "--data", other
    assert ran(*imported).stdout == "3 imported, 0 refused\n"
    assert ran(*imported).stdout == "0 imported, 0 refused\n"
    ran("backup", second, PIERULE_DATA=str(other))
    assert {p.name: p.read_bytes() for p in first.iterdir()} == {
        p.name: p.read_bytes() for p in second.iterdir()
    }


def test_public_dumps_are_verified_and_imported(data: Path, tmp_path: Path) -> None:
    ran("dump", tmp_path / "dump", "--archive", url_in(data))
    (file,) = (tmp_path / "dump").glob("2023-11-loose.*")
    lines = subprocess.run(["gzip", "-dc", file], capture_output=True, check=True).stdout
    checked = subprocess.run(
        [*terminal(), "verify", "-"], input=lines, capture_output=True, timeout=120
    )
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count(b": true: room") == 2
    (players,) = (tmp_path / "dump").glob("players.*")
    done = ran("import", tmp_path / "dump", "--deleted", players, "--data", tmp_path / "other")
    assert done.stdout == "3 imported, 0 refused\n"


def forged(line: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Another game under the room, the number and the proof of a dump's line: all of it is true by
    its own events."""
    archive = Archive(opened(url_in(folder)))
    archive.add([a_game(line["room"], plies=5, seed=2)])
    archive.engine.dispose()
    ran("dump", folder / "dump", "--data", folder)
    (file,) = (folder / "dump").glob("2023-11-loose.*")
    (other,) = map(json.loads, gzip.decompress(file.read_bytes()).splitlines())
    return {**other, "feed": line["feed"], "proof": line["proof"]}


def test_a_stranger_finds_the_one_altered_game(tmp_path: Path) -> None:
    data, dump = tmp_path / "data", tmp_path / "dump"
    data.mkdir()
    _, key, _ = ran("key", "--data", data).stdout.split()
    archive = Archive(opened(url_in(data)), kept_signers(data)[0])
    archive.add(a_game(f"room{number}", plies=3) for number in range(RANGE + 1))
    archive.engine.dispose()
    ran("dump", dump, "--data", data)
    (file,), (digests,) = dump.glob("2023-11-loose.*"), dump.glob("digests.*")

    def verified() -> tuple[int, list[Any]]:
        done = subprocess.run(
            [*terminal(), "verify", file, "--key", key, "--digests", digests, "--json"],
            capture_output=True, timeout=120,
        )  # fmt: skip
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    status, told = verified()
    assert status == 0
    assert [line["proof"] for line in told if "file" in line] == (RANGE + 1) * ["verified"]

    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    other = tmp_path / "other"
    other.mkdir()
    lines[41] = forged(lines[41], other)
    file.write_bytes(gzip.compress(b"".join(msgspec.json.encode(line) + b"\n" for line in lines)))
    status, told = verified()
    assert status == 1
    (found,) = (line for line in told if line["true"] is not True)
    assert (found["line"], found["proof"]) == (42, "altered")


def test_errors_have_words_and_a_status(data: Path, tmp_path: Path) -> None:
    assert "--data FOLDER or --archive URL" in ran("check", status=2).stderr
    assert "neither" in ran("check", "--archive", "mysql://host/games", status=2).stderr
    assert "there is no archive" in ran("check", "--data", tmp_path, status=1).stderr
    assert "--deleted" in ran("import", data, "--data", data, status=2).stderr
    no = tmp_path / "no"
    for missing in (("import", no, "--deleted", "none"), ("import", data, "--deleted", no)):
        done = ran(*missing, "--data", data, status=1)
        assert done.stderr == f"pierule archive: {no}: No such file or directory\n"
        assert done.stdout == "", "it did not begin"
    broken = tmp_path / "rooms.jsonl"
    broken.write_text('{"format":"pierule.room","version":1,"room":\n')
    done = ran("import", broken, "--deleted", "none", "--data", data, status=1)
    assert done.stderr.startswith(f"pierule archive: {broken}:1: ")
    assert done.stdout == "0 imported, 1 refused\n"
    away = ran("check", "--archive", "postgresql://nobody@127.0.0.1:1/games", status=1)
    assert "cannot be used" in away.stderr


@pytest.mark.parametrize("command", ["backup", "dump", "check", "import"])
def test_help_has_examples(command: str) -> None:
    assert f"  pierule archive {command}" in ran(command, "--help").stdout
