"""Every metric that a node shows to operators.

Names and units follow Prometheus: `pierule_` first, base units, `_total` for counters. Labels take
values from closed sets (codes, kinds, commands). No room, user, address or text of a client may
become a label. The metrics belong to the process, so two nodes in one process share them.

prometheus-client locks each number, which cost 9 us per action, a tenth of its time. So whatever
every action counts is a `FastCounter` or a `FastHistogram`: plain numbers that only the event
loop's thread changes, read on request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
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

disable_created_metrics()  # type: ignore[no-untyped-call]  # They double the series, and nobody reads them.
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)
_counter, _gauge = partial(Counter, registry=REGISTRY), partial(Gauge, registry=REGISTRY)

BOUNDS = (
    *(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)  # fmt: skip
"""Seconds: fine steps where games are played, coarse ones where something is wrong."""


class FastCounter(Collector):
    """A counter with at most one label. All of the label's `values` begin at 0."""

    def __init__(
        self,
        name: str,
        text: str,
        label: str | None = None,
        values: Iterable[str] = ("",),
    ) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._counts = dict.fromkeys(values, 0)
        REGISTRY.register(self)

    def count(self, value: str = "", more: int = 1) -> None:
        """Add `more`. Raises KeyError for a value of the label that was not named."""
        self._counts[value] += more

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for value, count in self._counts.items():
            family.add_metric([value] if self._labels else [], count)
        yield family


class FastHistogram(Collector):
    """A histogram of seconds with at most one label. `BOUNDS` are its buckets'."""

    def __init__(self, name: str, text: str, label: str | None = None) -> None:
        self._name, self._text = name, text
        self._labels = [] if label is None else [label]
        self._counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)
        if label is None:
            self._counts[""]
        REGISTRY.register(self)

    def observe(self, seconds: float, value: str = "") -> None:
        """Count one more thing, which took this many seconds."""
        self._counts[value][bisect_left(BOUNDS, seconds)] += 1
        self._sums[value] += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        names = [*(str(float(bound)) for bound in BOUNDS), "+Inf"]
        for value, counts in self._counts.items():
            buckets = list(zip(names, accumulate(counts), strict=True))
            family.add_metric([value] if self._labels else [], buckets, self._sums[value])
        yield family


_TAGS: dict[type[Any], str] = {
    kind: kind.__struct_config__.tag for kind in (*get_args(ClientMessage), *get_args(AnyRecord))
}

# --- the node ----------------------------------------------------------------------------------

INFO = Info("pierule", "The release that this node runs", registry=REGISTRY)
DRAINING = _gauge("pierule_draining", "1 while this node sends its clients away")
STORE_REACHABLE = _gauge("pierule_store_reachable", "1 while the store answers this node")

LOOP_LAG_SECONDS = FastHistogram(
    "pierule_loop_lag_seconds",
    "How late the event loop runs what is due: everything on this node waits for that long",
)

# --- workers: only a supervisor has any ---------------------------------------------------------

WORKERS = _gauge(
    "pierule_workers",
    "Workers, by state: `serving`, `starting` (also after an end), or `given_up` after many ends",
    ["state"],
)
WORKER_ENDS = _counter(
    "pierule_worker_ends_total", "Workers that ended although nobody asked them to"
)
CONNECTIONS_PASSED = FastCounter(
    "pierule_connections_passed_total",
    "Connections passed to workers, chosen `by` the bucket at which the client hints, or by load",
    "by",
    ["bucket", "load"],
)

# --- connections -------------------------------------------------------------------------------

CONNECTIONS = _gauge("pierule_connections", "WebSockets that are open here")
USERS = _gauge("pierule_users", "Users who are connected here, each counted once")
SEEKS = _gauge("pierule_seeks", "Waiting seeks of users who are connected here")
OUTBOX_BYTES = _gauge("pierule_outbox_bytes", "Unsent bytes of all connections together")
OUTBOX_LARGEST_BYTES = _gauge(
    "pierule_outbox_largest_bytes", "Unsent bytes of the slowest connection"
)
CLOSES = _counter(
    "pierule_closes_total",
    "Connections that ended, by the name of the close code; `broken`: without a close code",
    ["close"],
)

