"""A client without rules follows every room by snapshot and diffs alone (laws 6 and 13)."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from pierule_games import GAMES
from pierule_protocol.codec import Codec, client_codecs, server_codecs
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Renewed,
    Resigned,
    Seated,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Diff, Event, PositionDiff, RoomState, ServerMessage, Snapshot
from pierule_protocol.state.mirror import Trouble, advance, apply_diff, consistent
from pierule_protocol.state.position import digest, position_text
from pierule_protocol.state.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)
from support.logs import folded, write
from support.reference import Reference, each_reference

SERVER, CLIENT = server_codecs(), client_codecs()
NAMES = list(SERVER)

MADE = Created("loose", 5, "anna", "Anna", "n0", 0)
STARTED: tuple[AnyRecord, ...] = (
    MADE, Seated(1, "bert", "Bert", "n1"), Acted(0, "komi:12"), Acted(1, "black"),
)  # fmt: skip


def event_of(room: Room, entry: Entry) -> Event:
    """Fold an entry, and tell of it as a server does."""
    noted = before(room)
    fold(room, room.id, entry)
    return Event(
        room=room.id, epoch=entry.epoch, seq=entry.seq, chain=entry.chain, at=entry.at,
        record=entry.record, diff=diff(noted, room), digest=room_digest(room),
    )  # fmt: skip


def sent(name: str, message: ServerMessage) -> Any:
    """What arrives at a client."""
    codec: Codec[ServerMessage] = CLIENT[name]
    return codec.decode(SERVER[name].encode(message))


def events_of(*records: AnyRecord) -> tuple[RoomState, list[Event]]:
    """The state after the first record, and the events of the others."""
    first, *rest = write(EMPTY, *records)
    room = fold(None, "room", first)
    return room_state(room), [event_of(room, entry) for entry in rest]


def moved(state: RoomState | Trouble) -> RoomState:
    assert isinstance(state, RoomState), state
    return state


# --- following ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@each_reference
def test_snapshot_and_diffs_give_the_room(reference: Reference, name: str) -> None:
    """Through the codec, at every step; joining at any step is the same as having followed."""
    first, *rest = reference.log()
    room = fold(None, "room", first)
    mirrored: RoomState = sent(name, Snapshot(state=room_state(room))).state
    assert mirrored == room_state(room)
    for entry in rest:
        was = copy.deepcopy(mirrored)
        after = moved(advance(mirrored, sent(name, event_of(room, entry))))
        assert mirrored == was  # the old state is left alone
        mirrored = after
        assert mirrored == room_state(room)
        assert sent(name, Snapshot(state=mirrored)).state == mirrored
        assert consistent(mirrored)
    assert mirrored.status == "over"


@each_reference
def test_a_mirror_needs_no_rules(reference: Reference, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 13: with every rule gone a client still draws the board and writes the same text."""
    first, *rest = reference.log()
    room = fold(None, "room", first)
    state, events, texts = room_state(room), [], []
    for entry in rest:
        events.append(event_of(room, entry))
        texts.append(position_text(room.position))
    for rules in [game.newest for game in GAMES.values()]:
        for part in ("play", "actions", "count", "template", "opening", "restore"):
            monkeypatch.setattr(rules, part, None)
    monkeypatch.setattr("pierule_protocol.state.room.GAMES", {})
    for event, text in zip(events, texts, strict=True):
        state = moved(advance(state, event))
        assert position_text(state.position) == text
        assert digest(position_text(state.position)) == event.digest


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "last", [(Resigned(0, "r"),), (Renewed(),), (Renewed(), Acted(1, "a1")), (Acted(1, "pass"),)]
)
def test_a_mirror_follows_resignations_passes_and_new_epochs(
    name: str, last: tuple[AnyRecord, ...]
) -> None:
    state, events = events_of(*STARTED, *last)
    for event in events:
        state = moved(advance(state, sent(name, event)))
    assert state == room_state(folded(write(EMPTY, *STARTED, *last)))


def test_a_mirror_follows_a_room_from_empty_seats() -> None:
    made = Created("loose", 5, "anna", "Anna", "n0")
    state, events = events_of(made, Seated(1, "x", "X", "1"), Seated(0, "x", "X", "2"))
    assert state.seats == (None, None)
    for event in events:
        state = moved(advance(state, event))
    assert state.status == "running"


# --- what does not fit -------------------------------------------------------------------------


