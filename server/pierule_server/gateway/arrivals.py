"""Who may come in: connections and handshakes, counted by address (law 10)."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_server.connections.limits import Budget, ConnectionCounts, TokenBuckets, draw
from pierule_server.gateway.refusals import Refusals
from pierule_server.settings import Settings

AT_ONCE = 128
"""Handshakes of an address at once after a silence: twice a full school."""


@dataclass(slots=True)
class Arrival:
    """A connection of an address. `crowded`: it is one too many, which is to be told so."""

    address: str
    crowded: bool
    counted_by: ConnectionCounts | None

    def leave(self) -> None:
        """The connection has ended."""
        if self.counted_by is not None:
            self.counted_by.leave(self.address)
            self.counted_by = None


class Arrivals:
    """The connections that are open, by address. Those that are one too many for their address
    count apart, until they have been told so."""

    def __init__(self, settings: Settings) -> None:
        most = settings.connections_per_address
        self.refusals = Refusals(proxies=bool(settings.trusted_proxies))
        self._accepted = ConnectionCounts(most)
        self._refused = ConnectionCounts(most)
        self._handshakes = TokenBuckets(settings.handshakes_per_address, AT_ONCE)

    def enter(self, address: str, now: float) -> Arrival | None:
        """Count one more; None if the address has so many that it is not even worth an answer."""
        if self._timely(address, now) and self._entered(self._accepted, address):
            return Arrival(address, False, self._accepted)
        if self._timely(f"refused {address}", now) and self._entered(self._refused, address):
            return Arrival(address, True, self._refused)
        self.refusals.count("unanswered", address)
        return None

    def _timely(self, name: str, now: float) -> bool:
        """Whether this handshake is not one too many for the moment."""
        return draw([Budget("handshake", [(name, 1)], self._handshakes)], 1, now)[0] == 0

    def _entered(self, counts: ConnectionCounts, address: str) -> bool:
        count = counts.enter(address)
        self.refusals.crowded(address, count)
        if counts.over(count):
            counts.leave(address)
            return False
        return True
