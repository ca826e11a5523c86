"""Paths of games and players at a node: the API beside it is asked, and nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from pierule_server.gateway import previews
from pierule_server.gateway.previews import PATH, Previews

HTML = b"<title>Ada vs Bob</title>"


def answer_of(
    body: bytes, *, status: str = "200 OK", kind: str = "text/html", length: int = -1
) -> bytes:
    size = len(body) if length < 0 else length
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\ncontent-length: {size}\r\n"
    return f"{head}Cache-Control: public, max-age=60\r\nServer: x\r\n\r\n".encode() + body


@asynccontextmanager
async def api(answer: bytes | None) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that gives everybody this answer, or none; its port, and what it was asked."""
    asked: list[bytes] = []
    serving: list[asyncio.Task[None] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        if answer is None:
            await reader.read()
        else:
            writer.write(answer)
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], asked
        await asyncio.gather(*filter(None, serving), return_exceptions=True)


def request(path: str = "/game/x", **headers: str) -> Request:
    return Request(path, Headers(headers))


async def test_the_answer_of_the_api_is_passed_on() -> None:
    async with api(answer_of(HTML, status="404 Not Found")) as (port, asked):
        ours = Previews("0.0.0.0", port, ("X-Forwarded-For",))
        got = await ours.answer("/game/x", request(Host="a.org", **{"X-Forwarded-For": "1.2.3.4"}))
    assert got is not None
    assert (got.status_code, got.body) == (404, HTML)
    assert (got.headers["Content-Type"], "Server" in got.headers) == ("text/html", False)
    assert got.headers["Cache-Control"] == "public, max-age=60"
    said = "Host: a.org", "X-Forwarded-For: 1.2.3.4", "Connection: close"
    assert asked == ["\r\n".join(["GET /game/x HTTP/1.1", *said, "", ""]).encode()]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"x" * 40_000,
        answer_of(HTML, status="429 Too Many Requests"),
        answer_of(HTML, status="500 Internal Server Error"),
        answer_of(b"{}", kind="application/json"),
        answer_of(HTML, length=len(HTML) + 1),
        answer_of(HTML, length=previews.BODY_BYTES + 1),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
async def test_an_invalid_answer_of_the_api_is_dropped(answer: bytes) -> None:
    async with api(answer) as (port, _):
        assert await Previews("127.0.0.1", port, ()).answer("/game/x", request()) is None


async def test_without_an_api_previews_have_no_answer() -> None:
    assert await Previews("127.0.0.1", None, ()).answer("/game/x", request()) is None
    async with api(b"") as (port, _):
        pass
    assert await Previews("127.0.0.1", port, ()).answer("/game/x", request()) is None


async def test_a_hanging_api_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "SECONDS", 0.05)
    async with api(None) as (port, _):
        assert await Previews("127.0.0.1", port, ()).answer("/game/x", request()) is None


async def test_only_a_few_previews_are_asked_for_at_once() -> None:
    async with api(None) as (port, asked):
        ours = Previews("127.0.0.1", port, ())
        waiting = [
            asyncio.create_task(ours.answer("/game/x", request())) for _ in range(previews.AT_ONCE)
        ]
        while len(asked) < previews.AT_ONCE:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)
        assert await ours.answer("/game/x", request()) is None
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert len(asked) == previews.AT_ONCE


@pytest.mark.parametrize(
    ("path", "ours"),
    [("/game/x", True), ("/player/Ada%20B", True), ("/game/", False), ("/game", False),
     ("/game/x/y", False), ("/games/loose", False), ("/x/game/y", False)],
)  # fmt: skip
def test_only_paths_of_one_game_or_player_have_previews(path: str, ours: bool) -> None:
    assert bool(PATH.fullmatch(path)) is ours
