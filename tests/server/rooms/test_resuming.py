"""What it costs to resume a room, and who is refused (SPEC 1.11)."""

from __future__ import annotations

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import Join, Since
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.live import RECENT
from pierule_server.rooms.recovery import GAP
from support.nodes import CARL, Node
from support.reference import references

PLAYER = User("anna", "Anna")


@pytest.fixture
def room(node: Node) -> str:
    """A long game that this node has not read yet."""
    game = max(
        (each for each in references() if each.game == "loose"), key=lambda game: len(game.actions)
    )
    node.store.write_log("room", game.log())
    assert len(node.entries("room")) > RECENT + 10
    return "room"


class Purse:
    """Pays up to `money`, and remembers what was asked."""

    def __init__(self, money: float) -> None:
        self.money = money
        self.asked: list[float] = []

    def __call__(self, price: float) -> float:
        if price:
            self.asked.append(price)
        if price > self.money:
            return 1.5
        self.money -= price
        return 0.0


async def resume(node: Node, room: str, purse: Purse, place: Place, user: User = CARL) -> list[int]:
    """The numbers of the events that are sent; nothing if it is a snapshot instead."""
    since = Since(place.epoch, place.seq, place.chain)
    answer, _, missed = await node.rooms.join(user, Join(id=1, room=room, since=since), purse)
    assert answer.resumed == (missed is not None)
    return [event.seq for event in missed or []]


async def test_resuming_after_a_short_absence_is_free(
    node: Node, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, purse = node.entries(room), Purse(0)
    end = len(entries)
    place = entries[end - 1 - GAP].place
    assert await resume(node, room, purse, place) == list(range(end - GAP + 1, end + 1))
    folded: list[object] = []
    monkeypatch.setattr(node.hub.slices, "work", folded.append)
    for seq in range(end - GAP, end + 1):
        numbers = await resume(node, room, purse, entries[seq - 1].place)
        assert numbers == list(range(seq + 1, end + 1))
    assert purse.asked == folded == []


async def test_resuming_after_a_long_absence_costs_by_missed_events(node: Node, room: str) -> None:
    entries, purse = node.entries(room), Purse(1_000)
    end = len(entries)
    assert len(await resume(node, room, purse, entries[end - 101].place)) == 100
    assert len(await resume(node, room, purse, entries[0].place)) == end - 1
    assert purse.asked == [10, end / 10]


async def test_a_client_without_budget_gets_a_snapshot_and_spectators_pay_for_it(
    node: Node, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = node.entries(room)
    await node.live(room)
    monkeypatch.setattr(node.hub.slices, "work", None)
    poor = Purse(1)
    assert await resume(node, room, poor, entries[0].place) == []
    assert poor.money == 0
    with pytest.raises(Refused) as refused:
        await resume(node, room, poor, entries[0].place)
    assert (refused.value.code, refused.value.fields) == (Code.RATE, {"retry_ms": 1_500})
    bad = Place(entries[-3].epoch, entries[-3].seq, 1)
    with pytest.raises(Refused):
        await resume(node, room, poor, bad)
    for place in (bad, entries[0].place):
        assert await resume(node, room, poor, place, PLAYER) == []
