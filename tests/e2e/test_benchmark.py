"""What the benchmark plays at a real server."""

from __future__ import annotations

from bench.ours import Table
from support.games import games
from support.serving import Serving


async def test_one_more_room_is_not_asked_for_than_its_games_fill(server: Serving) -> None:
    (game, other) = games()[:2]
    choice = iter([game, other])
    table = await Table.lay(server.url, 2, choice, 1)
    assert [played for _, played in table.rooms] == [game]
    assert next(choice) is other
