"""An action is one trace over all nodes, and tells nothing of people."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler, TraceIdRatioBased

from pierule_protocol.messages import Act, Limits
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.identity.tokens import Keys
from pierule_server.operations.traces import Ids, Traces, provider_of
from pierule_server.operations.tracing import wanted
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle

KEYS = Keys({"k1": "0123456789abcdef" * 4})
LIMITS = Limits(frame_bytes=1, rooms_followed=9, errors=1, hello_seconds=1, ping_seconds=1)


@dataclass(frozen=True, slots=True)
class Traced:
    """A node whose actions are traced, and what has come of that."""

    node: Node
    dispatch: Dispatch
    exporter: InMemorySpanExporter

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}

    async def act(self, client: Client, room: str, turn: int, action: str) -> None:
        request = Act(id=7, room=room, turn=turn, action=action)
        await self.dispatch.answer(client.connection, request)
        await settle()


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with running() as [node]:
        yield node


@pytest.fixture
async def two() -> AsyncIterator[list[Node]]:
    async with running(2) as nodes:
        yield nodes


def traced(node: Node, sampler: Sampler = ALWAYS_ON) -> Traced:
    dispatch = Dispatch(
        node.hub, node.rooms, node.lobby, node.log, node.log.tables, KEYS, LIMITS, "test"
    )
    ids, exporter = Ids(), InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler, id_generator=ids)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    Traces(provider, ids).watch(dispatch, node.rooms, node.log, node.hub)
    return Traced(node, dispatch, exporter)


async def begun(node: Node, *clients: Client) -> str:
    """A room in which Anna is to act at turn 0, and that these clients follow."""
    room = await node.make()
    await node.take(BERT, room)
    for client in clients:
        await node.follow(client, room)
    return room


def all_of(*found: Traced) -> Iterator[ReadableSpan]:
    for each in found:
        yield from each.exporter.get_finished_spans()


async def test_an_action_is_one_trace_over_two_nodes(two: list[Node]) -> None:
    first, second = (traced(node) for node in two)
    anna, carl = Client(ANNA), Client(CARL)
    room = await begun(first.node, anna)
    await second.node.follow(carl, room)
    await first.act(anna, room, 0, "komi:12")
    here, there = first.spans, second.spans
    assert set(here) == {"request", "decide", "append", "broadcast"}
    assert set(there) == {"broadcast"}
    root = here["request"].get_span_context()
    assert root is not None
    assert here["request"].parent is None
    for span in all_of(first, second):
        assert span.context is not None
        assert span.context.trace_id == root.trace_id
        if span.name != "request":
            assert span.parent is not None
            assert span.parent.span_id == root.span_id
        assert span.start_time is not None
        assert span.end_time is not None
        assert here["request"].start_time is not None
        assert here["request"].start_time <= span.start_time <= span.end_time
    assert dict(there["broadcast"].attributes or {}) == {"pierule.followers": 1}
    assert (here["append"].attributes or {})["pierule.outcome"] == "kept"
    assert (here["decide"].attributes or {})["pierule.game"] == "loose"


async def test_every_action_has_a_trace_of_its_own(node: Node) -> None:
    found = traced(node)
    anna, bert = Client(ANNA), Client(BERT)
    room = await begun(node, anna, bert)
    await found.act(anna, room, 0, "komi:12")
    await found.act(bert, room, 1, "black")
    contexts = [span.context for span in all_of(found) if span.name == "request"]
    assert len({context.trace_id for context in contexts if context is not None}) == 2


async def test_a_refused_action_says_why_and_was_not_appended(node: Node) -> None:
    found = traced(node)
    anna = Client(ANNA)
    room = await begun(node, anna)
    await found.act(anna, room, 0, "nonsense")
    assert set(found.spans) == {"request", "decide"}
    assert (found.spans["decide"].attributes or {})["pierule.refused"] == "illegal"


async def test_a_trace_names_neither_people_nor_rooms(node: Node) -> None:
    found = traced(node)
    anna = Client(ANNA)
    room = await begun(node, anna)
    await found.act(anna, room, 0, "komi:12")
    told = " ".join(span.to_json() for span in all_of(found))
    for secret in (room, "anna", "Anna", "komi"):
        assert secret not in told


async def test_unsampled_actions_leave_no_spans(two: list[Node]) -> None:
    off, half = traced(two[0], ALWAYS_OFF), traced(two[1], TraceIdRatioBased(0.0))
    anna = Client(ANNA)
    room = await begun(two[0], anna)
    await two[1].follow(Client(CARL), room)
    await off.act(anna, room, 0, "komi:12")
    assert not list(all_of(off, half))
    assert two[0].kept(room).turn == 1


@pytest.mark.parametrize(
    ("variables", "answer"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://here:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://here:4318"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://here"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://here"}, False),
    ],
)
def test_traces_are_on_where_the_variables_ask_for_them(
    variables: dict[str, str], answer: bool
) -> None:
    assert wanted(variables) is answer


def test_spans_go_to_the_collector_that_the_variables_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        provider, _ = provider_of("node-of-a-test")
        provider.get_tracer("pierule").start_span("request").end()
        provider.shutdown()  # which sends what is left
        server.shutdown()
        thread.join()
    assert b"node-of-a-test" in b"".join(came)
