"""A client that does not read is closed as slow, hurts nobody, and resumes (law 10)."""

from __future__ import annotations

import asyncio
import socket

import pytest

from e2e.conftest import Opener, Starter
from pierule_protocol.codes import Close
from pierule_protocol.messages import Hello, LegalQuery
from support.games import check_mirror, game, play, seat_both
from support.peer import BOUND, Gone, Peer
from support.serving import Serving


async def narrow(serving: Serving, codec: str) -> Peer:
    """A client whose line holds little, so that what it does not read piles up at the server."""
    host, port = serving.http.split(":")
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.connect((host, int(port)))
    peer = await Peer.connect(serving.url, codec, line)
    peer.who = (await peer.do(Hello, name="Eve")).welcome
    return peer


def times_slow(serving: Serving) -> int:
    return sum(entry["event"] == "closed as slow" for entry in serving.logged)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_a_client_that_does_not_read_is_closed_and_resumes(
    codec: str, start: Starter, opener: Opener
) -> None:
    serving = start("--outbox-bytes", "10000", "--close-seconds", "60")
    of = game("loose", 13)
    players = await opener(serving.url, "Ada"), await opener(serving.url, "Bea", "json")
    room = await seat_both(*players, of)
    slow = await narrow(serving, codec)
    await slow.follow(room)
    await play(room, of, players, end=20)
    await slow.until_turn(room, 20)

    # Nearly a thousand actions: few answers fill whatever the line holds.
    heavy = await seat_both(*players, game("veletas", 7))
    await play(heavy, game("veletas", 7), players, end=3)

    slow.socket.transport.pause_reading()
    playing = asyncio.create_task(play(room, of, players, begin=20, end=60))
    try:
        async with asyncio.timeout(3 * BOUND):
            while not times_slow(serving):
                for _ in range(20):
                    await slow.send(LegalQuery, room=heavy)
    except Gone:
        pass
    await playing
    await play(room, of, players, begin=60)
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, of)

    # When it reads again, it finds whole messages, then the close; then it resumes.
    slow.socket.transport.resume_reading()
    assert await slow.closed() == Close.SLOW
    assert times_slow(serving) == 1
    assert slow.answers
    assert slow.state(room).turn <= 60
    back = await slow.again(serving.url)
    assert (await back.resume(room)).resumed is True
    await back.until_over(room)
    check_mirror(back, room, of)
    await back.close()
