"""The ratings that players have as they sit down: in the log, in the room's state, and in cards
(SPEC 30.6)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from decimal import Decimal
from typing import Any

import pytest

from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Accept, Create, Offer, RoomsQuery
from pierule_ratings import Rating
from pierule_server.identity.tokens import User
from pierule_server.rooms import standings as module
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.store.tables.accounts import Account
from support.nodes import ANNA, BERT, CARL, Client, Node, holder, running

NOW = 1_700_000_000_000
ANNAS, BERTS = Standing(1612, 74), Standing(1480, 131)


class Kept:
    """An archive that rates some players in Loose."""

    def __init__(self) -> None:
        self.ratings = {ANNA.id: rating(1612, "73.2"), BERT.id: rating(1480, "130.01")}
        self.asked: list[set[str]] = []

    async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
        self.asked.append(set(players))
        known = self.ratings if game == "loose" else {}
        return {player: known[player] for player in players if player in known}


def rating(value: int, deviation: str) -> Rating:
    return Rating(Decimal(value), Decimal(deviation), 12, NOW)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """It is asked each time."""
    monkeypatch.setattr(module, "FRESH", 0.0)
    return Kept()


@pytest.fixture
async def node(kept: Kept) -> AsyncIterator[Node]:
    """Anna and Bert are registered, Carl is a guest."""
    async with running() as [made]:
        standings = Standings(kept, lambda: NOW)
        made.rooms = Rooms(made.hub, made.log, made.log.tables, standings=standings)
        for user in (ANNA, BERT):
            await made.log.tables.accounts.keep(user.id, Account(user.name, user.name.lower()))
        yield made


def asked(**options: Any) -> Create:
    return Create(id=1, **{"nonce": "n", "game": "loose", "size": 5, "seat": 0, **options})


async def made(node: Node, **options: Any) -> str:
    room = (await node.rooms.create(ANNA, asked(**options))).room
    assert room is not None
    return room


def told(node: Node, room: str) -> list[Standing | None]:
    return [seat.standing if seat else None for seat in node.kept(room).seats]


async def listed(node: Node) -> list[Any]:
    return [card.standings for card in (await node.rooms.cards(RoomsQuery(id=1))).rooms or []]


async def test_followers_and_listings_see_standings_with_the_seats(node: Node) -> None:
    room, client = await made(node), Client(ANNA)
    await node.follow(client, room)
    assert await listed(node) == [(ANNAS, None)]
    await node.take(BERT, room)
    assert [seat and seat.standing for seat in client.mirror().seats] == [ANNAS, BERTS]
    assert told(node, room) == [ANNAS, BERTS]
    await node.act(ANNA, room, 0, "komi:12")
    assert await listed(node) == [(ANNAS, BERTS)]


@pytest.mark.parametrize(
    ("user", "options"),
    [
        (CARL, {}),
        (User("bert", "Bert", bot=True), {}),
        (BERT, {"rated": "no"}),
        (BERT, {"access": "private", "invitation": "i" * 20}),
        (BERT, {"game": "taugo", "size": 6}),
    ],
    ids=["a guest", "a bot", "a game that is not to count", "in private", "not in this game yet"],
)
async def test_a_player_who_cannot_be_rated_has_no_standing(
    node: Node, kept: Kept, user: User, options: dict[str, Any]
) -> None:
    room = (await node.rooms.create(user, asked(**options))).room
    assert room is not None
    assert told(node, room) == [None, None]
    assert len(kept.asked) == (options.get("game") == "taugo")
    for entry in node.entries(room):
        assert "standing" not in entry.record


async def test_a_retry_finds_its_room_though_the_rating_has_changed(node: Node, kept: Kept) -> None:
    room = await made(node)
    kept.ratings = {ANNA.id: rating(1700, "60")}
    assert await made(node) == room
    assert told(node, room) == [ANNAS, None]


async def test_paired_players_have_standings_and_a_rematch_has_new_ones(
    node: Node, kept: Kept
) -> None:
    players = (holder(ANNA, registered=True), holder(BERT, registered=True))
    room = await node.rooms.start(*players, asked())
    assert told(node, room) == [ANNAS, BERTS]
    kept.ratings[BERT.id] = rating(1521, "110")
    assert await node.rooms.start(*players, asked()) == room
    await node.resign(ANNA, room)
    await node.rooms.agree(ANNA, Offer(id=1, room=room, what="rematch", nonce="o"))
    accept = Accept(id=1, room=room, what="rematch", turn=0, nonce="a")
    await node.rooms.agree(BERT, accept)
    rematch = node.kept(room).rematch
    assert rematch is not None
    assert told(node, rematch) == [Standing(1521, 110), ANNAS]


async def test_joining_a_seat_already_held_asks_for_no_standing(node: Node, kept: Kept) -> None:
    room = await made(node)
    await node.take(BERT, room)
    kept.asked.clear()
    await node.take(BERT, room)
    await node.take(BERT, room, nonce="again")
    assert kept.asked == []
