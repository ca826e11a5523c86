"""Several nodes over one store: it makes no difference at which of them one is (laws 3, 5, 6)."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Opener, Starter
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Act,
    CancelSeek,
    Create,
    Error,
    Join,
    Leave,
    Ok,
    Ping,
    RoomsQuery,
    Seek,
)
from support import stores
from support.games import check_mirror, game, play, seat_both
from support.matches import Match, playing
from support.peer import fresh_nonce
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)


@pytest.fixture
def nodes(start: Starter) -> list[Serving]:
    """A node with an embedded store, and another over the same store."""
    first = start(keys=KEYS)
    return [first, start(store=first.store_url, keys=KEYS)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[stores.Server]:
    """A store of its own, which may be killed and paused."""
    with stores.single() as server:
        yield server


async def test_the_bound_on_seeks_holds_over_all_nodes(
    nodes: list[Serving], opener: Opener
) -> None:
    first = await opener(nodes[0].url, "Ada")
    lines = [first, await opener(nodes[1].url, None, "json", first.token)]
    for _ in range(10):
        nonces = [fresh_nonce() for _ in range(6)]
        answers = await asyncio.gather(
            *(
                lines[n % 2].ask(Seek, nonce=nonce, game="loose", size=(5, 7, 9)[n // 2])
                for n, nonce in enumerate(nonces)
            )
        )
        refused = [each.code for each in answers if isinstance(each, Error)]
        assert refused == [Code.LIMIT] * 3
        for nonce in nonces:
            await lines[0].ask(CancelSeek, nonce=nonce)


async def test_clients_at_all_nodes_see_the_same_game(nodes: list[Serving], opener: Opener) -> None:
    for of in (game("taugo", 8), game("veletas", 7), game("loose", 9)):
        first = await opener(nodes[0].url, "Ada", "msgpack")
        second = await opener(nodes[1].url, "Bea", "json")
        room = await seat_both(first, second, of)
        watchers = [
            await opener(node.url, "Eve", codec) for node in nodes for codec in ("msgpack", "json")
        ]
        for watcher in watchers:
            await watcher.follow(room)
        for peer in (first, second, *watchers):
            await peer.until_presence(room, (True, True), 4)
        await play(room, of, (first, second), end=of.turns // 2)
        await watchers[0].close()
        await watchers[3].vanish()
        for peer in (first, second, *watchers[1:3]):
            await peer.until_presence(room, (True, True), 2)
        await play(room, of, (first, second), begin=of.turns // 2)
        for peer in (first, second, *watchers[1:3]):
            await peer.until_over(room)
            check_mirror(peer, room, of)
            assert peer.state(room) == first.state(room)
        await first.do(Leave, room=room)
        await second.until_presence(room, (False, True), 2)


async def test_tokens_nonces_and_listings_are_valid_at_every_node(
    nodes: list[Serving], opener: Opener
) -> None:
    here = await opener(nodes[0].url, "Ada")
    there = await opener(nodes[1].url, token=here.token)
    assert (there.user, there.welcome.name) == (here.user, "Ada")
    for _ in range(10):
        make = {"nonce": fresh_nonce(), "game": "loose", "size": 5}
        one, other = await asyncio.gather(here.do(Create, **make), there.do(Create, **make))
        assert (one.room, one.place) == (other.room, other.place)
        take = {"room": one.room, "seat": "any", "nonce": fresh_nonce()}
        seats = await asyncio.gather(here.do(Join, **take), there.do(Join, **take))
        assert [answer.seats for answer in seats] == [[0], [0]]
        assert {answer.turn for answer in seats} == {0}
        assert one.room is not None
        for peer in (here, there):
            await peer.until_place(one.room, seats[0].place)
        assert here.state(one.room) == there.state(one.room)
    assert (await here.do(RoomsQuery)).rooms == (await there.do(RoomsQuery)).rooms


async def test_one_of_two_actions_at_different_nodes_wins(
    nodes: list[Serving], opener: Opener, rng: random.Random
) -> None:
    here = await opener(nodes[0].url, "Ada")
    there = await opener(nodes[1].url, token=here.token, codec="json")
    peers = (here, there)
    room = await seat_both(here, here, game("loose", 13))
    await there.follow(room)
    position: Position = GAMES["loose"].opening(13)
    wins = [0, 0]
    for turn in range(100):
        for peer in peers:
            await peer.until_turn(room, turn)
        wanted = rng.sample([each for each in position.actions() if each != "pass"], 2)
        asks = [
            asyncio.ensure_future(peer.ask(Act, room=room, turn=turn, action=action))
            for peer, action in list(zip(peers, wanted, strict=True))[:: 1 if turn % 2 else -1]
        ]  # now the one is first, now the other
        answers = (await asyncio.gather(*asks))[:: 1 if turn % 2 else -1]
        (winner,) = (n for n, answer in enumerate(answers) if isinstance(answer, Ok))
        ok, lost = answers[winner], answers[1 - winner]
        assert isinstance(lost, Error)
        assert (lost.code, lost.turn, lost.place) == (Code.STALE, turn + 1, ok.place)
        wins[winner] += 1
        after = position.play(wanted[winner])
        assert not isinstance(after, Refusal)
        position = after
    for peer in peers:
        state = await peer.until_turn(room, 100)
        assert state.position.cells == list(position.cells)
        assert [event.seq for event in peer.events(room)] == list(range(3, 103))
    assert min(wins) > 0, "one node always wins: that was no race"


async def test_the_same_action_at_two_nodes_happens_once(
    nodes: list[Serving], opener: Opener
) -> None:
    here = await opener(nodes[0].url, "Ada")
    there = await opener(nodes[1].url, token=here.token)
    room = await seat_both(here, here, LOOSE)
    for turn, action in enumerate(LOOSE.actions):
        answers = await asyncio.gather(
            *(peer.do(Act, room=room, turn=turn, action=action) for peer in (here, there))
        )
        assert (answers[0].place, answers[0].turn) == (answers[1].place, answers[1].turn)
    state = await here.until_over(room)
    assert state.seq == 2 + LOOSE.turns
    check_mirror(here, room, LOOSE)


async def test_a_client_can_move_from_node_to_node(nodes: list[Serving], opener: Opener) -> None:
    """After every action the mover goes to the other node, which may not have heard of it yet; the
    place that the answer named is known there nevertheless."""
    of = game("veletas", 7)
    players = [await opener(nodes[n].url, name) for n, name in enumerate(("Ada", "Bea"))]
    room = await seat_both(players[0], players[1], of)
    for turn in range(of.turns):
        seat = of.positions[turn].to_act or 0
        await players[seat].until_turn(room, turn)
        answer = await players[seat].act(room, turn, of.actions[turn])
        await players[seat].until_place(room, answer.place)
        await players[seat].vanish()
        players[seat] = await players[seat].again(nodes[(turn // 2 + seat) % 2].url)
        assert (await players[seat].resume(room)).resumed is True
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, of)
        await player.close()


async def test_a_node_that_is_behind_catches_up(
    store: stores.Server, start: Starter, opener: Opener
) -> None:
    """What one node has acknowledged, another one knows of when it is asked, even if its own line
    to the store was cut just then: it reads before it says no."""
    nodes = [start(store=store.url, keys=KEYS) for _ in range(2)]
    of = game("loose", 9)
    here = await opener(nodes[0].url, "Ada")
    there = await opener(nodes[1].url, token=here.token)
    watcher = await opener(nodes[1].url)
    room = await seat_both(here, here, of)
    await there.follow(room)
    for turn in range(0, of.turns - 1, 2):
        store.command("CLIENT", "KILL", "TYPE", "pubsub")
        first = await here.act(room, turn, of.actions[turn])
        await here.until_place(room, first.place)
        watcher.remember(here.state(room))
        assert (await watcher.resume(room)).resumed is True
        await watcher.do(Leave, room=room)
        store.command("CLIENT", "KILL", "TYPE", "pubsub")
        await here.act(room, turn + 1, of.actions[turn + 1])
        error = await there.refused(Code.STALE, Act, room=room, turn=turn + 1, action="e5e")
        assert error.turn == turn + 2
        await there.refused(Code.ILLEGAL, Act, room=room, turn=turn + 2, action="e5e")
    await play(room, of, (there, there), begin=of.turns // 2 * 2)
    for peer in (here, there):
        await peer.until_over(room)
        check_mirror(peer, room, of)


async def test_resuming_at_a_node_that_never_saw_the_game(
    nodes: list[Serving], opener: Opener
) -> None:
    players = await opener(nodes[0].url, "Ada"), await opener(nodes[0].url, "Bea")
    room = await seat_both(*players, LOOSE)
    await play(room, LOOSE, players)
    end = await players[0].until_over(room)
    peer = await opener(nodes[1].url)
    for state in players[0].states[room]:
        peer.remember(state)
        assert (await peer.resume(room)).resumed is True
        assert await peer.until_over(room) == end
        await peer.do(Leave, room=room)


async def test_games_go_on_when_a_node_is_killed(nodes: list[Serving], opener: Opener) -> None:
    """Its clients go on at the other one, in the middle of games; back and forth."""
    alive = nodes[1]

    async def door() -> str:
        return alive.url

    matches = [Match(door, game(*of)) for of in (("loose", 9), ("taugo", 11), ("taugo", 16))]
    for match in matches:
        match.limit = 12
    async with playing(matches):
        for turn in (10, 30, 50):
            for match in matches:
                await match.reach(turn)
            killed, alive = alive, nodes[0] if alive is nodes[1] else nodes[1]
            killed.kill()
            for match in matches:
                match.allow(turn + 22 if turn < 50 else match.of.turns)
            await asyncio.to_thread(killed.start)
    assert [match.interruptions for match in matches] == [3, 3, 3]
    for node in nodes:
        assert all(entry["level"] != "error" for entry in node.logged)


async def test_games_go_on_when_a_killed_store_returns(
    store: stores.Server, start: Starter, opener: Opener
) -> None:
    """The nodes stay; what is asked meanwhile is done or answered `unavailable`, and the clients'
    connections see every event. Presence goes on, too."""
    nodes = [start("--store-seconds", "1", store=store.url, keys=KEYS) for _ in range(2)]
    doors = iter(range(1_000))

    async def door() -> str:
        return nodes[next(doors) % 2].url

    matches = [Match(door, of) for of in (game("loose", 9), game("taugo", 11))]
    async with playing(matches):
        for turn in (10, 30, 50):
            await matches[0].reach(turn)
            store.kill()
            await asyncio.to_thread(store.start)
    assert [match.interruptions for match in matches] == [0, 0]
    assert sum(match.refusals for match in matches) > 0

    peers = [await opener(node.url) for node in nodes]
    for peer in peers:
        await peer.follow(matches[0].room)
    for peer in peers:
        await peer.until_presence(matches[0].room, (False, False), 2)


async def test_requests_are_unavailable_while_the_store_hangs(
    store: stores.Server, start: Starter, opener: Opener
) -> None:
    """Requests that need it are answered `unavailable` in time, others go on; a repeated action is
    done once, whether or not the first attempt came through in the end."""
    serving = start("--store-seconds", "1", store=store.url, keys=KEYS)
    player, watcher = await opener(serving.url, "Ada"), await opener(serving.url, codec="json")
    room = await seat_both(player, player, LOOSE)
    await watcher.follow(room)
    for turn, action in enumerate(LOOSE.actions[:2]):
        store.pause()
        try:
            error = await player.refused(Code.UNAVAILABLE, Act, room=room, turn=turn, action=action)
            assert error.id is not None
            await watcher.do(Ping)
            await watcher.refused(Code.UNAVAILABLE, Join, room="nosuchroom")
        finally:
            store.resume()
        answer = await player.ask(Act, room=room, turn=turn, action=action)
        while isinstance(answer, Error) and answer.code == Code.UNAVAILABLE:
            answer = await player.ask(Act, room=room, turn=turn, action=action)
        assert isinstance(answer, Ok), answer
        assert answer.turn == turn + 1
    await play(room, LOOSE, (player, player), begin=2)
    for peer in (player, watcher):
        state = await peer.until_over(room)
        assert state.seq == 2 + LOOSE.turns
        check_mirror(peer, room, LOOSE)


def test_a_shared_store_needs_keys(store: stores.Server, start: Starter) -> None:
    with pytest.raises(AssertionError, match="PIERULE_KEYS"):
        start(store=store.url)


def test_a_folder_is_served_by_one_server(start: Starter) -> None:
    first = start()
    with pytest.raises(AssertionError, match="Another server"):
        start("--data", str(first.data))
    assert first.process is not None
    first.process.send_signal(signal.SIGTERM)
    assert first.process.wait(60) == 0
