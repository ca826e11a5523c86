"""The API as an ASGI application."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path
from starlette.types import ASGIApp, Receive, Scope, Send

from pierule_archive.api import ROOT
from pierule_archive.api.answers import Line, encode
from pierule_archive.api.counter import GameCounter
from pierule_archive.api.document import document
from pierule_archive.api.evaluations import EvaluationEndpoint
from pierule_archive.api.evaluator import Evaluator
from pierule_archive.api.parameters import MOST, PAGE, Nothing, Search, read_query
from pierule_archive.api.problems import Failure, away, later, unknown
from pierule_archive.api.reader import Reader
from pierule_archive.api.representation import MINIMUM, Representation, represent
from pierule_archive.api.routes import EVALUATIONS, PICTURES, ROUTES, Route
from pierule_archive.api.selection import Page, Selection, read_page
from pierule_archive.api.single import WINDOWS
from pierule_archive.api.threads import Threads
from pierule_archive.database import UnusableArchive
from pierule_archive.previews.site import PATH, Listing, Previews, Site

NDJSON = "application/x-ndjson"

THREADS = 4
WAITING = 64
"""The most queries that run or wait for a thread at the same time."""

AT_ONCE = 8
"""The most requests of an address at the same time."""

REST = 0.5
"""Seconds before a request that is one too many is refused. An address has few connections
(`pierule_server.operations.api_connections`), so it cannot keep us busy with refusals."""

RESTING = 32
"""The most requests of an address that rest; behind a proxy it may have more."""


class Visitors(Protocol):
    """Identifies visitors, and limits how much they may ask for."""

    def name(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        """The address for which a request counts."""

    def wait(self, name: str) -> float:
        """Charge the visitor for a page. Returns 0, or if the budget is used up, the seconds until
        it suffices."""

    def scheme(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        """`https` if the visitor came over TLS, otherwise `http`."""


class Limited:
    """Refuses an address that makes too many requests, before anything is read."""

    def __init__(
        self, app: ASGIApp, visitors: Visitors, told: Callable[[Request, Failure], Response]
    ) -> None:
        self._app, self._visitors, self._told = app, visitors, told
        self._here: Counter[str] = Counter()
        self._resting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        name = self._visitors.name(*_said(request))
        scope["visitor"] = name
        wait = 1.0 if self._here[name] >= AT_ONCE else self._visitors.wait(name)
        if wait:
            await self._rest(name)
            detail = "too many requests from your address"
            refusal = later(HTTPStatus.TOO_MANY_REQUESTS, "rate", detail, wait)
            await self._told(request, refusal)(scope, receive, send)
            return
        self._here[name] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._here[name] -= 1
            if not self._here[name]:
                del self._here[name]

    async def _rest(self, name: str) -> None:
        if self._resting[name] >= RESTING:
            return
        self._resting[name] += 1
        try:
            await asyncio.sleep(REST)
        finally:
            self._resting[name] -= 1
            if not self._resting[name]:
                del self._resting[name]


def _said(request: Request) -> tuple[str, dict[str, list[str]]]:
    headers: dict[str, list[str]] = {}
    for name, text in request.headers.items():
        headers.setdefault(name, []).append(text)
    return request.client.host if request.client else "", headers


class Api:
    """Answers from an archive, and counts new games for the explorer. Previews of links use `site`
    and the `listing` of rooms. `evaluates` says whether to evaluate positions."""

    def __init__(
        self, reader: Reader, visitors: Visitors, site: Site | None = None,
        listing: Listing | None = None, *, evaluates: bool = True,
    ) -> None:  # fmt: skip
        self._reader, self._visitors = reader, visitors
        self._previews = Previews(reader, site or Site(), self._scheme, listing)
        self._threads = Threads(THREADS, WAITING, "queries")
        self._evaluator = Evaluator()
        evaluator = self._evaluator if evaluates else None
        self._evaluations = EvaluationEndpoint(self._threads, evaluator)
        self._document = represent(encode(document((*ROUTES, EVALUATIONS), PICTURES)))

    def application(self) -> Starlette:
        """The application. It closes the archive when it ends."""
        app = Starlette(
            routes=[
                Path(f"{ROOT}/openapi.json", self._openapi),
                *(Path(route.path, self._endpoint(route)) for route in ROUTES),
                Path(EVALUATIONS.path, self._evaluations.endpoint),
                *self._previews.routes(),
            ],
            middleware=[
                Middleware(
                    CORSMiddleware, allow_origins=["*"], allow_methods=["GET"],
                    allow_headers=["If-None-Match"], expose_headers=["ETag", "Retry-After"],
                ),
                Middleware(Limited, visitors=self._visitors, told=self._told),
                Middleware(GZipMiddleware, minimum_size=MINIMUM, compresslevel=3),
            ],
            exception_handlers={
                Failure: self._failed, HTTPException: self._failed,
                UnusableArchive: self._failed, Exception: self._failed,
            },
            lifespan=self._lifespan,
        )  # fmt: skip
        app.router.redirect_slashes = False
        return app

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        counter = asyncio.create_task(GameCounter(self._reader).run(), name="counter")
        yield
        counter.cancel()
        await asyncio.gather(counter, return_exceptions=True)
        await self._evaluator.close()
        self._threads.close()
        await self._previews.close()
        self._reader.close()

    def _scheme(self, request: Request) -> str:
        return self._visitors.scheme(*_said(request))

    async def _failed(self, request: Request, error: Exception) -> Response:
        return self._told(request, failure_of(request, error))

    def _told(self, request: Request, failure: Failure) -> Response:
        """A failure as a problem, or on the paths for people, as the page."""
        if PATH.fullmatch(request.scope["path"]):
            return self._previews.page(request, failure)
        return failure.response()

    async def _openapi(self, request: Request) -> Response:
        read_query(request.query_params.multi_items(), Nothing)
        return self._document.response(request, max_age=3600)

    def _endpoint(self, route: Route) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            query: Any = read_query(request.query_params.multi_items(), route.query)
            name = _name(route, request)
            if route.answer is None:
                return await self._list(route, request, name, query)
            answer = await self._threads.do(self._represented, route, name, query)
            return answer.response(request, max_age=60)

        return endpoint

    def _represented(self, route: Route, name: str, query: Any) -> Representation:
        return represent(encode(self._read(route, name, query)))

    def _read(self, route: Route, name: str, query: Any) -> Any:
        """The answer, or the selection of a list (None: without an archive). Blocks."""
        with self._reader.reading() as connection:
            found = None if connection is None else route.read(connection, name, query)
        if found is None and route.parameter is not None:
            raise unknown(route.parameter.what, name)
        return found

    async def _list(self, route: Route, request: Request, name: str, query: Search) -> Response:
        selection = await self._threads.do(self._read, route, name, query)
        after = int(query.after) if isinstance(query.after, str) else None
        most = query.limit if isinstance(query.limit, int) else None
        if _wants_lines(request, query):
            return await self._stream(request, selection, after, most)
        page = await self._threads.do(self._page, request, selection, after, most or PAGE)
        return page.response(request, max_age=5)

    def _page(
        self, request: Request, selection: Selection | None, after: int | None, most: int
    ) -> Representation:
        """A page as JSON. It reads several windows to find lines for the page. Blocks."""
        page = Page([], None)
        for _ in range(WINDOWS):
            page = self._read_page(selection, after, most)
            after = page.next
            if page.lines or after is None:
                break
        url = None
        if after is not None:
            there = request.url.include_query_params(after=str(after))
            url = f"{there.path}?{there.query}"
        return represent(encode({"lines": page.lines, "next": url}))

    def _read_page(self, selection: Selection | None, after: int | None, most: int) -> Page:
        with self._reader.reading() as connection:
            if connection is None or selection is None:
                return Page([], None)
            return read_page(connection, selection, after, most)

    async def _stream(
        self, request: Request, selection: Selection | None, after: int | None, most: int | None
    ) -> Response:
        first = await self._threads.do(self._encoded, selection, after, most)
        body = self._lines(request, selection, most, first)
        empty = request.method == "HEAD"
        return StreamingResponse(
            _nothing() if empty else body, media_type=NDJSON,
            headers={"Cache-Control": "no-cache", "Vary": "Accept, Accept-Encoding"},
        )  # fmt: skip

    async def _lines(
        self, request: Request, selection: Selection | None, most: int | None,
        read: tuple[bytes, int, int | None],
    ) -> AsyncIterator[bytes]:  # fmt: skip
        """All lines, page by page. If a page cannot be read, the connection breaks off, so that
        nobody mistakes the lines so far for all of them."""
        while True:
            body, count, after = read
            if body:
                yield body
            most = None if most is None else most - count
            if after is None or most == 0:
                return
            await self._paid(request)
            read = await self._threads.do(self._encoded, selection, after, most)

    async def _paid(self, request: Request) -> None:
        """Wait until the address may get another page."""
        while True:
            wait = self._visitors.wait(request.scope["visitor"])
            if not wait:
                return
            await asyncio.sleep(wait)

    def _encoded(
        self, selection: Selection | None, after: int | None, most: int | None
    ) -> tuple[bytes, int, int | None]:
        page = self._read_page(selection, after, min(most or MOST, MOST))
        return b"".join(map(_encoded_line, page.lines)), len(page.lines), page.next


def _encoded_line(line: Line) -> bytes:
    return encode(line) + b"\n"


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""


def _name(route: Route, request: Request) -> str:
    """The path's parameter. Raises Failure if it cannot exist."""
    if route.parameter is None:
        return ""
    name: str = request.path_params[route.parameter.name]
    if not re.search(route.parameter.pattern, name):
        raise unknown(route.parameter.what, name)
    return name


def _wants_lines(request: Request, query: Search) -> bool:
    if isinstance(query.format, str):
        return query.format == "ndjson"
    return NDJSON in request.headers.get("accept", "")


def failure_of(request: Request, error: Exception) -> Failure:
    """The failure to answer with, for an error."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, UnusableArchive):
        return away(str(error))
    if not isinstance(error, HTTPException):
        detail = "the server failed; its log has the details"
        return Failure(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail)
    status = HTTPStatus(error.status_code)
    if status == HTTPStatus.NOT_FOUND:
        return unknown("path", request.url.path)
    detail = "the archive is read-only: use GET or HEAD"
    return Failure(status, "method", detail, headers=error.headers)
