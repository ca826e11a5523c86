"""What can go wrong for a caller of this library; everything else is a bug of ours."""

from __future__ import annotations

from pierule_protocol.messages import Error


class PieruleError(Exception):
    """The base of every exception that this library raises on purpose."""


class Refused(PieruleError):
    """The server answered with an error; nothing has changed. (Only `unavailable` and `internal`,
    told once repeating them took too long, leave open whether something has.)

    `code` is one of `pierule_protocol.codes.Code`, or one that this version does not know; `text`
    is for people. `field` names the field that was wrong; `rule` and `points` tell which rule of
    the game an illegal action breaks, and where; `place` and `turn` tell where the room is; `late`
    by how many ms a time was over. Each is None where it says nothing.
    """

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error.code}: {error.text}")
        self.code = error.code
        self.text = error.text
        self.field = error.field
        self.rule = error.rule
        self.points = error.points
        self.place = error.place
        self.turn = error.turn
        self.late = error.late
        self.left = error.left


class TimedOut(PieruleError, TimeoutError):
    """No answer came within the time limit. Whether the request was done is not known: an `act`
    can safely be repeated with the same `turn`."""


class ConnectionLost(PieruleError):
    """There is no connection and this client will not make another one.

    `close_code` is the WebSocket close code that decided it, if one did.
    """

    def __init__(self, text: str, close_code: int | None = None) -> None:
        super().__init__(text)
        self.close_code = close_code


class Desync(PieruleError):
    """What the server tells of the room `room` does not fit together, not even from a fresh
    snapshot on; the room is no longer followed. A bug in the server or in this client."""

    def __init__(self, room: str, text: str) -> None:
        super().__init__(f"room {room}: {text}")
        self.room = room


class BadReply(PieruleError):
    """The server answered with something that this version of the client cannot read."""
