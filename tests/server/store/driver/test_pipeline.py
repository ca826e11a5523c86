"""The line that requests to a server of the store share, against a server that does as it is told:
whose reply is whose, what is under way when it ends, and what of redis-py it leans on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import hiredis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.asyncio.connection import Connection, UnixDomainSocketConnection
from redis.exceptions import BusyLoadingError, ResponseError
from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import TimeoutError as StoreTimeoutError

from pierule_server.store.driver import pipeline as line_module
from pierule_server.store.driver.confirming import Confirming
from pierule_server.store.driver.pipeline import Pipeline, Reply, RespConnection
from support.examples import up_to
from support.stores import Server, single, single_on_port

BOUND = 60.0
LEANING = "wire.py leans on this inside of redis-py; look at it again before upgrading"

Answer = Callable[[list[bytes]], bytes | None]


class Puppet:
    """A server that gives to each command what `answer` says, and keeps what it was sent."""

    def __init__(self, path: Path, answer: Answer) -> None:
        self.path = path
        self.answer = answer
        self.chunks: list[bytes] = []
        self.connections = 0
        self.open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.open[writer] = task
        parser = hiredis.Reader()
        while chunk := await reader.read(100_000):
            parser.feed(chunk)
            commands = []
            while (command := parser.gets()) is not False:
                commands.append(command)
            if commands and commands[0][0] in (b"CLIENT", b"HELLO"):  # redis-py's own
                writer.write(b"+OK\r\n" * len(commands))
                continue
            self.chunks.append(chunk)
            for command in commands:
                said = self.answer(command)
                if said is not None:
                    writer.write(said)
        writer.close()

    async def heard(self, word: bytes) -> None:
        async with asyncio.timeout(BOUND):
            while not any(word in chunk for chunk in self.chunks):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    def pipeline(self, answer: float = BOUND) -> Pipeline:
        return Pipeline(lambda: UnixDomainSocketConnection(path=str(self.path)), BOUND, answer)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's: its path may be longer than a socket's address."""
    with TemporaryDirectory(prefix="pr-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with single() as server:
        yield server


def echo(command: list[bytes]) -> bytes:
    return b"$%d\r\n%b\r\n" % (len(command[1]), command[1])


@asynccontextmanager
async def puppet(folder: Path, answer: Answer = echo) -> AsyncIterator[Puppet]:
    served = Puppet(folder / "s", answer)
    server = await asyncio.start_unix_server(served.serve, served.path)
    try:
        yield served
    finally:
        server.close()
        for writer in served.open:
            writer.close()
        await asyncio.gather(*served.open.values())


async def within(work: Awaitable[list[Reply]]) -> list[Reply]:
    async with asyncio.timeout(BOUND):
        return await work


@settings(max_examples=up_to(25), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=40))
def test_each_request_gets_its_own_replies(server: Server, asked: list[tuple[int, bool]]) -> None:
    """Also if others have gone meanwhile, and whatever comes in one turn of the loop."""

    async def check(url: str) -> None:
        pipeline = Pipeline(lambda: UnixDomainSocketConnection(path=url), BOUND, BOUND)
        waiting = []
        for number, (count, goes) in enumerate(asked):
            words = [b"%d.%d" % (number, part) for part in range(count)]
            future = pipeline.exchange([("ECHO", word) for word in words])
            if goes:
                future.cancel()
            else:
                waiting.append((words, future))
            if number % 3 == 0:
                await asyncio.sleep(0)
        for words, future in waiting:
            assert await within(future) == words
        pipeline.drop("done")

    asyncio.run(check(server.url.removeprefix("unix://")))


async def test_commands_of_one_turn_are_one_write(folder: Path) -> None:
    async with puppet(folder) as served:
        pipeline = served.pipeline()
        await within(pipeline.exchange([("ECHO", "first")]))
        served.chunks.clear()
        await asyncio.gather(*(within(pipeline.exchange([("ECHO", n)])) for n in range(50)))
        assert len(served.chunks) == 1
        assert served.connections == 1
        pipeline.drop("done")


async def test_an_error_is_the_reply_of_its_own_command(folder: Path) -> None:
    async with puppet(folder, lambda c: b"-ERR no\r\n" if c[1] == b"x" else echo(c)) as served:
        pipeline = served.pipeline()
        error, word = await within(pipeline.exchange([("ECHO", "x"), ("ECHO", "y")]))
        assert isinstance(error, ResponseError)
        assert word == b"y"
        pipeline.drop("done")


