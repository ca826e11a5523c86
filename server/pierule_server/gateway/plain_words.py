"""Says in our words why the library refuses a handshake: its own are about its insides."""

from __future__ import annotations

from http import HTTPStatus

from websockets.http11 import Request, Response

LIBRARY = b"Failed to open a WebSocket connection"
"""The library's words begin with this."""

_WORDS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "The server does not understand this request. Send HTTP/1.1 without a "
    "body, or a WebSocket handshake (RFC 6455).",
    HTTPStatus.METHOD_NOT_ALLOWED: "Use GET or HEAD.",
    HTTPStatus.REQUEST_URI_TOO_LONG: "The address is too long.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too long, or too many.",
    HTTPStatus.UPGRADE_REQUIRED: "This path is for WebSockets: connect with a Pierule client.",
}


def put_plainly(response: Response, *, ours: bool) -> None:
    """Replace the library's words in a response by ours. With `ours`, only remove its preface."""
    said = bytes(response.body or b"")
    if said.startswith(LIBRARY):
        words = _WORDS.get(response.status_code, "This is not understood here.")
        response.body = said.removeprefix(LIBRARY + b": ") if ours else f"{words}\n".encode()
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))


def asks_for_websocket(request: Request) -> bool:
    """Whether a request is a handshake. Some HTTP clients offer HTTP/2 (`h2c`) in each request."""
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))
