"""House bots that stand in at two nodes, for anybody or by level, and how the lobby counts them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Fischer
from pierule_protocol.messages import (
    FreeBots,
    LobbyChange,
    LobbyState,
    Ok,
    RatingRange,
    StandIn,
    WatchLobby,
)
from pierule_server.identity.tokens import User
from pierule_server.lobby import house_bots, seeking, view
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.pools import STAND_IN, PoolKey
from support.model_store import HeldClock
from support.nodes import ANNA, BERT, CARL, Client, Node
from support.seekers import (
    cancel_seek,
    code_of,
    come,
    ids,
    seek,
    told,
    two_lobbies,
    wait_for,
)


@pytest.fixture
async def nodes() -> AsyncIterator[list[Node]]:
    async with two_lobbies() as made:
        yield made


async def stand_in(node: Node, client: Client, nonce: str = "s", level: str | None = None) -> Ok:
    request = StandIn(id=next(ids), nonce=nonce, bot_level=level)
    return await node.ask_lobby(client.connection, client.user, request)


HOUSE = User("house-search", "Search bot", bot=True, house=True)


async def test_only_house_bots_stand_in(nodes: list[Node]) -> None:
    for user in (ANNA, User("b", "B", bot=True)):
        assert await code_of(stand_in(nodes[0], come(nodes[0], user))) is Code.UNKNOWN_TYPE


async def test_a_house_bot_takes_an_unanswered_seek(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On what was sought, and not before its time; over any nodes; for one game."""
    monkeypatch.setattr(seeking, "RENEW", 0.01)
    bot, anna, bert = come(nodes[0], HOUSE), come(nodes[1], ANNA), come(nodes[1], BERT)
    assert (await stand_in(nodes[0], bot)).room is None
    clock = Fischer(main=300, increment=3)
    await seek(nodes[1], anna, size=7, clock=clock, bot_after=15)
    await seek(nodes[1], bert, size=9)
    await asyncio.sleep(0.1)
    assert told(anna) == told(bot) == []
    hands = nodes[0].store.now
    assert isinstance(hands, HeldClock)
    for _ in range(5):  # so that nobody's lease ends
        hands.now += 3_000
        await asyncio.sleep(0.1)
    await wait_for(lambda: told(anna) and told(bot))
    assert told(bot)[0].nonce == "s"
    assert told(bert) == []
    room = told(anna)[0].room
    assert {each.room for each in told(anna) + told(bot)} == {room}
    created = (await nodes[0].hub.cache.get(room)).room.created
    assert (created.size, created.clock) == (7, clock)
    again = await stand_in(nodes[0], bot)
    assert again.room == room, "sent again, it is answered as it was"
    look = await nodes[0].log.tables.listing.read()
    assert STAND_IN not in look.waiting


async def test_a_level_is_played_by_its_own_bot_or_goes_on_waiting(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once where it is connected; while it plays, its level is still known."""
    monkeypatch.setattr(view, "INTERVAL", 0.0)
    monkeypatch.setattr(seeking, "RENEW", 0.01)
    anna, bert, carl = come(nodes[0], ANNA), come(nodes[0], BERT), come(nodes[1], CARL)
    assert await code_of(seek(nodes[0], anna, bot_level="search")) is Code.BAD_FIELD
    bots = {level: come(nodes[0], house(level)) for level in ("search", "random")}
    for level, bot in bots.items():
        await stand_in(nodes[0], bot, level=level)
    assert await code_of(seek(nodes[1], carl, bot_level="best")) is Code.BAD_FIELD
    anybody = RatingRange(below=None, above=None)
    with pytest.raises(Refused) as caught:
        await seek(nodes[1], carl, bot_level="random", range=anybody)
    assert (caught.value.code, caught.value.fields) == (Code.BAD_FIELD, {"field": "range"})
    answer = await seek(nodes[0], anna, bot_level="random")
    assert answer.room is not None
    players = (await nodes[0].hub.cache.get(answer.room)).room.created.players
    assert {each.user for each in players or ()} == {"anna", "house-random"}
    assert (await seek(nodes[0], bert, bot_level="random")).room is None
    assert (await seek(nodes[1], carl, bot_level="random", bot_after=0)).room is None
    look = (await nodes[0].log.tables.listing.read()).waiting
    assert house_bots.levels(look) == [
        FreeBots(bot_level="random", free=0), FreeBots(bot_level="search", free=1)
    ]  # fmt: skip
    await stand_in(nodes[0], bots["random"], "again", "random")
    await wait_for(lambda: told(bert) or told(carl))
    assert not (told(bert) and told(carl))
    # Whoever waits is not turned away while nobody runs the level.
    monkeypatch.setattr(nodes[0].lobby.seeking, "_levels", nobody)
    late = bert if told(carl) else carl
    assert (await seek(nodes[0], late, bot_level="random")).room is None
    again = await seek(nodes[0], anna, bot_level="random")
    assert again.room == answer.room, "sent again, it is answered as it was"


async def test_the_level_of_a_bot_is_known_before_the_bot_is_free(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise somebody who sees the bot in between is told that nobody runs its level."""
    pools, told = nodes[0].log.tables.pools, []
    ask = pools.seek

    async def seek(verb: Any, pool: PoolKey, *rest: Any) -> Any:
        told.append(pool)
        return await ask(verb, pool, *rest)

    monkeypatch.setattr(pools, "seek", seek)
    await stand_in(nodes[0], come(nodes[0], house("search")), level="search")
    assert told == [house_bots.run_at("search"), house_bots.free_at("search")]


async def nobody() -> list[str]:
    return []


def house(level: str) -> User:
    return User(f"house-{level}", level, bot=True, house=True)


async def test_the_lobby_counts_the_bots_that_stand_in(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "INTERVAL", 0.02)
    bot, watcher = come(nodes[0], HOUSE), Client(CARL)
    await stand_in(nodes[0], bot)
    await nodes[1].lobby.watch(watcher.connection, WatchLobby(id=1))
    [state] = [each for each in watcher.received() if isinstance(each, LobbyState)]
    assert (state.bots, state.pools) == (1, [])
    await cancel_seek(nodes[0], bot, "s")
    await wait_for(lambda: any(isinstance(m, LobbyChange) for m in watcher.received()))
    [change] = [each for each in watcher.received() if isinstance(each, LobbyChange)]
    assert (change.bots, change.pools) == (0, [])
