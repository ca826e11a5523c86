"""What can be seen of a node from outside: every metric, by name.

Names and units follow Prometheus: `pierule_` first, base units, `_total` for counters. Labels come
from closed sets (codes, kinds, commands); no room, user, address or text of a client may become a
label. The metrics belong to the process, as is usual: two nodes in one process share them.

Those of prometheus-client take a lock for each number, which cost 9 us an action: a tenth of it. So
the paths that every action takes have fast ones: plain numbers that only the event loop's thread
changes, read on request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from pierule_protocol.codes import Close, Code
from pierule_protocol.log.events import AnyRecord, Record
from pierule_protocol.messages import REPORTED, ClientMessage, Request


class FastCounter(Collector):
    """A counter, perhaps by one label, whose values are known beforehand; all begin at 0."""

    def __init__(
        self,
        name: str,
        text: str,
        label: str | None = None,
        values: Iterable[str] = ("",),
        *,
        registry: CollectorRegistry,
    ) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._counts = dict.fromkeys(values, 0)
        registry.register(self)

    def count(self, value: str = "", more: int = 1) -> None:
        """One more, or several. Raises KeyError for a value that was not named."""
        self._counts[value] += more

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for value, count in self._counts.items():
            family.add_metric([value] if self._labels else [], count)
        yield family


class FastHistogram(Collector):
    """A histogram of seconds, perhaps by one label. `bounds` are its buckets', ascending."""

    def __init__(
        self,
        name: str,
        text: str,
        label: str | None = None,
        *,
        bounds: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._bounds = bounds
        self._counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(bounds) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)
        if label is None:
            self._counts[""]
        registry.register(self)

    def observe(self, seconds: float, value: str = "") -> None:
        """One more that took so long."""
        self._counts[value][bisect_left(self._bounds, seconds)] += 1
        self._sums[value] += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        for value, counts in self._counts.items():
            buckets = list(zip(names, accumulate(counts), strict=True))
            family.add_metric([value] if self._labels else [], buckets, self._sums[value])
        yield family


disable_created_metrics()  # type: ignore[no-untyped-call]  # A series for each series, and nobody asks for them.
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