HANDSHAKES_REFUSED = _counter(
    "pierule_handshakes_refused_total",
    "Refused WebSocket handshakes, by reason; `address`: the address has too many connections; "
    "`unanswered`: it sends so many handshakes that it gets no answer; `full`: the process has "
    "hardly any file descriptor left",
    ["reason"],
)

# --- requests ----------------------------------------------------------------------------------

REQUESTS = FastCounter(
    "pierule_requests_total",
    "Requests, by type",
    "type",
    [_TAGS[kind] for kind in get_args(ClientMessage)],
)
REFUSALS = _counter("pierule_refusals_total", "Requests answered with an error, by code", ["code"])
BUDGET_REFUSALS = _counter(
    "pierule_budget_refusals_total",
    "Refusals because a budget was spent: of requests (an `address`, its new `games`, a `user`), "
    "handshakes (`handshake`), and reports of boards (`report`); `refusals`: rests, because an "
    "address was refused so much",
    ["of"],
)
APPEND_SECONDS = FastHistogram(
    "pierule_append_seconds",
    "From the receipt of a request that changes a room until the store keeps its event",
)
BOARD_MISMATCHES = _counter(
    "pierule_board_mismatches_total",
    "Boards that differ from the log, as clients report them; one per address and half hour counts",
    ["problem"],
)
BOARD_MISMATCHES_REFUSED = _counter(
    "pierule_board_mismatches_refused_total",
    "Refused reports of boards (they cannot be true, or one user sent too many), by error code",
    ["code"],
)

# --- rooms and their events --------------------------------------------------------------------

ROOMS = _gauge("pierule_rooms", "Rooms in memory here: `followed` by clients, or `idle`", ["state"])
EVENTS = FastCounter(
    "pierule_events_total",
    "Events that this node has appended, by kind",
    "kind",
    [_TAGS[kind] for kind in get_args(AnyRecord)],
)
DELIVERIES = FastCounter(
    "pierule_deliveries_total", "Events written to followers, once per follower"
)
DELIVERY_SECONDS = FastHistogram(
    "pierule_delivery_seconds",
    "From the store's stamp on an event to the write to the last follower here",
)
ROOMS_DUE = _gauge("pierule_rooms_due", "Rooms whose time is up, waiting to be settled here")
TIMEOUT_SECONDS = FastHistogram(
    "pierule_timeout_seconds",
    "From a deadline until the log has the time-out that this node appended",
)
ROOMS_LOST = _counter(
    "pierule_rooms_lost_total",
    "Rooms that this node knew as open or running, and that the store no longer has",
)
ROOMS_DAMAGED = _counter(
    "pierule_rooms_damaged_total",
    "Rooms that this node has put in quarantine because their logs are damaged",
)
ARCHIVE_WAITING = _gauge(
    "pierule_archive_waiting",
    "Entries that the store keeps for the archive: finished games, voids and names to forget",
)
ARCHIVE_OLDEST_SECONDS = _gauge(
    "pierule_archive_oldest_seconds",
    "How long the oldest entry for the archive has waited; 0 without an archive",
)
ARCHIVE_GAMES = _counter("pierule_archive_games_total", "Games that this node has archived")
ARCHIVE_FAILURES = _counter(
    "pierule_archive_failures_total", "Failed attempts to write to the archive"
)
ARCHIVE_DAMAGED = _gauge(
    "pierule_archive_damaged",
    "1 while the file of the archive (SQLite) is damaged, or cannot be read",
)
HOLES_REPAIRED = _counter(
    "pierule_holes_repaired_total",
    "Events that a subscription missed and that this node found in the log",
)
RESUBSCRIPTIONS = _counter(
    "pierule_resubscriptions_total",
    "Rooms subscribed to again after the store was unreachable or a bucket moved",
)

WEBHOOKS = _counter(
    "pierule_webhooks_total",
    "Calls of webhooks, by outcome; `switched_off`: webhooks removed because they kept failing",
    ["outcome"],
)

# --- the store ---------------------------------------------------------------------------------

