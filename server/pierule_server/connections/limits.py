"""Limits what a peer may ask of this node, by token buckets and counters (law 10).

Time is an argument, and this module knows nothing of sockets and messages. It counts on this node
alone, or on this machine if `workers.ledger` shares the counts. The store bounds what a user has
over all nodes (rooms).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Network, ip_network

from pierule_server import metrics
from pierule_server.identity.tokens import Standing

WIDE_PREFIX, WIDE = 48, 8
"""An IPv6 network with a prefix of `WIDE_PREFIX` bits has `WIDE` times the budget of one address,
which is a /64."""


@dataclass(slots=True)
class TokenBucket:
    """Up to `burst` tokens (at least 1), refilled at `rate` per second. A `rate` of 0 means no
    bound."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    seen: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.burst = max(self.burst, 1.0)

    def wait(self, now: float, price: float = 1.0) -> float:
        """Seconds until the bucket holds this many tokens, or is full; 0 if it does already."""
        if self.rate <= 0:
            return 0.0
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        return max(0.0, (min(price, self.burst) - self.tokens) / self.rate)

    def take(self, price: float = 1.0) -> None:
        """Take tokens. Call `wait` first."""
        self.tokens -= price

    def is_full(self, now: float) -> bool:
        """Whether the bucket is full and was not used for as long as an empty bucket takes to
        fill. That time alone is not enough: other workers may have drawn it below zero."""
        if self.rate <= 0:
            return True
        gained = (now - self.seen) * self.rate
        return gained >= self.burst and self.tokens + gained >= self.burst


def of_network(address: str | None) -> list[tuple[str, int]]:
    """The names of the buckets from which an address pays, and how many times as large as usual
    each is: its own (in IPv6 that of its /64), and in IPv6 also that of the wider network."""
    shares = [(address or "", 1)]
    try:
        network = ip_network(address or "")
    except ValueError:  # a Unix socket has no address
        return shares
    if isinstance(network, IPv6Network):
        shares.append((str(network.supernet(new_prefix=WIDE_PREFIX)), WIDE))
    return shares


class ConnectionCounts:
    """Counts the connections of each user. At most `most` are allowed; 0: no bound."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._counts: Counter[str] = Counter()

    def enter(self, who: str) -> int:
        """Count one more. Returns how many there are now, including those over the bound."""
        self._counts[who] += 1
        return self._counts[who]

    def leave(self, who: str) -> int:
        """Count one fewer. Returns how many are left; forgets a name that has none."""
        self._counts[who] -= 1
        left = self._counts[who]
        if not left:
            del self._counts[who]
        return left

    def over(self, count: int) -> bool:
        """Whether this number of connections is too many."""
        return 0 < self.most < count

    def __len__(self) -> int:
        return len(self._counts)


class AddressCounts:
    """Counts the connections of each address, and in IPv6 also those of the wider network. An
    address may have `most`; 0: no bound."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count one more; False, and nothing is counted, if it is one too many."""
        shares = of_network(address)
        if any(0 < self._most * times <= self._counts[name] for name, times in shares):
            return False
        self._counts.update(name for name, _ in shares)
        return True

    def leave(self, address: str) -> None:
        """Count one fewer. Forgets a name that has none."""
        for name, _ in of_network(address):
            self._counts[name] -= 1
            if not self._counts[name]:
                del self._counts[name]

    def of(self, address: str) -> int:
        """How many this address has now."""
        return self._counts[address]

    def crowded(self, address: str) -> bool:
        """Whether this address, or its wider network, has more than half of what it may have."""
        return any(
            0 < self._most * times < 2 * self._counts[name] for name, times in of_network(address)
        )

    def __len__(self) -> int:
        return len(self._counts)


class TokenBuckets:
    """Token buckets by name. They outlive connections: a bucket is forgotten only when it is full
    again, so a client that reconnects gains nothing. `on_spent(name, times, price)` hears what is
    drawn here, from which bucket, and how many times as large as usual that is."""

    def __init__(self, rate: float, burst: float) -> None:
        self.on_spent: Callable[[str, int, float], None] | None = None
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def bucket(self, name: str, times: int, now: float) -> TokenBucket:
        """The bucket of this name, which is `times` as large as usual."""
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
        """Take what another worker has drawn from this bucket, perhaps more than it holds."""
        if self._rate > 0:
            bucket = self.bucket(name, times, now)
            bucket.wait(now)
            bucket.take(price)

    def lacking(self, now: float) -> list[tuple[str, int, float]]:
        """The buckets that are not full: name, how many times as large as usual, and how much is
        missing."""
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
"""All known users of an address together have this many times its budget. A guest is known after a
day, and waiting a day costs nothing."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget from which a connection pays. `of` says whose it is, `address` or `user`, or that it
    is an address's for `games` or for `refusals`. `shares` are the names of its buckets, and how
    many times as large as usual each is."""

    of: str
    shares: Sequence[tuple[str, int]]
    token_buckets: TokenBuckets

    def buckets(self, now: float) -> list[TokenBucket]:
        """The buckets of the shares."""
        return [self.token_buckets.bucket(name, times, now) for name, times in self.shares]

    def of_known(self) -> Budget:
        """The budget of the known users of the same address."""
        shares = [(f"known {name}", KNOWN * times) for name, times in self.shares]
        return Budget(self.of, shares, self.token_buckets)


