"""What the load client is given: frames that a server takes, plans that are read as written."""

from __future__ import annotations

import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame
from websockets.streams import StreamReader

from bench.load import Marker, Member, Plan, frame, handshake
from bench.machine import Missing, needed
from bench.ours import ERROR, EVENT, READY, Table
from bench.peer import Audience, all_peers
from pierule_protocol.codec import server_codecs
from pierule_protocol.messages import ClientMessage, Error
from support.games import game


def parsed(data: bytes) -> Frame:
    """What a server reads."""
    reader = StreamReader()
    reader.feed_data(data)
    reading = Frame.parse(reader.read_exact, mask=True)
    try:
        while True:
            next(reading)
    except StopIteration as end:
        assert not reader.buffer
        found: Frame = end.value
        return found


@given(st.one_of(st.text(max_size=400), st.binary(max_size=60_000)))
def test_a_server_reads_the_frames(payload: str | bytes) -> None:
    found = parsed(frame(payload))
    assert found.fin
    assert bytes(found.data) == (payload.encode() if isinstance(payload, str) else payload)
    assert found.opcode.name == ("TEXT" if isinstance(payload, str) else "BINARY")


def test_the_handshake_offers_no_compression() -> None:
    head = handshake("/ws", "pierule.1.msgpack").decode()
    assert head.startswith("GET /ws HTTP/1.1\r\n")
    assert head.endswith("\r\nSec-WebSocket-Protocol: pierule.1.msgpack\r\n\r\n")
    assert "Extensions" not in head


def test_a_plan_is_written_as_documented() -> None:
    member = Member(0, 80, b"GET", [b"hi"], 2, server_first=True)
    plan = Plan(Marker(b"r", 1), Marker(b"e"), [member], [[(0, b"act")]])
    written: list[int | str] = [
        1,
        "r",
        0,
        "e",
        0,
        "",
        1,
        1,
        0,
        80,
        2,
        1,
        "GET",
        1,
        "hi",
        1,
        0,
        "act",
    ]
    expected = b"".join(
        struct.pack("<I", each) if isinstance(each, int)
        else struct.pack("<I", len(each)) + each.encode()
        for each in written
    )  # fmt: skip
    assert b"".join(plan.encode()) == expected


def test_a_table_plays_the_whole_game_in_legal_requests() -> None:
    table = Table(("a", "b"))
    whole = game("taugo", 8)
    table.rooms.append(("kobadimu", whole))
    acts = list(table.acts())
    assert [seat for seat, _ in acts] == [each.to_act for each in whole.positions[:-1]]
    read = msgspec.msgpack.Decoder(ClientMessage)
    for turn, (_, data) in enumerate(acts):
        request = read.decode(parsed(data).data)
        assert (request.room, request.turn, request.action) == (
            "kobadimu", turn, whole.actions[turn],
        )  # fmt: skip


def test_the_markers_tell_our_messages_apart() -> None:
    data = server_codecs()["pierule.1.msgpack"].encode(Error(id=1, code="rate", text="slower"))
    found = [data[each.offset :].startswith(each.text) for each in (READY, EVENT, ERROR)]
    assert found == [False, False, True]


def test_the_actors_of_a_room_act_in_turn() -> None:
    peer = next(each for each in all_peers() if each.name == "ws")
    plan = peer.plan(Audience(rooms=2, members=3, steps=4))
    assert [member.group for member in plan.members] == [0, 0, 0, 1, 1, 1]
    assert [[sender for sender, _ in steps] for steps in plan.steps] == [[0, 1, 0, 1], [3, 4, 3, 4]]


def test_a_tool_that_is_missing_is_named() -> None:
    with pytest.raises(Missing, match=r"^a compiler \(`no-such-program` on the PATH\)$"):
        needed("no-such-program", "a compiler")
