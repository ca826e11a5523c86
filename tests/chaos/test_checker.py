"""The checker finds each kind of broken promise in a hand-made journal, and none in a true one."""

from __future__ import annotations

import msgspec
import pytest

from chaos.checker import fail_overs, outages
from chaos.forge import PORT, ROOM, Forge
from chaos.world import Happened
from pierule_protocol.log.controls import Turnwise
from pierule_protocol.log.events import Acted, Credited, Flagged, Place, Renewed, chain
from pierule_protocol.messages import (
    Act,
    Error,
    Event,
    Join,
    Leave,
    Ok,
    Ping,
    ProvenPlace,
    Snapshot,
)
from pierule_protocol.state.room import room_state

KEPT = "what is acknowledged is kept"
ONCE = "an action happens once"
SOUND = "the log is sound"
BOARD = "no board differs from the log"
BEHIND = "nobody is left behind"
TWICE = "nobody sees an event twice, differently"
RETRY = "a retry is answered as at first"
ANSWERED = "every request is answered"
FLAG = "no flag falls wrongly"
BACK = "everybody comes back"


@pytest.fixture
def forge() -> Forge:
    forge = Forge()
    for action in ("komi:4", "black", "a1"):
        forge.play(action)
    return forge


def test_a_true_story_breaks_no_promise(forge: Forge) -> None:
    verdict = forge.verdict()
    assert verdict.violations == []
    assert verdict.counts["acknowledged"] == 3
    assert verdict.counts["desyncs seen"] == 0
    assert verdict.latest < 0.001


def test_a_lost_action_is_counted(forge: Forge) -> None:
    event = forge.play("b2", tell=False)
    forge.ada.act(3, "b2", event)
    forge.log.pop()
    assert forge.verdict().counts["lost"] == 1


def test_a_lost_acknowledged_action_breaks_a_promise(forge: Forge) -> None:
    forge.log.pop()
    assert KEPT in forge.broken()


def test_an_action_at_another_place_is_counted_as_misplaced(forge: Forge) -> None:
    event = forge.play("b2", tell=False)
    forge.tell(event)
    forge.ada.act(3, "b2", msgspec.structs.replace(event, seq=event.seq + 1))
    verdict = forge.verdict()
    assert {each.promise for each in verdict.violations} == {KEPT}
    assert (verdict.counts["lost"], verdict.counts["misplaced"]) == (0, 1)


def test_an_action_that_nobody_sent_is_counted_as_doubled(forge: Forge) -> None:
    """In the log there is an action that nobody asked for."""
    forge.tell(forge.play("b2", tell=False))
    verdict = forge.verdict()
    assert {each.promise for each in verdict.violations} == {ONCE}
    assert verdict.counts["doubled"] == 1


def test_a_missing_log_breaks_promises(forge: Forge) -> None:
    forge.log.clear()
    assert {SOUND, KEPT} <= forge.broken()


@pytest.mark.parametrize(
    "change", [{"chain": 1}, {"seq": 9}, {"epoch": 2}, {"at": 5}, {"digest": 1}]
)
def test_an_impossible_log_is_found(forge: Forge, change: dict[str, int]) -> None:
    forge.log[-1] = msgspec.structs.replace(forge.log[-1], **change)
    assert SOUND in forge.broken()


def test_a_retry_with_another_answer_breaks_a_promise(forge: Forge) -> None:
    forge.ada.act(0, "komi:4", forge.events[3])
    assert RETRY in forge.broken()


def test_a_refused_retry_breaks_a_promise(forge: Forge) -> None:
    forge.now += 1
    again = forge.ada.send(Act(id=0, room=ROOM, turn=0, action="komi:4"))
    forge.ada.get(Error(id=again, code="stale", text=""))
    assert forge.broken() == {RETRY}


def test_what_was_refused_before_it_was_kept_breaks_no_promise(forge: Forge) -> None:
    """By the log's time, it was kept before: the store's clock is behind."""
    forge.now += 1
    act = Act(id=0, room=ROOM, turn=3, action="b2")
    forge.ada.get(Error(id=forge.ada.send(act), code="stale", text=""))
    forge.now += 1
    event = forge.append(Acted(0, "b2"), at=forge.now - 1.5)
    forge.tell(event)
    forge.ada.act(3, "b2", event)
    assert forge.broken() == set()
    forge.now += 1
    forge.ada.get(Error(id=forge.ada.send(act), code="stale", text=""))
    assert forge.broken() == {RETRY}


