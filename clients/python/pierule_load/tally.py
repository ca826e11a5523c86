"""What a run counts and measures. Times are in seconds, of the event loop's clock."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field


def quantile(values: array[float] | list[float], part: float) -> float | None:
    """The value that a `part` (0 to 1) of all values does not exceed; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that broke: when, at which rate, and a description."""

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
    """Everything that a run counts and measures."""

    kept: array[float] = field(default_factory=lambda: array("d"))
    """From sending an action to its acknowledgement."""
    told: array[float] = field(default_factory=lambda: array("d"))
    """From sending an action to the last follower's event."""
    back: array[float] = field(default_factory=lambda: array("d"))
    """From a lost connection to following the room again."""
    errors: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Refused requests, by request, code and the server's words."""
    refused: Counter[str] = field(default_factory=Counter)
    """Refused or failed handshakes, by the reason."""
    lost: Counter[str] = field(default_factory=Counter)
    """Connections that this program did not end itself, by the reason."""
    acted: int = 0
    """Acknowledged actions."""
    moved: int = 0
    """How often clients moved to where their room's other clients are."""
    cut: int = 0
    """Connections that storms dropped."""
    games: int = 0
    """Complete games."""
    missed: int = 0
    """Actions that the rate demanded, but no free game could play."""
    left: int = 0
    """Rooms that could not be ended."""
    connected: int = 0
    seconds: list[Second] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
