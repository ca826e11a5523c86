"""What frames cost their peer: whole messages nothing, and everything that no request pays for."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode

from pierule_server.gateway.frame_bounds import AT_ONCE, FRAGMENTS, RATE, price_of


@pytest.mark.parametrize(
    ("frame", "price"),
    [
        (Frame(Opcode.BINARY, b"x"), 0),
        (Frame(Opcode.TEXT, b"x"), 0),
        (Frame(Opcode.CLOSE, b""), 0),
        (Frame(Opcode.PING, b""), 1),
        (Frame(Opcode.PONG, b"ours"), 0),
        (Frame(Opcode.PONG, b"theirs"), 1),
        (Frame(Opcode.CONT, b"x"), 0),
    ],
)
def test_a_frame_that_no_request_pays_for_has_a_price(frame: Frame, price: float) -> None:
    assert price_of(frame, {b"ours": None}) == price


@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.BINARY, Opcode.CONT])
def test_one_message_may_have_all_its_pieces_at_once_and_most_may_have_two(opcode: Opcode) -> None:
    price = price_of(Frame(opcode, b"", fin=False), {})
    assert price > 0
    assert FRAGMENTS * price < AT_ONCE
    assert 40 * price <= RATE, "a head and a rest for each request, as fast as a user may ask"
