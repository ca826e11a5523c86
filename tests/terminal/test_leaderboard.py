"""Leaderboards line by line."""

from __future__ import annotations

from typing import Any

from pierule_terminal.leaderboard import NOBODY, bots, head, place, rows
from pierule_terminal.screen import columns

DAY = 86_400_000


def ranked(
    rank: int, name: str | None, rating: str, deviation: str = "60.000000"
) -> dict[str, Any]:
    player = {"id": f"id-{rank}", "name": name, "bot": False}
    unsure = float(deviation) > 110
    return {"rank": rank, "player": player, "rating": rating, "deviation": deviation,
            "games": 10 + rank, "provisional": unsure, "last": rank * DAY}  # fmt: skip


def board(*players: dict[str, Any]) -> dict[str, Any]:
    return {"game": "loose", "version": 1, "through": 17, "at": 3 * DAY, "players": list(players)}


TABLE = board(ranked(1, "Ada", "1712.600000"), ranked(2, "\x1b박" * 20, "1400.000000"))


def test_a_leaderboard_names_its_game_and_time() -> None:
    assert head(TABLE) == "loose, model 1, up to number 17, at 1970-01-04 00:00 UTC"


def test_every_player_has_a_line_in_columns() -> None:
    heading, first, second = rows(TABLE)
    assert heading == "      player                       rating  games  last game"
    assert first == "   1  Ada                            1713     11  1970-01-02"
    assert columns(second) == columns(first)
    assert "\x1b" not in second
    assert rows(board(ranked(1, None, "1500.000000")))[1].startswith("   1  deleted account ")
    assert rows(board()) == [NOBODY]


def test_house_bots_are_in_a_list_of_their_own() -> None:
    told = [
        {"level": "search", "name": "Otto", "rating": 1500},
        {"level": "de\x1bep", "name": None, "rating": 150},
    ]
    heading, first, second = bots({**board(), "bots": told})
    assert heading == "House bots, whose ratings never change:"
    assert first == "      Otto (search)                  1500"
    assert second == "      de?ep                           150"
    assert bots(board()) == bots({**board(), "bots": []}) == []


def test_your_line_is_marked_and_the_columns_stay() -> None:
    heading, first, second = rows(TABLE, "id-1")
    assert first == ">    1  Ada                            1713     11  1970-01-02  you"
    assert second.startswith("     2  ")
    assert heading.index("player") == first.index("Ada")
    assert place(TABLE, "id-2") == "You are number 2."
    assert "10 rated games" in place(TABLE, "id-3")
    assert not any(line.startswith(">") for line in rows(TABLE, "id-3"))
