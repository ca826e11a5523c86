"""Any requests in any order: each is answered once, accepted or refused with a documented error."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from fuzz.oracle import CODECS, seeds
from pierule_protocol.codec import BadMessage
from pierule_protocol.codes import CLOSE_MEANINGS, MEANINGS, Close, Code
from pierule_protocol.messages import ClientMessage, Error, Ok
from pierule_server.identity.tokens import User
from pierule_server.rooms.making import room_id_for
from support.examples import up_to
from support.session import KEYS, Outcome, playing
from support.shapes import values

USERS = [User("anna", "Anna"), User("bert", "Bert")]
NONCES = ["n1", "n2", "n3"]
ROOMS = [room_id_for(user.id, nonce, 0) for user in USERS for nonce in NONCES] + ["nowhere"]
ACTIONS = ["komi:12", "black", "white", "a1", "b2", "c3", "pass", "c1-c2/c3", "", "é", "a1" * 30]

IDS = st.integers(0, 2**32 - 1)
numbers = st.integers(-1, 3) | st.sampled_from([2**31, 2**32 - 1, 2**32, 2**63, -(2**63)])
junk = st.none() | st.booleans() | st.text(max_size=4) | numbers | st.lists(numbers, max_size=2)

CLOCKS = st.none() | st.fixed_dictionaries(
    {"kind": st.sampled_from(["fischer", "byoyomi", "turnwise", "correspondence", "none"])},
    optional={
        "main": numbers, "increment": numbers, "periods": numbers, "period": numbers,
        "time": numbers, "days": numbers,
    },
)  # fmt: skip
SINCE = st.fixed_dictionaries({"epoch": numbers, "seq": numbers, "chain": numbers})
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "room": st.sampled_from(ROOMS),
    "nonce": st.sampled_from(NONCES),
    "to": st.sampled_from([user.id for user in USERS]) | junk,
    "challenge": st.sampled_from("abc"),
    "recovery": st.text(max_size=41),
    "accept": st.booleans(),
    "named": st.booleans(),
    "watch": st.booleans(),
    "game": st.sampled_from(["loose", "veletas", "taugo", "chess"]),
    "size": st.sampled_from([5, 6, 7, 9, 99]),
    "seat": st.sampled_from([0, 1, "any", "random", None, 2]),
    "clock": CLOCKS,
    "since": SINCE,
    "bot_after": numbers,
    "bot_level": st.sampled_from(["search", "random", "B", ""]),
    "points": st.lists(st.sampled_from(["a1", "c3", "z9", ""]) | st.text(max_size=4), max_size=6),
    "turn": st.integers(0, 3),
    "action": st.sampled_from(ACTIONS) | st.text(max_size=8),
    "actions": st.lists(st.sampled_from(ACTIONS) | st.text(max_size=8), max_size=4),
    "prefix": st.sampled_from(ACTIONS) | st.text(max_size=8),
    "first": numbers,
    "limit": numbers,
    "name": st.sampled_from(["Ada", " ", "\u200b", "é" * 24]) | st.text(max_size=30),
    "token": st.sampled_from([KEYS.sign(user) for user in USERS] + ["x", "a.b.c", ""]),
    "epoch": numbers,
    "seq": numbers,
    "problem": st.sampled_from(["mismatch", "desync", "x"]),
    "outcome": st.sampled_from(["win", "abort"]),
    "channel": st.sampled_from(["players", "spectators", "x"]),
    "text": st.sampled_from(["hello", " ", "\u202e", "\n", "é" * 300]) | st.text(max_size=8),
    "url": st.sampled_from(["https://example.org/", "http://a", "https://[::1", "x"]) | st.text(),
    "user": st.sampled_from(["anna", "bert", ""]),
    "level": st.sampled_from(["mute", "block", None, "x"]),
    "what": st.sampled_from(["takeback", "draw", "pause", "resume", "rematch", "tea"]),
    "access": st.sampled_from(["public", "unlisted", "private", "x"]),
    "invitation": st.sampled_from(["i" * 16, "j" * 64, "i" * 15, "é" * 16]),
    "delay": numbers,
}
KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(ClientMessage)}


def _request(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """A request with any of its fields, mostly with values that mean something here."""
    fields: dict[str, st.SearchStrategy[Any]] = {"type": st.just(kind), "id": IDS}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in inspect.type_info(KINDS[kind]).fields:  # type: ignore[attr-defined]
        if field.name not in fields:
            held = FIELDS[field.name] if field.name in FIELDS else values(field.type) | junk
            (fields if field.required else optional)[field.name] = held
    return st.fixed_dictionaries(fields, optional=optional)


REQUESTS = st.sampled_from(list(KINDS)).flatmap(_request)
SPOILT = st.tuples(REQUESTS, st.sampled_from([*FIELDS, "id", "type", "x"]), junk).map(
    lambda parts: {**parts[0], parts[1]: parts[2]}
)
HELLO = {"type": "hello", "id": 1, "token": KEYS.sign(USERS[0])}
both = pytest.mark.parametrize("name", CODECS)
bounded = settings(database=None, deadline=None, max_examples=up_to(60))


def _encode(name: str, value: Any) -> bytes | str:
    if CODECS[name].text:
        return msgspec.json.encode(value).decode()
    return msgspec.msgpack.encode(value)


def _id_of(name: str, message: bytes | str) -> int | None:
    """The id by which the message must be answered."""
    try:
        return CODECS[name].decode(message).id
    except BadMessage as bad:
        return bad.id


def _converse(name: str, *sessions: list[bytes | str], **limits: Any) -> list[Outcome]:
    async def run() -> list[Outcome]:
        async with playing(**limits) as playground:
            return [await playground.converse(name, messages) for messages in sessions]

    return asyncio.run(run())


def _check(name: str, messages: list[bytes | str], outcome: Outcome) -> None:
    """Every message has its one answer, and no other answer comes; or the session was closed."""
    for message, said in zip(messages, outcome.said, strict=False):
        answers = [each for each in said if isinstance(each, Ok | Error)]
        assert len(answers) == 1, (message, said)
        assert answers[0].id == _id_of(name, message)
        if isinstance(answers[0], Error):
            assert answers[0].code in MEANINGS
            assert answers[0].code not in (Code.INTERNAL, Code.UNAVAILABLE), (message, answers)
    if outcome.closed is None:
        assert len(outcome.said) == len(messages) + 1
        assert not any(isinstance(each, Ok | Error) for each in outcome.said[-1])
    else:
        assert Close(outcome.closed) in CLOSE_MEANINGS


@bounded
@given(st.sampled_from(list(CODECS)), st.data())
def test_requests_in_any_order_are_each_answered_once(name: str, data: st.DataObject) -> None:
    """Two sessions of two users, one after the other, in the same rooms."""
    sessions: list[list[bytes | str]] = []
    for user in USERS:
        hello = HELLO | {"token": KEYS.sign(user)}
        requests = data.draw(st.lists(REQUESTS | SPOILT, max_size=20))
        sessions.append([_encode(name, each) for each in [hello, *requests]])
    for messages, outcome in zip(sessions, _converse(name, *sessions, errors=100), strict=True):
        _check(name, messages, outcome)


@both
@bounded
@given(st.lists(st.binary(max_size=60) | SPOILT | REQUESTS, max_size=30))
def test_any_first_messages_are_answered_or_the_connection_closed(
    name: str, given_: list[Any]
) -> None:
    """Without a hello; and with so much that is no message that it is closed for it."""
    messages = [
        (each.decode(errors="replace") if CODECS[name].text else each)
        if isinstance(each, bytes)
        else _encode(name, each)
        for each in given_
    ]
    (outcome,) = _converse(name, messages, errors=4)
    if outcome.closed is not None:
        assert outcome.closed == Close.TOO_MANY_ERRORS
        messages = messages[: len(outcome.said)]
        outcome.said[len(messages) :] = []
    _check(name, messages, outcome)


@both
def test_a_frame_of_the_wrong_kind_closes_the_connection(name: str) -> None:
    wrong: bytes | str = b"{}" if CODECS[name].text else "{}"
    (outcome,) = _converse(name, [wrong])
    assert outcome.closed == Close.UNSUPPORTED_DATA


@both
def test_requests_over_the_rate_are_refused_and_a_flood_is_closed(name: str) -> None:
    ping = _encode(name, {"type": "ping", "id": 7})
    (outcome,) = _converse(
        name, [_encode(name, HELLO)] + [ping] * 30,
        connection_rate=1, connection_burst=5, refusals=10,
    )  # fmt: skip
    answers = [each for said in outcome.said for each in said if isinstance(each, Ok | Error)]
    assert [isinstance(each, Ok) for each in answers] == [True] * 5 + [False] * 9
    assert {each.code for each in answers if isinstance(each, Error)} == {Code.RATE}
    assert all(0 < (each.retry_ms or 0) <= 1_000 for each in answers if isinstance(each, Error))
    assert outcome.closed == Close.FLOODING


@both
def test_every_fuzz_seed_is_answered(name: str) -> None:
    messages = [data.decode() if CODECS[name].text else data for data in seeds(CODECS[name])]
    (outcome,) = _converse(name, messages, errors=100)
    _check(name, messages, outcome)
