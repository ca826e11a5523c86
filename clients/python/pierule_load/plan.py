"""What a run is to do, and which servers it may load."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from pierule_protocol import world


class Unwilling(Exception):
    """The run cannot begin; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do. Times are in seconds."""

    urls: tuple[str, ...]
    """The nodes, which connections take in turn."""
    games: tuple[str, ...] = ()
    """The games to play; empty: all games that the server and this program have."""
    size: int | None = None
    """The size of the boards; None: the default of each game."""
    tables: int = 20
    """How many games run at the same time."""
    spectators: int = 1
    """How many spectators each game has."""
    rate: float | None = 20.0
    """Actions per second of all games together; None: each as soon as the server acknowledged the
    one before."""
    ramp: bool = False
    """Whether the rate rises evenly from a tenth to the whole rate."""
    seconds: float = 60.0
    storm: float | None = None
    """Seconds between storms, in which all connections are dropped; None: no storms."""
    bound: float = 0.25
    """The highest good p99 of acknowledgements. Deliveries may take twice as long. Beyond that, the
    server counts as broken."""
    timeout: float = 10.0
    """How long an answer may take."""
    hints: bool = True
    """Whether clients connect where their room's other clients are (SPEC 1.15 and 1.16)."""

    @property
    def connections(self) -> int:
        """How many connections there will be."""
        return self.tables * (2 + self.spectators)

    def urls_of(self, number: int) -> tuple[str, ...]:
        """The nodes in the order in which connection `number` tries them. Each connection begins
        with another node."""
        first = number % len(self.urls)
        return self.urls[first:] + self.urls[:first]

    def rate_at(self, passed: float) -> float | None:
        """The wanted rate after `passed` seconds; None for no limit."""
        if self.rate is None or not self.ramp:
            return self.rate
        return self.rate * (0.1 + 0.9 * min(1.0, passed / self.seconds))


def check_url(url: str) -> None:
    """Raise Unwilling if this is not the address of a server."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise Unwilling(
            f"{url} is not the address of a server; write ws://HOST:PORT/ws or wss://HOST/ws"
        )


def is_near(url: str) -> bool:
    """Whether all addresses of the host belong to this machine or to a private network. Raises
    Unwilling for a host without an address."""
    parts = urlsplit(url)
    assert parts.hostname
    try:
        found = world.resolve(parts.hostname, parts.port or 443)
    except OSError as error:
        raise Unwilling(f"there is no server at {url} ({error.strerror or error})") from None
    addresses = [ipaddress.ip_address(address[0].partition("%")[0]) for *_, address in found]
    return all(each.is_private or each.is_link_local for each in addresses)
