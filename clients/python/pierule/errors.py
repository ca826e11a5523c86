"""What can go wrong for a caller of this library; everything else is a bug of ours."""

from __future__ import annotations

from pierule_protocol.log.events import Place
from pierule_protocol.messages import Error


class PieruleError(Exception):
    """The base of every exception that this library raises on purpose."""


class Refused(PieruleError):
    """The server answered with an error; nothing has changed. (Only with `unavailable` and
    `internal`, raised after repeated tries, something may have.)

    Every attribute except `code` and `text` is None if it does not apply.
    """

    code: str
    """Why: one of `Code`, or a code that this version does not know."""
    text: str
    """Why, in words, for people."""
    field: str | None
    """The field of the request that was wrong."""
    rule: str | None
    """`illegal`: the rule of the game that forbids the action, by a short name."""
    points: list[str] | None
    """`illegal`: the points that show it."""
    place: Place | None
    """`stale`: where the room is."""
    turn: int | None
    """`stale`: the turn that the room is at."""
    late: int | None
    """`flagged`: by how many ms the action was late."""
    left: int | None
    """`too_early`: in how many ms you can do it."""
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
    """No answer came within the time limit. It is unknown whether the request was done: you can
    safely repeat an `act` with the same `turn`."""


class ConnectionLost(PieruleError):
    """There is no connection, and this client will not make another one."""

    close_code: int | None
    """The WebSocket close code that decided it; None if none did."""

    def __init__(self, text: str, close_code: int | None = None) -> None:
        super().__init__(text)
        self.close_code = close_code


class Desync(PieruleError):
    """The server's messages about a room do not fit together, even after a fresh snapshot; the
    client no longer follows the room. A bug in the server or in this client."""

    room: str
    """The room's id."""

    def __init__(self, room: str, text: str) -> None:
        super().__init__(f"room {room}: {text}")
        self.room = room


class BadReply(PieruleError):
    """The server answered with something that this version of the client cannot read."""