def test_a_retryable_refusal_is_not_a_refused_retry(forge: Forge) -> None:
    forge.now += 1
    again = forge.ada.send(Act(id=0, room=ROOM, turn=0, action="komi:4"))
    forge.ada.get(Error(id=again, code="unavailable", text=""))
    assert forge.broken() == set()


def test_a_request_without_an_answer_breaks_a_promise(forge: Forge) -> None:
    forge.eve.send(Ping(id=0))
    assert forge.broken() == {ANSWERED}


def test_two_answers_to_a_request_break_a_promise(forge: Forge) -> None:
    forge.eve.get(Ok(id=1))
    assert forge.broken() == {f"{ANSWERED} once"}


def test_a_request_lost_with_its_connection_breaks_no_promise(forge: Forge) -> None:
    forge.eve.send(Ping(id=0))
    forge.eve.note("closed")
    forge.eve.connect()
    assert forge.broken() == set()


def test_an_event_that_never_came_breaks_a_promise(forge: Forge) -> None:
    event = forge.play("b2", tell=False)
    forge.ada.act(3, "b2", event)
    forge.ada.get(event)
    forge.bea.get(event)
    verdict = forge.verdict()
    assert {each.promise for each in verdict.violations} == {BEHIND}
    assert "eve" in verdict.violations[0].text
    assert verdict.counts["undetected desyncs"] == 1


def test_a_late_event_breaks_a_promise(forge: Forge) -> None:
    event = forge.play("b2", tell=False)
    forge.ada.act(3, "b2", event)
    forge.now += 30
    forge.tell(event)
    assert forge.broken() == {BEHIND}


@pytest.mark.parametrize("left", [True, False])
def test_events_are_due_after_the_latest_of_join_and_leave(forge: Forge, left: bool) -> None:
    """The requests of a connection are done in their order: nothing is to come after the leave."""
    eve = forge.eve
    requests = [Join(id=0, room=ROOM), Leave(id=0, room=ROOM)]
    asked = [eve.send(request) for request in (requests if left else reversed(requests))]
    join, leave = asked if left else reversed(asked)
    eve.get(Ok(id=join, room=ROOM, place=ProvenPlace.of(forge.folded.place), resumed=False))
    eve.get(Snapshot(state=room_state(forge.folded)))
    eve.get(Ok(id=leave, room=ROOM))
    event = forge.play("b2", tell=False)
    forge.ada.act(3, "b2", event)
    forge.ada.get(event)
    forge.bea.get(event)
    assert forge.broken() == (set() if left else {BEHIND})


def test_events_out_of_order_break_promises(forge: Forge) -> None:
    """A hole that is not mended is a desync; one that is mended is only counted."""
    first, second = forge.play("b2", tell=False), forge.play("c3", tell=False)
    forge.ada.act(3, "b2", first)
    forge.bea.act(4, "c3", second)
    for person in forge.people:
        person.get(second)
        person.get(first)
    assert {BOARD, BEHIND} <= forge.broken()


def test_a_mended_hole_breaks_no_promise(forge: Forge) -> None:
    first, second = forge.play("b2", tell=False), forge.play("c3", tell=False)
    forge.ada.act(3, "b2", first)
    forge.bea.act(4, "c3", second)
    for person in forge.people:
        person.get(second)
        person.ask(
            Join(id=0, room=ROOM), room=ROOM, place=ProvenPlace.of(forge.folded.place), resumed=True
        )
        person.get(first)
        person.get(second)
    verdict = forge.verdict()
    assert verdict.violations == []
    assert verdict.counts["desyncs seen"] == verdict.counts["desyncs repaired"] == 3


def test_duplicate_events_break_no_promise(forge: Forge) -> None:
    forge.tell(forge.events[-1])
    assert forge.broken() == set()


