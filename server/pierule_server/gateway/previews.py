"""Serves the paths of games and players (SPEC 29): the page, with a preview for crawlers.

The node asks only its own archive API for the preview, with few requests in parallel and within a
time bound. People do not need the preview: without it they get the page as it was built.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from email.utils import formatdate
from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from pierule_protocol import world

PATH = re.compile(r"/(?:game|player)/[^/]+")

AT_ONCE = 6
"""The most requests in parallel: fewer than the API answers to one address."""

SECONDS = 3.0
HEAD_BYTES = 16_384
BODY_BYTES = 65_536

_ANSWER = re.compile(rb"HTTP/1\.1 (200|404) .*?\r\n(.*)\r\n\r\n", re.DOTALL)
_KEPT = ("cache-control", "content-type")


class Previews:
    """Asks the API at a port of this machine (None: there is none); `host` is the address on which
    it listens. `proxied` are the headers in which proxies name the client."""

    def __init__(self, host: str, port: int | None, proxied: Iterable[str]) -> None:
        self._host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
        self._port = port
        self._passed = ("Host", *proxied)
        self._asking = 0

    async def answer(self, path: str, request: Request) -> Response | None:
        """The page with a preview; None if the API gives none now."""
        if self._port is None or self._asking >= AT_ONCE:
            return None
        self._asking += 1
        try:
            async with asyncio.timeout(SECONDS):
                return await self._ask(self._port, path, request.headers)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            return None
        finally:
            self._asking -= 1

    async def _ask(self, port: int, path: str, headers: Headers) -> Response | None:
        reader, writer = await asyncio.open_connection(self._host, port, limit=HEAD_BYTES)
        try:
            told = [(name, text) for name in self._passed for text in headers.get_all(name)]
            lines = [f"GET {path} HTTP/1.1", *(f"{name}: {text}" for name, text in told)]
            writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1"))
            found = _ANSWER.fullmatch(await reader.readuntil(b"\r\n\r\n"))
            if found is None:
                return None
            given = _headers(found[2])
            if not given.get("content-type", "").startswith("text/html"):
                return None
            length = int(given.get("content-length", ""))
            if not 0 <= length <= BODY_BYTES:
                return None
            return _response(HTTPStatus(int(found[1])), given, await reader.readexactly(length))
        finally:
            writer.close()


def _headers(head: bytes) -> dict[str, str]:
    pairs = (line.partition(":") for line in head.decode("latin-1").split("\r\n"))
    return {name.lower(): text.strip() for name, _, text in pairs}


def _response(status: HTTPStatus, given: dict[str, str], body: bytes) -> Response:
    headers = Headers({
        "Date": formatdate(world.wall(), usegmt=True), "Connection": "close",
        "Content-Length": str(len(body)),
        **{name.title(): given[name] for name in _KEPT if name in given},
    })  # fmt: skip
    return Response(status.value, status.phrase, headers, body)