async def test_a_late_reply_ends_the_connection_and_all_its_requests(folder: Path) -> None:
    async with puppet(folder, lambda c: None if c[1] in (b"hang", b"b") else echo(c)) as served:
        pipeline = served.pipeline(answer=0.3)
        assert await within(pipeline.exchange([("ECHO", "a")])) == [b"a"]
        hanging = pipeline.exchange([("ECHO", "hang")])
        behind = pipeline.exchange([("ECHO", "b")])  # its reply would be taken for the other's
        for future in (hanging, behind):
            with pytest.raises((StoreTimeoutError, StoreConnectionError)):
                await within(future)
        assert await within(pipeline.exchange([("ECHO", "c")])) == [b"c"]
        assert served.connections == 2
        pipeline.drop("done")


async def test_pending_calls_fail_when_the_connection_ends(folder: Path) -> None:
    async with puppet(folder, lambda _: None) as served:
        pipeline = served.pipeline()
        under_way = [pipeline.exchange([("ECHO", "a")]) for _ in range(3)]
        await served.heard(b"a")
        pipeline.drop("enough")
        for future in under_way:
            with pytest.raises(StoreConnectionError, match="enough"):
                await within(future)


@pytest.mark.parametrize("said", [b"-LOADING wait\r\n", b"what is this\r\n"])
async def test_a_store_that_cannot_serve_yet_counts_as_unavailable(
    folder: Path, said: bytes
) -> None:
    async with puppet(folder, lambda _: said) as served:
        pipeline = served.pipeline()
        with pytest.raises(StoreConnectionError):
            await within(pipeline.exchange([("ECHO", "a")]))
        pipeline.drop("done")
    assert issubclass(BusyLoadingError, StoreConnectionError), LEANING


async def test_a_pipeline_has_a_bounded_number_of_requests(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "MOST", 2)
    async with puppet(folder, lambda _: None) as served:
        pipeline = served.pipeline()
        under_way = [pipeline.exchange([("ECHO", "a")]) for _ in range(2)]
        with pytest.raises(StoreConnectionError, match="under way"):
            pipeline.exchange([("ECHO", "a")])
        pipeline.drop("done")
        await asyncio.gather(*under_way, return_exceptions=True)


async def test_simultaneous_writes_share_one_wait_for_replicas(folder: Path) -> None:
    waits: list[list[bytes]] = []

    def answer(command: list[bytes]) -> bytes | None:
        if command[0] == b"WAIT":
            waits.append(command)
            return b":%b\r\n" % command[1]
        return None if command[1] == b"mute" else echo(command)

    async with puppet(folder, answer) as served:
        pipeline = served.pipeline()
        confirming = Confirming(lambda *commands: pipeline.exchange(commands), 0.5)
        runs = (confirming.run(1 + n % 2, ("ECHO", n), ("ECHO", -n)) for n in range(20))
        replies = await asyncio.gather(*map(within, runs))
        assert replies == [[b"%d" % n, b"%d" % -n, 2] for n in range(20)]
        assert waits == [[b"WAIT", b"2", b"500"]]
        assert await within(confirming.run(1, ("ECHO", "x"))) == [b"x", 1]
        failing = asyncio.create_task(confirming.run(1, ("ECHO", "mute")))
        await served.heard(b"mute")
        pipeline.drop("gone")
        with pytest.raises(StoreConnectionError, match="gone"):
            await within(failing)


@pytest.mark.parametrize("kind", [single, single_on_port])
async def test_redis_py_has_the_internals_that_we_use(
    kind: Callable[[], AbstractContextManager[Server]],
) -> None:
    with kind() as server:
        connection = (
            Connection(port=server.port)
            if server.port
            else UnixDomainSocketConnection(path=server.url.removeprefix("unix://"))
        )
        replies: asyncio.Queue[Reply] = asyncio.Queue()
        wire = await RespConnection.over(connection, replies.put_nowait)
        assert connection._writer is None, LEANING  # else it would close what is ours
        wire.send(("PING",))
        async with asyncio.timeout(BOUND):
            assert await replies.get() == b"PONG", LEANING
        wire.close(StoreConnectionError("done"))
        with pytest.raises(StoreConnectionError, match="done"):
            await wire.ended
