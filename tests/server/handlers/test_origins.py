"""Which rooms the lobby counts to an address (SPEC 23.6)."""

from __future__ import annotations

import pytest

from pierule_protocol.messages import Act, Create
from pierule_server.handlers.origins import RoomOrigins
from pierule_server.handlers.play import Play
from pierule_server.identity.tokens import Keys
from support.nodes import ANNA, BERT, Client, Node

KEYS = Keys({"k": "s" * 32})


def client(address: str | None) -> Client:
    found = Client(ANNA)
    found.socket.address = address
    return found


async def origins_of(node: Node) -> set[str]:
    return {each.origin for each in (await node.log.tables.listing.read()).rooms}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::/64", "2001:db8:0:2::/64", True),
        ("2001:db8:1:1::/64", "2001:db8:2:1::/64", False),
        (None, None, True),
    ],
)
async def test_the_rooms_of_a_network_are_counted_together(
    node: Node, one: str | None, other: str | None, alike: bool
) -> None:
    origins = RoomOrigins(KEYS, node.log.tables.listing)
    for address in (one, other):
        request = Create(id=1, nonce=f"n{address}{address is other}", game="loose", size=5)
        room = (await node.rooms.create(ANNA, request)).room
        assert room is not None
        await origins.note(client(address).connection, room)
    found = await origins_of(node)
    assert (len(found) == 1) == alike
    assert not any(address and address in each for each in found for address in (one, other))


async def test_a_pairing_counts_to_the_address_that_begins_it(node: Node) -> None:
    room = await node.started()
    play = Play(node.rooms, node.lobby.turns, RoomOrigins(KEYS, node.log.tables.listing))
    assert await origins_of(node) == {""}
    mine = client("192.0.2.1")
    await play.act(mine.connection, ANNA, Act(id=1, room=room, turn=0, action="komi:12"))
    noted = await origins_of(node)
    assert noted != {""}
    theirs = client("192.0.2.2")
    for turn, action in ((1, "black"), (2, "c3")):
        await play.act(theirs.connection, BERT, Act(id=1, room=room, turn=turn, action=action))
    assert await origins_of(node) == noted
