"""The paths of games and players: the page, with a preview in its head; and the pictures.

A person gets the page whatever happens: if something is unknown, refused or broken, only the status
differs, and the preview says nothing. Reading and drawing have their own threads.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pierule_archive.api import ROOT
from pierule_archive.api.answers import GameLine
from pierule_archive.api.problems import Failure, unknown
from pierule_archive.api.reader import Reader
from pierule_archive.api.representation import has
from pierule_archive.api.selection import summary
from pierule_archive.api.single import game_query, latest_game, read_player
from pierule_archive.api.threads import Threads
from pierule_archive.previews.picture import Picture
from pierule_archive.previews.story import (
    UNTOLD,
    Preview,
    game_preview,
    player_preview,
    room_preview,
)
from pierule_archive.previews.tags import Document
from pierule_protocol.messages import Card

PATH = re.compile(r"/(?:game|player)/[^/]+")
"""The paths of games and players."""

THREADS = 2
WAITING = 32
"""How many previews are made at once, and how many may wait for a thread."""

KEPT = 64
"""How many pictures, of up to 100 kB each, and how many previews of games are kept."""

_ROOM = re.compile(r"[a-z]{1,32}|[0-9]{1,18}")
_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,64}")
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class NotTold(Exception):
    """Nobody can say at the moment whether a room is listed."""


class Listing(Protocol):
    """The rooms that everybody may find, open or running."""

    async def card(self, room: str) -> Card | None:
        """The card of a room; None if it is not listed. Raises NotTold."""

    async def close(self) -> None:
        """Close the listing: nobody asks any more."""


@dataclass(frozen=True, slots=True)
class Site:
    """The page that is served: its text, its headers, and its address if that is set."""

    html: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


class Latest(Generic[K, T]):
    """A cache of the last values, by what they were made from. Any thread may use it."""

    def __init__(self) -> None:
        self._kept = OrderedDict[K, T]()
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], T]) -> T:
        """The kept value, or a new one from `make`."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made


class Previews:
    """Answers the paths of games and players from one archive, and from a listing if there is
    one. `scheme` says by which scheme a request came."""

    def __init__(
        self, reader: Reader, site: Site, scheme: Callable[[Request], str],
        listing: Listing | None = None,
    ) -> None:  # fmt: skip
        self._reader, self._site, self._scheme = reader, site, scheme
        self._listing = listing
        self._document = Document(site.html)
        self._threads = Threads(THREADS, WAITING, "previews")
        self._pictures: Latest[Picture, bytes] = Latest()
        self._games: Latest[GameLine, Preview] = Latest()

    def routes(self) -> list[Route]:
        """The routes of pages and pictures."""
        return [
            Route("/game/{name}", self._game),
            Route("/player/{name}", self._player),
            Route(f"{ROOT}/picture.png", self._untold_picture),
            Route(f"{ROOT}/games/{{name}}/picture.png", self._game_picture),
            Route(f"{ROOT}/players/{{name}}/picture.png", self._player_picture),
        ]

    async def close(self) -> None:
        """End the threads, and close the listing."""
        self._threads.close()
        if self._listing is not None:
            await self._listing.close()

    def page(self, request: Request, failure: Failure) -> Response:
        """The page for a request that fails."""
        status = HTTPStatus(failure.problem.status)
        headers = {"Cache-Control": "no-store", **failure.headers}
        return self._page(request, UNTOLD, f"{ROOT}/picture.png", status, headers)

    async def _game(self, request: Request) -> Response:
        name: str = request.path_params["name"]
        there = f"{ROOT}/games/{quote(name)}/picture.png"
        return await self._tagged(request, there, await self._of_game(name), "room")

    async def _player(self, request: Request) -> Response:
        name: str = request.path_params["name"]
        there = f"{ROOT}/players/{quote(name, safe='')}/picture.png"
        return await self._tagged(request, there, await self._of_player(name), "player")

    async def _tagged(
        self, request: Request, there: str, preview: Preview | None, what: str
    ) -> Response:
        if preview is None:
            return self.page(request, unknown(what, request.path_params["name"]))
        if preview is UNTOLD:
            there = f"{ROOT}/picture.png"
        there = f"{there}?v={preview.version}"
        headers = {"Cache-Control": f"public, max-age={min(preview.seconds, 60)}"}
        return self._page(request, preview, there, HTTPStatus.OK, headers)

    async def _untold_picture(self, request: Request) -> Response:
        return await self._drawn(request, UNTOLD)

    async def _game_picture(self, request: Request) -> Response:
        name: str = request.path_params["name"]
        preview = await self._of_game(name)
        if preview is None or preview is UNTOLD:
            raise unknown("room", name)
        return await self._drawn(request, preview)

    async def _player_picture(self, request: Request) -> Response:
        name: str = request.path_params["name"]
        preview = await self._of_player(name)
        if preview is None:
            raise unknown("player", name)
        return await self._drawn(request, preview)

    async def _of_game(self, name: str) -> Preview | None:
        """The preview of a game or a room; None if the name can be neither. Private, unlisted and
        unknown rooms all get the same preview."""
        if not _ROOM.fullmatch(name):
            return None
        found = await self._threads.do(self._read_game, name)
        if found is not None or name.isdecimal():
            return found
        try:
            card = None if self._listing is None else await self._listing.card(name)
        except NotTold:
            return UNTOLD
        return UNTOLD if card is None else room_preview(card)

    async def _of_player(self, name: str) -> Preview | None:
        if not _NAME.fullmatch(name):
            return None
        return await self._threads.do(self._read_player, name)

    def _read_game(self, name: str) -> Preview | None:
        with self._reader.reading() as connection:
            if connection is None:
                return None
            row = connection.execute(game_query(name)).one_or_none()
        return None if row is None else self._told(row)

    def _told(self, row: Any) -> Preview:
        """The preview of a game. Its log is folded once for tags and picture."""
        line = GameLine(**summary(row._asdict(), {}), cursor=str(row.feed))
        return self._games.get(line, lambda: game_preview(row, line))

    def _read_player(self, name: str) -> Preview | None:
        with self._reader.reading() as connection:
            player = None if connection is None else read_player(connection, name)
            if connection is None or player is None:
                return None
            latest = latest_game(connection, player.id)
            if latest is None:
                return None
            row = connection.execute(game_query(str(latest.feed))).one()
        return player_preview(player, latest, self._told(row))

    async def _drawn(self, request: Request, preview: Preview) -> Response:
        picture = preview.picture
        body = await self._threads.do(self._pictures.get, picture, picture.png)
        tag = f'"{sha256(body).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": f"public, max-age={preview.seconds}"}
        if has(request, tag):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(body, headers=headers, media_type="image/png")

    def _page(
        self, request: Request, preview: Preview, picture: str, status: HTTPStatus,
        headers: Mapping[str, str],
    ) -> Response:  # fmt: skip
        base = self._base(request)
        here = quote(request.scope["path"])
        body = self._document.tagged(preview, base + here, base + picture)
        headers = {**self._site.headers, **headers}
        return Response(body, status, headers, media_type="text/html")

    def _base(self, request: Request) -> str:
        """The public address of this site; empty if neither the settings nor a valid `Host` header
        name it."""
        if self._site.url:
            return self._site.url.rstrip("/")
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
            return ""
        return f"{self._scheme(request)}://{hosts[0]}"
