"""`pierule ratings` over the dump and the API of a real archive."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from archive.api.serving import Served, served
from archive.games import START
from archive.test_rating import fill, rate_all
from archive.tools.scripts import quiet
from pierule import archive as asked
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_archive.tools.dump import dump
from pierule_ratings import MODELS
from pierule_ratings.model import DAY
from pierule_terminal.cli import main

Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Twelve games of which some do not count, are private, voided or replaced."""
    made = Archive(opened(url_in(tmp_path)))
    fill(made)
    rate_all(made)
    yield made
    made.engine.dispose()


@pytest.fixture
def dumped(archive: Archive, tmp_path: Path) -> Path:
    folder = tmp_path / "dump"
    dump(archive.engine, folder, quiet())
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ratings(*arguments: object) -> tuple[int, str, str]:
        status = main(["ratings", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return ratings


@pytest.fixture
def api(archive: Archive, tmp_path: Path) -> Iterator[Served]:
    with served(url_in(tmp_path)) as running:
        yield running


def lines_of(folder: Path) -> dict[Path, list[bytes]]:
    return {
        path: gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        for path in sorted(folder.glob("*.gz"))
    }


def files_of(folder: Path) -> list[Path]:
    return [path for path in lines_of(folder) if not path.name.startswith("digests")]


def test_the_servers_ratings_are_those_of_its_dump(run: Run, dumped: Path, api: Served) -> None:
    status, out, _ = run("verify", dumped, "--api", f"http://127.0.0.1:{api.port}")
    assert (status, out) == (0, "loose: 4 ratings up to number 16: all to the last digit\n")


def test_a_rating_that_differs_from_the_servers_is_named(
    run: Run, dumped: Path, archive: Archive, api: Served
) -> None:
    with archive.engine.connect() as connection, connection.begin():
        connection.exec_driver_sql("UPDATE ratings SET value = value + 1 WHERE player = 'ada'")
    status, out, _ = run("verify", dumped, "--api", f"http://127.0.0.1:{api.port}")
    assert status == 1
    assert out.startswith("loose: ada: the files give (")
    assert out.endswith("loose: 4 ratings up to number 16: 1 differ\n")


def test_a_dump_older_than_the_servers_ratings_is_named(
    run: Run, dumped: Path, archive: Archive, api: Served
) -> None:
    archive.void("roomh", 5, "cheating")
    rate_all(archive)
    status, _, err = run("verify", dumped, "--api", f"http://127.0.0.1:{api.port}")
    assert status == 2
    assert "up to number 17, but the files end at 16; get the latest dump" in err


def test_a_servers_ratings_are_shown(run: Run, api: Served) -> None:
    address = ("--api", f"http://127.0.0.1:{api.port}")
    status, out, _ = run("list", "loose", *address)
    assert status == 0
    assert re.fullmatch(
        r"loose, model 1, up to number 16, at \d{4}-\d\d-\d\d \d\d:\d\d UTC\n"
        r"  nobody has enough recent rated games\n"
        r"  House bots, whose ratings never change:\n"
        r" +Otto \(search\) +1500\n +Mira \(one-step\) +\d+\n +Pip \(random\) +\d+\n", out,
    )  # fmt: skip
    status, out, _ = run("of", "Ada", *address)
    assert status == 0
    first, second, third = out.splitlines()
    assert first == "Ada (ada)"
    assert re.fullmatch(r"  loose          \d+±\d+      5 games: \d+ \d+ \d+ \d+ \d+", second)
    assert re.fullmatch(r" +model 1, up to number 16, at \d{4}-\d\d-\d\d \d\d:\d\d UTC", third)
    status, _, err = run("of", "Nobody", *address)
    assert (status, "Nobody" in err) == (2, True)
    assert run("list", "loose", "--api", "ftp://x")[0] == 2


def test_computed_leaderboards_have_filters_and_leave_out_deleted_accounts(
    run: Run, dumped: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do not show whoever has deleted their account."""
    at = START + 20 * DAY
    _, out, _ = run("compute", dumped, "--at", at, "--all")
    assert out.startswith("loose, model 1, up to number 16, at 2023-12-04 ")
    assert len(out.splitlines()) == 7
    assert "Ada" in out
    _, listed, _ = run("compute", dumped, "--at", at)
    assert "nobody has enough recent rated games" in listed
    _, told, err = run("compute", *files_of(dumped), "--at", at, "--all", "--json")
    assert err.startswith("pierule ratings: without a manifest, number 16 counts as the last one, ")
    assert re.search(r", and numbers without a game \(\d\) count as private\n$", err)
    games = [path for path in files_of(dumped) if not path.name.startswith("players")]
    assert "file of players, deleted accounts are listed" in run("compute", *games, "--at", at)[2]
    rows = [json.loads(line) for line in told.splitlines()]
    values = [float(row["rating"]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert {row["player"] for row in rows} == {"ada", "bob", "cyd", "dan"}
    assert run("compute", dumped, "--at", at, "--all", "--json")[1] == told
    everybody = {1: replace(MODELS[1], settled=Decimal(250))}
    monkeypatch.setattr("pierule_terminal.commands.ratings.SETTLED_GAMES", 1)
    monkeypatch.setattr("pierule_terminal.commands.ratings.MODELS", everybody)
    shown = run("compute", dumped, "--at", at, "--json")[1].splitlines()
    assert [json.loads(line) for line in shown] == rows
    archive.forget(rows[1]["player"])
    dump(archive.engine, dumped, quiet())
    shown = run("compute", dumped, "--at", at, "--json")[1].splitlines()
    assert [json.loads(line) for line in shown] == [rows[0], *rows[2:]]
    first = run("compute", dumped, "--all", "--json", "--through", 1)[1].splitlines()
    assert [json.loads(line)["games"] for line in first] == [1, 1]


def test_a_game_is_explained(run: Run, dumped: Path) -> None:
    status, out, _ = run("explain", "rooma", dumped)
    assert status == 0
    assert out.startswith("loose, number 1, model 1\n\n")
    assert out.count("R after") == 2
    assert "  E                    0.5\n" in out
    assert "has voided it since" in run("explain", 3, dumped)[1]
    assert run("explain", "roome", dumped)[:2] == (
        0, "number 5 is not rated: a player wanted an unrated game (wish)\n",
    )  # fmt: skip
    assert "number 7 is not rated: it is private" in run("explain", 7, dumped)[1]
    assert "number 13 is not rated: it voids number 3\n" in run("explain", 13, dumped)[1]
    assert (
        "nowhere is not in the files, which have only the numbers of private games"
        in (run("explain", "nowhere", dumped)[2])
    )


def _damaged(lines: list[bytes]) -> list[bytes]:
    return [b"{" + lines[0], *lines[1:]]


def _cut(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-1], lines[-1][:-10]]


def _twice(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[0]]


def _lacking(lines: list[bytes]) -> list[bytes]:
    return lines[1:]


def _unnumbered(lines: list[bytes]) -> list[bytes]:
    record: dict[str, Any] = json.loads(lines[0])
    del record["feed"]
    return [json.dumps(record, separators=(",", ":")).encode() + b"\n", *lines[1:]]


def _renamed(lines: list[bytes]) -> list[bytes]:
    return [lines[0].replace(b'"rooma"', b'"room#"', 1), *lines[1:]]


def _listed(lines: list[bytes]) -> list[bytes]:
    return [b'{"feed":1,"room":"rooma","game":"loose"}\n', *lines[1:]]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_damaged, "{file}:1: this is not a line of a dump: "),
        (_cut, "{file}:{last}: the line is cut short"),
        (_twice, "{file}:{more}: number 1 is also in {file}:1"),
        (_lacking, "number 1 is in none of the files, number 2 is in {file}:1\n"),
        (_unnumbered, "{file}:1: the line has no feed number"),
        (_listed, "{file}:1: this line is from a list of games"),
        (_renamed, "{file}:1: 'room#' is not the id of a room"),
    ],
)
def test_a_damaged_line_is_named(
    run: Run, dumped: Path, spoil: Callable[[list[bytes]], list[bytes]], why: str
) -> None:
    file = next(path for path in files_of(dumped) if "loose" in path.name)
    lines = lines_of(dumped)[file]
    file.write_bytes(gzip.compress(b"".join(spoil(lines))))
    status, out, err = run("compute", *files_of(dumped))
    told = why.format(file=file, last=len(lines), more=len(lines) + 1)
    assert (status, out) == (2, "")
    assert f"pierule ratings: {told}" in err
    status, _, err = run("compute", dumped)
    assert (status, f"{file}: its SHA-256 is not the one in" in err) == (2, True)
    assert told in err, "with a manifest, too, the line is named"


def test_a_file_that_is_missing_or_no_dump_is_named(run: Run, dumped: Path) -> None:
    file = files_of(dumped)[0]
    file.unlink()
    assert f"{file}: No such file" in run("compute", dumped)[2]
    (dumped / "manifest.json").write_text('{"format": "pierule.backup", "version": 1}')
    assert "this is not the manifest of a dump" in run("compute", dumped)[2]
    (dumped / "manifest.json").write_text("[")
    assert "it is damaged" in run("compute", dumped)[2]
    assert run("compute", dumped / "nothing.gz")[0] == 2


def test_an_unknown_model_is_refused(run: Run, dumped: Path) -> None:
    status, _, err = run("compute", dumped, "--model", 7)
    assert status == 2
    assert "there is no version 7 of the model" in err


def test_a_leaderboard_of_an_earlier_server_has_no_bots(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"game": "loose", "version": 1, "through": 0, "at": 0, "players": []}
    monkeypatch.setattr(asked.Archive, "top", lambda *_: table)
    status, said, complaint = run("list", "loose")
    assert (status, complaint) == (0, "")
    assert "House bots" not in said


@pytest.mark.parametrize("action", ["compute", "verify"])
def test_files_without_rated_games_are_not_met_with_silence(
    run: Run, tmp_path: Path, action: str
) -> None:
    empty = Archive(opened(url_in(tmp_path)))
    dump(empty.engine, tmp_path / "dump", quiet())
    empty.engine.dispose()
    status, out, err = run(action, tmp_path / "dump")
    assert (status, out) == (0, "")
    assert err.startswith("pierule ratings: the files have no rated games, so there ")
