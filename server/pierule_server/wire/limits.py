"""How much one peer may ask of this node: token buckets and counters (law 10).

Time is an argument, and nothing here knows of sockets or messages. What is counted is counted on
this node alone; what a user has over all nodes (rooms) is the store's matter.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field


@dataclass(slots=True)
class Bucket:
    """Up to `burst` tokens, of which `rate` flow in each second; a `rate` of 0 has no bound."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    seen: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.burst = max(self.burst, 1.0)

    def wait(self, now: float) -> float:
        """Seconds until there is a token; 0 if there is one."""
        if self.rate <= 0:
            return 0.0
        self.tokens = min(self.burst, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        return max(0.0, (1.0 - self.tokens) / self.rate)

    def take(self) -> None:
        """Take the token that `wait` has promised."""
        self.tokens -= 1.0


class Crowd:
    """How many connections each of many has: addresses, or users. 0 as `most` is no bound."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._counts: Counter[str] = Counter()

    def enter(self, who: str) -> int:
        """One more; how many it has now, those over the bound too."""
        self._counts[who] += 1
        return self._counts[who]

    def leave(self, who: str) -> int:
        """One fewer; how many it has left. Who has none is forgotten."""
        self._counts[who] -= 1
        left = self._counts[who]
        if not left:
            del self._counts[who]
        return left

    def over(self, count: int) -> bool:
        """Whether so many are too many."""
        return 0 < self.most < count

    def __len__(self) -> int:
        return len(self._counts)


class Users:
    """The users who are connected here, and the bucket that all connections of one share."""

    def __init__(self, most: int, rate: float, burst: float) -> None:
        self._crowd = Crowd(most)
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, Bucket] = {}
        self._gone: OrderedDict[str, float] = OrderedDict()

    def enter(self, user: str, now: float) -> Bucket | None:
        """The bucket of a user who has one connection more; None if that is one too many."""
        self._forget(now)
        if self._crowd.over(self._crowd.enter(user)):
            self._crowd.leave(user)
            return None
        self._gone.pop(user, None)
        return self._buckets.setdefault(user, Bucket(self._rate, self._burst))

    def leave(self, user: str, now: float) -> None:
        """A connection of the user has ended."""
        if not self._crowd.leave(user):
            self._gone[user] = now
        self._forget(now)

    def _forget(self, now: float) -> None:
        """Let go of who left so long ago that the bucket is full again: not sooner, or coming
        back would be a way to a full one."""
        full = self._burst / self._rate if self._rate > 0 else 0.0
        while self._gone and next(iter(self._gone.values())) + full <= now:
            user, _ = self._gone.popitem(last=False)
            del self._buckets[user]

    def __len__(self) -> int:
        return len(self._buckets)


class Allowance:
    """What one connection may still ask: a token of its own and one of its user's a request."""

    def __init__(self, rate: float, burst: float, refusals: int, users: Users) -> None:
        self._buckets = [Bucket(rate, burst)]
        self._users = users
        self._user: str | None = None
        self._refusals = refusals
        self._refused = 0

    def enter(self, user: str, now: float) -> bool:
        """The connection is this user's; False if the user has too many."""
        bucket = self._users.enter(user, now)
        if bucket is None:
            return False
        self._user = user
        self._buckets.append(bucket)
        return True

    def leave(self, now: float) -> None:
        """The connection has ended."""
        if self._user is not None:
            self._users.leave(self._user, now)
            self._user = None

    def wait(self, now: float) -> float:
        """0 if a request may be worked on now; otherwise after how many seconds it may be sent
        again. What is refused takes no token."""
        wait = 0.0
        for bucket in self._buckets:
            wait = max(wait, bucket.wait(now))
        if wait > 0:
            self._refused += 1
            return wait
        self._refused = 0
        for bucket in self._buckets:
            bucket.take()
        return 0.0

    @property
    def flooding(self) -> bool:
        """Whether it goes on and on after having been refused; `refusals` of 0 are no bound."""
        return 0 < self._refusals <= self._refused
