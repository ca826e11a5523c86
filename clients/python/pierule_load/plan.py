"""What is asked of a run, and which servers may be loaded."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from pierule_protocol import world


class Unwilling(Exception):
    """The run does not begin; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: what is asked of the server. Times are in seconds."""

    urls: tuple[str, ...]
    """The nodes; connections take them in turn."""
    games: tuple[str, ...] = ()
    """Which games are played; empty: all that both sides know."""
    size: int | None = None
    """Their board's size; None: the default of each game."""
    tables: int = 20
    """How many games run at once."""
    spectators: int = 1
    """Spectators of each game."""
    rate: float | None = 20.0
    """Actions a second of all games together; None: each as soon as the one before is kept."""
    ramp: bool = False
    """Whether the rate rises evenly from a tenth to the whole."""
    seconds: float = 60.0
    storm: float | None = None
    """After how many seconds all connections break off, again and again; None: never."""
    bound: float = 0.25
    """The p99 of acknowledgements at which the server counts as broken, and half of that of
    deliveries."""
    timeout: float = 10.0
    """How long an answer may take."""
    hints: bool = True
    """Whether clients go where the others of their room are (SPEC 1.15 and 1.16)."""

    @property
    def connections(self) -> int:
        """How many there will be."""
        return self.tables * (2 + self.spectators)

    def urls_of(self, number: int) -> tuple[str, ...]:
        """The nodes in the order in which a connection tries them: each begins with the next."""
        first = number % len(self.urls)
        return self.urls[first:] + self.urls[:first]

    def rate_at(self, passed: float) -> float | None:
        """The rate that is wanted after so much of the time."""
        if self.rate is None or not self.ramp:
            return self.rate
        return self.rate * (0.1 + 0.9 * min(1.0, passed / self.seconds))


def check_url(url: str) -> None:
    """Raises Unwilling for what is no address of a server."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise Unwilling(f"{url} is no server's address; write ws://HOST:PORT/ws, or wss://HOST/ws")


def is_near(url: str) -> bool:
    """Whether all addresses of the host are this machine's or a private network's. Raises Unwilling
    for a host that has none."""
    parts = urlsplit(url)
    assert parts.hostname
    try:
        found = world.resolve(parts.hostname, parts.port or 443)
    except OSError as error:
        raise Unwilling(f"no server at {url} ({error.strerror or error})") from None
    addresses = [ipaddress.ip_address(address[0].partition("%")[0]) for *_, address in found]
    return all(each.is_private or each.is_link_local for each in addresses)
