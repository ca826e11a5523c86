"""Shares the limits of addresses and users between the workers of one machine.

Each worker has full budgets, and decides without asking. Some milliseconds later it tells the
supervisor what it drew. The supervisor keeps account and tells the other workers, which draw the
same amount, even below zero. So a burst can exceed its limit by what comes in during these
milliseconds, but is paid back: over time nobody gets more than from a single node. The supervisor
tells a new worker what is missing, so a restarted worker does not refill any bucket.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol

from pierule_server.connections.limits import TokenBuckets
from pierule_server.gateway.budget import buckets_of_games
from pierule_server.gateway.listener import Listener
from pierule_server.settings import Settings
from pierule_server.workers.messages import (
    Amount,
    AnyFromWorker,
    AnyToWorker,
    Elsewhere,
    Kind,
    Present,
    Spent,
)

DELAY = 0.02
"""Seconds for which a worker collects what it drew before it tells the supervisor."""


class WorkerLedger:
    """A worker's part: tells the supervisor what is drawn here, and draws what others drew."""

    def __init__(self, listener: Listener, send: Callable[[AnyFromWorker], None]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._users = listener.users
        self._budgets: dict[Kind, TokenBuckets] = {
            "address": listener.token_buckets, "games": listener.games,
        }  # fmt: skip
        if listener.users.token_buckets is not None:
            self._budgets["user"] = listener.users.token_buckets
        self._drawn: defaultdict[tuple[Kind, str, int], float] = defaultdict(float)
        for kind, token_buckets in self._budgets.items():
            token_buckets.on_spent = partial(self._draw, kind)
        listener.users.on_request = lambda user: self._draw("requests", user, 1, 1.0)
        listener.users.on_present = lambda user, count: send(Present(user, count))

    def hear(self, message: Spent | Elsewhere) -> None:
        """Take in what happened at other workers."""
        now = self._loop.time()
        if isinstance(message, Elsewhere):
            if message.count:
                self._users.elsewhere[message.user] = message.count
            else:
                self._users.elsewhere.pop(message.user, None)
            return
        for amount in message.amounts:
            if amount.kind == "requests":
                self._users.requested(amount.name, amount.price, now)
            elif amount.kind in self._budgets:
                self._budgets[amount.kind].spent(amount.name, amount.times, amount.price, now)

    def _draw(self, kind: Kind, name: str, times: int, price: float) -> None:
        if not self._drawn:
            self._loop.call_later(DELAY, self._tell)
        self._drawn[kind, name, times] += price

    def _tell(self) -> None:
        drawn, self._drawn = self._drawn, defaultdict(float)
        self._send(Spent([Amount(*key, price) for key, price in drawn.items()]))


class Hearer(Protocol):
    """A worker, as a ledger sees it."""

    def tell(self, message: AnyToWorker) -> None:
        """Send it a message."""


class Ledger:
    """The supervisor's part: what was drawn from each bucket at all workers together, and how many
    connections each user has at each worker."""

    def __init__(self, settings: Settings) -> None:
        per_address = settings.address_budget, settings.address_budget_burst
        self._budgets: dict[Kind, TokenBuckets] = {
            "address": TokenBuckets(*per_address),
            "games": buckets_of_games(*per_address),
            "user": TokenBuckets(settings.user_budget, settings.user_budget_burst),
        }
        self._most = settings.connections_per_user
        self._present: defaultdict[str, dict[Hearer, int]] = defaultdict(dict)

    def begin(self, worker: Hearer, now: float) -> None:
        """Tell a new worker what is missing in the buckets, and which users have no connection
        left."""
        amounts = [
            Amount(kind, *missing)
            for kind, buckets in self._budgets.items()
            for missing in buckets.lacking(now)
        ]
        if amounts:
            worker.tell(Spent(amounts))
        for user, at in self._present.items():
            total = sum(at.values())
            if total >= self._most > 0:
                worker.tell(Elsewhere(user, total))

    def spent(self, worker: Hearer, message: Spent, others: Collection[Hearer], now: float) -> None:
        """A worker says what was drawn there: keep account, and tell the `others`."""
        for amount in message.amounts:
            if amount.kind in self._budgets:
                self._budgets[amount.kind].spent(amount.name, amount.times, amount.price, now)
        for other in others:
            if other is not worker:
                other.tell(message)

    def present(self, worker: Hearer, user: str, count: int, workers: Collection[Hearer]) -> None:
        """A user now has `count` connections at a worker. Tell each other worker if the user is
        there, too, or if one more connection there would be too many."""
        at = self._present[user]
        before = sum(at.values())
        at.pop(worker, None)
        if count:
            at[worker] = count
        total = sum(at.values())
        full = 0 < self._most <= max(before, total)
        for each in workers:
            elsewhere = total - at.get(each, 0)
            if each is worker:
                if elsewhere:
                    each.tell(Elsewhere(user, elsewhere))
            elif each in at:
                each.tell(Elsewhere(user, elsewhere))
            elif full:
                each.tell(Elsewhere(user, total if total >= self._most else 0))
        if not at:
            del self._present[user]

    def end(self, worker: Hearer, workers: Collection[Hearer]) -> None:
        """A worker and its connections have ended."""
        for user in [user for user, at in self._present.items() if worker in at]:
            self.present(worker, user, 0, workers)
