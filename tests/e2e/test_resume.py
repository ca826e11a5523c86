"""A client that comes back goes on where it was: exactly the events that it missed, or a snapshot
if the log does not know the place that it names (laws 5 and 6)."""

from __future__ import annotations

import asyncio
import random
from functools import partial

import pytest

from e2e.conftest import Opener, Starter
from pierule_protocol.log.events import Place
from pierule_protocol.messages import Act, Leave, RoomState
from support.games import Game, check_mirror, game, play, seat_both
from support.peer import Peer
from support.serving import Serving

LOOSE = game("loose", 5)
LONG = game("taugo", 16)
"""Longer than the 128 events that a node keeps ready."""


async def whole(of: Game, client: Opener) -> tuple[str, Peer]:
    """A room in which the game was played, and one who saw all of it."""
    seer, other = await client("Ada"), await client("Bea")
    room = await seat_both(seer, other, of)
    await play(room, of, (seer, other))
    await seer.until_over(room)
    assert [state.seq for state in seer.states[room]] == list(range(1, of.turns + 3))
    return room, seer


async def resumed_at(state: RoomState, peer: Peer, seer: Peer) -> None:
    """Resume at the place of a state, and get exactly what came after it."""
    room = state.room
    peer.remember(state)
    answer = await peer.follow(room, state.place)
    assert answer.resumed is True
    last = seer.state(room)
    assert await peer.until_place(room, last.place) == last
    await peer.do(Leave, room=room)
    assert peer.events(room) == [event for event in seer.events(room) if event.seq > state.seq]
    assert peer.snapshots(room) == []
    peer.received.clear()


async def sent_anew(place: Place, room: str, peer: Peer, seer: Peer) -> None:
    """Resume at a place that the log does not know, and get a snapshot alone."""
    peer.states.pop(room, None)
    answer = await peer.follow(room, place)
    assert answer.resumed is False
    await peer.do(Leave, room=room)
    assert [snapshot.state for snapshot in peer.snapshots(room)] == [seer.state(room)]
    assert peer.events(room) == []
    peer.received.clear()


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_a_client_resumes_at_every_place_of_a_game(codec: str, client: Opener) -> None:
    room, seer = await whole(LOOSE, client)
    peer = await client(codec=codec)
    for state in seer.states[room]:
        await resumed_at(state, peer, seer)


async def test_a_client_resumes_at_every_place_of_a_long_game(client: Opener) -> None:
    room, seer = await whole(LONG, client)
    assert seer.state(room).seq > 130
    peer = await client()
    for state in seer.states[room]:
        await resumed_at(state, peer, seer)


async def test_a_client_resumes_from_the_log_after_a_restart(
    start: Starter, opener: Opener
) -> None:
    serving = start()
    room, seer = await whole(LOOSE, partial(opener, serving.url))
    serving.kill()
    serving.start()
    peer = await opener(serving.url)
    for state in seer.states[room]:
        await resumed_at(state, peer, seer)


async def test_an_evicted_room_is_loaded_again(start: Starter, opener: Opener) -> None:
    """A node that keeps a single idle room ready still serves them all."""
    serving = start("--rooms-cached", "1")
    seer = await opener(serving.url)
    rooms = [await seat_both(seer, seer, LOOSE) for _ in range(3)]
    for room in rooms:
        await play(room, LOOSE, (seer, seer))
        await seer.until_over(room)
        await seer.do(Leave, room=room)
    peer = await opener(serving.url)
    for _ in range(3):
        for room in rooms:
            await resumed_at(seer.states[room][10], peer, seer)
    # Requests that follow nothing find them too.
    again = await asyncio.gather(
        *(seer.do(Act, room=room, turn=3, action=LOOSE.actions[3]) for room in rooms * 3)
    )
    assert {answer.turn for answer in again} == {4}


@pytest.mark.parametrize("of", [LOOSE, LONG], ids=["short", "long"])
async def test_a_client_with_another_past_gets_a_snapshot(of: Game, client: Opener) -> None:
    room, seer = await whole(of, client)
    peer = await client(codec="json")
    end = seer.state(room).place
    for state in seer.states[room]:
        await sent_anew(Place(state.epoch, state.seq, state.chain ^ 1), room, peer, seer)
    for place in (
        Place(end.epoch + 1, end.seq, end.chain),
        Place(end.epoch - 1, end.seq, end.chain),
        Place(end.epoch + 1, end.seq + 1, end.chain),
        Place(0, 0, 0),
        Place(end.epoch, 0, 0),
        Place(2**32 - 1, 2**32 - 1, 2**32 - 1),
    ):
        await sent_anew(place, room, peer, seer)


async def test_a_client_ahead_of_the_log_gets_a_snapshot(client: Opener) -> None:
    room, seer = await whole(LOOSE, client)
    peer = await client()
    end = seer.state(room).place
    for ahead in (1, 2, 200):
        await sent_anew(Place(end.epoch, end.seq + ahead, end.chain), room, peer, seer)


async def test_a_player_whose_connection_is_cut_plays_on(server: Serving, client: Opener) -> None:
    """After every action the mover vanishes, and comes back to find what happened meanwhile."""
    of = game("veletas", 7)
    first, second = await client("Ada", "msgpack"), await client("Bea", "json")
    room = await seat_both(first, second, of)
    players = [first, second]
    for turn in range(of.turns):
        seat = of.positions[turn].to_act
        assert seat is not None
        await players[seat].until_turn(room, turn)
        await players[seat].act(room, turn, of.actions[turn])
        await players[seat].vanish()
        players[seat] = await players[seat].again(server.url)
        assert (await players[seat].resume(room)).resumed is True
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, of)
        await player.close()


async def test_a_client_that_comes_and_goes_keeps_a_right_mirror(
    server: Serving, client: Opener, rng: random.Random
) -> None:
    """Spectators join, vanish and resume at any moment: none of them ever sees a hole."""
    of = game("loose", 13)
    player = await client("Ada")
    room = await seat_both(player, player, of)

    async def restless(codec: str) -> None:
        peer = await client(codec=codec)
        await peer.follow(room)
        while peer.state(room).status != "over":
            await peer.until_turn(room, min(peer.state(room).turn + rng.randint(0, 9), of.turns))
            await peer.vanish()
            peer = await peer.again(server.url)
            assert (await peer.resume(room)).resumed is True
        check_mirror(peer, room, of)
        await peer.close()

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        group.create_task(play(room, of, (player, player)))
        for number in range(8):
            group.create_task(restless("json" if number % 2 else "msgpack"))


async def test_joining_a_followed_room_again_is_answered(client: Opener) -> None:
    """It repeats nothing that was asked for, and no event comes twice afterwards."""
    player = await client("Ada")
    room = await seat_both(player, player, LOOSE)
    for _ in range(3):
        answer = await player.follow(room, player.state(room).place)
        assert answer.resumed is True
    await play(room, LOOSE, (player, player))
    await player.until_over(room)
    assert [event.seq for event in player.events(room)] == list(range(3, LOOSE.turns + 3))
    check_mirror(player, room, LOOSE)
