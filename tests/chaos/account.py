"""What one client's journal says, in order, as `reading` has read it. Data, no logic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from chaos.truth import Violation
from pierule_protocol.log.events import EMPTY, Place
from pierule_protocol.messages import ClientMessage, RoomState


class Acknowledged(NamedTuple):
    """An action that was answered with `ok`."""

    room: str
    turn: int
    action: str
    place: Place
    at: float = 0.0


class RefusedRetry(NamedTuple):
    """An action, sent at that time, that was refused although it is in the log, at `place`."""

    room: str
    place: Place
    sent: float
    text: str


@dataclass(slots=True)
class Asked:
    """A request. `answered` is when its answer or the connection's end came."""

    message: ClientMessage
    connection: int
    sent: float
    answered: float = float("inf")
    good: bool = False
    left: bool = False
    """For a join: whether the client has left the room since. Requests are processed in order (SPEC
    2.1), so it does not follow the room, whenever the answer to the join comes."""


@dataclass(slots=True)
class Link:
    """A connection: to which port, from when to when."""

    port: int
    opened: float
    closed: float = float("inf")
    back: float = float("inf")
    """When the first room was joined on it."""


@dataclass
class Follow:
    """A time in which one connection followed a room. `reached` are the places (epoch and seq) that
    it reached, `times` when; `left` is None if it lasted to the end."""

    room: str
    connection: int
    since: float
    place: Place = EMPTY
    first: tuple[int, int] = (0, 0)
    left: float | None = None
    reached: list[tuple[int, int]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


@dataclass
class View:
    """A room as the client learned it, over all connections."""

    state: RoomState | None = None
    seen: dict[tuple[int, int], int] = field(default_factory=dict)
    doubtful: list[Place] = field(default_factory=list)
    """Places that are not in the final log, and that nothing has corrected yet."""
    troubled: float | None = None


@dataclass
class Account:
    """The whole content of a journal, in order."""

    name: str
    user: str = ""
    end: float = 0.0
    violations: list[Violation] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    acknowledged: list[Acknowledged] = field(default_factory=list)
    refused: list[RefusedRetry] = field(default_factory=list)
    intended: set[tuple[str, int, str]] = field(default_factory=set)
    made: dict[str, float] = field(default_factory=dict)
    """Rooms that it made, and when it learned so."""
    seated: dict[tuple[str, str], float] = field(default_factory=dict)
    pongs: list[float] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    links: dict[int, Link] = field(default_factory=dict)
    follows: list[Follow] = field(default_factory=list)
