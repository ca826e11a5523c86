"""An answer as bytes, compressed if that helps, with a strong ETag."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

MINIMUM = 500
"""Answers with at least this many bytes are compressed."""


@dataclass(frozen=True, slots=True)
class Representation:
    """JSON, plain and compressed (None if it is short)."""

    body: bytes
    compressed: bytes | None
    tag: str

    def response(self, request: Request, *, max_age: int) -> Response:
        """The response to a request: 304 if the client already has this. The two forms have
        different tags (RFC 9110, 8.8.3.3)."""
        zipped = self.compressed is not None and accepts_gzip(request)
        tag = f'"{self.tag}-gzip"' if zipped else f'"{self.tag}"'
        headers = {
            "ETag": tag,
            "Cache-Control": f"public, max-age={max_age}",
            "Vary": "Accept, Accept-Encoding",
        }
        if has(request, tag):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        if zipped:
            headers["Content-Encoding"] = "gzip"
        body = self.compressed if zipped else self.body
        return Response(body, headers=headers, media_type="application/json")


def represent(body: bytes) -> Representation:
    """Both forms of some JSON. It is slow, so do not call it on the event loop."""
    compressed = gzip.compress(body, 6, mtime=0) if len(body) >= MINIMUM else None
    return Representation(body, compressed, sha256(body).hexdigest()[:32])


def accepts_gzip(request: Request) -> bool:
    """Whether the client accepts gzip."""
    for item in request.headers.get("accept-encoding", "").split(","):
        coding, _, weight = item.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def has(request: Request, tag: str) -> bool:
    """Whether the client already has the content with this tag."""
    given = request.headers.get("if-none-match", "")
    return any(item.strip().removeprefix("W/") in (tag, "*") for item in given.split(","))
