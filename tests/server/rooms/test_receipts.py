"""Receipts: signed for those who may see the events, and only as safely as an `ok` (SPEC 28.10)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pierule_archive.keys import Signer
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.log.proof import is_signed, log_hash, receipt_statement
from pierule_protocol.messages import Create, Receipt, ReceiptQuery
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.receipts import Receipts
from pierule_server.store.room_log import StoreUnavailable
from support.nodes import ANNA, BERT, CARL, Node, running
from support.signing import KEY, public_of


def receipts(node: Node) -> Receipts:
    return Receipts(node.hub, node.log, Signer(KEY))


async def signed(node: Node, user: Any, room: str, seq: int | None = None) -> Receipt:
    query = ReceiptQuery(id=7, room=room, seq=seq)
    ok = await receipts(node).sign(user, query, admitted=False)
    assert (ok.id, ok.room) == (7, room)
    assert ok.receipt is not None
    return ok.receipt


async def refused(node: Node, user: Any, room: str, seq: int | None = None) -> Refused:
    with pytest.raises(Refused) as caught:
        await receipts(node).sign(user, ReceiptQuery(id=7, room=room, seq=seq), admitted=False)
    return caught.value


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with running() as [node]:
        yield node


async def playing(node: Node, delay: int = 0) -> str:
    room = await node.make(delay=delay)
    await node.take(BERT, room)
    for user, turn, action in ((ANNA, 0, "komi:12"), (BERT, 1, "black"), (BERT, 2, "c3")):
        await node.act(user, room, turn, action)
    return room


async def test_a_receipt_is_signed_over_the_log_up_to_its_place(node: Node) -> None:
    room = await playing(node)
    entries = node.entries(room)
    for seq in (1, 4, len(entries), None):
        receipt = await signed(node, CARL, room, seq)
        events = entries[:seq]
        place = Place(receipt.epoch, receipt.seq, receipt.chain)
        assert place == events[-1].place
        assert receipt.log == log_hash(events)
        statement = receipt_statement(room, receipt.log, place)
        assert is_signed(public_of(KEY), statement, bytes.fromhex(receipt.signature))


async def test_an_event_that_is_not_there_has_no_receipt(node: Node) -> None:
    room = await playing(node)
    refusal = await refused(node, ANNA, room, len(node.entries(room)) + 1)
    assert (refusal.code, refusal.fields["field"]) == (Code.BAD_FIELD, "seq")
    assert (await refused(node, ANNA, "nowhere")).code is Code.UNKNOWN_ROOM


async def test_a_server_without_a_key_says_so(node: Node) -> None:
    room = await playing(node)
    with pytest.raises(Refused) as caught:
        await Receipts(node.hub, node.log, None).sign(
            ANNA, ReceiptQuery(id=1, room=room), admitted=True
        )
    assert (caught.value.code, caught.value.text) == (
        Code.NOT_NOW, "this server has no key for signing receipts"
    )  # fmt: skip


async def test_delayed_spectators_get_a_receipt_of_what_they_have_seen(node: Node) -> None:
    room = await playing(node, delay=2)
    last = len(node.entries(room))
    assert (await signed(node, ANNA, room)).seq == last
    assert (await signed(node, CARL, room)).seq == last - 2
    beyond, missing = [await refused(node, CARL, room, seq) for seq in (last, last + 1)]
    assert (beyond.code, beyond.fields) == (missing.code, missing.fields)


async def test_a_private_room_has_receipts_for_those_inside(node: Node) -> None:
    create = Create(id=1, nonce="c", game="loose", size=5, seat=0, access="private",
                    invitation="i" * 16)  # fmt: skip
    room = (await node.rooms.create(ANNA, create)).room
    assert room is not None
    assert (await refused(node, CARL, room)).code is Code.PRIVATE
    assert (await signed(node, ANNA, room)).seq == 1
    ok = await receipts(node).sign(CARL, ReceiptQuery(id=1, room=room), admitted=True)
    assert ok.receipt is not None


async def test_unconfirmed_events_are_not_signed(node: Node) -> None:
    """A primary that was replaced without knowing it answers readers, but confirms nothing."""
    room = await playing(node)
    node.log.deposed = {room: list(node.entries(room))}
    with pytest.raises(StoreUnavailable):
        await receipts(node).sign(ANNA, ReceiptQuery(id=1, room=room), admitted=True)


async def test_events_lost_during_the_request_are_not_signed(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log loses its end after it was read, and before it is confirmed."""
    room = await playing(node)
    confirm, length = node.log.confirm, len(node.entries(room))

    async def late(name: str, place: Place, *, last: bool = False) -> bool:
        if len(node.entries(room)) == length:
            node.lose_tail(room, 3)
        return await confirm(name, place, last=last)

    monkeypatch.setattr(node.log, "confirm", late)
    assert (await signed(node, CARL, room)).seq == 3
