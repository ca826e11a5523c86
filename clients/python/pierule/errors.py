"""What can go wrong for a caller of this library; everything else is a bug of ours."""

from __future__ import annotations

from pierule_protocol.log.events import Place
from pierule_protocol.messages import Error


class PieruleError(Exception):
    """The base of every exception that this library raises on purpose."""


class Refused(PieruleError):
    """The server answered with an error; nothing has changed. (Only `unavailable` and `internal`,
    told once repeating them took too long, leave open whether something has.)

    Every attribute but `code` and `text` is None where it says nothing.
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
    """`flagged`: by how many ms the time was over."""
    left: int | None
    """`too_early`: in how many ms it can be done."""
    retry_ms: int | None
    """`rate`: in how many ms the request may be sent again."""

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
    """No answer came within the time limit. Whether the request was done is not known: an `act`
    can safely be repeated with the same `turn`."""


class ConnectionLost(PieruleError):
    """There is no connection and this client will not make another one."""

    close_code: int | None
    """The WebSocket close code that decided it; None if none did."""

    def __init__(self, text: str, close_code: int | None = None) -> None:
        super().__init__(text)
        self.close_code = close_code


class Desync(PieruleError):
    """What the server tells of a room does not fit together, not even from a fresh snapshot on;
    the room is no longer followed. A bug in the server or in this client."""

    room: str
    """The room's id."""

    def __init__(self, room: str, text: str) -> None:
        super().__init__(f"room {room}: {text}")
        self.room = room


class BadReply(PieruleError):
    """The server answered with something that this version of the client cannot read."""
