"""The exceptions of this library. Any other exception is a bug in it."""

from __future__ import annotations

from pierule_protocol.log.events import Place
from pierule_protocol.messages import Error


class PieruleError(Exception):
    """The base class of all exceptions of this library."""


class Refused(PieruleError):
    """The server answered with an error, and nothing has changed. (Only after `unavailable` and
    `internal`, which are raised after repeated tries, something may have.)

    Every attribute except `code` and `text` is None if it does not apply.
    """

    code: str
    """The reason: one of `Code`, or a code that this version does not know."""
    text: str
    """The reason in words, for people."""
    field: str | None
    """The field of the request that was wrong."""
    rule: str | None
    """`illegal`: the rule of the game that forbids the action, by a short name."""
    points: list[str] | None
    """`illegal`: the points that show it."""
    place: Place | None
    """`stale`: the room's place."""
    turn: int | None
    """`stale`: the room's turn."""
    late: int | None
    """`flagged`: how many ms after the deadline the action arrived."""
    left: int | None
    """`too_early` and `unrated`: in how many ms you can do it."""
    retry_ms: int | None
    """`rate`: in how many ms you may send the request again."""

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
        self.retry_ms = error.retry_ms


class TimedOut(PieruleError, TimeoutError):
    """No answer came within the time limit. The request may have taken effect or not. You can
    safely repeat an `act` with the same `turn`."""


class ConnectionLost(PieruleError):
    """There is no connection, and this client will not try to make another one."""

    close_code: int | None
    """The WebSocket close code of the lost connection; None if there was none."""

    def __init__(self, text: str, close_code: int | None = None) -> None:
        super().__init__(text)
        self.close_code = close_code


class Desync(PieruleError):
    """The server's messages about a room contradict each other, even after a fresh snapshot, so the
    client no longer follows the room. This is a bug in the server or in this client."""

    room: str
    """The room's id."""

    def __init__(self, room: str, text: str) -> None:
        super().__init__(f"room {room}: {text}")
        self.room = room


class BadReply(PieruleError):
    """The server sent an answer that this version of the client cannot read."""
