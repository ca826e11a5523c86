"""What a run counts and measures. Times are in seconds, of the event loop's clock."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field


def quantile(values: array[float] | list[float], part: float) -> float | None:
    """The value that this part of all does not exceed; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that broke: when, at what rate, and in words."""

    at: float
    rate: float
    kind: str
    text: str


@dataclass(slots=True)
class Second:
    """What happened in a second."""

    at: float
    acted: int
    connected: int
    kept_p99: float | None
    told_p99: float | None
    lag: float


@dataclass(slots=True)
class Tally:
    """All of it, from the first connection to the last."""

    kept: array[float] = field(default_factory=lambda: array("d"))
    """From sending an action to its acknowledgement."""
    told: array[float] = field(default_factory=lambda: array("d"))
    """From sending an action to the last follower's event."""
    back: array[float] = field(default_factory=lambda: array("d"))
    """From a lost connection to the room followed again."""
    errors: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Refused requests: what was asked, code, the server's words."""
    refused: Counter[str] = field(default_factory=Counter)
    """Refused or failed handshakes, by the words for it."""
    lost: Counter[str] = field(default_factory=Counter)
    """Connections that ended without our doing."""
    acted: int = 0
    """Acknowledged actions."""
    moved: int = 0
    """Clients that went to where the others of their room are."""
    cut: int = 0
    """Connections that a storm broke off."""
    games: int = 0
    """Whole games."""
    missed: int = 0
    """Actions that the rate asked for and no free game could play."""
    left: int = 0
    """Rooms that could not be ended."""
    connected: int = 0
    seconds: list[Second] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
