"""One connection's requests: whatever comes is answered, and nothing is begun once it has gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.codec import server_codecs
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import ClientMessage, Error, Ok, Ping
from pierule_server.connections.connection import Connection
from pierule_server.connections.limits import Allowance, Budget, TokenBuckets, Users
from pierule_server.gateway import request_queue
from pierule_server.gateway.fair_queue import AT_ONCE, FairQueue
from pierule_server.gateway.request_queue import REFUSED_BYTES, RequestQueue
from pierule_server.settings import Settings
from support.examples import up_to
from support.nodes import Client, Socket
from support.session import playing

CODECS = server_codecs()
MSGPACK, JSON = "pierule.1.msgpack", "pierule.1.json"
PING = b"\x82\xa4type\xa4ping\xa2id\x01"


class Answers:
    """Answers requests with `ok` once the gate is open."""

    def __init__(self) -> None:
        self.asked: list[ClientMessage] = []
        self.gate = asyncio.Event()
        self.spends = False
        self.short = False
        self.begun: list[Callable[[bool], None]] = []
        self.short_way = self

    def act(
        self, connection: Connection, request: ClientMessage, then: Callable[[bool], None]
    ) -> bool:
        self.begun += [then] * self.short
        return self.short

    async def answer(self, connection: Connection, request: ClientMessage) -> None:
        self.asked.append(request)
        await self.gate.wait()
        if self.spends:
            connection.allowance.spent = "address"
        connection.send(Ok(id=request.id))


def queue_of(client: Client, dispatch: Answers, **chosen: Any) -> RequestQueue:
    turns = FairQueue()

    class Reading(Socket):
        loop = asyncio.get_running_loop()

        def in_turn(self, begin: Callable[[], None]) -> bool:
            return turns.add("", begin)

        def pause(self) -> None: ...

        def resume(self) -> None: ...

    return RequestQueue(
        client.connection, cast("Any", Reading()), cast("Any", dispatch), Settings(**chosen)
    )


class Broken:
    """A codec with a fault of ours."""

    text = False
    encode = staticmethod(CODECS[MSGPACK].encode)

    def decode(self, data: bytes) -> ClientMessage:
        if data == PING:
            return Ping(id=1)
        raise IndexError("this says how it works inside")


async def test_a_fault_of_a_codec_is_an_answer_and_ends_no_connection() -> None:
    client, dispatch = Client(codec=cast("Any", Broken())), Answers()
    dispatch.gate.set()
    queue = queue_of(client, dispatch)
    queue.receive(b"?", text=False)
    queue.receive(PING, text=False)
    queue.receive(b"?", text=False)
    await queue.settled()
    client.connection.flush()
    answers = client.received()
    assert [type(each) for each in answers] == [Error, Ok, Error]
    for each in answers:
        if isinstance(each, Error):
            assert (each.id, each.code) == (None, Code.INTERNAL)
            assert "inside" not in each.text


async def test_a_client_that_keeps_causing_faults_is_disconnected() -> None:
    client = Client(codec=cast("Any", Broken()))
    queue = queue_of(client, Answers(), errors=3)
    for _ in range(5):
        queue.receive(b"?", text=False)
    assert client.socket.closed is not None
    assert client.socket.closed[0] == Close.TOO_MANY_ERRORS


async def test_no_request_begins_after_the_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that spends the budget puts off those behind it. If the client goes meanwhile,
    they would come after all that it leaves behind was cleared away."""
    monkeypatch.setattr(request_queue, "REST", 3_600.0)
    client, dispatch = Client(), Answers()
    queue = queue_of(client, dispatch)
    for number in (1, 2):
        queue.receive(PING.replace(b"\x01", bytes([number])), text=False)
    dispatch.spends = True
    gone = asyncio.ensure_future(queue.settled())
    await asyncio.sleep(0)
    dispatch.gate.set()
    await gone
    assert len(dispatch.asked) == 1
    assert queue._resting is not None
    assert queue._resting.cancelled(), "the second one will not be begun"


