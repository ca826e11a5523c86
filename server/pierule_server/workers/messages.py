"""What a supervisor and its workers tell each other, all of it.

The direction is in the names. Both run on one machine, but perhaps not the same release: after an
update a supervisor starts workers of the new one. `FORM` changes when they could not understand
each other.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

FORM = 1


class ToWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a supervisor says."""


class Setup(ToWorker, frozen=True, tag="setup"):
    """The first message: what the worker needs besides the settings. See `node.Host`."""

    url: str
    store: str
    api: str | None


class Take(ToWorker, frozen=True, tag="take"):
    """Serve the connection that comes along. See `peer_socket.Passed`."""

    serial: int
    address: str | None
    crowded: bool


class Elsewhere(ToWorker, frozen=True, tag="elsewhere"):
    """How many connections a user has at other workers."""

    user: str
    count: int


class Homes(ToWorker, frozen=True, tag="homes"):
    """Clients of rooms in these buckets are to meet at you (SPEC 1.16)."""

    buckets: list[int]


class Measure(ToWorker, frozen=True, tag="measure"):
    """Tell your metrics; the answer has this number."""

    number: int


Kind = Literal["address", "user", "requests"]
"""The budgets of addresses, of users, and the requests of users who are at several workers."""


class Amount(msgspec.Struct, frozen=True, array_like=True):
    """What was drawn from a bucket, which holds so many `times` the usual."""

    kind: Kind
    name: str
    times: int
    price: float


class Spent(msgspec.Struct, frozen=True, tag="spent", forbid_unknown_fields=True):
    """What was drawn at a worker: it tells the supervisor, which tells the others."""

    amounts: list[Amount]


class FromWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a worker says."""


class Begun(FromWorker, frozen=True, tag="begun"):
    """I serve, and understand this form of messages."""

    form: int


class State(FromWorker, frozen=True, tag="state"):
    """How I am, once a second: why I should get no clients, and what else is to be fixed."""

    trouble: str | None
    lines: list[str]


class Taken(FromWorker, frozen=True, tag="taken"):
    """This connection is mine from now on: I may have read from it."""

    serial: int


class Left(FromWorker, frozen=True, tag="left"):
    """This connection has ended."""

    serial: int


class Present(FromWorker, frozen=True, tag="present"):
    """How many connections a user has here."""

    user: str
    count: int


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """One value of a metric."""

    name: str
    labels: dict[str, str]
    value: float


class Family(msgspec.Struct, frozen=True, array_like=True):
    """A metric with all its samples; `kind` is Prometheus's."""

    name: str
    text: str
    kind: str
    samples: list[Sample]


class Measured(FromWorker, frozen=True, tag="measured"):
    """My metrics."""

    number: int
    families: list[Family]


AnyToWorker: TypeAlias = Setup | Take | Measure | Elsewhere | Homes | Spent
AnyFromWorker: TypeAlias = Begun | State | Taken | Left | Measured | Present | Spent
