"""Traces actions with OpenTelemetry. An action is one trace over all nodes, with the spans
`request`, `decide`, `append`, and a `broadcast` at each node where somebody follows the room.

Events carry no trace context. Each node computes the trace's id from the event's place, so the
spans of different nodes belong together, and a sampler that goes by the trace's id decides alike at
all nodes. A trace names no users and no rooms. Nobody can find the room's id by trying all ids,
because the hash includes the chain.

Without tracing, an action runs no code of this file: `Traces.watch` replaces methods on its way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import version
from typing import Any, TypeAlias

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision as Sampled
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    TraceFlags,
    set_span_in_context,
)

from pierule_protocol import world
from pierule_protocol.buckets import bucket_of
from pierule_protocol.log.events import Entry, Place
from pierule_protocol.messages import Act, ClientMessage
from pierule_protocol.state.room import Done, Room
from pierule_server.connections.connection import Connection
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.rooms.decisions.decide import Decision, Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import RoomLog
from pierule_server.terms import AppendOptions

ACTED = '{"kind":"acted"'
"""The record of every action begins with this."""

Attributes: TypeAlias = dict[str, str | int]


@dataclass(slots=True)
class Recording:
    """An action under way at this node: the spans so far, with their times in ns since 1970."""

    began: int
    attributes: Attributes
    spans: list[tuple[str, SpanKind, int, int, Attributes]] = field(default_factory=list)
    place: Place | None = None

    def add(self, name: str, kind: SpanKind, began: int, **attributes: str | int) -> None:
        """Add a span that began at `began`, in ns since 1970, and ends now."""
        told = {f"pierule.{key}": value for key, value in attributes.items()}
        self.spans.append((name, kind, began, _now(), told))


_RECORDING: ContextVar[Recording | None] = ContextVar("recording", default=None)


class Ids(RandomIdGenerator):
    """Generates ids at random, except for the next root span if `trace` and `root` are set."""

    trace = root = 0

    def generate_trace_id(self) -> int:
        given, self.trace = self.trace, 0
        return given or super().generate_trace_id()

    def generate_span_id(self) -> int:
        given, self.root = self.root, 0
        return given or super().generate_span_id()


def provider_of(node: str) -> tuple[TracerProvider, Ids]:
    """A provider that sends spans to the collector in OpenTelemetry's variables, and its ids."""
    ids = Ids()
    resource = Resource.create(
        {"service.name": "pierule", "service.version": version("pierule"),
         "service.instance.id": node}
    )  # fmt: skip
    provider = TracerProvider(resource=resource, id_generator=ids)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider, ids


def trace_of(room: str, place: Place) -> int:
    """The id of the trace of the action whose event is at this place."""
    return _hash(f"{room} {place.epoch} {place.seq} {place.chain}", 16)


def root_of(trace: int) -> int:
    """The id of the span `request` of a trace."""
    return _hash(f"root of {trace}", 8)


