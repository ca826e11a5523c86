"""Who may report a board that differs, and what of it rings for an operator (SPEC 6.14)."""

from __future__ import annotations

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import BoardMismatch
from pierule_server import metrics
from pierule_server.handlers.board_mismatches import AT_ONCE, BoardMismatches
from pierule_server.identity.tokens import User
from pierule_server.rooms import live as live_module
from support.nodes import ANNA, BERT, CARL, Node, refused, settle


def counted(counter: object, label: str) -> float:
    return counter.labels(label)._value.get()  # type: ignore[attr-defined,no-any-return]


def report(room: str, epoch: int = 1, seq: int = 5) -> BoardMismatch:
    return BoardMismatch(id=1, room=room, epoch=epoch, seq=seq, problem="desync")


async def test_a_follower_may_report_a_few_board_mismatches(node: Node) -> None:
    room, reports = await node.started(), BoardMismatches(node.hub)
    before = counted(metrics.BOARD_MISMATCHES, "desync")
    for number in range(AT_ONCE):
        assert (await reports.take(ANNA, {room}, report(room), f"192.0.2.{number}")).room == room
    await refused(Code.LIMIT, reports.take(ANNA, {room}, report(room)))
    await reports.take(BERT, {room}, report(room))
    assert counted(metrics.BOARD_MISMATCHES, "desync") == before + AT_ONCE + 1


async def test_board_mismatches_of_one_address_alert_once(node: Node) -> None:
    """However many guests it has, and however many networks of its own."""
    room, reports = await node.started(), BoardMismatches(node.hub)
    before = counted(metrics.BOARD_MISMATCHES, "desync")
    for number in range(20):
        eve = User(f"eve{number}", "Eve")
        await reports.take(eve, {room}, report(room), f"2001:db8:0:{number}::/64")
        await reports.take(eve, {room}, report(room), "192.0.2.1")
    assert counted(metrics.BOARD_MISMATCHES, "desync") == before + 2


async def test_a_mismatch_from_a_stranger_is_refused_and_alerts_nobody(node: Node) -> None:
    room, reports = await node.started(), BoardMismatches(node.hub)
    rung, apart = counted(metrics.BOARD_MISMATCHES, "desync"), metrics.BOARD_MISMATCHES_REFUSED
    before, reads = counted(apart, "not_following"), node.log.reads
    for name in (room, "nowhere"):
        await refused(Code.NOT_FOLLOWING, reports.take(ANNA, {"another"}, report(name)))
    assert node.log.reads == reads
    assert counted(metrics.BOARD_MISMATCHES, "desync") == rung
    assert counted(apart, "not_following") == before + 2


@pytest.mark.parametrize("recent", [1, 128])
async def test_only_existing_places_can_be_reported(
    node: Node, monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    monkeypatch.setattr(live_module, "RECENT", recent)
    room = await node.started()
    await node.act(ANNA, room, 3, "d4")
    await settle()
    for epoch, seq in ((1, 0), (1, 7), (2, 6), (0, 3), (2**32 - 1, 2**32 - 1)):
        answer = await refused(
            Code.BAD_FIELD, BoardMismatches(node.hub).take(ANNA, {room}, report(room, epoch, seq))
        )
        assert answer == {"field": "seq"}
    for seq in range(1, 7):
        await BoardMismatches(node.hub).take(ANNA, {room}, report(room, 1, seq))


async def test_a_delayed_spectator_learns_nothing_by_reporting_a_mismatch(node: Node) -> None:
    room = await node.make(delay=2)
    await node.take(BERT, room)
    for user, turn, action in ((ANNA, 0, "komi:12"), (BERT, 1, "black"), (BERT, 2, "c3")):
        await node.act(user, room, turn, action)
    await settle()
    shown = (await node.live(room)).shown.place.seq
    for seq in range(1, 8):
        reports, known = BoardMismatches(node.hub), User("eve", "Eve") if seq % 2 else CARL
        if seq <= shown:
            await reports.take(known, {room}, report(room, 1, seq))
        else:
            await refused(Code.BAD_FIELD, reports.take(known, {room}, report(room, 1, seq)))
