"""The bans that this node knows: of users, by id, and of addresses, by the name that counts them.

The node asks at each handshake and each hello. This module does not know where bans are kept. A
user's id has no `.` and no `:`, and an address has one of them, so a name tells which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec


class Ban(msgspec.Struct, frozen=True):
    """A ban: `until` when, in ms since 1970 by the store's clock, and why."""

    until: int
    why: str


class Bans:
    """The bans in force. `now` gives the store's time in ms since 1970."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: Mapping[str, Ban] = {}

    def replace(self, bans: Mapping[str, Ban]) -> None:
        """Use these bans from now on, and no others."""
        self._kept = bans

    def over(self, until: int) -> bool:
        """Whether a time has passed."""
        return until <= self._now()

    def why(self, name: str | None) -> str | None:
        """What to tell a banned user or address; None if it is not banned."""
        ban = self._kept.get(name or "")
        if ban is None or self.over(ban.until):
            return None
        return f"you are banned until {moment(ban.until)}: {ban.why}"


def moment(at: int) -> str:
    """A time in ms since 1970, for people."""
    return f"{datetime.fromtimestamp(at // 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
