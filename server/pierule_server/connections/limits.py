"""How much one peer may ask of this node: token buckets and counters (law 10).

Time is an argument, and nothing here knows of sockets or messages. Everything is counted on this
node alone, or on this machine if somebody tells the workers of each other (`workers.ledger`); the
store bounds what a user has over all nodes (rooms).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Network, ip_network

from pierule_server import metrics
from pierule_server.identity.tokens import Standing

WIDE_PREFIX, WIDE = 48, 8
"""A network of this prefix has so many times the budget of one address, which is a /64."""


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

    def is_full(self, now: float) -> bool:
        """Whether it was left alone for as long as an empty one takes to be full, and is full: it
        need not be, because somebody else may have drawn more than there was."""
        if self.rate <= 0:
            return True
        gained = (now - self.seen) * self.rate
        return gained >= self.burst and self.tokens + gained >= self.burst


def of_network(address: str | None) -> list[tuple[str, int]]:
    """Whose buckets an address has a share of, and how many times the usual they hold: the address
    itself, which is a /64 in IPv6, and there also the wider network."""
    shares = [(address or "", 1)]
    try:
        network = ip_network(address or "")
    except ValueError:  # a Unix socket has none
        return shares
    if isinstance(network, IPv6Network):
        shares.append((str(network.supernet(new_prefix=WIDE_PREFIX)), WIDE))
    return shares


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
    sooner: otherwise reconnecting would give a full one. `on_spent` hears what is drawn here: from
    which bucket, how many times the usual it holds, and how much."""

    def __init__(self, rate: float, burst: float) -> None:
        self.on_spent: Callable[[str, int, float], None] | None = None
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def bucket(self, name: str, times: int, now: float) -> TokenBucket:
        """The bucket of this name, which holds `times` the usual."""
        while self._buckets and next(iter(self._buckets.values())).is_full(now):
            self._buckets.popitem(last=False)
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = TokenBucket(self._rate * times, self._burst * times)
            bucket.seen = now
            self._buckets[name] = bucket
        self._buckets.move_to_end(name)
        return bucket

    def spent(self, name: str, times: int, price: float, now: float) -> None:
        """Somebody else has drawn from this bucket, perhaps more than it had."""
        if self._rate > 0:
            bucket = self.bucket(name, times, now)
            bucket.wait(now)
            bucket.take(price)

    def lacking(self, now: float) -> list[tuple[str, int, float]]:
        """What is missing in each bucket, by its name and how many times the usual it holds."""
        found = []
        for name, bucket in self._buckets.items():
            bucket.wait(now)
            if bucket.tokens < bucket.burst:
                times = round(bucket.rate / self._rate)
                found.append((name, times, bucket.burst - bucket.tokens))
        return found

    def __len__(self) -> int:
        return len(self._buckets)


KNOWN = 2
"""So many times the budget of an address have all its known users together: a guest is known after
a day, and a day costs nothing."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a connection pays from: the budget `of` an address or a user. `shares` are the names of
    its buckets, and how many times the usual size each has."""

    of: str
    shares: Sequence[tuple[str, int]]
    token_buckets: TokenBuckets

    def buckets(self, now: float) -> list[TokenBucket]:
        """The buckets of its shares."""
        return [self.token_buckets.bucket(name, times, now) for name, times in self.shares]

    def of_known(self) -> Budget:
        """That of the known users of the same address."""
        shares = [(f"known {name}", KNOWN * times) for name, times in self.shares]
        return Budget(self.of, shares, self.token_buckets)


def draw(budgets: Sequence[Budget], price: float, now: float) -> tuple[float, str | None]:
    """Pay the price from each of the budgets, or from none: the seconds until it can be paid, and
    whose budget lacks it longest."""
    buckets = [
        (budget, share, bucket)
        for budget in budgets
        for share, bucket in zip(budget.shares, budget.buckets(now), strict=True)
    ]
    waits = ((bucket.wait(now, price), budget.of) for budget, _, bucket in buckets)
    wait, of = max(waits, default=(0.0, ""))
    if wait > 0:
        metrics.BUDGET_REFUSALS.labels(of).inc()
        return wait, of
    for budget, (name, times), bucket in buckets:
        bucket.take(price)
        if budget.token_buckets.on_spent is not None:
            budget.token_buckets.on_spent(name, times, price)
    return 0.0, None


