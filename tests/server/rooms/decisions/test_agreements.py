"""Who may agree on what, and when: the first reason that applies is told (SPEC 2.5, 19)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pierule_games.clock import PAUSE_TIME
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ABANDONED_TIME, REMATCH_TIME, Fischer
from pierule_protocol.log.events import (
    Acted,
    AnyRecord,
    Drawn,
    Offered,
    Paused,
    Rematched,
    Rematching,
    Resigned,
    TakenBack,
)
from pierule_protocol.messages import Abort, Accept, Decline, Offer, Withdraw
from pierule_protocol.state.room import Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.agreements import abort, accept, end_offer, lead_on, offer
from pierule_server.rooms.decisions.decide import Append, Decision, Refused
from pierule_server.terms import KEEP_DEADLINE, NO_DEADLINE, Deadline
from support.story import Story

ADA, BOB, EVE = User("ada", "Ada"), User("bob", "Bob"), User("eve", "Eve")
FISCHER = Fischer(main=60, increment=2)
BEGUN: list[AnyRecord] = [Acted(0, "c3"), Acted(1, "white"), Acted(1, "d4")]
DRAW = Offered(0, "draw", "o")


def room_after(*records: AnyRecord, **how: Any) -> Room:
    story = Story("taugo", 6, clock=how.pop("clock", FISCHER), **how)
    for record in records:
        story.add(record)
    return story.room


def code(decision: Decision) -> Code:
    assert isinstance(decision, Refused), decision
    return decision.code


def ask(kind: Any, **fields: Any) -> Any:
    return kind(id=1, room="kobadimu", nonce=fields.pop("nonce", "n"), **fields)


OVER: list[AnyRecord] = [Resigned(0, "r")]
PAUSED: list[AnyRecord] = [Offered(0, "pause", "o"), Paused(1, "p")]
CASES: list[tuple[Code, User, list[AnyRecord], str, dict[str, Any]]] = [
    (Code.NOT_SEATED, EVE, [], "draw", {}),
    (Code.NOT_SEATED, ADA, [], "draw", {"seat": 1}),
    (Code.NOT_SEATED, EVE, OVER, "rematch", {}),
    (Code.FINISHED, ADA, OVER, "draw", {}),
    (Code.NOT_NOW, ADA, [], "rematch", {}),
    (Code.NOT_NOW, ADA, [], "takeback", {}),
    (Code.NOT_NOW, ADA, [], "resume", {}),
    (Code.NOT_NOW, ADA, PAUSED, "takeback", {}),
    (Code.NOT_NOW, ADA, [DRAW], "pause", {}),
    (Code.NOT_NOW, ADA, [DRAW], "draw", {}),
    (Code.BAD_FIELD, ADA, [DRAW], "draw", {"nonce": "r0"}),
]


@pytest.mark.parametrize(("wanted", "user", "records", "what", "fields"), CASES)
def test_an_impossible_offer_is_refused_and_changes_nothing(
    wanted: Code, user: User, records: list[AnyRecord], what: str, fields: dict[str, Any]
) -> None:
    room = room_after(*records)
    if fields.get("nonce") == "r0":
        room.effects["ada", "r0"] = room.effects["ada", "n0"]
    before = copy.deepcopy(room)
    assert code(offer(room, user, ask(Offer, what=what, **fields))) == wanted
    assert room == before


def test_before_the_game_starts_only_an_abort_is_possible() -> None:
    room = room_after(open=True)
    assert code(offer(room, ADA, ask(Offer, what="draw"))) == Code.NOT_STARTED
    assert code(accept(room, ADA, ask(Accept, what="draw", turn=0))) == Code.NOT_STARTED
    assert isinstance(abort(room, ADA, ask(Abort)), Append)


@pytest.mark.parametrize("clock", [None, FISCHER])
def test_an_offer_keeps_the_deadline(clock: Any) -> None:
    decision = offer(room_after(*BEGUN, clock=clock), BOB, ask(Offer, what="takeback"))
    assert isinstance(decision, Append)
    assert decision.record == Offered(1, "takeback", "n")
    assert (decision.deadline, decision.timing, decision.turn) == (KEEP_DEADLINE, "in_time", 3)


def test_a_matching_offer_counts_as_acceptance() -> None:
    decision = offer(room_after(DRAW), BOB, ask(Offer, what="draw"))
    assert isinstance(decision, Append)
    assert decision.record == Drawn(1, "n")
    assert (decision.deadline, decision.card) == (NO_DEADLINE, None)
    both = room_after(*BEGUN, Offered(1, "takeback", "o"))
    decision = offer(both, ADA, ask(Offer, what="takeback"))
    assert isinstance(decision, Append)
    assert decision.record == Offered(0, "takeback", "n")


@pytest.mark.parametrize(
    ("user", "turn", "wanted"),
    [
        (EVE, 3, Code.NOT_SEATED),
        (ADA, 2, Code.STALE),
        (ADA, 4, Code.STALE),
        (BOB, 3, Code.NO_OFFER),
    ],
)
def test_an_impossible_acceptance_is_refused(user: User, turn: int, wanted: Code) -> None:
    room = room_after(*BEGUN, Offered(1, "takeback", "o"))
    assert code(accept(room, user, ask(Accept, what="takeback", turn=turn))) == wanted


def test_an_accepted_agreement_sets_the_deadline() -> None:
    back = room_after(*BEGUN, Offered(1, "takeback", "o"))
    decision = accept(back, ADA, ask(Accept, what="takeback", turn=3))
    assert isinstance(decision, Append)
    assert decision.record == TakenBack(0, "n")
    # Of seat 1's 60 s and quota one second was used when it chose its color.
    assert decision.deadline == Deadline("in", 59_000 + 3 * 710)
    assert decision.turn == 4
    untimed = room_after(*BEGUN, Offered(1, "takeback", "o"), clock=None)
    decision = accept(untimed, ADA, ask(Accept, what="takeback", turn=3))
    assert isinstance(decision, Append)
    assert decision.deadline == Deadline("idle", ABANDONED_TIME)
    decision = accept(room_after(PAUSED[0]), BOB, ask(Accept, what="pause", turn=0))
    assert isinstance(decision, Append)
    assert decision.deadline == Deadline("in", PAUSE_TIME)
    going = room_after(*PAUSED, Offered(0, "resume", "q"))
    decision = accept(going, BOB, ask(Accept, what="resume", turn=0))
    assert isinstance(decision, Append)
    assert decision.deadline == Deadline("in", 60_000 + 3 * 710 - 2_000)
    again = room_after(*OVER, Offered(0, "rematch", "q"))
    decision = accept(again, BOB, ask(Accept, what="rematch", turn=0))
    assert isinstance(decision, Append)
    assert decision.deadline == Deadline("idle", REMATCH_TIME)


@pytest.mark.parametrize(("user", "kind"), [(ADA, Decline), (BOB, Withdraw)])
def test_only_a_standing_offer_can_be_declined_or_withdrawn(user: User, kind: Any) -> None:
    assert code(end_offer(room_after(DRAW), user, ask(kind, what="draw"))) == Code.NO_OFFER
    assert code(end_offer(room_after(DRAW), user, ask(kind, what="pause"))) == Code.NO_OFFER
    assert code(end_offer(room_after(DRAW), EVE, ask(kind, what="draw"))) == Code.NOT_SEATED


def test_only_a_player_who_has_not_acted_can_abort() -> None:
    assert code(abort(room_after(*BEGUN), ADA, ask(Abort))) == Code.NOT_NOW
    assert code(abort(room_after(*BEGUN), EVE, ask(Abort))) == Code.NOT_SEATED
    assert code(abort(room_after(*OVER), ADA, ask(Abort))) == Code.FINISHED
    taken = room_after(*BEGUN, Offered(1, "takeback", "o"), TakenBack(0, "p"))
    assert code(abort(taken, BOB, ask(Abort))) == Code.NOT_NOW
    assert isinstance(abort(room_after(BEGUN[0]), BOB, ask(Abort)), Append)


def test_a_rematch_is_announced_once() -> None:
    made = room_after(*OVER, Offered(0, "rematch", "q"), Rematching(1, "s"))
    decision = lead_on(made, "lomitaze")
    assert isinstance(decision, Append)
    assert decision.record == Rematched(1, "s", "lomitaze")
    done = room_after(
        *OVER, Offered(0, "rematch", "q"), Rematching(1, "s"), Rematched(1, "s", "lomitaze")
    )
    assert not isinstance(lead_on(done, "lomitaze"), Append)
