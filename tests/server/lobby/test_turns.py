"""Who is told that it is their turn (SPEC 23.12)."""

from __future__ import annotations

from pierule_protocol.controls import Correspondence, requested
from pierule_protocol.messages import AnswerChallenge, Challenge
from pierule_server.lobby.turns import is_slow, tell_turn
from support.nodes import ANNA, BERT, Client, Node, running

SLOW = requested(Correspondence(days=2))


async def told(node: Node, room_id: str) -> dict[str, list[str]]:
    """The notes of both players about the room's turns, once they were brought up to date."""
    room = await node.hub.peek(room_id)
    assert room is not None
    await tell_turn(node.log.inboxes, room)
    return {
        user.id: [name for name in await node.log.inboxes.read(user.id) if room_id in name]
        for user in (ANNA, BERT)
    }


async def test_only_who_is_to_act_is_told() -> None:
    async with running() as [node]:
        room = await node.started(SLOW)
        assert await told(node, room) == {"anna": [f"turn:{room}:3"], "bert": []}
        await node.act(ANNA, room, 3, "b2")
        assert await told(node, room) == {"anna": [], "bert": [f"turn:{room}:4"]}
        await node.resign(BERT, room)
        assert await told(node, room) == {"anna": [], "bert": []}


async def test_who_was_waited_for_is_told_that_a_challenge_was_accepted() -> None:
    async with running() as [node]:
        asked = Challenge(id=1, nonce="n", to=BERT.id, game="loose", size=5, clock=SLOW, seat=0)
        await node.lobby.answer(Client(ANNA).connection, ANNA, asked)
        (name,) = await node.log.inboxes.read(BERT.id)
        answer = AnswerChallenge(id=2, challenge=name.removeprefix("challenge:"), accept=True)
        ok = await node.lobby.answer(Client(BERT).connection, BERT, answer)
        assert f"turn:{ok.room}:0" in await node.log.inboxes.read(ANNA.id)
        assert f"turn:{ok.room}:0" not in await node.log.inboxes.read(BERT.id)


async def test_who_plays_alone_is_told_as_well() -> None:
    async with running() as [node]:
        room = await node.make(clock=SLOW)
        await node.take(ANNA, room, seat=1)
        await node.act(ANNA, room, 0, "komi:12")
        assert await told(node, room) == {"anna": [f"turn:{room}:1"], "bert": []}


async def test_fast_games_are_left_alone() -> None:
    async with running() as [node]:
        for clock, slow in ((SLOW, True), (None, False)):
            room = await node.hub.peek(await node.started(clock))
            assert room is not None
            assert is_slow(room) == slow
