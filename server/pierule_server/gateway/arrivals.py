"""Counts connections and handshakes by address, and refuses those that are too many (law 10)."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_server.connections.limits import Budget, ConnectionCounts, TokenBuckets, draw
from pierule_server.gateway.refusals import Refusals
from pierule_server.settings import Settings

AT_ONCE = 128
"""Handshakes that an address may send in one burst: twice what a full school needs."""


@dataclass(slots=True)
class Arrival:
    """A connection of an address. `crowded`: the address has too many, so refuse this one with an
    answer."""

    address: str
    crowded: bool
    counted_by: ConnectionCounts | None

    def leave(self) -> None:
        """The connection has ended."""
        if self.counted_by is not None:
            self.counted_by.leave(self.address)
            self.counted_by = None


class Arrivals:
    """The open connections by address. Those that are too many for their address are counted apart
    until they have their answer."""

    def __init__(self, settings: Settings) -> None:
        most = settings.connections_per_address
        self.refusals = Refusals(proxies=bool(settings.trusted_proxies))
        self._accepted = ConnectionCounts(most)
        self._refused = ConnectionCounts(most)
        self._handshakes = TokenBuckets(settings.handshakes_per_address, AT_ONCE)

    def enter(self, address: str, now: float) -> Arrival | None:
        """Count one more connection. None if the address has so many that it gets no answer."""
        if self._timely(address, now) and self._entered(self._accepted, address):
            return Arrival(address, False, self._accepted)
        if self._timely(f"refused {address}", now) and self._entered(self._refused, address):
            return Arrival(address, True, self._refused)
        self.refusals.count("unanswered", address)
        return None

    def _timely(self, name: str, now: float) -> bool:
        """Whether the budget of handshakes allows this one."""
        return draw([Budget("handshake", [(name, 1)], self._handshakes)], 1, now)[0] == 0

    def _entered(self, counts: ConnectionCounts, address: str) -> bool:
        count = counts.enter(address)
        self.refusals.crowded(address, count)
        if counts.over(count):
            counts.leave(address)
            return False
        return True
