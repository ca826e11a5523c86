"""Who is banned, as this node knows it: users by id, and addresses as they are counted.

Asked at each handshake and hello. Where bans are kept, and how a node learns of them, is not known
here. A user's id has no `.` and no `:`, an address has one or the other, so one name tells which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import ip_network

from pierule_server.gateway.admission import group
from pierule_server.store.tables.moderation import Ban


class Bans:
    """The bans in force. `now` tells the store's time in milliseconds."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._kept: Mapping[str, Ban] = {}

    def replace(self, bans: Mapping[str, Ban]) -> None:
        """Know these from now on, and no others."""
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


def address_name(text: str) -> str:
    """The name under which an address is banned: of an IPv6 address that of its network. Raises
    ValueError if it is none."""
    network = ip_network(text, strict=False)
    if network.num_addresses > 1 and network.version == 4:
        raise ValueError(f"{text!r} is a network; only single addresses can be banned")
    return group(network.network_address)
