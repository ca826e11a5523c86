"""The fold: what a log tells, and what no log could tell (law 2)."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Holder,
    Place,
    Renewed,
    Resigned,
    Seated,
)
from pierule_protocol.log.fold import Precomputed, fold
from pierule_protocol.messages import (
    Card,
    Result,
)
from pierule_protocol.state.position import digest, position_text
from pierule_protocol.state.room import (
    CorruptLog,
    Done,
    Room,
    UnknownGame,
    before,
    diff,
    room_card,
    room_digest,
    room_state,
)
from support.logs import START, folded, write
from support.reference import Reference, each_reference

CREATED = Created("loose", 5, "anna", "Anna", "n0", 0)
SEATED = Seated(1, "bert", "Bert", "n1")
OPENED = (CREATED, SEATED)
STARTED = (*OPENED, Acted(0, "komi:12"), Acted(1, "black"))


def room_of(*records: AnyRecord) -> Room:
    return folded(write(EMPTY, *records))


def then(room: Room, *records: AnyRecord | str) -> list[Entry]:
    return write(room.place, *records)


# --- what a log tells -----------------------------------------------------------------------


@each_reference
def test_a_whole_game_is_folded_position_by_position(reference: Reference) -> None:
    room = None
    positions = reference.positions()
    opening = next(positions)
    for number, entry in enumerate(reference.log()):
        room = fold(room, "room", entry)
        expected = opening if number < 3 else next(positions)
        assert room.position == expected
        assert room.place == entry.place
        assert room.at == entry.at
        assert room.turn == len(room.actions) == max(0, number - 2)
        assert room_digest(room) == digest(position_text(expected))
        over = expected.winner is not None
        assert room.status == ("over" if over else "open" if number < 2 else "running")
    assert room is not None
    assert room.actions == list(reference.actions)
    assert room.result == Result(expected.winner or 0, "played")


def test_the_first_event_makes_the_room() -> None:
    room = room_of(Created("taugo", 8, "anna", "Anna", "n0"))
    opening = GAMES["taugo"].opening(8)
    expected = Room(
        "room",
        room.place,
        room.at,
        room.created,
        opening,
        [None, None],
        clock=None,
        kept=[opening],
        unrated="before",
    )
    expected.effects["anna", "n0"] = Done(room.created, room.place, 0)
    assert room == expected
    assert room.status == "open"
    assert (room.place.epoch, room.place.seq, room.at) == (1, 1, START + 1000)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_maker_may_sit_down_at_once(seat: Any) -> None:
    room = room_of(Created("taugo", 8, "anna", "Anna", "n0", seat))
    assert room.seats[seat] == Holder("anna", "Anna")
    assert room.seats[1 - seat] is None
    assert room.seats_of("anna") == [seat]
    assert room.seats_of("bert") == []


def test_the_second_seat_starts_the_game() -> None:
    room = room_of(*OPENED)
    assert room.status == "running"
    assert room.seats == [Holder("anna", "Anna"), Holder("bert", "Bert")]
    assert room.effects["bert", "n1"] == Done(SEATED, room.place, 0)


def test_one_user_may_hold_both_seats() -> None:
    room = room_of(CREATED, Seated(1, "anna", "Anna", "n1"))
    assert room.seats_of("anna") == [0, 1]


def test_the_fold_remembers_the_action_of_each_turn() -> None:
    room = room_of(*STARTED)
    assert [done.record for done in room.turns] == list(STARTED[2:])
    assert [done.turn for done in room.turns] == [1, 2]
    assert [done.place.seq for done in room.turns] == [3, 4]


@pytest.mark.parametrize(("seat", "winner"), [(0, 1), (1, 0)])
def test_resigning_loses(seat: Any, winner: Any) -> None:
    room = room_of(*STARTED, Resigned(seat, "r"))
    assert room.result == Result(winner, "resigned")
    assert room.status == "over"
    assert room.turn == 2
    user = ("anna", "bert")[seat]
    assert room.effects[user, "r"] == Done(Resigned(seat, "r"), room.place, 2)


def test_a_new_epoch_changes_nothing_but_the_place() -> None:
    room = room_of(*STARTED)
    was = copy.deepcopy(room)
    (entry,) = then(room, Renewed())
    fold(room, "room", entry)
    assert room.place == Place(2, 5, entry.chain)
    was.place, was.at = room.place, room.at
    was.heard = [room.at, room.at]
    assert room == was
    assert fold(room, "room", then(room, Acted(1, "a1"))[0]).place.epoch == 2


def test_a_precomputed_position_is_used() -> None:
    room = room_of(*STARTED)
    position = room.position.play("c3")
    assert not isinstance(position, Refusal)
    (entry,) = then(room, Acted(1, "c3"))
    for precomputed in (None, Precomputed(2, "c3", position)):
        after = fold(copy.deepcopy(room), "room", entry, precomputed)
        assert after.position == position
    assert fold(room, "room", entry, Precomputed(2, "c3", position)).position is position


@pytest.mark.parametrize("precomputed", [(1, "c3"), (3, "c3"), (2, "c4")])
def test_a_precomputed_position_for_another_action_is_ignored(precomputed: tuple[int, str]) -> None:
    room = room_of(*STARTED)
    wrong = GAMES["loose"].opening(5)
    (entry,) = then(room, Acted(1, "c3"))
    after = fold(room, "room", entry, Precomputed(*precomputed, wrong))
    assert after.position.cells[12] != 0


# --- what no log could tell --------------------------------------------------------------------

OVER = (*STARTED, Resigned(0, "r"))

IMPOSSIBLE: dict[str, tuple[tuple[AnyRecord, ...], AnyRecord | str]] = {
    "an illegal action": (STARTED, Acted(1, "z9")),
    "an action spelled otherwise": (STARTED, Acted(1, "A1")),
    "an action of the other seat": (STARTED, Acted(0, "a1")),
    "an action of no seat": (STARTED, '{"kind":"acted","seat":2,"action":"a1"}'),
    "an action before the start": ((CREATED,), Acted(0, "komi:12")),
    "an action after a resignation": (OVER, Acted(1, "a1")),
    "an action after the end": ((*STARTED, Acted(1, "pass"), Acted(0, "pass")), Acted(1, "a1")),
    "the making of the room again": (STARTED, CREATED),
    "an empty seat that resigns": ((CREATED,), Resigned(1, "r")),
    "a resignation before the start": ((CREATED,), Resigned(0, "r")),
    "a resignation after the end": (OVER, Resigned(1, "r")),
    "a seat that is taken": (OPENED, Seated(1, "carl", "Carl", "n")),
    "a seat taken twice": (OPENED, Seated(1, "bert", "Bert", "n")),
    "no JSON": (STARTED, "garbage"),
    "no text": (STARTED, ""),
    "no map": (STARTED, "[1]"),
    "no kind": (STARTED, "{}"),
    "an unknown kind": (STARTED, '{"kind":"unheard"}'),
    "a field of the wrong type": (STARTED, '{"kind":"acted","seat":"1","action":"a1"}'),
    "a field too few": (STARTED, '{"kind":"acted","seat":1}'),
    "a depth without end": (STARTED, '{"kind":"acted","x":' + "[" * 100_000),
}

NO_BEGINNING: dict[str, AnyRecord | str] = {
    "a seat": Seated(0, "anna", "Anna", "n"),
    "an action": Acted(0, "komi:12"),
    "a resignation": Resigned(0, "n"),
    "a new epoch": Renewed(),
    "garbage": "garbage",
}


@pytest.mark.parametrize(("records", "wrong"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_event_is_a_corrupt_log(
    records: tuple[AnyRecord, ...], wrong: AnyRecord | str
) -> None:
    room = room_of(*records)
    was = copy.deepcopy(room)
    with pytest.raises(CorruptLog, match="room"):
        fold(room, "room", then(room, wrong)[0])
    assert room == was


@pytest.mark.parametrize("wrong", NO_BEGINNING.values(), ids=NO_BEGINNING)
def test_an_impossible_first_event_is_a_corrupt_log(wrong: AnyRecord | str) -> None:
    with pytest.raises(CorruptLog, match="room"):
        fold(None, "room", write(EMPTY, wrong)[0])


@pytest.mark.parametrize(
    ("game", "size", "rules"), [("chess", 8, 1), ("loose", 6, 1), ("loose", 5, 2)]
)
def test_a_game_that_is_not_known_is_no_damage(game: str, size: int, rules: int) -> None:
    made = Created(game, size, "anna", "Anna", "n", rules=rules)
    with pytest.raises(UnknownGame, match=f"room: the room needs {game} rules {rules}"):
        fold(None, "room", write(EMPTY, made)[0])


def test_an_entry_that_does_not_follow_is_a_corrupt_log() -> None:
    room = room_of(*STARTED)
    entries = then(room, Acted(1, "a1"), Acted(0, "b1"))
    other = room_of(*STARTED, Acted(1, "c1"))
    for wrong in (entries[1], write(EMPTY, *STARTED)[-1], then(other, Acted(0, "b1"))[0]):
        was = copy.deepcopy(room)
        with pytest.raises(CorruptLog, match="does not follow"):
            fold(room, "room", wrong)
        assert room == was
    with pytest.raises(CorruptLog, match="does not follow"):
        fold(None, "room", write(EMPTY, *STARTED)[1])
    for field, value in [("chain", 1), ("at", 1), ("seq", 6), ("epoch", 0), ("record", "{}")]:
        with pytest.raises(CorruptLog, match="does not follow"):
            fold(room, "room", msgspec.structs.replace(entries[0], **{field: value}))


@given(st.text(), st.booleans())
def test_any_text_is_folded_or_a_corrupt_log(text: str, first: bool) -> None:
    room = None if first else room_of(*STARTED)
    with suppress(CorruptLog):
        fold(room, "room", write(room.place if room else EMPTY, text)[0])


# --- what an event changes ---------------------------------------------------------------------

FIELDS = ("status", "seats", "turn", "ply", "position", "result")
SCALARS = ("phase", "to_act", "black", "komi", "passes", "score", "winner")


def naive_diff(old: Room, new: Room) -> dict[str, Any]:
    """Both states compared field by field, by someone who knows nothing of events."""
    was, now = room_state(old), room_state(new)
    changed: dict[str, Any] = {
        name: getattr(now, name) for name in FIELDS if getattr(now, name) != getattr(was, name)
    }
    if now.actions != was.actions:
        assert now.actions[: was.ply] == was.actions
        changed["actions"] = now.actions[was.ply :]
    if "position" in changed:
        cells = enumerate(zip(was.position.cells, now.position.cells, strict=True))
        changed["position"] = {
            name: getattr(now.position, name)
            for name in SCALARS
            if getattr(now.position, name) != getattr(was.position, name)
        }
        pairs = [(index, new) for index, (old, new) in cells if old != new]
        if pairs:
            changed["position"]["cells"] = pairs
    return changed


def carried(part: Any) -> dict[str, Any]:
    """The fields that a diff sets."""
    found = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if value is not UNSET:
            found[name] = carried(value) if name == "position" else value
    return found


def check_diffs(entries: list[Entry]) -> list[dict[str, Any]]:
    room = fold(None, "room", entries[0])
    diffs = []
    for entry in entries[1:]:
        was, noted = copy.deepcopy(room), before(room)
        fold(room, "room", entry)
        diffs.append(carried(diff(noted, room)))
        assert diffs[-1] == naive_diff(was, room)
    return diffs


@each_reference
def test_a_diff_has_only_the_changed_fields(reference: Reference) -> None:
    check_diffs(reference.log())


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (SEATED, {"seats", "status"}),
        (Renewed(), set()),
    ],
)
def test_the_diff_of_a_seat_names_seats_and_status(record: AnyRecord, names: set[str]) -> None:
    assert set(check_diffs(write(EMPTY, CREATED, record))[-1]) == names


def test_the_diff_of_a_resignation_is_status_and_result() -> None:
    assert check_diffs(write(EMPTY, *OVER))[-1] == {
        "status": "over",
        "result": Result(1, "resigned"),
    }


def test_the_first_of_two_seats_leaves_the_room_open() -> None:
    made = Created("loose", 5, "anna", "Anna", "n0")
    taken = Seated(1, "bert", "Bert", "n")
    assert check_diffs(write(EMPTY, made, taken)) == [{"seats": (None, Holder("bert", "Bert"))}]


# --- what others see of it ---------------------------------------------------------------------


def test_a_card_shows_status_names_and_turn() -> None:
    assert room_card(room_of(CREATED)) == Card(
        room="room", game="loose", size=5, status="open", names=("Anna", None), turn=0,
        at=START + 1000,
    )  # fmt: skip
    assert room_card(room_of(*STARTED)) == Card(
        room="room", game="loose", size=5, status="running", names=("Anna", "Bert"), turn=2,
        at=START + 4000,
    )  # fmt: skip


def test_a_state_is_a_copy() -> None:
    room = room_of(*STARTED)
    state = room_state(room)
    was = copy.deepcopy(state)
    fold(room, "room", then(room, Acted(1, "a1"))[0])
    assert state == was


# --- rooms that begin with both in their seats ------------------------------------------------


def test_a_room_can_begin_with_both_players_seated() -> None:
    players = (Holder("bert", "Bert"), Holder("anna", "Anna"))
    created = msgspec.structs.replace(
        CREATED, seat=None, players=players, clock=Fischer(main=300, increment=3)
    )
    room = room_of(created)
    assert room.status == "running"
    assert room.seats == list(players)
    assert room.clock is not None
    assert (room.clock.running, room.clock.deadline) == (0, room.deadline)
    assert room.deadline == room.at + room.clock.allowance(0)
