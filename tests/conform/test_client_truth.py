"""The scripted truth is a room that the reference mirror can follow, and the judge holds to it."""

from __future__ import annotations

import msgspec
import pytest

from pierule_conform.contract import Board, Breach, Fault, Task, read_line
from pierule_conform.judge import Judge, expected
from pierule_conform.scenarios import LINES
from pierule_conform.truth import RIVAL, USER, Truth
from pierule_protocol.log.events import Holder
from pierule_protocol.messages import (
    Event,
    RoomState,
    Since,
)
from pierule_protocol.state.mirror import Trouble, advance, consistent


@pytest.fixture
def truth() -> Truth:
    truth = Truth("loose", 5, (Holder(USER, "Client"), RIVAL))
    for action in LINES["loose"][1].split()[:4]:
        truth.act(action)
    return truth


def followed(state: RoomState, event: Event) -> RoomState:
    after = advance(state, event)
    assert isinstance(after, RoomState), after
    return after


@pytest.mark.parametrize("game", LINES)
def test_every_state_of_the_truth_is_what_a_mirror_gets(game: str) -> None:
    size, line = LINES[game]
    truth = Truth(game, size, (None, RIVAL))
    truth.sit(0, Holder(USER, "Client"), "n")
    for action in line.split():
        truth.act(action)
    truth.resign(1)
    state = truth.kept[0].state
    for kept in truth.kept[1:]:
        state = followed(state, kept.event)
        assert state == kept.state
        assert consistent(state)
    assert state.status == "over"


def test_a_new_epoch_follows_or_forks(truth: Truth) -> None:
    before = truth.state
    follows = truth.renew()
    assert followed(before, follows).epoch == follows.at // 1000
    truth.cut(5)
    assert advance(before, truth.renew()) is Trouble.FORK
    assert truth.state.actions == before.actions[:2]


def test_an_event_of_a_future_kind_can_be_followed(truth: Truth) -> None:
    before, back = truth.state, truth.kept[-2].state
    after = followed(before, truth.undo())
    assert after == truth.state
    assert (after.actions, after.position) == (back.actions, back.position)
    assert after.turn == before.turn + 1
    followed(after, truth.act("d3"))


def test_the_truth_gives_the_events_after_a_place(truth: Truth) -> None:
    place = truth.kept[4].state.place
    missed = truth.after(Since(place.epoch, place.seq, place.chain))
    assert missed is not None
    assert [event.seq for event in missed] == [6, 7]
    assert truth.after(Since(place.epoch, place.seq, place.chain ^ 1)) is None


def test_boards_must_be_reported_in_order(truth: Truth) -> None:
    judge = Judge(truth, "6.2")
    fifth, sixth, seventh = (kept.state for kept in truth.kept[4:])
    judge.told(fifth, "snapshot")
    judge.told(sixth, "event")
    judge.told(seventh, "event")
    judge.report(expected(fifth))
    judge.report(expected(fifth))  # told again: no harm
    assert judge.waiting is not None
    with pytest.raises(Breach, match=r"event 6 .* was not reported"):
        judge.report(expected(seventh))
    judge.lost()
    assert judge.waiting is None
    judge.report(expected(seventh))
    with pytest.raises(Breach, match="reported again"):
        judge.report(expected(sixth))


def test_a_state_that_is_sent_twice_is_due_once(truth: Truth) -> None:
    judge = Judge(truth, "6.2")
    sixth, seventh = (kept.state for kept in truth.kept[5:])
    for state in (sixth, seventh, sixth, seventh):
        judge.told(state, "event")
    judge.report(expected(sixth))
    judge.report(expected(seventh))
    assert judge.waiting is None
    judge.told(seventh, "event")
    assert judge.waiting is None


@pytest.mark.parametrize(
    ("by", "tricked", "changes", "section"),
    [
        ("snapshot", False, {"text": "loose"}, "5.3"),
        ("snapshot", False, {"turn": 9}, "4.1"),
        ("event", False, {"text": "loose"}, "4.2"),
        ("event", True, {"text": "loose"}, "6.2"),
        ("event", True, {"actions": []}, "4.2"),
    ],
)
def test_a_wrong_board_breaks_a_section(
    truth: Truth, by: str, tricked: bool, changes: dict[str, object], section: str
) -> None:
    judge = Judge(truth, "6.2")
    judge.tricked = tricked
    judge.told(truth.state, by)
    with pytest.raises(Breach) as breach:
        judge.report(msgspec.structs.replace(expected(truth.state), **changes))
    assert breach.value.section == section


def test_a_board_of_a_false_event_is_a_breach(truth: Truth) -> None:
    judge = Judge(truth, "6.2")
    judge.distrusted = truth.place.epoch, truth.place.seq
    with pytest.raises(Breach, match="does not fit"):
        judge.report(expected(truth.state))
    with pytest.raises(Breach, match="never had"):
        judge.report(msgspec.structs.replace(expected(truth.state), seq=99))


def test_lines_of_a_client_are_boards_or_faults() -> None:
    assert read_line(b'{"fault": "no use"}\n') == Fault("no use")
    line = b'{"epoch":1,"seq":2,"turn":0,"status":"open","actions":[],"text":"x","more":1}'
    assert read_line(line) == Board(1, 2, 0, "open", [], "x")
    for bad in (b"connected", b'{"epoch":1}', b"[]", b"\xff", b'{"fault": 1}', b"[" * 9999):
        with pytest.raises(Breach) as breach:
            read_line(bad)
        assert breach.value.section == "contract"


def test_the_environment_of_a_client_describes_its_task() -> None:
    assert Task("kobadimu", 0, ("e5", "pass"), "t").environment(["ws://a", "ws://b"]) == {
        "PIERULE_URL": "ws://a ws://b",
        "PIERULE_ROOM": "kobadimu",
        "PIERULE_SEAT": "0",
        "PIERULE_ACTIONS": "e5 pass",
        "PIERULE_TOKEN": "t",
        "PIERULE_BOT": "",
    }
    assert Task("kobadimu").environment(["ws://a"])["PIERULE_SEAT"] == ""
