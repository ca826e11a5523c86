"""Making rooms, over the model of the store: once for each nonce, under ids that can be said."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Created, decode_record, encode_record
from pierule_protocol.messages import Create, Join, Ok, ProvenPlace
from pierule_server.identity.tokens import User
from pierule_server.rooms.making import SYLLABLES, TRIES, room_id_for
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.terms import AppendOptions
from support.nodes import ANNA, BERT, Fault, Node, placed, refused


def create(
    nonce: str = "n", game: str = "loose", size: int | None = None, seat: Any = None
) -> Create:
    return Create(id=9, nonce=nonce, game=game, size=size, seat=seat)


@pytest.mark.parametrize(
    ("game", "size", "made"),
    [(name, None, rules.default_size) for name, rules in GAMES.items()]
    + [(name, size, size) for name, rules in GAMES.items() for size in rules.sizes],
)
async def test_create_makes_a_room_with_one_event(
    node: Node, game: str, size: int | None, made: int
) -> None:
    answer = await node.rooms.create(ANNA, create(game=game, size=size, seat=1))
    room = answer.room
    assert room is not None
    (entry,) = node.entries(room)
    assert decode_record(entry.record) == Created(game, made, "anna", "", "n", 1, rated="either")
    assert entry.names == {"anna": "Anna"}
    assert answer == Ok(id=9, room=room, seats=[1], place=ProvenPlace.of(entry.place), turn=0)
    assert entry.place.epoch == entry.place.seq == 1
    assert node.log.subscribed == []  # making is not following


async def test_create_without_a_seat_takes_none(node: Node) -> None:
    answer = await node.rooms.create(ANNA, create())
    assert answer.seats == []


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (create(game="chess"), "game"),
        (create(game=""), "game"),
        (create(game="loose", size=6), "size"),
        (create(game="veletas", size=8), "size"),
        (create(game="taugo", size=99), "size"),
    ],
)
async def test_impossible_rooms_are_refused(node: Node, request_: Create, field: str) -> None:
    assert await refused(Code.BAD_FIELD, node.rooms.create(ANNA, request_)) == {"field": field}
    assert node.store.rooms == []


async def test_repeating_create_gives_the_same_room(two: list[Node]) -> None:
    """Law 7: on any node, with events since, and with another name."""
    here, _ = two
    first = await here.rooms.create(ANNA, create(seat=0))
    assert first.room is not None
    await here.take(BERT, first.room)
    await here.act(ANNA, first.room, 0, "komi:12")
    renamed = User("anna", "Annie")
    for node in two:
        assert await node.rooms.create(ANNA, create(seat=0)) == first
        assert await node.rooms.create(renamed, create(seat=0)) == first
    assert len(here.entries(first.room)) == 3
    assert len(here.store.rooms) == 1


@pytest.mark.parametrize("other", [create(seat=1), create(size=5), create(game="taugo")])
async def test_a_nonce_makes_one_room(node: Node, other: Create) -> None:
    await node.rooms.create(ANNA, create())
    assert await refused(Code.BAD_FIELD, node.rooms.create(ANNA, other)) == {"field": "nonce"}
    assert len(node.store.rooms) == 1


async def test_equal_nonces_of_different_users_make_different_rooms(node: Node) -> None:
    first = await node.rooms.create(ANNA, create())
    second = await node.rooms.create(BERT, create())
    assert first.room != second.room


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_create_is_retried_when_the_outcome_is_unknown(node: Node, fault: Fault) -> None:
    node.log.faults.append(fault)
    if fault == "before":
        with pytest.raises(StoreUnavailable):
            await node.rooms.create(ANNA, create())
        assert node.store.rooms == []
    answer = await node.rooms.create(ANNA, create())
    assert answer.room is not None
    assert len(node.store.rooms) == len(node.entries(answer.room)) == 1
    placed(node, answer.room, answer)


async def test_an_id_that_is_taken_is_passed_over(node: Node) -> None:
    taken = room_id_for("anna", "n", 0)
    await node.log.append(taken, *_first(BERT), AppendOptions())
    answer = await node.rooms.create(ANNA, create())
    assert answer.room == room_id_for("anna", "n", 1)
    assert (await node.rooms.create(ANNA, create())).room == answer.room
    assert len(node.entries(taken)) == 1


async def test_create_without_a_free_id_is_refused_with_limit(node: Node) -> None:
    for attempt in range(TRIES):
        await node.log.append(room_id_for("anna", "n", attempt), *_first(BERT), AppendOptions())
    await refused(Code.LIMIT, node.rooms.create(ANNA, create()))


@given(st.text(), st.text(), st.integers(0, TRIES))
def test_room_ids_can_be_pronounced(user: str, nonce: str, attempt: int) -> None:
    name = room_id_for(user, nonce, attempt)
    assert len(name) == 2 * SYLLABLES
    assert set(name[::2]) <= set("bdfghjklmnprstvz")
    assert set(name[1::2]) <= set("aeiou")
    msgspec.convert({"id": 1, "type": "join", "room": name}, Join)


def test_room_ids_are_stable_over_releases() -> None:
    """A retry after an upgrade must find its room."""
    ids = [room_id_for("anna", "n", attempt) for attempt in range(2)]
    assert ids == ["hazijamumolupo", "nisuzakutoposu"]
    assert len({room_id_for("u", str(number), 0) for number in range(2000)}) == 2000


def _first(user: User) -> tuple[Any, bytes]:
    return EMPTY, encode_record(Created("loose", 9, user.id, user.name, "x"))