_LATENCIES = (
    *(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)  # fmt: skip
"""Seconds: fine steps where games are played, coarse ones where something is wrong."""

_TAGS: dict[type[Any], str] = {
    kind: kind.__struct_config__.tag for kind in (*get_args(ClientMessage), *get_args(AnyRecord))
}

# --- the node ----------------------------------------------------------------------------------

INFO = Info("pierule", "The release that this node runs", registry=REGISTRY)
DRAINING = Gauge("pierule_draining", "1 while this node sends its clients away", registry=REGISTRY)
STORE_REACHABLE = Gauge(
    "pierule_store_reachable", "1 while the store answers this node", registry=REGISTRY
)

LOOP_LAG_SECONDS = FastHistogram(
    "pierule_loop_lag_seconds",
    "How late the event loop comes to what is due: everything else waits for as long",
    bounds=_LATENCIES,
    registry=REGISTRY,
)

# --- workers: only a supervisor has any ---------------------------------------------------------

WORKERS = Gauge(
    "pierule_workers",
    "Workers, by state: `serving`, `starting` (also after an end), or `given_up` after many ends",
    ["state"],
    registry=REGISTRY,
)
WORKER_ENDS = Counter(
    "pierule_worker_ends_total", "Workers that ended although nobody had asked them to",
    registry=REGISTRY,
)  # fmt: skip
CONNECTIONS_PASSED = FastCounter(
    "pierule_connections_passed_total",
    "Connections passed to workers, chosen `by` the bucket that they hint at, or by load",
    "by",
    ["bucket", "load"],
    registry=REGISTRY,
)

# --- connections -------------------------------------------------------------------------------

CONNECTIONS = Gauge("pierule_connections", "WebSockets that are open here", registry=REGISTRY)
USERS = Gauge("pierule_users", "Users who are connected here, each counted once", registry=REGISTRY)
SEEKS = Gauge("pierule_seeks", "Seeks of users here that wait for a game", registry=REGISTRY)
OUTBOX_BYTES = Gauge(
    "pierule_outbox_bytes", "Unsent bytes of all connections together", registry=REGISTRY
)
OUTBOX_LARGEST_BYTES = Gauge(
    "pierule_outbox_largest_bytes", "Unsent bytes of the slowest connection", registry=REGISTRY
)
CLOSES = Counter(
    "pierule_closes_total",
    "Connections that ended, by the close code's name; `broken` without one",
    ["close"],
    registry=REGISTRY,
)

HANDSHAKES_REFUSED = Counter(
    "pierule_handshakes_refused_total",
    "WebSocket handshakes that were refused, by reason; `address`: it has too many connections, "
    "`unanswered`: it has so many that it gets no answer any more",
    ["reason"],
    registry=REGISTRY,
)

# --- requests ----------------------------------------------------------------------------------

REQUESTS = FastCounter(
    "pierule_requests_total", "Requests, by type", "type",
    [_TAGS[kind] for kind in get_args(ClientMessage)], registry=REGISTRY,
)  # fmt: skip
REFUSALS = Counter(
    "pierule_refusals_total", "Requests answered with an error, by code", ["code"],
    registry=REGISTRY,
)  # fmt: skip
BUDGET_REFUSALS = Counter(
    "pierule_budget_refusals_total",
    "Refused because the budget of an `address` or a `user` was spent: requests; or a `handshake` "
    "or `report`",
    ["of"],
    registry=REGISTRY,
)
APPEND_SECONDS = FastHistogram(
    "pierule_append_seconds",
    "From the receipt of a request that changes a room until the store has kept its event",
    bounds=_LATENCIES,
    registry=REGISTRY,
)
BOARD_MISMATCHES = Counter(
    "pierule_board_mismatches_total",
    "Boards that differ from the log, as clients report: addresses that do, one in half an hour",
    ["problem"],
    registry=REGISTRY,
)
BOARD_MISMATCHES_REFUSED = Counter(
    "pierule_board_mismatches_refused_total",
    "Reports of boards that cannot be true, or too many of one user, by the code of the refusal",
    ["code"],
    registry=REGISTRY,
)

# --- rooms and their events --------------------------------------------------------------------

ROOMS = Gauge(
    "pierule_rooms", "Rooms at hand here: `followed` by clients, or `idle`", ["state"],
    registry=REGISTRY,
)  # fmt: skip
EVENTS = FastCounter(
    "pierule_events_total", "Events that this node has appended, by kind", "kind",
    [_TAGS[kind] for kind in get_args(AnyRecord)], registry=REGISTRY,
)  # fmt: skip
DELIVERIES = FastCounter(
    "pierule_deliveries_total", "Events written to followers, each one counted", registry=REGISTRY
)
DELIVERY_SECONDS = FastHistogram(
    "pierule_delivery_seconds",
    "From the store's stamp on an event to the write to the last follower here",
    bounds=_LATENCIES,
    registry=REGISTRY,
)
ROOMS_DUE = Gauge(
    "pierule_rooms_due", "Rooms whose time is up, waiting to be settled here", registry=REGISTRY
)
TIMEOUT_SECONDS = FastHistogram(
    "pierule_timeout_seconds",
    "From a deadline until this node had its time-out in the log",
    bounds=_LATENCIES,
    registry=REGISTRY,
)
ROOMS_LOST = Counter(
    "pierule_rooms_lost_total",
    "Rooms that this node knew as open or running and that the store has no more",
    registry=REGISTRY,
)
ROOMS_DAMAGED = Counter(
    "pierule_rooms_damaged_total",
    "Rooms that this node has set aside because their logs are damaged",
    registry=REGISTRY,
)
ARCHIVE_WAITING = Gauge(
    "pierule_archive_waiting",
    "What the store keeps for the archive: finished games, voids and names to forget",
    registry=REGISTRY,
)
ARCHIVE_OLDEST_SECONDS = Gauge(
    "pierule_archive_oldest_seconds",
    "How long the oldest of these has waited; 0 without an archive",
    registry=REGISTRY,
)
ARCHIVE_GAMES = Counter(
    "pierule_archive_games_total", "Games that this node has archived", registry=REGISTRY
)
ARCHIVE_FAILURES = Counter(
    "pierule_archive_failures_total",
    "Tries in vain to write to the archive",
    registry=REGISTRY,
)
HOLES_REPAIRED = Counter(
    "pierule_holes_repaired_total",
    "Events missed by a subscription that were found in the log",
    registry=REGISTRY,
)
RESUBSCRIPTIONS = Counter(
    "pierule_resubscriptions_total",
    "Rooms subscribed to again after the store was lost or a bucket has moved",
    registry=REGISTRY,
)

WEBHOOKS = Counter(
    "pierule_webhooks_total",
    "Tries to call a webhook, by what came of it; `switched_off`: webhooks removed for failures",
    ["outcome"],
    registry=REGISTRY,
)

# --- the store ---------------------------------------------------------------------------------

STORE_SECONDS = FastHistogram(
    "pierule_store_seconds",
    "Round trips to the store, by command; `batch` for several in one, `other` for the rare",
    "command",
    bounds=_LATENCIES,
    registry=REGISTRY,
)
BACKGROUND_FAULTS = Counter(
    "pierule_background_faults_total",
    "Times that work in the background failed because of a bug; what has no end is begun anew",
    registry=REGISTRY,
)

STORE_ERRORS = Counter(
    "pierule_store_errors_total", "Round trips to the store that failed or timed out",
    registry=REGISTRY,
)  # fmt: skip

STORE_ERROR_REPLIES = Counter(
    "pierule_store_error_replies_total",
    "Commands that the store answered with an error, by kind: `OOM` is a full memory",
    ["kind"],
    registry=REGISTRY,
)
STORE_EMPTIED = Counter(
    "pierule_store_emptied_total",
    "Times that this node found the store without its format key: it has come back empty",
    registry=REGISTRY,
)
STORE_PRIMARY_UP = Gauge(
    "pierule_store_primary_up",
    "1 while a primary of the store answers this node and takes writes",
    ["primary"],
    registry=REGISTRY,
)

REPLICAS = Gauge(
    "pierule_store_replicas",
    "Replicas of a primary: `online`, of the one that has most, and `awaited` by --replicas; "
    "if fewer are awaited, a fail-over may lose what was acknowledged",
    ["which"],
    registry=REGISTRY,
)

STORE_MEMORY_BYTES = Gauge(
    "pierule_store_memory_bytes",
    "Memory of the store's fullest primary: `used`, and the `max` that it may use (0: no bound)",
    ["which"],
    registry=REGISTRY,
)

_COMMANDS: dict[object, str] = {
    name.upper(): name for name in ("evalsha", "get", "spublish", "xrange", "zrevrange")
}
_WEBHOOK_OUTCOMES = (
    "delivered", "refused", "unreachable", "forbidden", "keyless", "switched_off",
)  # fmt: skip
_KNOWN_CLOSES = {close.value: close.name.lower() for close in Close}

HANDSHAKE_REASONS = (
    *("address", "banned", "draining", "malformed", "origin", "path", "subprotocol"),
    "unanswered",
)

# A series that does not exist yet cannot be seen to rise: all begin at 0.
for _counter, _labels in (
    (REFUSALS, [code.value for code in Code]),
    (HANDSHAKES_REFUSED, HANDSHAKE_REASONS),
    (CLOSES, [*_KNOWN_CLOSES.values(), "broken", "other"]),
    (BOARD_MISMATCHES, REPORTED),
    (BOARD_MISMATCHES_REFUSED, ["not_following", "limit", "bad_field"]),
    (BUDGET_REFUSALS, ["address", "user", "handshake", "report"]),
    (REPLICAS, ["online", "awaited"]),
    (WORKERS, ["serving", "starting", "given_up"]),
    (STORE_MEMORY_BYTES, ["used", "max"]),
    (WEBHOOKS, _WEBHOOK_OUTCOMES),
):
    for _label in _labels:
        _counter.labels(_label)


# Of several workers these are summed; every other gauge keeps a label `worker`.
SUMMED = {
    "pierule_connections",
    "pierule_users",
    "pierule_seeks",
    "pierule_outbox_bytes",
    "pierule_rooms",
}


def count_event(record: Record) -> None:
    """Count an event that was appended."""
    EVENTS.count(_TAGS[type(record)])


def count_request(request: Request) -> None:
    """Count a request that was read."""
    REQUESTS.count(_TAGS[type(request)])


def count_round_trip(commands: Sequence[Sequence[object]], seconds: float) -> None:
    """Count what went to the store in one go, and came back."""
    command = _COMMANDS.get(commands[0][0], "other") if len(commands) == 1 else "batch"
    STORE_SECONDS.observe(seconds, command)


def count_close(code: int | None) -> None:
    """Count a connection that has ended with this close code, if with any."""
    CLOSES.labels("broken" if code is None else _KNOWN_CLOSES.get(code, "other")).inc()
