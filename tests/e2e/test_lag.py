"""Lag is what the server measured, over a line that really is slow, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.frames import Frame, Opcode

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Fischer, requested
from pierule_protocol.messages import Act, Create, Join, Ping
from support.peer import Peer, fresh_nonce
from support.serving import Serving

DELAY = 0.3
"""Seconds that a slow line takes, there and back together."""
LAG = round(DELAY * 1_000)
NOISE = 400
"""Milliseconds that this machine may add to any round trip."""
SLY = 0.5
"""Seconds by which a sly client answers late."""
GAIN = 190
QUOTA = 3 * GAIN
"""Of a clock of 10 seconds: 0.4 % and 150 ms, three times."""


@asynccontextmanager
async def slow_line(server: Serving) -> AsyncIterator[str]:
    """An address from which what the server says comes late."""
    host, _, port = server.http.partition(":")
    writers: list[asyncio.StreamWriter] = []

    async def carry(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float
    ) -> None:
        loop = asyncio.get_running_loop()
        while data := await reader.read(65_536):
            loop.call_later(delay, writer.write, data)
        loop.call_later(delay, writer.close)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        writers.extend((writer, there_writer))
        await asyncio.gather(carry(reader, there_writer, 0), carry(there_reader, writer, DELAY))

    proxy = await asyncio.start_server(serve, "127.0.0.1")
    try:
        yield f"ws://127.0.0.1:{proxy.sockets[0].getsockname()[1]}/ws"
    finally:
        for writer in writers:
            writer.close()
        proxy.close()
        await proxy.wait_closed()


async def seated(slow: Peer, quick: Peer, increment: int = 0) -> str:
    """A room on a clock of ten seconds; the slow one cuts."""
    clock = requested(Fischer(main=10, increment=increment))
    made = await slow.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0, clock=clock)
    assert made.room is not None
    await slow.follow(made.room)
    await quick.follow(made.room, seat=1, nonce=fresh_nonce())
    for peer in (slow, quick):
        await peer.until(
            lambda peer=peer: peer.state(made.room).status == "running",  # type: ignore[misc]
            "both seated",
        )
    return made.room


def record(peer: Peer, room: str, turn: int) -> dict[str, int]:
    """What the log keeps of an action."""
    acted = [text for event in peer.events(room) if '"acted"' in (text := event.record)]
    found: dict[str, int] = json.loads(acted[turn])
    return {"lag": found.get("lag", 0), "given": found.get("given", 0)}


async def measured() -> None:
    """Wait until the server has heard the answer to its ping, which left with the last event."""
    await asyncio.sleep(2 * DELAY)


async def test_lag_of_a_slow_connection_is_recorded_and_compensated(server: Serving) -> None:
    async with (
        slow_line(server) as url,
        await Peer.open(url, "Slow") as slow,
        await Peer.open(server.url, "Quick") as quick,
    ):
        room = await seated(slow, quick)
        await measured()
        await slow.act(room, 0, "komi:4")
        state = await quick.until_turn(room, 1)
        kept = record(quick, room, 0)
        assert LAG <= kept["lag"] <= LAG + NOISE
        assert kept["given"] == min(kept["lag"], QUOTA)
        assert state.clock is not None
        started = quick.states[room][0].clock
        assert started is not None
        elapsed = state.at - next(s.at for s in quick.states[room] if s.status == "running")
        assert state.clock.hands[0].main == 10_000 - elapsed + kept["given"]
        assert state.clock.hands[0].quota == QUOTA + GAIN - kept["given"]
        await measured()
        await quick.act(room, 1, "black")
        await quick.until_turn(room, 2)
        assert record(quick, room, 1)["lag"] < NOISE
        assert record(quick, room, 1)["lag"] < kept["lag"]


async def test_a_client_cannot_claim_lag(server: Serving) -> None:
    """Not in a request, and not by pongs that nobody has asked for."""
    async with (
        await Peer.open(server.url, "Liar", "json") as liar,
        await Peer.open(server.url, "Quick") as quick,
    ):
        room = await seated(liar, quick)
        for field in ("lag", "given", "at", "time", "now"):
            request = {"type": "act", "id": 900, "room": room, "turn": 0, "action": "komi:4"}
            liar.answers.pop(900, None)
            await liar.send_raw(json.dumps(request | {field: 500}).encode())
            answer = await liar.answer(900)
            assert (getattr(answer, "code", None), getattr(answer, "field", None)) == (
                Code.BAD_FIELD,
                field,
            )
        for _ in range(20):
            await liar.socket.pong(b"5000")
        await measured()
        await liar.act(room, 0, "komi:4")
        await quick.until_turn(room, 1)
        assert record(quick, room, 0)["lag"] < NOISE


class Sly:
    """A client that answers pings late while `late`: what it is given for that, it gains."""

    def __init__(self, peer: Peer) -> None:
        self.late = False
        self.answered = asyncio.Event()
        """Whether a ping was answered late since this was cleared."""
        self._socket = peer.socket
        self._send = peer.socket.protocol.send_frame
        setattr(peer.socket.protocol, "send_frame", self._send_frame)  # noqa: B010

    def _send_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PONG and self.late:
            asyncio.get_running_loop().call_later(SLY, self._answer, frame)
        else:
            self._send(frame)

    def _answer(self, frame: Frame) -> None:
        self._send(frame)
        self._socket.send_data()
        self.answered.set()


async def test_late_pongs_gain_no_time(server: Serving) -> None:
    """At 10+2 the quota would cover 510 ms of every turn."""
    async with (
        await Peer.open(server.url, "Sly") as peer,
        await Peer.open(server.url, "Quick") as quick,
    ):
        sly, plays = Sly(peer), iter(["a1", "b1", "c1", "d1", "e1", "a2"])
        room = await seated(peer, quick, increment=2)
        await peer.do(Ping)
        await peer.do(Ping)  # The ping of the turn came before the answer, its pong before this.
        await peer.act(room, 0, "komi:4")
        sly.late = True
        await quick.until_turn(room, 1)
        await quick.act(room, 1, "black")
        for turn in range(2, 7, 2):
            sly.answered.clear()
            await quick.act(room, turn, next(plays))
            await peer.until_turn(room, turn + 1)
            await sly.answered.wait()
            await peer.do(Ping)  # behind the pong
            await peer.act(room, turn + 1, next(plays))
            await quick.until_turn(room, turn + 2)
            kept = record(quick, room, turn + 1)
            assert kept["given"] == kept["lag"] < SLY * 1_000


async def test_no_lag_is_compensated_before_a_measurement(server: Serving) -> None:
    """Who acts through a line that has not heard of a turn yet has no lag."""
    async with (
        slow_line(server) as url,
        await Peer.open(url, "Slow") as slow,
        await Peer.open(server.url, "Quick") as quick,
    ):
        room = await seated(slow, quick)
        await measured()
        async with await slow.again(url) as again:
            await again.do(Join, room=room)
            await again.do(Act, room=room, turn=0, action="komi:4")
        await quick.until_turn(room, 1)
        assert record(quick, room, 0) == {"lag": 0, "given": 0}


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_a_late_action_is_refused_as_flagged_in_both_codecs(
    server: Serving, codec: str
) -> None:
    """And tells by how much."""
    async with (
        await Peer.open(server.url, "Ann", codec) as ann,
        await Peer.open(server.url, "Bob", codec) as bob,
    ):
        clock = requested(Fischer(main=1))
        made = await ann.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0, clock=clock)
        room = made.room
        assert room is not None
        await ann.follow(room)
        await bob.follow(room, seat=1, nonce=fresh_nonce())
        await ann.until(lambda: ann.state(room).status == "running", "both seated")
        await ann.act(room, 0, "komi:4")
        state = await bob.until_over(room)
        assert state.result is not None
        assert (state.result.winner, state.result.reason) == (0, "flagged")
        assert state.clock is not None
        assert (state.clock.running, state.clock.hands[1].main) == (None, 0)
        await bob.refused(Code.FINISHED, Act, room=room, turn=1, action="black")