def test_an_event_sent_with_different_content_breaks_promises(forge: Forge) -> None:
    forge.eve.get(msgspec.structs.replace(forge.events[-1], chain=1))
    assert {TWICE, BOARD} <= forge.broken()


def test_an_event_missing_in_the_log_breaks_a_promise(forge: Forge) -> None:
    forge.tell(forge.play("b2", tell=False))
    forge.log.pop()
    assert BOARD in forge.broken()


@pytest.mark.parametrize("change", [{"digest": 1}, {"record": "{}"}])
def test_an_event_that_differs_from_the_log_breaks_a_promise(
    forge: Forge, change: dict[str, object]
) -> None:
    event = forge.play("b2", tell=False)
    forge.ada.act(3, "b2", event)
    forge.tell(msgspec.structs.replace(event, **change))
    assert BOARD in forge.broken()


def test_a_snapshot_that_differs_from_the_log_breaks_a_promise(forge: Forge) -> None:
    state = room_state(forge.folded)
    cells = [1, *state.position.cells[1:-1], 1]
    position = msgspec.structs.replace(state.position, cells=cells)
    forge.eve.get(Snapshot(state=msgspec.structs.replace(state, position=position)))
    assert forge.broken() == {BOARD}


def test_an_event_taken_back_by_a_new_epoch_is_accepted(forge: Forge) -> None:
    forge.tell(forge.play("b2", tell=False))
    forge.taken_back(1)
    forge.append(Renewed())
    for person in forge.people:
        person.get(Snapshot(state=room_state(forge.folded)))
    verdict = forge.verdict()
    assert verdict.violations == []
    assert verdict.counts["events taken back"] == verdict.counts["told by a new epoch"] == 3
    assert verdict.counts["desyncs seen"] == verdict.counts["desyncs repaired"] == 3


def test_an_event_taken_back_silently_is_reported(forge: Forge) -> None:
    forge.tell(forge.play("b2", tell=False))
    forge.taken_back(1)
    forge.append(Renewed())
    assert BOARD in forge.broken()


def test_an_event_taken_back_without_a_new_epoch_breaks_a_promise(forge: Forge) -> None:
    """Who sits is believed, and must be given one; who only watches may be the last that knows."""
    forge.eve.get(forge.play("b2", tell=False))
    forge.taken_back(1)
    forge.eve.get(Snapshot(state=room_state(forge.folded)))
    assert forge.verdict().violations == []
    forge.ada.get(forge.play("c3", tell=False))
    forge.taken_back(1)
    forge.ada.get(Snapshot(state=room_state(forge.folded)))
    assert forge.broken() == {"what is taken back begins an epoch"}


def test_an_event_that_is_lost_may_be_told_once_more_before_a_node_notices(forge: Forge) -> None:
    forge.ada.get(forge.play("b2", tell=False))
    again = Snapshot(state=room_state(forge.folded))
    forge.taken_back(1)
    forge.ada.get(again)
    forge.append(Renewed())
    for person in forge.people:
        person.get(Snapshot(state=room_state(forge.folded)))
    assert forge.verdict().violations == []


def test_a_connection_that_is_still_closing_is_not_left_behind(forge: Forge) -> None:
    """Somebody whose device lost power is back before their old connection has closed."""
    forge.ada.connect()
    forge.ada.join()
    forge.play("b2")
    assert forge.verdict().violations == []


def test_a_number_reused_after_a_fail_over_breaks_no_promise(forge: Forge) -> None:
    """A new epoch must have been between, that told of what was taken back."""
    forge.tell(forge.play("b2", tell=False))
    forge.taken_back(1)
    again = forge.play("c3", tell=False)
    forge.ada.act(3, "c3", again)
    forge.append(Renewed())
    for person in forge.people:
        person.get(Snapshot(state=room_state(forge.folded)))
        person.get(again)  # as who joins from an older place is told of it
    assert forge.verdict().violations == []


def test_a_number_reused_without_a_new_epoch_breaks_a_promise(forge: Forge) -> None:
    forge.tell(forge.play("b2", tell=False))
    forge.taken_back(1)
    forge.tell(forge.play("c3", tell=False))
    assert "nobody sees an event twice, differently" in forge.broken()