def followed() -> tuple[list[RoomState], list[Event]]:
    """The states of a room, and the events between them."""
    state, events = events_of(*STARTED, Acted(1, "c3"), Acted(0, "b3"))
    states = [state]
    for event in events:
        states.append(moved(advance(states[-1], event)))
    return states, events


def test_only_the_next_event_advances_a_mirror() -> None:
    """Exactly one event is the next; earlier ones were seen, later ones show a hole."""
    states, events = followed()
    for at, state in enumerate(states):
        for number, event in enumerate(events):
            found = advance(state, event)
            if number < at:
                assert found is Trouble.DUPLICATE
            elif number > at:
                assert found is Trouble.HOLE
            else:
                assert found == states[at + 1]


def test_an_event_twice_changes_nothing() -> None:
    states, events = followed()
    assert advance(states[-1], events[-1]) is Trouble.DUPLICATE


def test_an_event_of_another_past_is_a_fork() -> None:
    states, _ = followed()
    _, others = events_of(*STARTED, Acted(1, "c4"), Acted(0, "b3"))
    assert advance(states[-2], others[-1]) is Trouble.FORK
    assert advance(states[-1], others[-1]) is Trouble.FORK
    assert advance(states[-3], others[-2]) == moved(advance(states[-3], others[-2]))


@pytest.mark.parametrize("field", ["chain", "at", "record", "epoch"])
def test_a_changed_event_is_a_fork(field: str) -> None:
    states, events = followed()
    value = getattr(events[-1], field)
    changed = {field: value + 1 if isinstance(value, int) else value + " "}
    assert advance(states[-2], msgspec.structs.replace(events[-1], **changed)) is Trouble.FORK


def test_a_new_epoch_that_lost_events_is_a_fork() -> None:
    """The tail was lost: the new life goes on from a place that is already behind us."""
    states, _ = followed()
    _, others = events_of(*STARTED, Renewed(), Acted(1, "c3"), Acted(0, "b3"))
    for event in others[-3:]:
        assert advance(states[-1], event) is Trouble.FORK


def test_a_late_event_of_an_earlier_epoch_is_ignored() -> None:
    _, events = followed()
    state, others = events_of(*STARTED, Renewed())
    for event in others:
        state = moved(advance(state, event))
    assert state.epoch == 2
    for event in events:
        assert advance(state, event) is Trouble.DUPLICATE


def test_a_different_position_or_digest_is_a_mismatch() -> None:
    states, events = followed()
    state, event = states[-2], events[-1]
    wrong_digest = msgspec.structs.replace(event, digest=event.digest ^ 1)
    assert advance(state, wrong_digest) is Trouble.MISMATCH
    cells = state.position.cells.copy()
    cells[0] = 2
    wrong_board = msgspec.structs.replace(
        state, position=msgspec.structs.replace(state.position, cells=cells)
    )
    assert advance(wrong_board, event) is Trouble.MISMATCH
    assert not consistent(wrong_board)
    empty = msgspec.structs.replace(event, diff=Diff())
    assert advance(state, empty) is Trouble.MISMATCH


def test_an_event_that_does_not_fit_changes_nothing() -> None:
    states, events = followed()
    was = copy.deepcopy(states)
    for state in states:
        for event in events:
            advance(state, msgspec.structs.replace(event, digest=0))
    assert states == was


# --- diffs of events to come -------------------------------------------------------------------


def test_an_empty_diff_changes_nothing() -> None:
    states, _ = followed()
    assert apply_diff(states[-1], Diff()) == states[-1]


@pytest.mark.parametrize("ply", range(5))
def test_actions_can_be_taken_back(ply: int) -> None:
    """New actions end at the new ply; with none, a lower ply cuts."""
    state = followed()[0][-1]
    assert apply_diff(state, Diff(ply=ply)).actions == state.actions[:ply]
    if ply:
        after = apply_diff(state, Diff(ply=ply, actions=["z9"]))
        assert after.actions == [*state.actions[: ply - 1], "z9"]
        assert after.ply == len(after.actions) == ply


def test_null_in_a_diff_sets_the_field() -> None:
    """A field that is null becomes null; a field that is missing stays."""
    state = followed()[0][-1]
    after = apply_diff(state, Diff(position=PositionDiff(to_act=None, komi=None), result=None))
    assert (after.position.to_act, after.position.komi) == (None, None)
    assert after.position.black == state.position.black
    for name in NAMES:
        text = sent(name, Event(room="r", epoch=1, seq=1, chain=0, at=0, record="", digest=0,
                                diff=Diff(result=None)))  # fmt: skip
        assert text.diff.result is None
        assert text.diff.status is UNSET
