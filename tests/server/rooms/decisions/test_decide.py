"""Every outcome of every decision, as tables over rooms made by the fold."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Place,
    Renewed,
    Resigned,
    Seated,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Seat
from pierule_protocol.state.room import (
    Done,
    Room,
    room_card,
)
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Append, Decision, Refused, act, resign, take_seat
from support.logs import folded, write

ANNA, BERT, CARL = User("anna", "Anna"), User("bert", "Bert"), User("carl", "Carl")

MADE = Created("loose", 5, "anna", "Anna", "made", 0)
EMPTY_ROOM = Created("loose", 5, "anna", "Anna", "made")
STARTED = (MADE, Seated(1, "bert", "Bert", "sat"))
# After this White, anna, is to act at turn 3.
PLAYED = (*STARTED, Acted(0, "komi:12"), Acted(1, "black"), Acted(1, "c3"))
RESIGNED = (*PLAYED, Resigned(0, "gave"))
PASSED = (*PLAYED, Acted(0, "pass"), Acted(1, "pass"))
ALONE = (MADE, Seated(1, "anna", "Anna", "sat"))


def room_of(*records: AnyRecord) -> Room:
    return folded(write(EMPTY, *records))


def refused(decision: Decision, code: Code, **fields: Any) -> Refused:
    assert isinstance(decision, Refused), decision
    assert (decision.code, decision.fields) == (code, fields)
    assert decision.text == str(decision) != ""
    return decision


def done(decision: Decision, seq: int, turn: int) -> Done:
    """Done already, by the event at `seq`."""
    assert isinstance(decision, Done), decision
    assert (decision.place.seq, decision.turn) == (seq, turn)
    return decision


def appended(decision: Decision, room: Room) -> Room:
    """The room after the record that is to be appended. What was said about it must be true."""
    assert isinstance(decision, Append), decision
    (entry,) = write(room.place, decision.record)
    was = copy.deepcopy(room)
    after = fold(room, room.id, entry)
    assert decision.turn == after.turn
    if decision.precomputed:
        assert decision.precomputed.position == after.position
        again = fold(was, room.id, entry, decision.precomputed)
        assert again == after
    card = room_card(after)
    assert (decision.card is None) == (card is None) == (after.status == "over")
    if decision.card is not None and card is not None:
        assert [getattr(decision.card, f) for f in card.__struct_fields__ if f != "at"] == [
            getattr(card, f) for f in card.__struct_fields__ if f != "at"
        ]
    return after


# --- act ---------------------------------------------------------------------------------------


def test_an_action_is_appended() -> None:
    room = room_of(*PLAYED)
    decision = act(room, ANNA, 3, "b3")
    assert isinstance(decision, Append)
    assert decision.record == Acted(0, "b3")
    assert decision.turn == 4
    after = appended(decision, room)
    assert after.actions[-1] == "b3"


def test_the_last_action_takes_the_room_out_of_the_listings() -> None:
    room = room_of(*PASSED[:-1])
    decision = act(room, BERT, 4, "pass")
    assert isinstance(decision, Append)
    assert decision.card is None
    assert appended(decision, room).status == "over"


@pytest.mark.parametrize(
    ("user", "turn", "action", "seq"),
    [(ANNA, 0, "komi:12", 3), (BERT, 1, "black", 4), (BERT, 2, "c3", 5)],
)
@pytest.mark.parametrize("records", [PLAYED, RESIGNED, PASSED, (*PLAYED, Renewed())])
def test_a_repeated_action_is_answered_as_the_first_time(
    records: tuple[AnyRecord, ...], user: User, turn: int, action: str, seq: int
) -> None:
    """Law 7, whatever has happened since."""
    found = done(act(room_of(*records), user, turn, action), seq, turn + 1)
    assert found.record == records[seq - 1]


@pytest.mark.parametrize(
    ("user", "turn", "action"),
    [
        (ANNA, 0, "komi:10"),  # another action at that turn
        (ANNA, 1, "black"),  # another seat's
        (BERT, 0, "komi:12"),
        (ANNA, 2, "b3"),
        (ANNA, 4, "b3"),  # a turn that has not come
        (ANNA, 2**31 - 1, "b3"),
    ],
)
def test_an_action_for_another_turn_is_stale_and_told_the_current_place(
    user: User, turn: int, action: str
) -> None:
    room = room_of(*PLAYED)
    refused(act(room, user, turn, action), Code.STALE, place=room.place, turn=3)


def test_an_action_for_another_epoch_is_stale_unless_it_was_played() -> None:
    """What was meant for a board that the store has lost is not played on another."""
    room = room_of(*PLAYED, Renewed())
    epoch = room.place.epoch
    assert isinstance(act(room, ANNA, 3, "b3", epoch=epoch), Append)
    for other in (epoch - 1, epoch + 1):
        refused(act(room, ANNA, 3, "b3", epoch=other), Code.STALE, place=room.place, turn=3)
        assert done(act(room, BERT, 2, "c3", epoch=other), 5, 3)


def test_a_stale_action_after_the_end_is_refused_as_stale() -> None:
    room = room_of(*RESIGNED)
    refused(act(room, ANNA, 2, "b3"), Code.STALE, place=room.place, turn=3)


@pytest.mark.parametrize("turn", [0, 2, 3, 4])
@pytest.mark.parametrize("records", [(MADE,), STARTED, PLAYED, RESIGNED])
def test_spectators_cannot_act(records: tuple[AnyRecord, ...], turn: int) -> None:
    refused(act(room_of(*records), CARL, turn, "komi:12"), Code.NOT_SEATED)


def test_no_action_is_accepted_before_both_sit() -> None:
    refused(act(room_of(MADE), ANNA, 0, "komi:12"), Code.NOT_STARTED)


def test_an_action_out_of_turn_is_refused() -> None:
    refused(act(room_of(*PLAYED), BERT, 3, "b3"), Code.NOT_YOUR_TURN)


@pytest.mark.parametrize("records", [RESIGNED, PASSED])
def test_no_action_is_accepted_after_the_end(records: tuple[AnyRecord, ...]) -> None:
    room = room_of(*records)
    refused(act(room, ANNA, room.turn, "b3"), Code.FINISHED)


@pytest.mark.parametrize(
    ("action", "rule", "points"),
    [
        ("c3", "occupied", ["c3"]),
        ("f1", "off_board", ["f1"]),
        ("nonsense", "spelling", []),
        ("", "spelling", []),
        ("A1", "spelling", []),
        ("b3 ", "spelling", []),
        ("komi:12", "spelling", []),
    ],
)
def test_an_illegal_action_says_which_rule_and_where(
    action: str, rule: str, points: list[str]
) -> None:
    found = refused(act(room_of(*PLAYED), ANNA, 3, action), Code.ILLEGAL, rule=rule, points=points)
    assert found.text != MEANINGS[Code.ILLEGAL].text


def test_a_user_with_both_seats_plays_both() -> None:
    room = room_of(*ALONE)
    for turn, action in enumerate(["komi:12", "black", "c3", "b3"]):
        decision = act(room, ANNA, turn, action)
        assert isinstance(decision, Append)
        seat: Any = (0, 1, 1, 0)[turn]
        assert decision.record == Acted(seat, action)
        room = appended(decision, room)
    done(act(room, ANNA, 1, "black"), 4, 2)


# --- take_seat ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "user", "seat", "taken"),
    [
        ((MADE,), BERT, 1, 1),
        ((MADE,), BERT, "any", 1),
        ((EMPTY_ROOM,), BERT, 0, 0),
        ((EMPTY_ROOM,), BERT, 1, 1),
        ((EMPTY_ROOM,), BERT, "any", 0),
        ((EMPTY_ROOM,), ANNA, "any", 0),
        ((MADE,), ANNA, 1, 1),
        ((EMPTY_ROOM, Seated(1, "bert", "Bert", "sat")), CARL, "any", 0),
    ],
)
def test_a_free_seat_is_taken(
    records: tuple[AnyRecord, ...], user: User, seat: Any, taken: Seat
) -> None:
    room = room_of(*records)
    decision = take_seat(room, user, seat, "new")
    assert isinstance(decision, Append)
    assert decision.record == Seated(taken, user.id, user.name, "new")
    assert appended(decision, room).seats_of(user.id)[-1] == taken


@pytest.mark.parametrize(
    ("records", "user", "seat"),
    [
        ((MADE,), BERT, 0),
        (STARTED, CARL, 0),
        (STARTED, CARL, 1),
        (STARTED, CARL, "any"),
        (PLAYED, CARL, "any"),
        (STARTED, BERT, 0),
    ],
)
def test_a_seat_of_somebody_else_cannot_be_taken(
    records: tuple[AnyRecord, ...], user: User, seat: Any
) -> None:
    refused(take_seat(room_of(*records), user, seat, "new"), Code.SEAT_TAKEN, field="seat")


@pytest.mark.parametrize(
    ("records", "user", "seat"),
    [
        ((MADE,), ANNA, 0),
        ((MADE,), ANNA, "any"),
        (PLAYED, BERT, 1),
        (PLAYED, BERT, "any"),
        (RESIGNED, BERT, 1),
        (ALONE, ANNA, 0),
        (ALONE, ANNA, 1),
        (ALONE, ANNA, "any"),
    ],
)
def test_a_seated_user_who_joins_again_keeps_the_seat(
    records: tuple[AnyRecord, ...], user: User, seat: Any
) -> None:
    """`any` of one who is seated is the seat that they have, and needs no event."""
    room = room_of(*records)
    done(take_seat(room, user, seat, "new"), room.place.seq, room.turn)


@pytest.mark.parametrize("seat", [1, "any"])
@pytest.mark.parametrize("records", [STARTED, PLAYED, RESIGNED])
def test_taking_a_seat_again_is_answered_as_it_was(
    records: tuple[AnyRecord, ...], seat: Any
) -> None:
    found = done(take_seat(room_of(*records), BERT, seat, "sat"), 2, 0)
    assert found.record == STARTED[1]


def test_no_seat_is_free_after_the_end() -> None:
    refused(take_seat(room_of(*RESIGNED), CARL, "any", "new"), Code.FINISHED)


@pytest.mark.parametrize(
    ("records", "user", "seat", "nonce"),
    [
        (RESIGNED, ANNA, 0, "gave"),  # of a resignation
        (STARTED, BERT, 0, "sat"),  # of the other seat
        ((EMPTY_ROOM,), ANNA, 0, "made"),  # of the room, which took no seat
        ((EMPTY_ROOM,), ANNA, "any", "made"),
        ((MADE,), ANNA, 1, "made"),
    ],
)
def test_a_nonce_that_was_used_for_something_else_takes_no_seat(
    records: tuple[AnyRecord, ...], user: User, seat: Any, nonce: str
) -> None:
    """It must not be answered with `ok`: the seat was not taken."""
    refused(take_seat(room_of(*records), user, seat, nonce), Code.BAD_FIELD, field="nonce")


def test_equal_nonces_of_different_users_do_not_clash() -> None:
    room = room_of(MADE)
    decision = take_seat(room, BERT, 1, "made")
    assert isinstance(decision, Append)
    appended(decision, room)


# --- resign ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "user", "seat", "given"),
    [
        (PLAYED, ANNA, None, 0),
        (PLAYED, ANNA, 0, 0),
        (PLAYED, BERT, None, 1),  # though it is not their turn
        (PLAYED, BERT, 1, 1),
        (STARTED, BERT, None, 1),
        (ALONE, ANNA, None, 0),  # the seat to act
        ((*ALONE, Acted(0, "komi:2")), ANNA, None, 1),
        (ALONE, ANNA, 1, 1),
    ],
)
def test_a_resignation_is_appended_for_the_right_seat(
    records: tuple[AnyRecord, ...], user: User, seat: Any, given: Seat
) -> None:
    room = room_of(*records)
    decision = resign(room, user, seat, "new")
    assert isinstance(decision, Append)
    assert decision.record == Resigned(given, "new")
    assert decision.card is None
    after = appended(decision, room)
    assert after.result is not None
    assert after.result.winner == 1 - given


@pytest.mark.parametrize("seat", [None, 0])
def test_a_repeated_resignation_is_answered_as_it_was(seat: Any) -> None:
    done(resign(room_of(*RESIGNED), ANNA, seat, "gave"), 6, 3)


@pytest.mark.parametrize(
    ("records", "user", "seat", "code", "fields"),
    [
        (PLAYED, CARL, None, Code.NOT_SEATED, {"field": None}),
        (PLAYED, CARL, 0, Code.NOT_SEATED, {"field": "seat"}),
        (PLAYED, ANNA, 1, Code.NOT_SEATED, {"field": "seat"}),
        ((MADE,), ANNA, None, Code.NOT_STARTED, {}),
        (RESIGNED, ANNA, None, Code.FINISHED, {}),
        (RESIGNED, BERT, None, Code.FINISHED, {}),
        (PASSED, BERT, None, Code.FINISHED, {}),
    ],
)
def test_only_a_player_can_resign(
    records: tuple[AnyRecord, ...], user: User, seat: Any, code: Code, fields: dict[str, Any]
) -> None:
    refused(resign(room_of(*records), user, seat, "new"), code, **fields)


@pytest.mark.parametrize(
    ("records", "user", "seat", "nonce"),
    [
        (PLAYED, ANNA, None, "made"),
        (PLAYED, BERT, None, "sat"),
        ((*ALONE, Resigned(0, "gave")), ANNA, 1, "gave"),
    ],
)
def test_a_nonce_that_was_used_for_something_else_resigns_nothing(
    records: tuple[AnyRecord, ...], user: User, seat: Any, nonce: str
) -> None:
    refused(resign(room_of(*records), user, seat, nonce), Code.BAD_FIELD, field="nonce")


# --- pure --------------------------------------------------------------------------------------


def test_deciding_does_not_change_the_room() -> None:
    room, again = room_of(*PLAYED), room_of(*PLAYED)
    for user in (ANNA, BERT, CARL):
        for action in ("b3", "c3", "x"):
            act(room, user, 3, action)
        take_seat(room, user, "any", "new")
        resign(room, user, None, "new")
    assert room == again


def test_a_refusal_has_its_own_text_or_that_of_the_table() -> None:
    assert str(Refused(Code.FINISHED)) == MEANINGS[Code.FINISHED].text
    better = Refused(Code.LIMIT, "too many rooms", place=Place(1, 2, 3))
    assert (better.text, better.fields) == ("too many rooms", {"place": Place(1, 2, 3)})
