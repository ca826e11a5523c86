"""The example clients read the vectors: what they have code for, through that code."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import subprocess
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.nodejs import NODE
from support.vectors.files import FOLDER

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "clients" / "examples"

Json = dict[str, Any]
Case = tuple[Json, Json | None]
"""A room's state, sent as a snapshot, and what comes next: a frame in both codecs."""


def load(name: str) -> Json:
    found: Json = json.loads((FOLDER / name).read_text("utf-8"))
    return found


FOLD, CODEC = load("fold.json"), load("codec.json")
ROOMS = {room["name"]: room for room in FOLD["rooms"]}
STATE: Json = FOLD["rooms"][0]["snapshot"]["state"]


def plain(cases: list[Case]) -> list[Json]:
    """What the plain client reads, says and asks, and what its `apply` makes of an event."""
    spec = importlib.util.spec_from_file_location("plain_client", EXAMPLES / "plain_client.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    class Socket:
        def __init__(self) -> None:
            self.asked: list[Json] = []

        async def send(self, data: bytes) -> None:
            self.asked.append(msgspec.msgpack.decode(data))

    async def observe(state: Json, frame: Json | None) -> Json:
        client = module.Client(["ws://nowhere/ws"], state["room"], None, [], None)
        client.socket = socket = Socket()
        after = read = None
        said = io.StringIO()
        fault = []
        with redirect_stdout(said):
            try:
                await client.handle({"type": "snapshot", "state": state})
                if frame:
                    read = module.msgpack.unpackb(bytes.fromhex(frame["msgpack"]))
                    if read["type"] == "event":
                        after = module.apply(state, read)
                    await client.handle(read)
            except module.Fault as given_up:
                fault = [{"fault": str(given_up)}]
        lines = [json.loads(line) for line in said.getvalue().splitlines()]
        return {"said": lines + fault, "asked": socket.asked, "after": after, "read": read}

    return [asyncio.run(observe(*case)) for case in cases]


def node(cases: list[Case]) -> list[Json]:
    """The same of the Node client."""
    lines = [
        json.dumps({"state": state, "frame": frame and frame["json"]}) for state, frame in cases
    ]
    ran = subprocess.run(
        [NODE, HERE / "vectors.mjs", EXAMPLES / "node_client.mjs"],
        input="\n".join(lines), stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    return [json.loads(line) for line in ran.stdout.splitlines()]


Observe = Callable[[list[Case]], list[Json]]
both = pytest.mark.parametrize("observe", [plain, node])


def frame(message: Json) -> Json:
    return {"json": json.dumps(message), "msgpack": msgspec.msgpack.encode(message).hex()}


def known(found: Any, wanted: Any) -> Any:
    """What is found, without the fields that are not wanted: a client may keep others."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return {name: known(found[name], wanted[name]) for name in found if name in wanted}
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        return [known(*pair) for pair in zip(found, wanted, strict=True)]
    return found


def verdict(state: Json, event: Json, seen: Json) -> str:
    """What the event was to the client, by all that it did (6.2)."""
    room = state["room"]
    asked = [{name: ask[name] for name in ask if name != "id"} for ask in seen["asked"]]
    place = {name: state[name] for name in ("epoch", "seq", "chain")}
    report = {"type": "board_mismatch", "room": room, "epoch": event["epoch"], "seq": event["seq"]}
    fresh = {"type": "join", "room": room, "since": None}
    told = [(line["epoch"], line["seq"]) for line in seen["said"][1:]]
    if told:
        return "next" if (told, asked) == ([(event["epoch"], event["seq"])], []) else "?"
    match asked:
        case []:
            return "duplicate"
        case [join] if join == {**fresh, "since": place}:
            return "hole"
        case [join] if join == fresh:
            return "fork"
        case [first, join] if first == {**report, "problem": "mismatch"} and join == fresh:
            return "mismatch"
    return "?"


def verdicts(observe: Observe, cases: list[tuple[Json, Json]]) -> list[str]:
    seen = observe([(state, frame(event)) for state, event in cases])
    return [verdict(*case, one) for case, one in zip(cases, seen, strict=True)]


@both
def test_example_clients_write_the_text_of_positions(observe: Observe) -> None:
    positions = load("position.json")["positions"]
    states = [
        {**STATE, "position": case["position"], "digest": case["digest"]} for case in positions
    ]
    wrong = [{**state, "digest": state["digest"] ^ 1} for state in states]
    seen = observe([(state, None) for state in states + wrong])
    texts = [[line.get("text") for line in one["said"]] for one in seen[: len(states)]]
    assert texts == [[case["text"]] for case in positions]
    faults = [line for one in seen[len(states) :] for line in one["said"]]
    assert all(list(line) in (["fault"], ["fault", "text"]) for line in faults)


@both
def test_example_clients_check_the_chain(observe: Observe) -> None:
    cases = []
    for link in load("chain.json")["events"]:
        state = {**STATE, "epoch": link["epoch"], "seq": link["seq"] - 1, "chain": link["before"]}
        event = {name: link[name] for name in ("epoch", "seq", "at", "record", "chain")}
        event |= {"type": "event", "room": STATE["room"], "diff": {}, "digest": STATE["digest"]}
        cases += [(state, event), (state, {**event, "chain": event["chain"] ^ 1})]
    assert verdicts(observe, cases) == ["next", "fork"] * (len(cases) // 2)


@both
def test_example_clients_follow_rooms(observe: Observe) -> None:
    for room in ROOMS.values():
        before = [room["snapshot"]["state"], *(step["state"] for step in room["steps"])]
        pairs = list(zip(before, (step["event"] for step in room["steps"]), strict=False))
        seen = observe([(state, frame(event)) for state, event in pairs])
        for pair, one, wanted in zip(pairs, seen, before[1:], strict=True):
            assert known(one["after"], wanted) == wanted
            assert verdict(*pair, one) == "next"


@both
def test_example_clients_reach_every_verdict(observe: Observe) -> None:
    cases = []
    for case in FOLD["verdicts"]:
        room = ROOMS[case["room"]]
        states = [room["snapshot"]["state"], *(step["state"] for step in room["steps"])]
        cases.append((states[case["after"]], case["event"]))
    assert verdicts(observe, cases) == [case["verdict"] for case in FOLD["verdicts"]]


@both
def test_example_clients_read_every_message(observe: Observe) -> None:
    """It reads every message of a server, and those to come; answers that it does not wait for
    and types that it does not know change nothing. It gives up a room that is gone. (What it sends
    is held against `refused` by the strict reader of test_example_transcripts.py.)"""
    cases = [*CODEC["messages"], *CODEC["accepted"], *CODEC["ignored"]]
    cases = [case for case in cases if case.get("from") != "client"]
    for case, one in zip(cases, observe([(STATE, case) for case in cases]), strict=True):
        wanted = case.get("message", json.loads(case["json"]))
        assert known(one["read"], wanted) == wanted
        gone = wanted.get("kind") == "room_gone"  # 1.5: nothing more would come
        assert any("fault" in line for line in one["said"]) == gone
        if not gone and wanted["type"] not in ("snapshot", "event"):
            assert (len(one["said"]), one["asked"]) == (1, [])
