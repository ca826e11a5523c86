"""House bots as anchors: which bots have fixed ratings, and when a game against them counts
(SPEC 30.9)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_protocol.house_bots import NAMES, house_id, level_of
from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Accept, Create, Offer
from pierule_ratings import Rating
from pierule_server.identity.tokens import User
from pierule_server.rooms.fair_play import LEFT
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.store.tables.accounts import Account
from support.nodes import ANNA, CARL, Node, holder, running

NODE = "0123456789ab"
OTTO = User(house_id("search", NODE), "Otto", bot=True, house=True)
OTTOS = Standing(GAMES["loose"].anchors["search"], 30)
STRANGER = User("0123456789abcdef", "Otto", bot=True)


class Empty:
    """An archive without a rated game."""

    async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
        assert not [player for player in players if level_of(player)]
        return {}


def rates(node: Node, *, rate_bots: bool) -> None:
    """Switch it as the operators do, with a restart."""
    standings = Standings(Empty(), lambda: 0, rate_bots=rate_bots)
    node.rooms = Rooms(node.hub, node.log, node.log.tables, standings=standings)


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    """Anna is registered, Carl is a guest, and games against house bots count."""
    async with running() as [made]:
        await made.log.tables.accounts.keep(ANNA.id, Account(ANNA.name, "anna"))
        rates(made, rate_bots=True)
        yield made


def asked(**options: Any) -> Create:
    return Create(id=1, **{"nonce": "n", "game": "loose", "size": 5, "seat": 0, **options})


async def room_of(node: Node, bot: User, **options: Any) -> str:
    """A room in which a bot waits."""
    room = (await node.rooms.create(bot, asked(**options))).room
    assert room is not None
    return room


def told(node: Node, room: str) -> list[Standing | None]:
    return [seat.standing if seat else None for seat in node.kept(room).seats]


async def test_a_room_of_a_house_bot_counts_for_whoever_has_a_name(node: Node) -> None:
    room = await room_of(node, OTTO)
    assert (told(node, room), node.kept(room).unrated) == ([OTTOS, None], None)
    await node.take(ANNA, room, 1)
    assert (told(node, room), node.kept(room).unrated) == ([OTTOS, None], None)
    other = await room_of(node, OTTO, nonce="other")
    await node.take(CARL, other, 1)
    assert node.kept(other).unrated == "guest"


async def test_a_pairing_with_a_house_bot_counts_and_its_rematch_follows_the_setting(
    node: Node,
) -> None:
    players = holder(ANNA, registered=True), holder(OTTO)
    room = await node.rooms.start(*players, asked())
    assert (told(node, room), node.kept(room).unrated) == ([None, OTTOS], None)
    await node.resign(ANNA, room)
    rates(node, rate_bots=False)
    await node.rooms.agree(ANNA, Offer(id=1, room=room, what="rematch", nonce="o"))
    await node.rooms.agree(OTTO, Accept(id=1, room=room, what="rematch", turn=0, nonce="a"))
    rematch = node.kept(room).rematch
    assert rematch is not None
    assert (told(node, rematch), node.kept(rematch).unrated) == ([None, None], "bot")
    assert node.kept(room).unrated == "short"  # it began as one that counts


@pytest.mark.parametrize(
    ("bot", "options", "why"),
    [
        (OTTO, {"rated": "no"}, "wish"),
        (OTTO, {"access": "private", "invitation": "i" * 20}, "private"),
        (STRANGER, {}, "bot"),
        (User(house_id("oracle", NODE), "Oracle", bot=True, house=True), {}, "bot"),
        (User("house-search", "Otto", bot=True), {}, "bot"),
    ],
    ids=["not wished", "private", "a client's own bot", "a level without one", "another id"],
)
async def test_other_games_against_bots_count_for_nobody(
    node: Node, bot: User, options: dict[str, Any], why: str
) -> None:
    room = await room_of(node, bot, **options)
    assert (told(node, room), node.kept(room).unrated) == ([None, None], why)
    assert not any("standing" in entry.record for entry in node.entries(room))


async def test_without_the_setting_no_game_against_a_bot_counts(node: Node) -> None:
    rates(node, rate_bots=False)
    room = await room_of(node, OTTO)
    assert (told(node, room), node.kept(room).unrated) == ([None, None], "bot")


async def test_a_game_of_two_bots_does_not_count(node: Node) -> None:
    room = await room_of(node, OTTO)
    await node.take(User(house_id("random", NODE), "Pip", bot=True, house=True), room, 1)
    assert node.kept(room).unrated == "bot"


async def test_games_against_house_bots_neither_need_nor_change_marks(node: Node) -> None:
    """They are about what people do to people (SPEC 30.7)."""
    inboxes = node.log.tables.inboxes
    for number in range(9):
        await inboxes.put(ANNA.id, f"{LEFT}room{number}", str(node.log.now()), 60_000)
    room = await room_of(node, OTTO)
    await node.take(ANNA, room, 1)
    before = await inboxes.read(ANNA.id)
    for turn, (user, action) in enumerate(
        [(OTTO, "komi:12"), (ANNA, "black"), (ANNA, "a1"), (OTTO, "c3")]
    ):
        await node.act(user, room, turn, action)
    await node.resign(OTTO, room)
    over = node.kept(room)
    assert (over.status, over.unrated) == ("over", None)
    await node.rooms.fair_play.over(over, over.at)
    assert await inboxes.read(ANNA.id) == before


def test_every_game_has_an_anchor_for_every_level() -> None:
    """The stronger the level, the higher it is, and the strongest is where people begin."""
    for game in GAMES.values():
        values = [game.anchors[level] for level in NAMES]
        assert (values, game.anchors["search"]) == (sorted(values), 1500)


@given(st.text(max_size=40) | st.from_regex(r"house-.*"))
def test_only_ids_that_nodes_make_have_a_level(user: str) -> None:
    level = level_of(user)
    assert level is None or user == house_id(level, user[-12:])
    assert level_of(house_id("one-step", NODE)) == "one-step"