class Traces:
    """Makes the spans of a node; `ids` are those of the provider."""

    def __init__(self, provider: TracerProvider, ids: Ids) -> None:
        self._tracer = provider.get_tracer("pierule")
        self._sampler = provider.sampler
        self._ids = ids

    def watch(self, dispatch: Dispatch, rooms: Rooms, log: RoomLog, hub: Hub) -> None:
        """Trace all actions from now on, by replacing methods of these objects."""
        replaced: dict[str, Any] = {
            "answer": (dispatch, self._answer), "change": (rooms.changes, self._change),
            "append": (log, self._append), "_apply": (hub, self._apply),
            "act": (dispatch.short_way, _by_the_long_way),
        }  # fmt: skip
        for name, (owner, traced) in replaced.items():
            setattr(owner, name, traced(getattr(owner, name)))

    # --- what is replaced ---

    def _answer(
        self, answer: Callable[[Connection, ClientMessage], Awaitable[None]]
    ) -> Callable[[Connection, ClientMessage], Awaitable[None]]:
        async def traced(connection: Connection, request: ClientMessage) -> None:
            if not isinstance(request, Act):
                return await answer(connection, request)
            told: Attributes = {
                "pierule.bucket": bucket_of(request.room), "pierule.turn": request.turn,
                "pierule.codec": "json" if connection.codec.text else "msgpack",
            }  # fmt: skip
            recording = Recording(_now(), told)
            token = _RECORDING.set(recording)
            try:
                await answer(connection, request)
            finally:
                _RECORDING.reset(token)
                self._tell(request.room, recording)

        return traced

    def _change(self, change: Callable[..., Awaitable[Done]]) -> Callable[..., Awaitable[Done]]:
        async def traced(room_id: str, decision_on: Callable[[Room], Decision]) -> Done:
            recording = _RECORDING.get()

            def decide(room: Room) -> Decision:
                assert recording is not None
                began = _now()
                decision = decision_on(room)
                known: Attributes = {"game": room.created.game, "size": room.created.size}
                if isinstance(decision, Refused):
                    known["refused"] = str(decision.code)
                recording.add("decide", SpanKind.INTERNAL, began, **known)
                return decision

            return await change(room_id, decision_on if recording is None else decide)

        return traced

    def _append(self, append: Callable[..., Awaitable[Entry]]) -> Callable[..., Awaitable[Entry]]:
        async def traced(room: str, expected: Place, record: bytes, terms: AppendOptions) -> Entry:
            recording = _RECORDING.get()
            if recording is None:
                return await append(room, expected, record, terms)
            began, came = _now(), "unknown"
            try:
                entry = await append(room, expected, record, terms)
                recording.place, came = entry.place, "kept"
            except Exception as error:
                came = type(error).__name__
                raise
            else:
                return entry
            finally:
                recording.add("append", SpanKind.CLIENT, began, outcome=came)

        return traced

    def _apply(self, apply: Callable[[Live, Entry], None]) -> Callable[[Live, Entry], None]:
        def traced(live: Live, entry: Entry) -> None:
            began = _now()
            apply(live, entry)
            if live.followers and entry.record.startswith(ACTED):
                trace = trace_of(live.room.id, entry.place)
                if self._sampled(trace):
                    flags = TraceFlags(TraceFlags.SAMPLED)
                    request = SpanContext(trace, root_of(trace), is_remote=True, trace_flags=flags)
                    self._span("broadcast", SpanKind.PRODUCER, began, _now(), request,
                               {"pierule.followers": len(live.followers)})  # fmt: skip

        return traced

    # --- spans ---

    def _tell(self, room: str, recording: Recording) -> None:
        """Give the spans of an answered action to OpenTelemetry. An action that was not kept has no
        place, so its trace gets a random id."""
        self._ids.trace = self._ids.root = 0
        place = recording.place
        trace = self._ids.generate_trace_id() if place is None else trace_of(room, place)
        if not self._sampled(trace):
            return
        self._ids.trace, self._ids.root = trace, root_of(trace)
        root = self._span("request", SpanKind.SERVER, recording.began, _now(), None,
                          {**recording.attributes, "pierule.request": "act"})  # fmt: skip
        for name, kind, began, ended, attributes in recording.spans:
            self._span(name, kind, began, ended, root, attributes)

    def _sampled(self, trace: int) -> bool:
        found = self._sampler.should_sample(Context(), trace, "request")
        return found.decision is Sampled.RECORD_AND_SAMPLE

    def _span(
        self, name: str, kind: SpanKind, began: int, ended: int, parent: SpanContext | None,
        attributes: Attributes,
    ) -> SpanContext:  # fmt: skip
        context = Context()
        if parent is not None:
            context = set_span_in_context(NonRecordingSpan(parent), context)
        span = self._tracer.start_span(name, context, kind, attributes, start_time=began)
        span.end(ended)
        return span.get_span_context()


def _by_the_long_way(_: object) -> Callable[..., bool]:
    """Let every action take the long way: the short way has no methods to replace."""
    return lambda *_: False


def _now() -> int:
    return int(world.wall() * 1e9)


def _hash(text: str, size: int) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=size).digest())
