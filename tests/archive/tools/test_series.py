"""`pierule archive series`: rated games by which one account may have fed another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive.games import a_game
from archive.test_rating import rate_all
from pierule_archive import series as finding
from pierule_archive.archive import Archive
from pierule_archive.game import Game
from pierule_protocol import world
from pierule_terminal import cli

DAY = 86_400_000


def lost(number: int, loser: str, winner: str, days: int, plies: int | None = 6) -> Game:
    """A rated game in which seat 0 gives up after some plies."""
    at = round(world.wall() * 1_000) - days * DAY
    name = "".join("bcdfghjklm"[int(digit)] for digit in str(number))
    return a_game(
        f"room{name}", seed=number, players=(loser, winner), plies=plies, rated="yes", at=at
    )


@pytest.fixture
def series(archive: Archive, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command with these options; what it prints."""

    def run(*options: str) -> str:
        url = archive.engine.url.render_as_string(hide_password=False)
        assert cli.main(["archive", "series", "--archive", url, *options]) == 0
        return capsys.readouterr().out

    return run


def fill(archive: Archive) -> None:
    """Gus fed Hal long ago, Fay feeds Eve, Ada and Bob are equals, Cyd beats Dan and others, and
    of what Ivy lost to Jon one game was voided."""
    wanted = [
        *([("gus", "hal", 40)] * 8),
        *([("fay", "eve", 9)] * 9),
        *([("eve", "ada", 8)] * 2),
        *([("ada", "bob", 7), ("bob", "ada", 7)] * 4),
        *([("dan", "cyd", 6)] * 6),
        *((who, "dan", 6) for who in ("kit", "lou", "mia", "ned", "oda", "pia", "rob")),
        *(("cyd", who, 6) for who in ("kit", "lou", "mia", "ned", "oda", "pia", "rob")),
        *([("ivy", "jon", 5)] * 6),
    ]
    games = [lost(number, *each) for number, each in enumerate(wanted)]
    archive.add(games)
    archive.void(games[-1].room, games[-1].entries[-1].at + 1, "a mistake")
    rate_all(archive)


def test_the_most_suspicious_series_come_first_with_their_games(
    archive: Archive, series: Any
) -> None:
    fill(archive)
    told = series()
    assert told.splitlines()[0] == "1. Eve (eve) won 9 of 9 rated games against Fay (fay)"
    assert "share of all their rated games: 82% of 11, 100% of 9" in told
    assert "ends: resigned 9; 9 before ply 12; median 6 plies" in told
    assert "games: 9 room" in told
    assert "pierule admin rooms close ROOM" in told
    assert "2. " not in told
    (row,) = map(json.loads, series("--json").splitlines())
    assert (row["winner"]["id"], row["loser"]["id"], row["won"]) == ("eve", "fay", 9)
    assert row["winner"]["points"] > 100 > 0 > row["loser"]["points"]
    assert [game["feed"] for game in row["games"]] == list(range(9, 18))
    rows = [
        json.loads(line) for line in series("--json", "--days", "60", "--least", "5").splitlines()
    ]
    pairs = [(each["winner"]["id"], each["loser"]["id"], each["count"]) for each in rows]
    assert sorted(pairs) == [("eve", "fay", 9), ("hal", "gus", 8), ("jon", "ivy", 5)]


def test_all_games_of_a_series_count_though_few_are_listed(
    archive: Archive, series: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(archive)
    (before,) = map(json.loads, series("--json").splitlines())
    monkeypatch.setattr(finding, "GAMES", 3)
    (row,) = map(json.loads, series("--json").splitlines())
    assert [game["feed"] for game in row.pop("games")] == list(range(15, 18))
    assert {**row, "early": 9, "ends": {"resigned": 9}} == {
        key: value for key, value in before.items() if key != "games"
    }
    assert "won 9 of 9 rated games" in series()


def test_games_played_to_the_end_count_only_with_gained_points(
    archive: Archive, series: Any
) -> None:
    """Of two who really play, and play nobody else, the better one may win most."""
    friends = [("bob", "ada"), *([("ada", "bob")] * 5)] * 4
    archive.add([lost(at, *pair, 5, plies=14) for at, pair in enumerate(friends)])
    rate_all(archive)
    assert series() == "no suspicious series of 8 or more rated games in 30 days\n"
    archive.add([lost(at, "cyd", "dan", 5, plies=14) for at in range(100, 110)])
    rate_all(archive)
    assert "Dan (dan) won 10 of 10" in series()


def test_an_archive_without_suspicious_series_says_so(archive: Archive, series: Any) -> None:
    assert series() == "no suspicious series of 8 or more rated games in 30 days\n"
    assert series("--json") == ""
    archive.add([lost(number, "fay", "eve", 3) for number in range(5)])
    rate_all(archive)
    assert series("--days", "7") == "no suspicious series of 8 or more rated games in 7 days\n"


@pytest.mark.parametrize("option", ["--days", "--least"])
def test_options_out_of_range_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["archive", "series", option, "0"]) == 2
    assert "0 is not a number from" in capsys.readouterr().err