def draw(prices: Sequence[tuple[Budget, float]], now: float) -> tuple[float, str | None]:
    """Pay all the prices, each from its budget, or none. Returns 0 and None if they are paid;
    otherwise the seconds until they can be, and whose budget (`of`) lacks its price longest."""
    buckets = [
        (budget, price, share, bucket)
        for budget, price in prices
        for share, bucket in zip(budget.shares, budget.buckets(now), strict=True)
    ]
    waits = ((bucket.wait(now, price), budget.of) for budget, price, _, bucket in buckets)
    wait, of = max(waits, default=(0.0, ""))
    if wait > 0:
        metrics.BUDGET_REFUSALS.labels(of).inc()
        return wait, of
    for budget, price, (name, times), bucket in buckets:
        bucket.take(price)
        if budget.token_buckets.on_spent is not None:
            budget.token_buckets.on_spent(name, times, price)
    return 0.0, None


class Users:
    """The users who are connected here. All connections of a user share one bucket.

    `token_buckets` hold the budgets of users who have their own. `elsewhere` has the number of
    connections of users at other workers of this machine. `on_present(user, count)` hears how many
    a user has here; `on_request(user)` hears of requests of users who are also elsewhere."""

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
        """Count one more connection of a user, and return the user's bucket; None if the user has
        too many."""
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
        """The user made a request here."""
        if user in self.elsewhere and self.on_request is not None:
            self.on_request(user)

    def requested(self, user: str, number: float, now: float) -> None:
        """The user made this many requests at other workers."""
        bucket = self._buckets.get(user)
        if bucket is not None and bucket.rate > 0:
            bucket.wait(now)
            bucket.take(number)

    def _forget(self, now: float) -> None:
        """Drop users who left so long ago that their bucket is full again. If it dropped them
        sooner, reconnecting would give a full bucket."""
        while self._gone and self._buckets[next(iter(self._gone))].is_full(now):
            user, _ = self._gone.popitem(last=False)
            del self._buckets[user]

    def __len__(self) -> int:
        return len(self._buckets)


class Allowance:
    """What a connection may still ask. A request takes a token of the connection, a token of its
    user, and its prices from the budgets. `budget` is that of the address, and `games` its budget
    for new games. `spent` says which budget was too small for the last request; None if none was.
    After `refusals` refusals in a row the connection is `flooding`; 0: never. `patience` is what
    refusals may cost the node (`tires`)."""

    def __init__(
        self,
        rate: float, burst: float, refusals: int, users: Users,
        budget: Budget | None = None, games: Budget | None = None, patience: Budget | None = None,
    ) -> None:  # fmt: skip
        self.spent: str | None = None
        self._budgets = [] if budget is None else [budget]
        self._games = [] if games is None else [games]
        self._buckets = [TokenBucket(rate, burst)]
        self._patience = patience
        self._users = users
        self._user: str | None = None
        self._refusals = refusals
        self._refused = 0

    def enter(self, user: str, now: float, standing: Standing = "young") -> bool:
        """Give the connection to a user; False if the user has too many connections. Young guests
        pay from the address's budget. Known guests pay from their own and from that of the
        address's known users. Users for whom a provider vouches pay from their own."""
        bucket = self._users.enter(user, now)
        if bucket is None:
            return False
        self._user = user
        self._buckets.append(bucket)
        if self._users.token_buckets is not None and standing != "young":
            known = [] if standing == "vouched" else [each.of_known() for each in self._budgets]
            self._budgets = [Budget("user", [(user, 1)], self._users.token_buckets), *known]
            self._games = [] if standing == "vouched" else [each.of_known() for each in self._games]
        return True

    def leave(self, now: float) -> None:
        """The connection has ended."""
        if self._user is not None:
            self._users.leave(self._user, now)
            self._user = None

    def wait(self, now: float, price: float = 0.0, games: float = 0.0) -> float:
        """Pay for a request of this price, which may begin this many games. Returns 0 if it is
        paid; otherwise the seconds until the client may send it again. A refused request costs
        nothing."""
        self.spent, wait = None, 0.0
        for bucket in self._buckets:
            wait = max(wait, bucket.wait(now))
        wait = wait or self.pay(now, price, games)
        if wait > 0:
            self._refused += 1
            return wait
        self._refused = 0
        for bucket in self._buckets:
            bucket.take()
        if self._user is not None:
            self._users.request(self._user)
        return 0.0

    def pay(self, now: float, price: float, games: float = 0.0) -> float:
        """Pay an additional price for the current request. Returns 0 if it is paid; otherwise the
        seconds until it can be."""
        if not price:
            return 0.0
        prices = [(each, price) for each in self._budgets]
        if games:
            prices += [(each, games) for each in self._games]
        wait, self.spent = draw(prices, now)
        return wait

    def tires(self, now: float, cost: float) -> bool:
        """Pay for a refusal. Returns whether the address has been refused so much that the node
        reads nothing from this connection for a moment."""
        prices = [] if self._patience is None else [(self._patience, cost)]
        return draw(prices, now)[0] > 0

    @property
    def flooding(self) -> bool:
        """Whether the client goes on sending although its requests are refused."""
        return 0 < self._refusals <= self._refused
