"""The operators' port over a real socket, and the two questions that it decides by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from pierule_protocol.state.room import UnknownGame
from pierule_server import metrics
from pierule_server.operations.health import STORE_SILENCE, Operations, chosen_port
from pierule_server.settings import Settings


class Around:
    """The parts of a node that are looked at."""

    def __init__(self) -> None:
        self.draining = False
        self.silent = 0.0
        self.measured = 0
        self.log = self.recovery = self
        self.troubles: list[str] = []
        self.unplayable: dict[str, UnknownGame] = {}
        self.games: set[tuple[str, int]] = set()

    def silence(self) -> float:
        return self.silent

    def measure(self) -> None:
        self.measured += 1

    def plays(self, game: str, rules: int) -> bool:
        return (game, rules) in self.games


class Desk:
    """Asks over a bare socket, for the methods that a library would not send."""

    def __init__(self, around: Around, where: tuple[str, int]) -> None:
        self.around = around
        self._where = where

    async def send(self, text: str) -> str:
        async with asyncio.timeout(60):
            reader, writer = await asyncio.open_connection(*self._where)
            try:
                writer.write(text.encode())
                return (await reader.read()).decode()
            finally:
                writer.close()

    async def ask(self, path: str, accept: str = "*/*", method: str = "GET") -> tuple[int, str]:
        """Status, and all that came after it."""
        answer = await self.send(
            f"{method} {path} HTTP/1.1\r\nHost: here\r\nAccept: {accept}\r\n\r\n"
        )
        status, _, rest = answer.partition("\r\n")
        return int(status.split(" ")[1]), rest


@asynccontextmanager
async def open_desk(**settings: Any) -> AsyncIterator[Desk]:
    around = Around()
    part = cast("Any", around)
    chosen = Settings(operations_port="0", **settings)
    operations = Operations(chosen, "1.2.3", *[part] * 7)
    where = await operations.start()
    assert where is not None
    try:
        yield Desk(around, where)
    finally:
        await operations.stop()


async def test_healthz_only_needs_the_loop() -> None:
    async with open_desk() as desk:
        desk.around.draining, desk.around.silent = True, 1_000.0
        status, rest = await desk.ask("/healthz")
    assert status == 200
    assert rest.endswith("ok\n")


async def test_readyz_says_why_a_node_is_not_ready() -> None:
    async with open_desk() as desk:
        assert (await desk.ask("/readyz"))[0] == 200
        desk.around.troubles = ["something to mend", "something else"]
        status, rest = await desk.ask("/readyz")
        assert status == 200
        assert rest.endswith(
            "ready\n" + "something to mend\nsomething else\n" * 2
        )  # store, archive
        desk.around.silent = STORE_SILENCE
        status, rest = await desk.ask("/readyz")
        assert status == 503
        assert rest.endswith("\r\n\r\nsomething to mend\nsomething else\n")
        desk.around.troubles = []
        status, rest = await desk.ask("/readyz")
        assert status == 503
        assert rest.endswith("the store does not answer\n")
        desk.around.silent = 0.0
        desk.around.draining = True
        status, rest = await desk.ask("/readyz?full=1")
        assert status == 503
        assert rest.endswith("draining\n")


async def test_readyz_names_rooms_that_need_other_rules() -> None:
    async with open_desk() as desk:
        desk.around.unplayable = {
            "tuli": UnknownGame("tuli", "chess", 1),
            "kobadimu": UnknownGame("kobadimu", "chess", 2),
        }
        desk.around.games = {("chess", 1)}
        status, rest = await desk.ask("/readyz")
        assert status == 200
        assert rest.endswith(
            "ready\n"
            "no living node can play: kobadimu needs chess rules 2\n"
            "cannot play here: tuli needs chess rules 1\n"
        )


async def test_metrics_are_served_in_both_formats() -> None:
    async with open_desk() as desk:
        status, rest = await desk.ask("/metrics")
        assert status == 200
        assert "Content-Type: text/plain; version=" in rest
        assert "\npierule_draining 0.0\n" in rest
        assert "\npierule_store_reachable 1.0\n" in rest
        assert '\npierule_info{version="1.2.3"} 1.0\n' in rest
        assert desk.around.measured == 4  # connections, hub, archive and lobby
        desk.around.silent = STORE_SILENCE
        status, rest = await desk.ask("/metrics", accept="application/openmetrics-text")
        assert "Content-Type: application/openmetrics-text" in rest
        assert "\npierule_store_reachable 0.0\n" in rest
        assert rest.endswith("# EOF\n")
        head, _, body = rest.partition("\r\n\r\n")
        assert f"Content-Length: {len(body)}" in head


async def test_other_paths_and_methods_are_refused() -> None:
    async with open_desk() as desk:
        for path in ("/", "/ws", "/metrics/", "/../etc/passwd"):
            assert (await desk.ask(path))[0] == 404
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "CONNECT"):
            assert (await desk.ask("/metrics", method=method))[0] == 405
        assert await desk.send("\x16\x03\x01 this is no HTTP\r\n\r\n") == ""
        assert (await desk.ask("/healthz"))[0] == 200


async def test_a_head_request_gets_headers_only() -> None:
    async with open_desk() as desk:
        status, rest = await desk.ask("/healthz", method="HEAD")
        assert status == 200
        assert "Content-Length: 3\r\n" in rest
        assert rest.endswith("\r\n\r\n")


async def test_a_request_with_too_long_headers_is_refused() -> None:
    async with open_desk() as desk:
        assert (await desk.ask("/" + "a" * 20_000))[0] in (414, 431)
        assert (await desk.ask("/healthz"))[0] == 200


async def test_the_operators_port_can_be_off() -> None:
    part = cast("Any", Around())
    operations = Operations(Settings(operations_port="off"), "1", *[part] * 7)
    assert await operations.start() is None
    await operations.stop()


@pytest.mark.parametrize(
    ("port", "text", "chosen"),
    [
        (8000, "auto", 9000),
        (0, "auto", 0),
        (65_000, "auto", 0),
        (8000, "9464", 9464),
        (8000, "0", 0),
        (8000, "off", None),
    ],
)
def test_the_operators_port_follows_the_settings(port: int, text: str, chosen: int | None) -> None:
    assert chosen_port(Settings(port=port, operations_port=text)) == chosen


@pytest.mark.parametrize("text", ["", "on", "-1", "65536", "8O", "٣"])
def test_an_invalid_operators_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="--operations-port"):
        chosen_port(Settings(operations_port=text))


async def test_a_new_node_does_not_report_draining() -> None:
    metrics.DRAINING.set(1)
    async with open_desk() as desk:
        assert "\npierule_draining 0.0\n" in (await desk.ask("/metrics"))[1]
