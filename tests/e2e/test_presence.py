"""Who is there: counted by user, told to all who follow, and soon after it changes."""

from __future__ import annotations

import asyncio

from e2e.conftest import Opener
from pierule_protocol.messages import Create, Join, Leave
from support.games import game, play, seat_both
from support.peer import fresh_nonce
from support.serving import Serving

LOOSE = game("loose", 5)


async def test_presence_follows_players_and_spectators(server: Serving, client: Opener) -> None:
    maker = await client("Ada")
    made = await maker.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
    room = made.room
    assert room is not None
    await maker.follow(room)
    await maker.until_presence(room, (True, False), 0)

    watcher = await client("Eve", "json")
    await watcher.follow(room)
    for peer in (maker, watcher):
        await peer.until_presence(room, (True, False), 1)

    # A spectator who sits down is a spectator no more.
    await watcher.do(Join, room=room, seat="any", nonce=fresh_nonce())
    for peer in (maker, watcher):
        await peer.until_presence(room, (True, True), 0)

    crowd = [await client(codec="json" if n % 2 else "msgpack") for n in range(5)]
    await asyncio.gather(*(peer.follow(room) for peer in crowd))
    for peer in (maker, watcher, *crowd):
        await peer.until_presence(room, (True, True), 5)

    # Leaving, closing and vanishing are all noticed.
    await crowd[0].do(Leave, room=room)
    await crowd[1].close()
    await crowd[2].vanish()
    for peer in (maker, watcher, *crowd[3:]):
        await peer.until_presence(room, (True, True), 2)
    await maker.vanish()
    for peer in (watcher, *crowd[3:]):
        await peer.until_presence(room, (False, True), 2)
    async with await maker.again(server.url) as back:
        assert (await back.resume(room)).resumed is True
        for peer in (back, watcher, *crowd[3:]):
            await peer.until_presence(room, (True, True), 2)
    for peer in (watcher, *crowd[3:]):
        await peer.until_presence(room, (False, True), 2)


async def test_a_user_with_many_connections_counts_once(server: Serving, client: Opener) -> None:
    player, watcher = await client("Ada"), await client("Eve")
    room = await seat_both(player, player, LOOSE)
    await watcher.follow(room)
    await player.until_presence(room, (True, True), 1)
    others = [await peer.again(server.url) for peer in (player, watcher, watcher)]
    for peer in others:
        await peer.follow(room)
    other_watcher = await client("Eve")  # the same name is not the same user
    await other_watcher.follow(room)
    for peer in (player, watcher, other_watcher, *others):
        await peer.until_presence(room, (True, True), 2)
    for peer in others:
        await peer.close()
    await player.do(Leave, room=room)
    await watcher.until_presence(room, (False, False), 2)


async def test_presence_is_sent_on_joining_and_on_changes(client: Opener) -> None:
    player = await client("Ada")
    room = await seat_both(player, player, LOOSE)
    await player.until_presence(room, (True, True), 0)
    told = [m for m in player.received if m == player.presence[room]]
    assert len(told) == 1
    watcher = await client("Eve")
    await watcher.follow(room)
    await watcher.until_presence(room, (True, True), 1)
    await play(room, LOOSE, (player, player))
    await watcher.until_over(room)
    await player.until_presence(room, (True, True), 1)
    seen = [m for m in player.received if m == player.presence[room]]
    assert len(seen) == 1


async def test_each_room_has_an_audience_of_its_own(client: Opener) -> None:
    player, watcher = await client("Ada"), await client("Eve")
    rooms = [await seat_both(player, player, LOOSE) for _ in range(3)]
    await watcher.follow(rooms[1])
    await player.until_presence(rooms[1], (True, True), 1)
    for room in (rooms[0], rooms[2]):
        await player.until_presence(room, (True, True), 0)
    await watcher.close()
    await player.until_presence(rooms[1], (True, True), 0)
