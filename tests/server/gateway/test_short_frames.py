"""Short frames are read without the library, and mean the same as with it."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from pierule_server.gateway import peer_socket
from pierule_server.gateway.peer_socket import PeerSocket
from pierule_server.gateway.short_frames import is_between, is_text, payload_of
from support.raw import PING, masked


class Transport(asyncio.Transport):
    """Nobody is at the other end."""

    def write(self, data: Any) -> None: ...

    def write_eof(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return False

    def resume_reading(self) -> None: ...

    def abort(self) -> None: ...


class Heard:
    """What a socket gives to its receiver."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, bool]] = []

    def receive(self, data: bytes, text: bool) -> None:
        self.messages.append((data, text))


class Door:
    outbox_bytes = 1_000


def heard(pieces: list[bytes]) -> tuple[list[tuple[bytes, bool]], Any]:
    """The messages that a socket finds in what it reads piece by piece, and its state then."""

    async def read() -> tuple[list[tuple[bytes, bool]], Any]:
        protocol, found = ServerProtocol(state=OPEN, max_size=1_000), Heard()
        socket = PeerSocket(protocol, cast("Any", None), door=cast("Any", Door()))
        socket.transport = cast("Any", Transport())
        socket.request, socket._receiver = cast("Any", "made"), found
        for piece in pieces:
            if piece:
                socket.data_received(piece)
        return found.messages, (protocol.state, protocol.close_code)

    return asyncio.run(read())


opcodes = st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.CONT, Opcode.PING])
some_frames = st.lists(
    st.tuples(opcodes, st.binary(max_size=200), st.booleans(), st.binary(min_size=4, max_size=4)),
    max_size=6,
)


def sent(opcode: Opcode, payload: bytes, fin: bool, mask: bytes) -> bytes:
    plain = masked(opcode, payload[:125] if opcode is PING else payload, fin or opcode is PING)
    head = len(plain) - len(payload[:125] if opcode is PING else payload)
    body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(plain[head:]))
    return plain[: head - 4] + mask + body


@given(some_frames, st.lists(st.integers(0, 1_300), max_size=6))
@settings(max_examples=60, deadline=None)
def test_short_frames_are_read_as_the_library_reads_them(
    frames: list[tuple[Opcode, bytes, bool, bytes]], cuts: list[int]
) -> None:
    each = [sent(*frame) for frame in frames]
    whole = b"".join(each)
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[first:last] for first, last in pairwise(places)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peer_socket, "is_between", lambda _: False)
        expected = heard(pieces)
    assert heard(pieces) == expected
    assert heard(each) == expected


@pytest.mark.parametrize("text", [True, False])
def test_a_short_frame_is_known(text: bool) -> None:
    opcode = Opcode.TEXT if text else Opcode.BINARY
    data = Frame(opcode, b"a message").serialize(mask=True)
    assert payload_of(data) == b"a message"
    assert is_text(data) is text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        masked(Opcode.BINARY, b"whole")[:-1],
        masked(Opcode.BINARY, b"whole") + b"more",
        masked(Opcode.BINARY, b"first", fin=False),
        masked(Opcode.CONT, b"last"),
        masked(Opcode.BINARY, b"reserved", rsv=1),
        masked(PING, b"ping"),
        masked(Opcode.BINARY, bytes(126)),
        b"\x82\x05plain",
    ],
)
def test_anything_but_a_whole_short_frame_goes_to_the_library(data: bytes) -> None:
    assert payload_of(data) is None


def test_the_library_that_is_installed_tells_whether_it_is_between_frames() -> None:
    protocol = ServerProtocol(state=OPEN)
    assert is_between(protocol)
    for data, between in ((b"\x82", False), (b"\x80\0\0\0\0", True), (b"\x02\x80\0\0\0\0", False)):
        protocol.receive_data(data)
        assert is_between(protocol) is between