def test_an_event_taken_back_without_a_fail_over_breaks_a_promise(forge: Forge) -> None:
    forge.tell(forge.play("b2", tell=False))
    forge.taken_back(1)
    forge.happened.clear()
    forge.append(Renewed())
    for person in forge.people:
        person.get(Snapshot(state=room_state(forge.folded)))
    assert forge.broken() == {BOARD}


def test_a_fail_over_ends_by_the_clock_that_dated_what_it_lost() -> None:
    """The store's clock was set forward before it, or after it."""
    over = Happened("store fail-over", "store", 20.0, 21.0, [PORT])
    ahead, later = (
        Happened("store clock", "store", began, 30.0, [PORT], ahead=1.5) for began in (10.0, 25.0)
    )
    assert fail_overs([over]) == fail_overs([over, later]) == [21.0]
    assert fail_overs([ahead, over, later]) == [22.5]


@pytest.mark.parametrize(
    ("began", "ended", "ahead", "from_"),
    [
        (8.0, 12.0, 1.5, 11.5),  # it is right again before the outage is over
        (11.0, 20.0, -1.5, 11.5),
        (8.0, 12.0, -1.5, 10.0),  # these set it forward, or at another time
        (11.0, 20.0, 1.5, 10.0),
        (2.0, 8.0, 1.5, 10.0),
        (11.0, 20.0, -90.0, 14.0),
    ],
)
def test_a_clock_that_is_set_back_hides_a_part_of_an_outage(
    began: float, ended: float, ahead: float, from_: float
) -> None:
    away = Happened("store pause", "store", 10.0, 14.0, [PORT], outage=(10.0, 14.0))
    clock = Happened("store clock", "store", began, ended, [PORT], ahead=ahead)
    assert outages([clock, away]) == [(from_, 14.0)]


def test_an_acknowledged_event_taken_back_breaks_a_promise(forge: Forge) -> None:
    forge.play("b2")
    forge.taken_back(1)
    forge.append(Renewed())
    for person in forge.people:
        person.get(Snapshot(state=room_state(forge.folded)))
    assert forge.broken() == {KEPT}


def test_a_client_without_a_last_message_is_reported(forge: Forge) -> None:
    verdict = forge.verdict(last_words=False)
    assert {each.promise for each in verdict.violations} == {BACK}
    assert verdict.counts["did not come back"] == 3


def _flagged(forge: Forge, after: float) -> Event:
    forge.now += after
    event = forge.append(Flagged(1))
    forge.tell(event)
    return event


def test_a_flag_after_the_deadline_breaks_no_promise() -> None:
    forge = Forge(Turnwise(time=2))
    forge.play("komi:4")
    _flagged(forge, 5)
    assert forge.broken() == set()


def test_a_flag_before_the_deadline_breaks_a_promise() -> None:
    """The fold would refuse it, so the log is falsified afterwards."""
    forge = Forge(Turnwise(time=60))
    forge.play("komi:4")
    event = _flagged(forge, 70)
    early = msgspec.structs.replace(forge.log[-1], at=event.at - 65_000)
    place = Place(early.epoch, early.seq - 1, forge.log[-2].chain)
    link = chain(place.chain, early.epoch, early.seq, early.record.encode(), early.at)
    forge.log[-1] = msgspec.structs.replace(early, chain=link)
    assert FLAG in forge.broken()


@pytest.mark.parametrize("credited", [True, False])
def test_a_flag_within_an_outage_needs_a_credit(credited: bool) -> None:
    forge = Forge(Turnwise(time=2))
    forge.play("komi:4")
    began = forge.now + 0.1
    forge.happened.append(
        Happened("store kill", "store", began, began + 4, [9], (began, began + 4))
    )
    if credited:
        forge.now = began + 4
        lost = round(1_000 * began), round(1_000 * forge.now)
        forge.tell(forge.append(Credited(*lost)))
        _flagged(forge, 4)
    else:
        _flagged(forge, 4.5)
    assert (FLAG in forge.broken()) is not credited


def test_an_unreadable_record_is_reported(forge: Forge) -> None:
    forge.log[-1] = msgspec.structs.replace(forge.log[-1], record='{"kind":"acted","seat":0}')
    assert SOUND in forge.broken()
