"""The vectors are what the code writes, and our Python client's parts read them all."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any
from zlib import crc32

import msgspec
import pytest

from pierule.errors import Desync
from pierule.follow import Follower, Verdict
from pierule.timekeeping import ServerClock
from pierule_games.clock import Clock, Hand
from pierule_protocol.codec import BadMessage, Codec, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ClockOptions, control
from pierule_protocol.log.events import chain
from pierule_protocol.log.proof import is_signed
from pierule_protocol.log.record import RoomRecord
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import ClockState, Event, HandState, Ok, RoomState, Snapshot
from pierule_protocol.state.mirror import Trouble, advance
from pierule_protocol.state.position import PositionState, digest, parse_position, position_text
from support.shapes import CLIENT_TYPES, SERVER_TYPES
from support.vectors.examples import replies, requests
from support.vectors.files import FOLDER, texts

JSON, MSGPACK = "pierule.1.json", "pierule.1.msgpack"
CODECS: dict[str, dict[str, Codec[Any]]] = {"client": server_codecs(), "server": client_codecs()}


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


CODEC, FOLD, CLOCKS = load("codec.json"), load("fold.json"), load("clocks.json")
TRANSCRIPTS = [*load("resume.json")["transcripts"], *load("sessions.json")["transcripts"]]
PROOFS = load("proofs.json")
ROOMS = {room["name"]: room for room in FOLD["rooms"]}


def named(cases: list[dict[str, Any]]) -> pytest.MarkDecorator:
    ids = [case.get("name", str(number)) for number, case in enumerate(cases)]
    return pytest.mark.parametrize("case", cases, ids=ids)


def frames(case: dict[str, Any]) -> list[tuple[str, bytes | str]]:
    """The subprotocols and bytes that a case gives."""
    found: list[tuple[str, bytes | str]] = []
    if "json" in case:
        found.append((JSON, case["json"]))
    if "msgpack" in case:
        found.append((MSGPACK, bytes.fromhex(case["msgpack"])))
    assert found
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.json")))
def test_the_vectors_are_up_to_date(name: str) -> None:
    """If this fails: `make generated`, and read the difference."""
    assert (FOLDER / name).read_text("utf-8") == texts()[name]


def test_the_readme_names_every_file_of_vectors() -> None:
    found = {path.name for path in FOLDER.iterdir()}
    assert found == {*texts(), "README.md"}
    readme = (FOLDER / "README.md").read_text("utf-8")
    named = set(re.findall(r"`([\w-]+\.json)`", readme))
    assert named >= {re.sub("^(game|lessons)-.*", r"\1-ID.json", name) for name in texts()}


def test_every_type_of_message_has_a_vector() -> None:
    kinds = {type(message) for message in (*requests().values(), *replies().values())}
    assert kinds == {*CLIENT_TYPES, *SERVER_TYPES}


@named([*CODEC["messages"], *CODEC["accepted"]])
def test_the_codec_reads_the_accepted_vectors(case: dict[str, Any]) -> None:
    for subprotocol, data in frames(case):
        codec = CODECS[case["from"]][subprotocol]
        message = codec.decode(data)
        assert json.loads(msgspec.json.encode(message)) == case["message"]
        assert codec.decode(codec.encode(message)) == message


@named(CODEC["refused"])
def test_the_codec_refuses_the_refused_vectors(case: dict[str, Any]) -> None:
    for subprotocol, data in frames(case):
        with pytest.raises(BadMessage) as caught:
            server_codecs()[subprotocol].decode(data)
        bad = caught.value
        assert (bad.code, bad.field, bad.id) == (case["code"], case["field"], case["id"])


@named(CODEC["ignored"])
def test_a_client_skips_what_it_does_not_know(case: dict[str, Any]) -> None:
    for subprotocol, data in frames(case):
        with pytest.raises(BadMessage) as caught:
            client_codecs()[subprotocol].decode(data)
        assert caught.value.code is Code.UNKNOWN_TYPE


@named(load("position.json")["positions"])
def test_position_vectors_match_text_and_digest(case: dict[str, Any]) -> None:
    state = msgspec.convert(case["position"], PositionState)
    assert position_text(state) == position_text(parse_position(case["text"])) == case["text"]
    assert digest(case["text"]) == crc32(case["text"].encode()) == case["digest"]


def test_positions_show_every_phase_of_every_game() -> None:
    cases = [case["position"] for case in load("position.json")["positions"]]
    shown = {(case["game"], case["phase"]) for case in cases}
    assert shown == {
        ("loose", "komi"), ("loose", "color"), ("loose", "play"), ("loose", "over"),
        ("veletas", "first"), ("veletas", "color"), ("veletas", "second"), ("veletas", "play"),
        ("veletas", "over"), ("taugo", "first"), ("taugo", "color"), ("taugo", "play"),
        ("taugo", "over"),
    }  # fmt: skip
    assert {case["winner"] for case in cases} >= {None, 0, 1, "draw"}
    assert {cell for case in cases for cell in case["cells"]} == set(range(6))


def test_chain_vectors_match() -> None:
    link = 0
    for event in load("chain.json")["events"]:
        assert event["before"] == link
        link = chain(link, event["epoch"], event["seq"], event["record"].encode(), event["at"])
        assert link == event["chain"] == crc32(event["bytes"].encode(), event["before"])


def _hex(*parts: bytes) -> str:
    return sha256(b"".join(parts)).hexdigest()


def _netstrings(*texts: Any) -> str:
    known = ["" if text is None else str(text) for text in texts]
    return "".join(f"{len(text.encode())}:{text}," for text in known)


def _signed(statement: str, by: dict[str, Any]) -> bool:
    public = bytes.fromhex(PROOFS["key"]["public"])
    assert by["key"] == _hex(public)[:16] == PROOFS["key"]["id"]
    return is_signed(public, statement.encode(), bytes.fromhex(by["signature"]))


def _log_hash(events: list[dict[str, Any]]) -> str:
    lines = []
    for event in events:
        text = event["record"]
        text = '{"kind":"closed"}' if json.loads(text)["kind"] == "closed" else text
        lines.append(f"{event['epoch']} {event['seq']} {text} {event['at']}".encode())
    return _hex(*(sha256(line).digest() for line in lines))


def test_proofs_of_receipts_verify() -> None:
    for case in PROOFS["receipts"]:
        receipt, last = case["receipt"], case["events"][-1]
        assert receipt["log"] == _log_hash(case["events"])
        place = [receipt[name] for name in ("epoch", "seq", "chain")]
        assert place == [last[name] for name in ("epoch", "seq", "chain")]
        assert case["statement"] == _netstrings(
            "pierule receipt 1", case["room"], receipt["log"], *place
        )
        assert _signed(case["statement"], receipt)


@named(PROOFS["games"])
def test_proofs_of_games_verify(case: dict[str, Any]) -> None:
    """By the words of SPEC 28 alone."""
    record = case["record"]
    assert case["log"] == _log_hash(record["events"])
    result, rules = record["final"]["result"], json.loads(record["events"][0]["record"])
    said = [record["room"], case["log"], rules.get("rules", 1), result["winner"], result["reason"]]
    users = [seat["user"] for seat in record["seats"]]
    assert case["statement"] == _netstrings("pierule game 1", *said, *users)
    assert _signed(case["statement"], record["proof"])
    assert verify(msgspec.convert(record, RoomRecord)) is None


def test_proofs_of_amendments_and_digests_verify() -> None:
    for case in PROOFS["amendments"]:
        said = [case["amendment"][name] for name in ("room", "log", "kind", "at")]
        assert case["statement"] == _netstrings("pierule amendment 1", *said)
        assert _signed(case["statement"], case["amendment"]["proof"])
    proofs = [case["record"]["proof"] for case in PROOFS["games"]]
    proofs += [case["amendment"]["proof"] for case in PROOFS["amendments"]]
    leaves, previous = [], None
    for case in PROOFS["digests"]:
        digest = case["digest"]
        leaves += [leaf for leaf, _ in digest["leaves"]]
        numbers = [digest[name] for name in ("number", "first", "last", "previous")]
        listed = [text for leaf in digest["leaves"] for text in leaf]
        assert case["statement"] == _netstrings("pierule digest 1", *numbers, *listed)
        assert digest["previous"] == previous
        assert _signed(case["statement"], digest)
        previous = _hex(case["statement"].encode())
        assert case["hash"] == previous
    assert leaves == [_hex(bytes.fromhex(proof["signature"])) for proof in proofs]


@named(FOLD["rooms"])
def test_fold_vectors_are_followed_state_by_state(case: dict[str, Any]) -> None:
    state = msgspec.convert(case["snapshot"], Snapshot).state
    for step in case["steps"]:
        after = advance(state, msgspec.convert(step["event"], Event))
        assert isinstance(after, RoomState), after
        state = after
        assert state == msgspec.convert(step["state"], RoomState)
        assert json.loads(msgspec.json.encode(state)) == step["state"]


def test_fold_shows_every_kind_of_event_and_every_end() -> None:
    steps = [step for room in FOLD["rooms"] for step in room["steps"]]
    kinds = {json.loads(step["event"]["record"])["kind"] for step in steps}
    assert kinds == {"seated", "acted", "resigned", "flagged", "aborted", "credited", "renewed",
                     "offered", "declined", "withdrawn", "taken_back", "drawn", "paused", "resumed",
                     "rematching", "rematched", "claimed", "closed", "undone",
                     "rewritten"}  # fmt: skip
    reasons = {step["state"]["result"]["reason"] for step in steps if step["state"]["result"]}
    assert reasons == {"played", "resigned", "flagged", "agreed", "left", "aborted", "closed"}


@named(FOLD["verdicts"])
def test_each_verdict_vector_is_reached(case: dict[str, Any]) -> None:
    room = ROOMS[case["room"]]
    states = [room["snapshot"]["state"], *(step["state"] for step in room["steps"])]
    known = msgspec.convert(states[case["after"]], RoomState)
    found = advance(known, msgspec.convert(case["event"], Event))
    assert (found.value if isinstance(found, Trouble) else "next") == case["verdict"]


def _control(case: dict[str, Any]) -> Any:
    options: Any = msgspec.convert(case["control"], ClockOptions)
    return control(options)


@named(CLOCKS["begin"])
def test_clock_vectors_begin(case: dict[str, Any]) -> None:
    clock = Clock.fresh(_control(case)).begin(0, case["started"])
    assert msgspec.convert(case["hand"], HandState) == HandState(
        clock.hands[0].main, clock.hands[0].periods, clock.hands[0].quota
    )
    assert clock.deadline == case["deadline"]
    assert clock.control.quota_gain == case["gain"]


@named(CLOCKS["left"])
def test_clock_vectors_show_the_time_left(case: dict[str, Any]) -> None:
    state = msgspec.convert(case["clock"], ClockState)
    first, second = (Hand(hand.main, hand.periods, hand.quota) for hand in state.hands)
    left = Clock(_control(case), (first, second), state.running, state.started).left(0, case["now"])
    assert {"main": left.main, "periods": left.periods, "period": left.period} == case["left"]


@named(CLOCKS["settle"])
def test_clock_vectors_settle(case: dict[str, Any]) -> None:
    """By the words of SPEC 9.4 and 9.5 alone, without our arithmetic."""
    rules, before, after = _control(case), case["before"], case["after"]
    elapsed, quota = case["at"] - case["started"], before["quota"]
    given: list[int] = []
    for lag in case["lags"]:
        given.append(min(lag, quota - sum(given)))
    assert given == case["given"]
    budget = before["main"] + before["periods"] * rules.period
    granted = max(min(sum(given), elapsed), elapsed - budget)
    used = elapsed - granted
    assert after["main"] == max(0, before["main"] - used) + rules.increment
    lost = 0
    if rules.period:
        lost = max(0, -((before["main"] - used) // rules.period) - 1)
    assert after["periods"] == before["periods"] - lost
    gain = min(1000, (rules.main + 40 * (rules.increment or rules.period)) // 250 + 150)
    assert after["quota"] == min(quota + gain - granted, 7 * gain)


@named(CLOCKS["offset"])
def test_clock_vectors_estimate_the_offset(case: dict[str, Any]) -> None:
    clock = ServerClock()
    for ping in case["pings"]:
        clock.measured(ping["sent"], ping["received"], ping["now"])
    assert clock.time(0) == case["offset"]


def every_message() -> list[tuple[str, dict[str, Any]]]:
    """All messages of the transcripts, with who sends them."""
    found = []
    for transcript in TRANSCRIPTS:
        for step in transcript["steps"]:
            found += [("client", step["send"])] if "send" in step else []
            found += [("server", step["receive"])] if "receive" in step else []
    return found


def test_transcripts_contain_valid_messages() -> None:
    for sender, message in every_message():
        for codec in CODECS[sender].values():
            encoder = msgspec.json if codec.text else msgspec.msgpack
            read = codec.decode(encoder.encode(message))
            assert json.loads(msgspec.json.encode(read)) == message


@named(TRANSCRIPTS)
def test_requests_of_transcripts_are_answered_once(case: dict[str, Any]) -> None:
    asked: set[int] = set()
    for step in case["steps"]:
        if "send" in step:
            asked.add(step["send"]["id"])
        elif "receive" in step and "id" in step["receive"]:
            asked.remove(step["receive"]["id"])
        elif "closed" in step:
            asked.clear()
    assert not asked


class Reader:
    """Our follower, fed with the steps of a transcript."""

    def __init__(self) -> None:
        self.follower = Follower("kobadimu")
        self.verdict: Verdict | None = None

    def receive(self, message: dict[str, Any]) -> None:
        if message["type"] == "snapshot":
            snapshot = msgspec.convert(message, Snapshot)
            self.follower.snapshot(snapshot.state, snapshot.proof)
        elif message["type"] == "event":
            try:
                verdict = self.follower.event(msgspec.convert(message, Event))
            except Desync:
                verdict = Verdict.MISMATCH
            if verdict is not Verdict.IGNORED:
                self.verdict = verdict
        elif message["type"] == "ok" and "resumed" in message:
            self.follower.joined(msgspec.convert(message, Ok))

    def send(self, message: dict[str, Any]) -> None:
        """What the client sends is what the follower asks for."""
        if message["type"] == "board_mismatch":
            assert self.verdict is Verdict.MISMATCH
        elif message["type"] == "join" and "nonce" not in message:
            known = self.follower.since
            since = None if known is None else json.loads(msgspec.json.encode(known))
            assert message.get("since") == since
            self.follower.rejoin()

    def shows(self, shown: dict[str, Any]) -> None:
        state = self.follower.state
        assert state is not None
        assert position_text(state.position) == shown["text"]
        for name in shown.keys() - {"text"}:
            assert getattr(state, name) == shown[name]

    def stopped(self, _why: str) -> None:
        assert self.verdict is Verdict.MISMATCH


@named(TRANSCRIPTS)
def test_our_follower_acts_as_the_transcripts(case: dict[str, Any]) -> None:
    """Our follower takes over, ignores and asks for just what the transcripts say."""
    reader = Reader()
    for step in case["steps"]:
        ((kind, what),) = step.items()
        if kind not in ("open", "closed"):
            getattr(reader, kind)(what)
