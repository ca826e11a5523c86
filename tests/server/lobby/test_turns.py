"""Who is told that it is their turn (SPEC 23.12)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from pierule_protocol.log.controls import Correspondence, requested
from pierule_protocol.messages import Accept, AnswerChallenge, Challenge, Offer, Seek
from pierule_server.identity.tokens import User
from pierule_server.lobby.turns import is_slow, tell_turn
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.pools import OVERDUE_MS
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, Client, Node, running

SLOW = requested(Correspondence(days=2))


async def told(node: Node, room_id: str) -> dict[str, list[str]]:
    """The notes of both players about the room's turns, once they were brought up to date."""
    room = await node.hub.peek(room_id)
    assert room is not None
    await tell_turn(node.log.tables.inboxes, room)
    return {
        user.id: [name for name in await node.log.tables.inboxes.read(user.id) if room_id in name]
        for user in (ANNA, BERT)
    }


async def test_only_the_user_to_act_is_notified() -> None:
    async with running() as [node]:
        room = await node.started(SLOW)
        assert await told(node, room) == {"anna": [f"turn:{room}:3"], "bert": []}
        await node.act(ANNA, room, 3, "b2")
        assert await told(node, room) == {"anna": [], "bert": [f"turn:{room}:4"]}
        await node.resign(BERT, room)
        assert await told(node, room) == {"anna": [], "bert": []}


async def test_the_challenger_is_told_that_the_challenge_was_accepted() -> None:
    async with running() as [node]:
        asked = Challenge(id=1, nonce="n", to=BERT.id, game="loose", size=5, clock=SLOW, seat=0)
        await node.lobby.challenges.challenge(ANNA, asked)
        (name,) = await node.log.tables.inboxes.read(BERT.id)
        answer = AnswerChallenge(id=2, challenge=name.removeprefix("challenge:"), accept=True)
        ok = await node.ask_lobby(Client(BERT).connection, BERT, answer)
        assert f"turn:{ok.room}:0" in await node.log.tables.inboxes.read(ANNA.id)
        assert f"turn:{ok.room}:0" not in await node.log.tables.inboxes.read(BERT.id)


async def seek(node: Node, user: User) -> str | None:
    asked = Seek(id=1, nonce="n", game="loose", size=5, clock=SLOW)
    return (await node.ask_lobby(Client(user).connection, user, asked)).room


async def turns(node: Node) -> dict[str, list[str]]:
    """The notes about turns of both players."""
    inboxes = {user.id: await node.log.tables.inboxes.read(user.id) for user in (ANNA, BERT)}
    return {user: [name for name in inboxes[user] if name[:5] == "turn:"] for user in inboxes}


async def test_quick_pairing_notifies_the_user_to_act() -> None:
    async with running() as [node]:
        await seek(node, ANNA)
        room = await seek(node, BERT)
        assert room is not None
        first, second = node.kept(room).seats
        assert first is not None
        assert second is not None
        assert await turns(node) == {first.user: [f"turn:{room}:0"], second.user: []}


async def test_quick_pairing_notifies_even_if_the_node_dies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_700_000_000_000]

    async def die(_: str) -> None:
        raise StoreUnavailable

    async with running(2, ModelStore(lambda: now[0])) as [here, there]:
        monkeypatch.setattr(here.lobby.seeking, "_begun", die)
        await seek(here, ANNA)
        with pytest.raises(StoreUnavailable):
            await seek(here, BERT)
        assert await turns(here) == {"anna": [], "bert": []}
        now[0] += OVERDUE_MS
        [overdue] = (await there.log.tables.pools.sweep())[0]
        await there.lobby.seeking._carry_out(overdue)
        assert sorted(map(len, (await turns(here)).values())) == [0, 1]
        assert not (await there.log.tables.pools.sweep())[0]


async def test_a_rematch_notifies_the_user_to_act() -> None:
    async with running() as [node]:
        room = await node.started(SLOW)
        await node.resign(ANNA, room)
        await node.rooms.agree(ANNA, Offer(id=1, room=room, what="rematch", nonce="o"))
        turn = node.kept(room).turn
        accept = Accept(id=2, room=room, what="rematch", turn=turn, nonce="a")
        await node.rooms.agree(BERT, accept)
        await node.lobby.turns.acted(room)
        rematch = node.kept(room).rematch
        assert rematch is not None
        assert await turns(node) == {"anna": [], "bert": [f"turn:{rematch}:0"]}


async def test_a_player_of_both_seats_is_notified() -> None:
    async with running() as [node]:
        room = await node.make(clock=SLOW)
        await node.take(ANNA, room, seat=1)
        await node.act(ANNA, room, 0, "komi:12")
        assert await told(node, room) == {"anna": [f"turn:{room}:1"], "bert": []}


async def test_only_slow_games_notify_users() -> None:
    async with running() as [node]:
        for clock, slow in ((SLOW, True), (None, False)):
            room = await node.hub.peek(await node.started(clock))
            assert room is not None
            assert is_slow(room) == slow


async def test_who_could_not_be_told_is_told_once_the_store_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pierule_server.lobby.turns.AGAIN", 0.01)
    async with running() as [node]:
        room = await node.started(SLOW)
        inboxes, turns_of = node.log.tables.inboxes, node.lobby.turns
        put, away = inboxes.put, asyncio.Event()

        async def refused(*_: object, **__: object) -> None:
            away.set()
            raise StoreUnavailable

        monkeypatch.setattr(inboxes, "put", refused)
        await node.act(ANNA, room, 3, "b2")
        with capture_logs() as logs:
            await turns_of.acted(room)
            away.clear()
            retrying = asyncio.create_task(turns_of.run())
            await away.wait()  # and is refused once more
        assert [entry["room"] for entry in logs] == [room]  # operators need it once
        assert await turns(node) == {"anna": [], "bert": []}
        back = asyncio.Event()

        async def taken(*args: Any, **how: Any) -> Any:
            done = await put(*args, **how)
            back.set()
            return done

        monkeypatch.setattr(inboxes, "put", taken)
        async with asyncio.timeout(30):
            await back.wait()
        assert await turns(node) == {"anna": [], "bert": [f"turn:{room}:4"]}
        retrying.cancel()
