"""Counts connections and handshakes by address, and refuses those that are too many (law 10)."""

from __future__ import annotations

import resource
from dataclasses import dataclass

from pierule_server.connections.limits import (
    AddressCounts,
    Budget,
    TokenBuckets,
    draw,
    of_network,
)
from pierule_server.gateway.refusals import Refusals
from pierule_server.settings import Settings

AT_ONCE = 128
"""Handshakes that an address may send in one burst: twice what a full school needs."""

BACKLOG = 4_096
"""Connections that may wait to be accepted, if the system allows as many (`net.core.somaxconn`).
All clients of a dead node come at once. Those that find no place try again only after 1, 3, 7 and
15 s, as TCP does."""

SPARE = 128
"""File descriptors that clients leave to the store, the archive and the log."""


@dataclass(slots=True)
class Arrival:
    """A connection of an address. `crowded`: the address has too many, so refuse this one with an
    answer."""

    address: str
    crowded: bool
    counted_by: AddressCounts | None

    def leave(self) -> None:
        """The connection has ended."""
        if self.counted_by is not None:
            self.counted_by.leave(self.address)
            self.counted_by = None


class Arrivals:
    """The open connections by address, and in IPv6 also by wider network. Those that are too many
    are counted apart until they have their answer."""

    def __init__(self, settings: Settings) -> None:
        most = settings.connections_per_address
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._last = max(soft - SPARE, soft // 2)
        self.refusals = Refusals(proxies=bool(settings.trusted_proxies))
        self._accepted = AddressCounts(most)
        self._refused = AddressCounts(most)
        self._handshakes = TokenBuckets(settings.handshakes_per_address, AT_ONCE)

    def full(self, descriptor: int) -> bool:
        """Whether a connection with this file descriptor is one too many for the process. The
        system gives the lowest that is free, so it tells how many are taken."""
        return descriptor >= self._last > 0  # Without a limit of the system it is negative.

    def enter(self, address: str, now: float) -> Arrival | None:
        """Count one more connection. None if the address has so many that it gets no answer."""
        if self._timely("", address, now) and self._entered(self._accepted, address):
            return Arrival(address, False, self._accepted)
        if self._timely("refused ", address, now) and self._entered(self._refused, address):
            return Arrival(address, True, self._refused)
        self.refusals.count("unanswered", address)
        return None

    def _timely(self, kind: str, address: str, now: float) -> bool:
        """Whether the budgets of handshakes allow this one."""
        shares = [(f"{kind}{name}", times) for name, times in of_network(address)]
        return draw([(Budget("handshake", shares, self._handshakes), 1)], now)[0] == 0

    def _entered(self, counts: AddressCounts, address: str) -> bool:
        entered = counts.enter(address)
        self.refusals.crowded(address, counts.of(address))
        return entered