STORE_SECONDS = FastHistogram(
    "pierule_store_seconds",
    "Round trips to the store, by command; `batch`: several commands; `other`: rare commands",
    "command",
)
BACKGROUND_FAULTS = _counter(
    "pierule_background_faults_total",
    "Background work that failed because of a bug; work that must not end is started again",
)

STORE_ERRORS = _counter(
    "pierule_store_errors_total", "Round trips to the store that failed or timed out"
)

STORE_ERROR_REPLIES = _counter(
    "pierule_store_error_replies_total",
    "Commands that the store answered with an error, by kind; `OOM`: its memory is full; "
    "`MISCONF`: it cannot write to its disk, also if the embedded store has ended because of that",
    ["kind"],
)
STORE_EMPTIED = _counter(
    "pierule_store_emptied_total",
    "Times that this node found the store without its format key: the store came back empty",
)
STORE_PRIMARY_UP = _gauge(
    "pierule_store_primary_up",
    "1 while this primary of the store answers this node and takes writes",
    ["primary"],
)

REPLICAS = _gauge(
    "pierule_store_replicas",
    "Replicas of a primary: `online` at the primary that has most, and `awaited` by --replicas; "
    "while fewer are awaited than online, a fail-over may lose acknowledged actions",
    ["which"],
)

DISK_BYTES = _gauge(
    "pierule_disk_bytes",
    "The disk with the data folder of the embedded store: what is `free`, and `all` of it; 0 with "
    "a store of your own",
    ["which"],
)
STORE_MEMORY_BYTES = _gauge(
    "pierule_store_memory_bytes",
    "Memory of the fullest primary of the store: `used`, and the `max` it may use (0: no bound)",
    ["which"],
)

_COMMANDS: dict[object, str] = {
    name.upper(): name for name in ("evalsha", "get", "spublish", "xrange", "zrevrange")
}
_WEBHOOK_OUTCOMES = (
    "delivered", "refused", "unreachable", "forbidden", "keyless", "switched_off",
)  # fmt: skip
_KNOWN_CLOSES = {close.value: close.name.lower() for close in Close}

HANDSHAKE_REASONS = (
    *("address", "banned", "draining", "full", "malformed", "origin", "path", "subprotocol"),
    "unanswered",
)

# Prometheus cannot see a rise in a series that did not exist before, so all begin at 0.
for _metric, _labels in (
    (REFUSALS, [code.value for code in Code]),
    (HANDSHAKES_REFUSED, HANDSHAKE_REASONS),
    (CLOSES, [*_KNOWN_CLOSES.values(), "broken", "other"]),
    (BOARD_MISMATCHES, REPORTED),
    (BOARD_MISMATCHES_REFUSED, ["not_following", "limit", "bad_field"]),
    (BUDGET_REFUSALS, ["address", "user", "games", "handshake", "refusals", "report"]),
    (REPLICAS, ["online", "awaited"]),
    (WORKERS, ["serving", "starting", "given_up"]),
    (DISK_BYTES, ["free", "all"]),
    (STORE_MEMORY_BYTES, ["used", "max"]),
    (WEBHOOKS, _WEBHOOK_OUTCOMES),
):
    for _label in _labels:
        _metric.labels(_label)


# A supervisor sums these over its workers. Every other gauge gets a label `worker`.
SUMMED = {
    "pierule_connections",
    "pierule_users",
    "pierule_seeks",
    "pierule_outbox_bytes",
    "pierule_rooms",
}


def count_event(record: Record) -> None:
    """Count an event that this node appended."""
    EVENTS.count(_TAGS[type(record)])


def count_request(request: Request) -> None:
    """Count a request that this node read."""
    REQUESTS.count(_TAGS[type(request)])


def count_round_trip(commands: Sequence[Sequence[object]], seconds: float) -> None:
    """Count a round trip to the store, with the commands that it carried."""
    command = _COMMANDS.get(commands[0][0], "other") if len(commands) == 1 else "batch"
    STORE_SECONDS.observe(seconds, command)


def count_close(code: int | None) -> None:
    """Count a connection that ended with this close code, or with none."""
    CLOSES.labels("broken" if code is None else _KNOWN_CLOSES.get(code, "other")).inc()