@pytest.mark.parametrize("padding", [0, 10 * REFUSED_BYTES])
async def test_after_many_refusals_the_connections_of_an_address_rest(
    monkeypatch: pytest.MonkeyPatch, padding: int
) -> None:
    """A free request that is granted now and then ends every row of refusals, so nobody floods. But
    reading and refusing takes time from everybody, the more the longer the requests are."""
    monkeypatch.setattr(request_queue, "REST", 3_600.0)
    refused = TokenBuckets(0.001, 100)
    patience = Budget("refusals", [("192.0.2.1", 1)], refused)
    ping = b'{"type":"ping","id":1}' + b" " * padding
    answered = 0
    for _ in range(10):
        client = Client(name=JSON)
        client.connection.allowance = Allowance(0.001, 1, 200, Users(0, 0, 0), patience=patience)
        queue = queue_of(client, Answers())
        queue._dispatch.gate.set()  # type: ignore[attr-defined]
        for _ in range(50):
            queue.receive(ping, text=True)
        await queue.settled()
        client.connection.flush()
        answered += len(client.received())
        assert client.socket.closed is None
    assert 10 < answered <= 10 + 10 + 100 / (1 + padding / REFUSED_BYTES)


async def test_the_next_request_begins_when_the_short_way_has_ended() -> None:
    client, dispatch = Client(), Answers()
    dispatch.gate.set()
    queue = queue_of(client, dispatch)
    dispatch.short = True
    for number in (1, 2, 3):
        queue.receive(PING.replace(b"\x01", bytes([number])), text=False)
    assert len(dispatch.begun) == 1
    dispatch.begun[0](True)
    assert len(dispatch.begun) == 2
    gone = asyncio.ensure_future(queue.settled())
    await asyncio.sleep(0)
    dispatch.short = False
    dispatch.begun[1](False)  # so a task answers it, and the one behind it
    await gone
    assert [request.id for request in dispatch.asked] == [2, 3]


async def test_the_long_way_waits_for_the_turn_of_the_address_and_the_short_way_does_not() -> None:
    client, dispatch = Client(), Answers()
    dispatch.gate.set()
    queue = queue_of(client, dispatch)
    turns: Any = queue._socket.in_turn
    for _ in range(AT_ONCE):  # others at the address
        assert turns(lambda: None)
    queue.receive(PING, text=False)
    dispatch.short = True
    queue_of(client, dispatch).receive(PING, text=False)
    assert len(dispatch.begun) == 1
    assert dispatch.asked == []
    assert queue._working is None
    gone = asyncio.ensure_future(queue.settled())
    await asyncio.sleep(0)
    assert queue._working is not None, "in the next turn it begins"
    await gone
    assert [request.id for request in dispatch.asked] == [1], "it came before the end"


async def test_after_the_long_way_the_next_request_may_take_the_short_one() -> None:
    client, dispatch = Client(), Answers()
    queue = queue_of(client, dispatch)
    for number in (1, 2):
        queue.receive(PING.replace(b"\x01", bytes([number])), text=False)
    gone = asyncio.ensure_future(queue.settled())
    await asyncio.sleep(0)
    dispatch.short = True
    dispatch.gate.set()
    for _ in range(3):  # the gate, the answer, what follows
        await asyncio.sleep(0)
    dispatch.begun[0](True)
    await gone
    assert [request.id for request in dispatch.asked] == [1]


async def test_a_fault_of_the_short_way_leaves_the_request_to_a_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, dispatch = Client(), Answers()

    def broken(*_: object) -> bool:
        raise RuntimeError

    monkeypatch.setattr(dispatch, "act", broken)
    dispatch.gate.set()
    queue = queue_of(client, dispatch)
    queue.receive(PING, text=False)
    await queue.settled()
    assert [request.id for request in dispatch.asked] == [1]


bytes_of_each_codec = st.tuples(st.sampled_from([MSGPACK, JSON]), st.lists(st.binary(), max_size=6))


@given(bytes_of_each_codec)
@settings(max_examples=up_to(150))
def test_any_bytes_get_an_answer_and_so_does_the_next_request(
    sent: tuple[str, list[bytes]],
) -> None:
    asyncio.run(_converse(*sent))


async def _converse(codec: str, sent: list[bytes]) -> None:
    ping = CODECS[codec].encode(Ping(id=7))
    frames: list[bytes | str] = [
        each.decode("utf-8", "replace") if codec == JSON else each for each in (*sent, ping)
    ]
    async with playing(errors=100) as playground:
        outcome = await playground.converse(codec, frames)
    assert outcome.closed is None
    answers = [said for said in outcome.said if said]
    assert len(answers) == len(frames)
    for (each,) in answers:
        assert isinstance(each, Error)
        assert each.code in (Code.MALFORMED, Code.UNKNOWN_TYPE, Code.BAD_FIELD, Code.HELLO_FIRST)
    assert outcome.said[-2][0].id == 7  # type: ignore[union-attr]
