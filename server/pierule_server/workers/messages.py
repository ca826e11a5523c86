"""All messages between a supervisor and its workers.

Base classes give the direction. Both sides run on one machine, but perhaps from two releases: after
an update, an old supervisor starts workers of the new release. If a change makes the releases
unable to understand each other, raise `FORM`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

FORM = 1


class ToWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the messages from a supervisor to a worker."""


class Setup(ToWorker, frozen=True, tag="setup"):
    """The first message: what the worker needs besides its settings. See `node.Host`."""

    url: str
    store: str
    api: str | None


class Take(ToWorker, frozen=True, tag="take"):
    """Serve the connection that comes with this message. See `peer_socket.Passed`."""

    serial: int
    address: str | None
    crowded: bool


class Elsewhere(ToWorker, frozen=True, tag="elsewhere"):
    """How many connections a user has at other workers."""

    user: str
    count: int


class Homes(ToWorker, frozen=True, tag="homes"):
    """Clients of rooms in these buckets should meet at this worker (SPEC 1.16)."""

    buckets: list[int]


class Measure(ToWorker, frozen=True, tag="measure"):
    """Send your metrics. The answer repeats `number`."""

    number: int


Kind = Literal["address", "games", "user", "requests"]
"""Which budget it is: an address's, its budget for new games, or a user's; or the requests of a
user who is at several workers."""


class Amount(msgspec.Struct, frozen=True, array_like=True):
    """The price drawn from the bucket `name`, which is `times` as large as usual."""

    kind: Kind
    name: str
    times: int
    price: float


class Spent(msgspec.Struct, frozen=True, tag="spent", forbid_unknown_fields=True):
    """What was drawn at a worker. It tells the supervisor, which tells the other workers."""

    amounts: list[Amount]


class FromWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the messages from a worker to its supervisor."""


class Begun(FromWorker, frozen=True, tag="begun"):
    """The worker serves, and understands this form of messages."""

    form: int


class State(FromWorker, frozen=True, tag="state"):
    """The worker's state, once a second: why it should get no clients (None: it should), and lines
    about what operators should fix."""

    trouble: str | None
    lines: list[str]


class Taken(FromWorker, frozen=True, tag="taken"):
    """The worker has taken this connection and may have read from it."""

    serial: int


class Left(FromWorker, frozen=True, tag="left"):
    """This connection has ended."""

    serial: int


class Present(FromWorker, frozen=True, tag="present"):
    """How many connections a user has at this worker."""

    user: str
    count: int


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """One value of a metric."""

    name: str
    labels: dict[str, str]
    value: float


class Family(msgspec.Struct, frozen=True, array_like=True):
    """A metric with all its samples. `kind` is the type that Prometheus knows."""

    name: str
    text: str
    kind: str
    samples: list[Sample]


class Measured(FromWorker, frozen=True, tag="measured"):
    """The worker's metrics, in answer to `Measure`."""

    number: int
    families: list[Family]


AnyToWorker: TypeAlias = Setup | Take | Measure | Elsewhere | Homes | Spent
AnyFromWorker: TypeAlias = Begun | State | Taken | Left | Measured | Present | Spent
