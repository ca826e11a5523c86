"""Who is banned, as far as this node knows: users by id, and addresses as they are counted.

Asked at each handshake and hello. Where bans are kept, and how a node learns of them, is not known
here. A user's id has no `.` and no `:`, and an address has one or the other, so the name tells
which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec


class Ban(msgspec.Struct, frozen=True):
    """Until when, in the store's ms since 1970, and why."""

    until: int
    why: str


class Bans:
    """The bans in force. `now` tells the store's time in milliseconds."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: Mapping[str, Ban] = {}

    def replace(self, bans: Mapping[str, Ban]) -> None:
        """Know exactly these bans from now on."""
        self._kept = bans

    def over(self, until: int) -> bool:
        """Whether a time has passed."""
        return until <= self._now()

    def why(self, name: str | None) -> str | None:
        """Why a user or address must go, in words; None if it need not."""
        ban = self._kept.get(name or "")
        if ban is None or self.over(ban.until):
            return None
        return f"you are banned until {moment(ban.until)}: {ban.why}"


def moment(at: int) -> str:
    """A time in ms since 1970, for people."""
    return f"{datetime.fromtimestamp(at // 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
