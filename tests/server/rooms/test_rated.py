"""Who may play a game that is to count for ratings, and what a room says of it (SPEC 30)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Rated
from pierule_protocol.messages import Create, RoomsQuery
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.accounts import Account
from support.nodes import ANNA, BERT, CARL, Client, Node, running


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    """Anna and Bert are registered, Carl is a guest."""
    async with running() as [made]:
        for user in (ANNA, BERT):
            await made.log.tables.accounts.keep(user.id, Account(user.name, user.name.lower()))
        yield made


def asked(rated: Rated = "yes", **options: Any) -> Create:
    options = {"nonce": "n", "game": "loose", "size": 5, "seat": 0, **options}
    return Create(id=1, rated=rated, **options)


async def made(node: Node, request: Create) -> str:
    room = (await node.rooms.create(ANNA, request)).room
    assert room is not None
    return room


@pytest.mark.parametrize(
    ("user", "options"),
    [
        (CARL, {}),
        (User("anna", "Anna", bot=True), {}),
        (ANNA, {"access": "private", "invitation": "i" * 20}),
    ],
    ids=["a guest", "a bot", "in private"],
)
async def test_a_game_that_could_not_count_is_refused(
    node: Node, user: User, options: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as refused:
        await node.rooms.create(user, asked(**options))
    assert (refused.value.code, refused.value.fields["field"]) == (Code.UNRATED, "rated")
    assert node.store.rooms == []


@pytest.mark.parametrize("user", [CARL, ANNA, User("bert", "Bert", bot=True)], ids=str)
async def test_a_user_whose_game_would_not_count_cannot_take_the_seat(
    node: Node, user: User
) -> None:
    room = await made(node, asked())
    with pytest.raises(Refused) as refused:
        await node.take(user, room, 1)
    assert (refused.value.code, refused.value.fields["field"]) == (Code.UNRATED, "seat")
    assert node.kept(room).status == "open"
    await node.take(BERT, room)
    assert node.kept(room).unrated is None


async def test_whether_a_game_counts_is_fixed_when_both_sit(node: Node) -> None:
    room = await made(node, asked("either"))
    await node.take(CARL, room)
    assert node.kept(room).unrated == "guest"
    await node.log.tables.accounts.keep(CARL.id, Account("Carl", "carl"))
    client = Client(CARL)
    await node.follow(client, room)
    assert client.mirror().unrated == "guest"
    assert [seat and seat.registered for seat in client.mirror().seats] == [True, False]


async def test_followers_learn_why_a_game_does_not_count(node: Node) -> None:
    room = await made(node, asked("either"))
    client = Client(ANNA)
    await node.follow(client, room)
    assert client.mirror().unrated is None
    await node.take(CARL, room)
    assert (client.mirror().rated, client.mirror().unrated) == ("either", "guest")


async def test_a_retried_create_finds_its_room_after_registering(node: Node) -> None:
    request = asked("either", nonce="again")
    first = (await node.rooms.create(CARL, request)).room
    await node.log.tables.accounts.keep(CARL.id, Account("Carl", "carl"))
    assert (await node.rooms.create(CARL, request)).room == first


async def test_cards_say_whether_the_game_may_count(node: Node) -> None:
    room = await made(node, asked("either"))
    for rated in (True, False):
        cards = (await node.rooms.cards(RoomsQuery(id=1))).rooms
        assert cards is not None
        assert [(card.room, card.rated) for card in cards] == [(room, rated)]
        if rated:
            await node.take(CARL, room, 1)
