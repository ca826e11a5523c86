"""Looking back: the positions of a line, whatever the ply it is told from (SPEC 6.11)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.codec import server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import Legal, LineQuestion, Ok, PositionDiff, Replay, ReplayQuery
from pierule_protocol.state.mirror import apply_position
from pierule_protocol.state.position import position_state
from pierule_protocol.steps import at_once
from pierule_server.rooms import replay as module
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.replay import PLIES, Replays, replay
from support.examples import up_to
from support.reference import Reference, references


def asked(of: Reference, first: int = 0) -> Replay:
    query = ReplayQuery(id=1, game=of.game, size=of.size, actions=list(of.actions), first=first)
    return replay(query)


@given(of=st.sampled_from(references()), data=st.data())
def test_every_position_of_a_line_is_told(of: Reference, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(of.actions) + 1))
    told = asked(of, first)
    wanted = [position_state(position) for position in of.positions()][first:]
    position = told.position
    assert len(told.diffs) == min(PLIES, max(0, len(of.actions) - first))
    for diff, state in zip([PositionDiff(), *told.diffs], wanted, strict=False):
        position = apply_position(position, diff)
        assert position == state


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"game": "chess"}, Code.BAD_FIELD, "game"),
        ({"size": 6}, Code.BAD_FIELD, "size"),
        ({"actions": ["komi:2", "black", "z9"]}, Code.ILLEGAL, "actions"),
    ],
)
def test_an_impossible_replay_is_refused(fields: dict[str, Any], code: Code, field: str) -> None:
    given_ = {"game": "loose", "size": 5, "actions": [], **fields}
    with pytest.raises(Refused) as caught:
        replay(ReplayQuery(id=1, **given_))
    assert (caught.value.code, caught.value.fields["field"]) == (code, field)


def test_the_largest_replay_fits_into_a_message() -> None:
    """SPEC 1.7, law 10: were every cell changed by every action."""
    cells = [(index, 2) for index in range(19 * 19)]
    diff = PositionDiff(to_act=1, score=(361, 361), cells=cells)
    told = Replay(position=asked(references()[0]).position, diffs=[diff] * PLIES)
    for name, codec in server_codecs().items():
        assert len(codec.encode(Ok(id=2**32 - 1, replay=told))) < 2**20, name


def counted(work: Generator[None, None, Replay]) -> tuple[Replay, int]:
    """What a generator returns, and after how many steps."""
    steps = 0
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value, steps
        steps += 1


def test_the_parts_of_a_line_cost_as_much_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PLIES", 3)
    of = max(references(), key=lambda each: len(each.actions))
    replays, steps = Replays(), 0
    for first in range(0, len(of.actions), 3):
        query = ReplayQuery(id=1, game=of.game, size=of.size, actions=list(of.actions), first=first)
        told, taken = counted(replays.steps(query))
        assert told == replay(query)
        steps += taken
    assert steps == len(of.actions)


def test_a_bounded_number_of_legal_lines_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    replays = Replays()
    for actions in (["komi:2"], ["komi:4"], ["komi:6"], ["komi:2", "black"]):
        at_once(replays.steps(ReplayQuery(id=1, game="loose", size=5, actions=actions)))
    assert len(replays._ends) == 2
    for first in (0, 1):
        query = ReplayQuery(id=1, game="loose", size=5, actions=["komi:2\0black"], first=first)
        with pytest.raises(Refused):
            at_once(replays.steps(query))


def judged(of: Reference, ply: int, **question: Any) -> Legal:
    """What is told of the position after so many actions."""
    legal = LineQuestion(**question)
    actions = list(of.actions[:ply])
    query = ReplayQuery(id=1, game=of.game, size=of.size, actions=actions, legal=legal)
    told = replay(msgspec.structs.replace(query, first=max(0, ply - 1)))
    assert told.legal is not None
    return told.legal


@settings(max_examples=up_to(20))
@given(of=st.sampled_from(references()), data=st.data())
def test_legal_actions_after_a_line_are_those_of_a_room(of: Reference, data: st.DataObject) -> None:
    """SPEC 6.15: the same as of a room."""
    ply = data.draw(st.integers(0, len(of.actions)))
    position = list(of.positions())[ply]
    every = judged(of, ply)
    assert (every.turn, every.total) == (ply, position.count())
    assert bool(every.template) == bool(position.template())
    if ply < len(of.actions):
        assert judged(of, ply, action=of.actions[ply]).total == 1
    why = judged(of, ply, points=["z99"]).refusal
    assert why is not None
    assert why.text


@pytest.mark.parametrize(
    ("question", "actions", "field"),
    [
        ({"action": "a1", "points": ["a1"]}, [], "legal.points"),
        ({"prefix": "a", "action": "a1"}, [], "legal.action"),
        ({}, ["pass"] * (PLIES + 1), "first"),
    ],
)
def test_an_impossible_question_about_a_line_is_refused(
    question: dict[str, Any], actions: list[str], field: str
) -> None:
    legal = LineQuestion(**question)
    with pytest.raises(Refused) as caught:
        replay(ReplayQuery(id=1, game="loose", size=5, actions=actions, legal=legal))
    assert (caught.value.code, caught.value.fields["field"]) == (Code.BAD_FIELD, field)
