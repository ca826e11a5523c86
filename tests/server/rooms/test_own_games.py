"""Players are not helped with the games that they are playing (SPEC 6.15)."""

from __future__ import annotations

from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import LineQuestion, ReplayQuery
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.own_games import check_others
from support.nodes import ANNA, BERT, CARL, Node

PLAYED = ["komi:12", "black", "c3"]


async def helped(node: Node, user: User, actions: list[str], **fields: Any) -> bool:
    """Whether the user may analyze what these actions lead to."""
    told = {"game": "loose", "size": 5, "legal": LineQuestion(), **fields}
    request = ReplayQuery(id=1, actions=actions, **told)
    try:
        await check_others(node.hub, node.log.tables.memberships, user, request)
    except Refused as refused:
        return not (refused.code is Code.NOT_NOW and "you are playing this" in refused.text)
    return True


@pytest.mark.parametrize("user", [ANNA, BERT])
async def test_a_player_gets_no_help_with_the_position_of_a_running_game(
    node: Node, user: User
) -> None:
    room = await node.started()
    assert not await helped(node, user, PLAYED)
    assert not await helped(node, user, [*PLAYED, "a1", "a2"])
    await node.resign(ANNA, room)
    assert await helped(node, user, PLAYED)


async def test_players_get_help_with_past_positions_and_other_games(node: Node) -> None:
    await node.started()
    assert await helped(node, ANNA, [])
    assert await helped(node, ANNA, PLAYED[:2])
    assert await helped(node, ANNA, ["komi:12", "black", "d3", "c3"])
    assert await helped(node, ANNA, PLAYED, size=7)
    assert await helped(node, ANNA, PLAYED, game="veletas", size=7)
    assert await helped(node, CARL, PLAYED)


async def test_a_game_without_actions_bars_nobody(node: Node) -> None:
    room = await node.make()
    await node.take(BERT, room)
    assert await helped(node, ANNA, ["komi:12"])
    await node.act(ANNA, room, 0, "komi:12")
    assert not await helped(node, BERT, ["komi:12"])
    assert await helped(node, BERT, ["komi:10"])


async def test_a_running_game_at_another_node_bars_help(two: list[Node]) -> None:
    here, there = two
    await here.started()
    assert not await helped(there, ANNA, PLAYED)


@pytest.mark.parametrize("fields", [{"game": "chess"}, {"size": 6}])
async def test_games_that_do_not_exist_are_refused(node: Node, fields: dict[str, Any]) -> None:
    request = ReplayQuery(id=1, actions=[], **{"game": "loose", **fields})
    with pytest.raises(Refused) as caught:
        await check_others(node.hub, node.log.tables.memberships, ANNA, request)
    assert caught.value.code is Code.BAD_FIELD
