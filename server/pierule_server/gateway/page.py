"""Serves the built page from a table of its files, which a node reads once when it starts.

A path that is not in the table does not exist. So no path leads anywhere else, and the build bounds
the memory. `npm run build` in clients/web writes the folder; without it there is no page.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from pierule_protocol import world
from pierule_protocol.games.writing import Written

BUILT = Path(__file__).parents[1] / "page"
"""The folder into which the build writes the page, in the repository and in the wheel."""

INDEX = "index.html"

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Suffixes that a build may contain. Any other suffix is a bug in the build."""

ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""Content codings, the better one first, and the suffixes of their files."""

LONGEST = 1_024
"""The longest list of encodings that is read. Browsers send 30 characters. The longest head of a
request has room for 16,000 encodings, which took 14 ms."""

FOR_EVER = "public, max-age=31536000, immutable"

HASHED = re.compile(r"assets/.+-[\w-]{8}\.\w+")
"""Files whose name changes with their content; browsers may keep them for ever."""

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def policy(port: int) -> str:
    """The Content-Security-Policy for a page that may also read from another port of this host."""
    own = "connect-src 'self'"
    return SECURITY["Content-Security-Policy"].replace(own, f"{own} *:{port}")


def guard(response: Response, headers: Mapping[str, str] = SECURITY) -> None:
    """Add headers that keep a browser from misusing an answer, unless it has them."""
    for name, value in headers.items():
        response.headers.setdefault(name, value)


@dataclass(frozen=True, slots=True)
class File:
    """A file: its headers except those of an encoding, and its bytes in each encoding. The plain
    bytes have the empty name."""

    headers: Mapping[str, str]
    bodies: Mapping[str, bytes]

    @property
    def tag(self) -> str:
        """The ETag of this content."""
        return self.headers["ETag"]


class Page:
    """The files of a built page, by their path."""

    def __init__(self, folder: Path = BUILT, more: Mapping[str, File] | None = None) -> None:
        compressed = {suffix for _, suffix in ENCODINGS}
        self._files = {
            f"/{path.relative_to(folder).as_posix()}": _read(folder, path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in compressed
        }
        if f"/{INDEX}" in self._files:
            self._files["/"] = self._files[f"/{INDEX}"]
        self._below = _below(self._files.get("/"))
        self._files |= more or {}

    def answer(self, path: str, request: Request) -> Response | None:
        """The file at a path without query, in an encoding that the request accepts; None if there
        is no such file."""
        file = self._files.get(path)
        return None if file is None else _answer(file, request)

    def below(self, request: Request) -> Response | None:
        """The page at a path one folder down; None if there is no page."""
        return None if self._below is None else _answer(self._below, request)


def one_down(html: str) -> str:
    """The text of a built page for a path one folder further down: its links lead one folder up."""
    return html.replace('="./', '="../')


def _below(index: File | None) -> File | None:
    if index is None:
        return None
    kept = ("Content-Type", "Cache-Control")
    html = one_down(index.bodies[""].decode())
    return _file(html.encode(), {}, {name: index.headers[name] for name in kept})


def _answer(file: File, request: Request) -> Response:
    """A response with a file, in an encoding that the request accepts."""
    if file.tag in ",".join(request.headers.get_all("If-None-Match")):
        return _response(HTTPStatus.NOT_MODIFIED, file.headers, b"")
    accepted = _accepted(request.headers)
    encoding = next((name for name in file.bodies if name and name in accepted), "")
    headers = {**file.headers, **({"Content-Encoding": encoding} if encoding else {})}
    return _response(HTTPStatus.OK, headers, file.bodies[encoding])


def game_files(documents: Mapping[str, Written]) -> dict[str, File]:
    """The documents of games (SPEC 26.1) and their lessons (26.16), by their path. Any page may
    read them: they are public, and the same for everybody."""
    return {
        f"/games/{game}/{written.hash}.json": _file(
            written.text.encode(),
            {"gzip": gzip.compress(written.text.encode(), mtime=0)},
            {"Content-Type": TYPES[".json"], "Cache-Control": FOR_EVER,
             "Access-Control-Allow-Origin": "*"},
        )
        for game, document in documents.items()
        for written in (document, document.lessons)
        if written is not None
    }  # fmt: skip


def _read(folder: Path, path: Path) -> File:
    """Read a file and its compressed versions. Raises ValueError for an unknown kind of file."""
    name = path.relative_to(folder).as_posix()
    if path.suffix not in TYPES:
        raise ValueError(f"the built page has a file of an unknown kind: {name}")
    body = path.read_bytes()
    versions = {
        encoding: other.read_bytes()
        for encoding, suffix in ENCODINGS
        if (other := path.with_name(path.name + suffix)).exists()
    }
    kept = FOR_EVER if HASHED.fullmatch(name) else "no-cache"
    return _file(body, versions, {"Content-Type": TYPES[path.suffix], "Cache-Control": kept})


def _file(body: bytes, versions: Mapping[str, bytes], headers: Mapping[str, str]) -> File:
    """A file with these plain bytes, and these compressed versions."""
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    return File({**headers, "ETag": tag, "Vary": "Accept-Encoding"}, {**versions, "": body})


def _accepted(headers: Headers) -> set[str]:
    """The encodings that the client accepts, without those of weight 0."""
    text = ",".join(headers.get_all("Accept-Encoding"))
    if len(text) > LONGEST:
        return set()
    items = text.replace(" ", "").lower().split(",")
    pairs = [item.partition(";q=") for item in items]
    return {name for name, _, weight in pairs if not re.fullmatch(r"0(\.0*)?", weight)}


def _response(status: HTTPStatus, headers: Mapping[str, str], body: bytes) -> Response:
    plain = {
        "Date": formatdate(world.wall(), usegmt=True),
        "Connection": "close",
        "Content-Length": str(len(body)),
    }
    if status is HTTPStatus.NOT_MODIFIED:
        del plain["Content-Length"]
    return Response(status.value, status.phrase, Headers({**plain, **headers}), body)
