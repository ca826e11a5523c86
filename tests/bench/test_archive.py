"""The benchmark of the archive: its games are real ones, and its page says what was found."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.archive.__main__ import arguments
from bench.archive.asking import Export, Query
from bench.archive.cost import Cost
from bench.archive.crowd import Crowd, id_of, line_of
from bench.archive.played import Line, lines
from bench.archive.told import Filled, Found, page
from bench.figures import Spread
from pierule_archive.game import game_of


@pytest.fixture(scope="module")
def played() -> list[Line]:
    return lines(12, seed=3)


def test_generated_games_match_their_logs_and_are_reproducible(played: list[Line]) -> None:
    crowd = Crowd(played, 60, seed=5)
    games = list(crowd.games())
    assert games == list(crowd.games())
    assert [game_of(game.room, game.entries) for game in games] == games
    assert len({game.room for game in games}) == 60
    ends = [game.ended for game in games]
    assert ends == sorted(ends)


def test_the_room_id_tells_which_line_was_played(played: list[Line]) -> None:
    for game in Crowd(played, 60, seed=5).games():
        assert played[line_of(game.room)].game.actions == game.actions


def test_a_few_players_play_most_of_the_games(played: list[Line]) -> None:
    crowd = Crowd(played[:1], 3_000, seed=5)
    seats = Counter(player for game in crowd.games() for player in (game.player0, game.player1))
    assert seats.most_common(1)[0][0] in {id_of(player) for player in range(5)}
    assert seats[id_of(0)] > 5 * seats[id_of(crowd.players - 1)]


def test_the_page_says_which_figures_met_their_target() -> None:
    times = [float(each) for each in range(1, 101)]
    queries = [
        Query("a game", extra=False, times=[t / 2 for t in times], processor=1.0, size=900.0),
        Query("newest games", extra=False, times=times, processor=1.0, size=900.0),
        Query("rare games", extra=True, times=times, processor=1.0, size=900.0),
    ]
    filled = Filled("sqlite", 1_000, 500.0, 100.0, 4_000_000, 3_000_000, queries,
                    Export(lines=1_001, bytes=600_000, seconds=0.5))  # fmt: skip
    cost = Cost(
        with_archive=Spread(960, 950, 970), without=Spread(1_000, 990, 1_010),
        ratio=Spread(0.96, 0.95, 0.97), games=40, plies=28.0,
        costs={"with": 260.0, "without": 250.0}, each=900.0,
    )  # fmt: skip
    told = page(Found("2026-01-01", "abc", 60.0, {"processor": "x"}, 12, 60, [filled], cost))
    assert "| sqlite | 1,000 | 4,000 | 75% | 500 | 100 | 2,002 | 1.2 |" in told
    assert "| a game | 25.5 | 48.0 | 1.0 | 0.9 | met |" in told
    assert "| newest games | 51.0 | 96.0 | 1.0 | 0.9 | missed |" in told
    assert "| rare games | 51.0 | 96.0 | 1.0 | 0.9 | not of the ten |" in told
    assert "0.960 (0.950-0.970), where 0.95 is wanted: met" in told


@pytest.mark.parametrize("line", ["--games 3", "--games many", "--database oracle", "--only tea"])
def test_options_that_make_no_sense_are_refused(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments(line.split())
    assert line.split()[0] in capsys.readouterr().err
