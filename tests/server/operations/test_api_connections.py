"""Silent clients of the archive's API do not keep their places, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import create_server
from typing import Any, cast

import pytest
import uvicorn

from pierule_server.connections.limits import AddressCounts
from pierule_server.operations.api import Addresses
from pierule_server.operations.api_connections import BoundedConnection, Bounds, connections
from pierule_server.settings import Settings

BOUND = 60.0
NEVER = 3_600
SOON = 0.05
HERE = "127.0.0.1"
PART = b"GET / HTTP/1.1\r\nHost: here\r\n"
GET = PART + b"\r\n"

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Api:
    """A server on a free port. It answers with `body` when `gate` is open; `begun` says that a
    request has come."""

    def __init__(self, most: int = 0, proxies: str = "") -> None:
        addresses = Addresses(Settings(trusted_proxies=proxies))
        self.bounds = Bounds(addresses.of_peer, AddressCounts(most), NEVER, NEVER)
        self.body, self.begun, self.gate = b"well", asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.port = 0
        self.open: set[BoundedConnection] = set()
        self._lines: list[Line] = []

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun.set()
        await self.gate.wait()
        headers = [(b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await send({"type": "http.response.body"})  # It waits until enough of it is read.

    async def connect(self, data: bytes = b"") -> Line:
        line = await asyncio.open_connection(HERE, self.port)
        self._lines.append(line)
        line[1].write(data)
        return line

    async def close(self) -> None:
        for _, writer in self._lines:
            writer.transport.abort()
        for each in list(self.open):
            each.transport.abort()
        while self.open:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(**how: Any) -> AsyncIterator[Api]:
    api = Api(**how)
    config = uvicorn.Config(
        api.answer, http=connections(api.bounds), ws="none", lifespan="off", log_config=None,
        timeout_keep_alive=NEVER, interface="asgi3",
    )  # fmt: skip
    config.load()
    state = uvicorn.Server(config).server_state
    api.open = cast("set[BoundedConnection]", state.connections)
    make = cast("Any", config.http_protocol_class)
    loop = asyncio.get_running_loop()
    with create_server((HERE, 0)) as listening:
        api.port = listening.getsockname()[1]
        server = await loop.create_server(
            lambda: make(config=config, server_state=state, app_state={}), sock=listening
        )
        async with asyncio.timeout(BOUND):
            try:
                yield api
            finally:
                await api.close()
                server.close()


async def answered(line: Line, data: bytes = GET) -> bytes:
    line[1].write(data)
    head = await line[0].readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    return await line[0].readexactly(4)


async def ended(line: Line) -> None:
    """Wait until the server has ended the connection."""
    try:
        while await line[0].read(65_536):
            pass
    except ConnectionError:
        pass


async def test_a_client_that_offers_http_2_gets_an_answer_and_no_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    async with serving() as api:
        assert await answered(await api.connect(), PART + offer + b"\r\n") == b"well"
    assert caplog.messages == []


@pytest.mark.parametrize("data", [b"", PART])
async def test_a_client_that_sends_no_whole_request_is_cut_off(data: bytes) -> None:
    async with serving() as api:
        api.bounds.first = SOON
        await ended(await api.connect(data))


async def test_a_client_that_drips_its_second_request_is_cut_off() -> None:
    async with serving() as api:
        api.bounds.later = SOON
        line = await api.connect(GET)
        await line[0].readuntil(b"well")
        line[1].write(PART)
        await ended(line)


async def test_a_client_that_does_not_read_its_answer_is_cut_off() -> None:
    async with serving(most=1) as api:
        api.bounds.later, api.body = SOON, bytes(50_000_000)
        await api.connect(GET)  # Its stream reads no more than its limit.
        await api.begun.wait()
        while api.bounds.counts.of(HERE):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_nothing_is_awaited_of_a_client_that_awaits_its_answer() -> None:
    async with serving() as api:
        api.gate.clear()
        line = await api.connect(PART)
        while not api.open:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        (connection,) = api.open
        assert connection._end is not None
        line[1].write(b"\r\n")
        await api.begun.wait()
        assert connection._end is None
        api.gate.set()
        await line[0].readuntil(b"well")
        assert connection._end is not None


async def test_what_is_not_http_is_refused_after_a_rest() -> None:
    async with serving(most=1) as api:
        api.bounds.rest = NEVER
        line = await api.connect(b"what?\r\n\r\n")
        while all(each.transport.is_reading() for each in api.open):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await ended(await api.connect(GET))  # It rests, so this address may not have another one.
        next(iter(api.open)).transport.abort()
        await ended(line)
        api.bounds.rest = SOON
        line = await api.connect(b"what?\r\n\r\nwhat?\r\n\r\n")
        assert (await line[0].readuntil(b"\r\n")).startswith(b"HTTP/1.1 400")
        await ended(line)


async def test_an_address_has_a_bounded_number_of_connections() -> None:
    async with serving(most=8) as api:
        lines = [await api.connect() for _ in range(8)]
        while api.bounds.counts.of(HERE) < 8:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        await ended(await api.connect(GET))
        assert api.bounds.told
        assert await answered(lines[0]) == b"well"
        await ended(lines[0])  # While an address has so many, it keeps none.
        assert await answered(await api.connect()) == b"well"


async def test_an_address_with_few_connections_keeps_them() -> None:
    async with serving(most=8) as api:
        line = await api.connect()
        assert [await answered(line) for _ in range(3)] == [b"well"] * 3


async def test_a_trusted_proxy_has_more_connections_and_must_speak_too() -> None:
    async with serving(most=1, proxies=HERE) as api:
        for _ in range(3):
            assert await answered(await api.connect()) == b"well"
        assert not api.bounds.told
        api.bounds.first = SOON
        await ended(await api.connect())
