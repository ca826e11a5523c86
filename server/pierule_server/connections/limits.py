"""How much one peer may ask of this node: token buckets and counters (law 10).

Time is an argument, and nothing here knows of sockets or messages. Everything is counted on this
node alone; the store bounds what a user has over all nodes (rooms).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from pierule_server import metrics


@dataclass(slots=True)
class TokenBucket:
    """Up to `burst` tokens, refilled at `rate` a second; a `rate` of 0 means no bound."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    seen: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.burst = max(self.burst, 1.0)

    def wait(self, now: float, price: float = 1.0) -> float:
        """Seconds until there are this many tokens, or as many as fit; 0 if there are."""
        if self.rate <= 0:
            return 0.0
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        return max(0.0, (min(price, self.burst) - self.tokens) / self.rate)

    def take(self, price: float = 1.0) -> None:
        """Take the tokens that `wait` has promised."""
        self.tokens -= price


class ConnectionCounts:
    """How many connections each address or user has. 0 as `most` means no bound."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._counts: Counter[str] = Counter()

    def enter(self, who: str) -> int:
        """Count one more; returns how many there are now, including those over the bound."""
        self._counts[who] += 1
        return self._counts[who]

    def leave(self, who: str) -> int:
        """Count one fewer; returns how many are left. A name without connections is forgotten."""
        self._counts[who] -= 1
        left = self._counts[who]
        if not left:
            del self._counts[who]
        return left

    def over(self, count: int) -> bool:
        """Whether this number is too many."""
        return 0 < self.most < count

    def __len__(self) -> int:
        return len(self._counts)


class TokenBuckets:
    """Buckets by name, which outlive connections. Each is forgotten when it is full again, not
    sooner: otherwise reconnecting would give a full one."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def bucket(self, name: str, times: int, now: float) -> TokenBucket:
        """The bucket of this name, which holds `times` the usual."""
        full = self._burst / self._rate if self._rate > 0 else 0.0
        while self._buckets and next(iter(self._buckets.values())).seen + full <= now:
            self._buckets.popitem(last=False)
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = TokenBucket(self._rate * times, self._burst * times)
            bucket.seen = now
            self._buckets[name] = bucket
        self._buckets.move_to_end(name)
        return bucket

    def __len__(self) -> int:
        return len(self._buckets)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a connection pays from: the budget `of` an address or a user. `shares` are the names of
    its buckets, and how many times the usual size each has."""

    of: str
    shares: Sequence[tuple[str, int]]
    token_buckets: TokenBuckets

    def draw(self, price: float, now: float) -> float:
        """0 if the price was paid; otherwise the seconds until it can be paid."""
        if not price:
            return 0.0
        buckets = [self.token_buckets.bucket(name, times, now) for name, times in self.shares]
        wait = max(bucket.wait(now, price) for bucket in buckets)
        if wait > 0:
            metrics.BUDGET_REFUSALS.labels(self.of).inc()
            return wait
        for bucket in buckets:
            bucket.take(price)
        return 0.0


class Users:
    """The users who are connected here, and the bucket that all connections of a user share.
    `token_buckets` hold the budgets of users who have their own."""

    def __init__(
        self, most: int, rate: float, burst: float, token_buckets: TokenBuckets | None = None
    ) -> None:
        self.token_buckets = token_buckets
        self._counts = ConnectionCounts(most)
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, TokenBucket] = {}
        self._gone: OrderedDict[str, float] = OrderedDict()

    def enter(self, user: str, now: float) -> TokenBucket | None:
        """The bucket of a user who has one connection more; None if that is one too many."""
        self._forget(now)
        if self._counts.over(self._counts.enter(user)):
            self._counts.leave(user)
            return None
        self._gone.pop(user, None)
        return self._buckets.setdefault(user, TokenBucket(self._rate, self._burst))

    def leave(self, user: str, now: float) -> None:
        """A connection of the user has ended."""
        if not self._counts.leave(user):
            self._gone[user] = now
        self._forget(now)

    def _forget(self, now: float) -> None:
        """Drop users who left so long ago that their bucket is full again: not sooner, because
        otherwise reconnecting would give a full one."""
        full = self._burst / self._rate if self._rate > 0 else 0.0
        while self._gone and next(iter(self._gone.values())) + full <= now:
            user, _ = self._gone.popitem(last=False)
            del self._buckets[user]

    def __len__(self) -> int:
        return len(self._buckets)


class Allowance:
    """What one connection may still ask: a request takes one token of its own and one of its
    user's, and its price from the `budget`. `spent` says whose budget the last refusal was for, if
    any."""

    def __init__(
        self, rate: float, burst: float, refusals: int, users: Users, budget: Budget | None = None
    ) -> None:
        self.spent: str | None = None
        self._budget = budget
        self._buckets = [TokenBucket(rate, burst)]
        self._users = users
        self._user: str | None = None
        self._refusals = refusals
        self._refused = 0

    def enter(self, user: str, now: float, *, young: bool = True) -> bool:
        """The connection is this user's; False if the user has too many. A user who is not `young`
        has their own budget."""
        bucket = self._users.enter(user, now)
        if bucket is None:
            return False
        self._user = user
        self._buckets.append(bucket)
        if self._users.token_buckets is not None and not young:
            self._budget = Budget("user", [(user, 1)], self._users.token_buckets)
        return True

    def leave(self, now: float) -> None:
        """The connection has ended."""
        if self._user is not None:
            self._users.leave(self._user, now)
            self._user = None

    def wait(self, now: float, price: float = 0.0) -> float:
        """0 if a request of this price may be worked on now; otherwise the seconds until it may be
        sent again. A refused request costs nothing."""
        self.spent, wait = None, 0.0
        for bucket in self._buckets:
            wait = max(wait, bucket.wait(now))
        if not wait and self._budget is not None:
            wait = self._budget.draw(price, now)
            self.spent = self._budget.of if wait else None
        if wait > 0:
            self._refused += 1
            return wait
        self._refused = 0
        for bucket in self._buckets:
            bucket.take()
        return 0.0

    @property
    def flooding(self) -> bool:
        """Whether it goes on and on after it was refused; `refusals` of 0 means no bound."""
        return 0 < self._refusals <= self._refused
