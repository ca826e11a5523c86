"""What each fault hit, and how long the clients that it hit took to recover. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from chaos.account import Account, Link
from chaos.truth import Truth
from chaos.world import Happened
from pierule_protocol.messages import Act

AFTERMATH = 10.0
"""Seconds after a fault in which the end of a connection is attributed to it, unless a request sent
after the fault began was answered meanwhile: then something else ended the connection."""


HARMLESS = {
    "client delay", "clock jump", "lost message", "slot migration", "store link delay",
    "database kill", "database pause", "database slow",
}  # fmt: skip
"""Kinds that break no connection of a client; if one breaks, something else broke it."""


@dataclass
class Hit:
    """What a fault hit: actions in flight, running rooms, and the seconds to recover of every
    disturbed client."""

    kind: str
    in_flight: int = 0
    running: int = 0
    recovered: list[float] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        return self.in_flight > 0 or self.running > 0


def hits(
    happened: Sequence[Happened], accounts: Sequence[Account], truths: Mapping[str, Truth]
) -> list[Hit]:
    """One hit for each fault, in order."""
    clients = [_Client(account, truths) for account in accounts]
    found = []
    for fault in happened:
        hit = Hit(fault.kind)
        for client in clients:
            client.meet(fault, hit)
        found.append(hit)
    return found


class _Client:
    """An account with lookups by time."""

    def __init__(self, account: Account, truths: Mapping[str, Truth]) -> None:
        self._links = sorted(account.links.items(), key=lambda item: item[1].opened)
        self._opened = [line.opened for _, line in self._links]
        self._asked = [asked for asked in account.asked if asked.sent < asked.answered]
        self._sent = [asked.sent for asked in self._asked]
        self._through = [asked for asked in account.asked if asked.good]
        self._good = [asked.answered for asked in account.asked if asked.good]
        self._good.sort()
        self._follows = sorted(account.follows, key=lambda follow: follow.since)
        self._since = [follow.since for follow in self._follows]
        self._truths = truths

    def meet(self, fault: Happened, hit: Hit) -> None:
        at = bisect_right(self._opened, fault.began) - 1
        if at < 0:
            return
        number, line = self._links[at]
        if line.port not in fault.ports or line.closed <= fault.began:
            return
        first = bisect_left(self._sent, fault.began - AFTERMATH)
        last = bisect_right(self._sent, fault.ended)
        disturbed = False
        for asked in self._asked[first:last]:
            if asked.connection == number and asked.answered > fault.began:
                disturbed = True
                if asked.sent <= fault.began and isinstance(asked.message, Act):
                    hit.in_flight += 1
        running = self._runs(number, fault.began)
        hit.running += running
        if self._broke(fault, number, line):
            hit.recovered.append(self._back(at) - fault.began)
        elif disturbed:
            served = bisect_right(self._good, fault.began)
            if served < len(self._good):
                hit.recovered.append(self._good[served] - fault.began)

    def _broke(self, fault: Happened, number: int, line: Link) -> bool:
        """Whether the fault has ended this connection."""
        if line.closed > fault.ended + AFTERMATH or fault.kind in HARMLESS:
            return False
        first = bisect_right(self._through, fault.began, key=lambda asked: asked.sent)
        last = bisect_left(self._through, line.closed, key=lambda asked: asked.sent)
        return not any(
            asked.connection == number and asked.answered > fault.ended
            for asked in self._through[first:last]
        )

    def _runs(self, connection: int, at: float) -> bool:
        """Whether it followed a running room at that time."""
        for follow in self._follows[: bisect_right(self._since, at)][-4:]:
            truth = self._truths.get(follow.room)
            ended = truth.ended if truth else None
            followed = follow.connection == connection and (follow.left or at + 1) > at
            if followed and (ended is None or ended / 1_000 > at):
                return True
        return False

    def _back(self, broken: int) -> float:
        """When it was in a room again, or at least served, after a connection broke."""
        for _, line in self._links[broken + 1 :]:
            if line.closed - line.opened > 0 and line.back != float("inf"):
                return line.back
        later = self._links[broken + 1 :]
        return later[-1][1].opened if later else float("inf")


def summary(found: Sequence[Hit]) -> dict[str, dict[str, float | int | None]]:
    """By kind: how many there were, how many counted, what they hit, median and p99 to recover."""
    table: dict[str, dict[str, float | int | None]] = {}
    for kind in sorted({hit.kind for hit in found}):
        of_kind = [hit for hit in found if hit.kind == kind]
        times = sorted(time for hit in of_kind for time in hit.recovered)
        table[kind] = {
            "faults": len(of_kind),
            "counted": sum(hit.counts for hit in of_kind),
            "actions in flight": sum(hit.in_flight for hit in of_kind),
            "running rooms": sum(hit.running for hit in of_kind),
            "recoveries": len(times),
            "median": round(median(times), 3) if times else None,
            "p99": round(times[min(len(times) - 1, int(0.99 * len(times)))], 3) if times else None,
        }
    return table
