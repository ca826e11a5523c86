"""Public dumps: all public games, in files that do not change, and no names."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from archive.games import START, a_game
from archive.tools.scripts import (
    MONTH,
    WHOLE,
    Fragile,
    Interrupted,
    Step,
    empty,
    play,
    quiet,
    steps,
    tables,
)
from archive.tools.test_backup import contents, restore
from pierule_archive.archive import Archive
from pierule_archive.tools.backup import back_up
from pierule_archive.tools.checking import flaws
from pierule_archive.tools.dump import dump
from pierule_archive.tools.folder import BadFolder
from pierule_protocol.log.record import read_record
from pierule_protocol.log.verify import verify


def lines_in(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The lines of each file, by the part of its name that stays."""
    return {
        path.name.split(".")[0]: [json.loads(line) for line in gzip.open(path)]
        for path in folder.glob("*.gz")
    }


def test_a_dump_has_public_games_by_month_and_game(archive: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    dump(archive.engine, tmp_path, quiet())
    found = lines_in(tmp_path)
    private = {1 + number for number in (2, 5, 8)}
    assert {line["feed"] for line in found["private"]} == private | {11, 13}
    assert all(line.keys() == {"feed"} for line in found["private"])
    (amendment,) = found["amendments"]
    assert (amendment["feed"], amendment["room"], amendment["text"]) == (12, "room1", "cheating")
    months = {name: lines for name, lines in found.items() if name[0] == "2"}
    assert set(months) == {
        "2023-11-loose", "2023-11-taugo", "2023-12-loose", "2023-12-taugo", "2024-01-loose",
        "2024-01-taugo",
    } & set(months)  # fmt: skip
    for name, lines in months.items():
        assert [line["feed"] for line in lines] == sorted(line["feed"] for line in lines)
        for line in lines:
            record = read_record(json.dumps(line).encode())
            assert verify(record) is None
            assert name.endswith(record.options.game)
    numbers = {line["feed"] for lines in found.values() for line in lines if "feed" in line}
    assert numbers == set(range(1, archive.last + 1))


def test_names_are_only_in_the_file_of_players(archive: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    archive.add([a_game("secret", players=("eve", "fay"), plies=3, access="private")])
    dump(archive.engine, tmp_path, quiet())
    found = lines_in(tmp_path)
    assert {line["id"]: line["name"] for line in found.pop("players")} == {
        "ada": "Ada", "bob": None, "cleo": "Cleo", "dan": "Dan",
    }  # fmt: skip
    for lines in found.values():
        assert not any(name in json.dumps(lines) for name in ("Ada", "Bob", "Cleo", "Dan", '"eve"'))


def test_files_without_news_stay_and_forgotten_names_are_removed(
    archive: Archive, tmp_path: Path
) -> None:
    archive.add([a_game("early", plies=3), a_game("later", plies=3, at=START + MONTH)])
    dump(archive.engine, tmp_path, quiet())
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("2023-11*")}
    (old,) = tmp_path.glob("players.*")
    archive.forget("ada")
    archive.add([a_game("latest", plies=3, at=START + MONTH)])
    dump(archive.engine, tmp_path, quiet())
    assert {path.name: path.stat().st_ino for path in tmp_path.glob("2023-11*")} == before
    assert [path.name for path in tmp_path.glob("2023-12*")] == ["2023-12-loose.3.ndjson.gz"]
    assert not old.exists()


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps, steps)
def test_importing_a_dump_restores_public_games_with_their_numbers(
    archive: Archive, target: Archive, tmp_path_factory: pytest.TempPathFactory,
    first: list[Step], second: list[Step],
) -> None:  # fmt: skip
    empty(archive)
    empty(target)
    grown, anew, again = (tmp_path_factory.mktemp("dump") for _ in range(3))
    play(archive, first)
    dump(archive.engine, grown, quiet())
    play(archive, second)
    dump(archive.engine, grown, quiet())
    dump(archive.engine, anew, quiet())
    assert contents(grown) == contents(anew)
    restore(target, anew)
    assert target.last == archive.last
    assert list(flaws(target.engine, quiet())) == []
    access = {row[0]: row for row in tables(archive)["games"] if "private" not in row}
    assert {row[0]: row for row in tables(target)["games"]} == access
    dump(target.engine, again, quiet())
    assert contents(again) == contents(anew)
    before = tables(target)
    assert restore(target, anew).added == 0
    assert tables(target) == before


@pytest.mark.parametrize("lines", [0, 1, 5, 11])
def test_a_dump_goes_on_where_it_was_interrupted(
    archive: Archive, tmp_path: Path, lines: int
) -> None:
    play(archive, WHOLE[:11])
    with pytest.raises(Interrupted):
        dump(archive.engine, tmp_path / "dumps", Fragile(min(lines, 9)))
    play(archive, WHOLE[11:])
    dump(archive.engine, tmp_path / "dumps", quiet())
    dump(archive.engine, tmp_path / "whole", quiet())
    assert contents(tmp_path / "dumps") == contents(tmp_path / "whole")


def test_a_dump_refuses_the_folder_of_a_backup(archive: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path, quiet())
    with pytest.raises(BadFolder, match=r"holds a pierule\.backup; name another folder"):
        dump(archive.engine, tmp_path, quiet())