class Users:
    """The users who are connected here, and the bucket that all connections of a user share.
    `token_buckets` hold the budgets of users who have their own. `elsewhere` says how many
    connections users have at other workers of this machine; `on_present` hears how many each has
    here, and `on_request` of the requests of those who are elsewhere, too."""

    def __init__(
        self, most: int, rate: float, burst: float, token_buckets: TokenBuckets | None = None
    ) -> None:
        self.token_buckets = token_buckets
        self.elsewhere: dict[str, int] = {}
        self.on_present: Callable[[str, int], None] | None = None
        self.on_request: Callable[[str], None] | None = None
        self._counts = ConnectionCounts(most)
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, TokenBucket] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()

    def enter(self, user: str, now: float) -> TokenBucket | None:
        """The bucket of a user who has one connection more; None if that is one too many."""
        self._forget(now)
        count = self._counts.enter(user)
        if self._counts.over(count + self.elsewhere.get(user, 0)):
            self._counts.leave(user)
            return None
        if self.on_present is not None:
            self.on_present(user, count)
        self._gone.pop(user, None)
        return self._buckets.setdefault(user, TokenBucket(self._rate, self._burst))

    def leave(self, user: str, now: float) -> None:
        """A connection of the user has ended."""
        count = self._counts.leave(user)
        if self.on_present is not None:
            self.on_present(user, count)
        if not count:
            self._gone[user] = None
        self._forget(now)

    def request(self, user: str) -> None:
        """The user has made a request here."""
        if user in self.elsewhere and self.on_request is not None:
            self.on_request(user)

    def requested(self, user: str, number: float, now: float) -> None:
        """The user has made requests elsewhere."""
        bucket = self._buckets.get(user)
        if bucket is not None and bucket.rate > 0:
            bucket.wait(now)
            bucket.take(number)

    def _forget(self, now: float) -> None:
        """Drop users who left so long ago that their bucket is full again: not sooner, because
        otherwise reconnecting would give a full one."""
        while self._gone and self._buckets[next(iter(self._gone))].is_full(now):
            user, _ = self._gone.popitem(last=False)
            del self._buckets[user]

    def __len__(self) -> int:
        return len(self._buckets)


class Allowance:
    """What one connection may still ask: a request takes one token of its own and one of its
    user's, and its price from the budgets. `budget` is that of the address. `spent` says whose
    budget was too small for the last request, if any."""

    def __init__(
        self, rate: float, burst: float, refusals: int, users: Users, budget: Budget | None = None
    ) -> None:
        self.spent: str | None = None
        self._budgets = [] if budget is None else [budget]
        self._buckets = [TokenBucket(rate, burst)]
        self._users = users
        self._user: str | None = None
        self._refusals = refusals
        self._refused = 0

    def enter(self, user: str, now: float, standing: Standing = "young") -> bool:
        """The connection is this user's; False if the user has too many. By their standing users
        pay from the address's budget, from their own and that of its known users, or from their own
        alone."""
        bucket = self._users.enter(user, now)
        if bucket is None:
            return False
        self._user = user
        self._buckets.append(bucket)
        if self._users.token_buckets is not None and standing != "young":
            known = [] if standing == "vouched" else [each.of_known() for each in self._budgets]
            self._budgets = [Budget("user", [(user, 1)], self._users.token_buckets), *known]
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
        wait = wait or self.pay(now, price)
        if wait > 0:
            self._refused += 1
            return wait
        self._refused = 0
        for bucket in self._buckets:
            bucket.take()
        if self._user is not None:
            self._users.request(self._user)
        return 0.0

    def pay(self, now: float, price: float) -> float:
        """0 if this was paid for the current request; otherwise the seconds until it can be."""
        if not price:
            return 0.0
        wait, self.spent = draw(self._budgets, price, now)
        return wait

    @property
    def flooding(self) -> bool:
        """Whether it goes on and on after it was refused; `refusals` of 0 means no bound."""
        return 0 < self._refusals <= self._refused
