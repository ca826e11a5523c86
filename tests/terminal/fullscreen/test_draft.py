"""Actions put together point by point: every legal one can be, and nothing else is offered."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pierule_games import GAMES
from pierule_protocol.messages import Legal, LegalPart
from pierule_terminal.fullscreen.draft import (
    Ask,
    Changed,
    Confirmed,
    Number,
    Parts,
    Picked,
    Steps,
    begin,
)
from support.games import games

_TOKEN = re.compile(r"[a-z]+:?[0-9]*|[-/,]")


def _asked(actions: list[str], prefix: str = "") -> Legal:
    """The server's answer to `legal`, by SPEC 6.4."""
    head, found = _TOKEN.findall(prefix), []
    following: dict[str, None] = {}
    for action in actions:
        tokens = _TOKEN.findall(action)
        if tokens[: len(head)] == head:
            found.append(action)
            rest = tokens[len(head) :]
            if rest:
                following[rest[0] if rest[0] not in "-/," else "".join(rest[:2])] = None
    return Legal(turn=0, total=len(found), next=list(following), actions=found)


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_action_can_be_picked_from_either_end_of_a_segment(game: str) -> None:
    played = next(one for one in games() if one.game == game)
    for position in played.positions[3::9]:
        if position.phase != "play":
            continue
        actions = list(position.actions())[:300]
        first = _asked(actions)
        for action in actions:
            if action == "pass":
                assert "pass" in begin(first).words  # type: ignore[union-attr]
                continue
            points = re.findall(r"[a-z]\d+", action)
            segments = GAMES[game].segments
            ways = [points, points[::-1]] if segments and len(points) == 2 else [points]
            for way in ways:
                draft = Steps(first, segments=segments)
                for point in way:
                    assert point in draft.targets
                    before, tap = draft, draft.tap(point, confirms=True)
                    assert isinstance(tap, Picked)
                    assert isinstance(tap.draft, Steps)
                    draft = replace(tap.draft, legal=_asked(actions, tap.draft.text))
                    assert draft.undo() == before
                assert (draft.text, draft.picked) == (action, tuple(way))
                assert draft.complete
                assert draft.tap(way[-1], confirms=True) == Confirmed()
                assert draft.tap(way[-1], confirms=False) == Changed(before)
                assert draft.root.undo() is None


def test_a_set_up_is_spelled_in_order_however_it_was_picked() -> None:
    points = [f"{column}{row}" for column in "abcdefghi" for row in range(1, 11)]
    template = [
        LegalPart(what="shooter", count=3, points=points[10:]),
        LegalPart(what="stone", points=points),
    ]
    draft = begin(Legal(turn=0, total=9, template=template))
    assert isinstance(draft, Parts)
    assert draft.tap("a1", confirms=True) == Ask(("a1",))
    draft = tapped(draft, "c10", "c9", "b2", "c10", "b10")  # c10 is taken back
    assert draft.text == "b2,b10,c9"
    assert not draft.complete
    assert "c9" not in draft.targets
    after = tapped(draft, "a1")
    assert (after.text, after.complete, after.targets) == ("b2,b10,c9/a1", True, frozenset())
    assert after.undo() == draft


def tapped(draft: Parts, *points: str) -> Parts:
    for point in points:
        tap = draft.tap(point, confirms=True)
        assert isinstance(tap, Picked | Changed), tap
        assert isinstance(tap.draft, Parts)
        draft = tap.draft
    return draft


def cut(*points: str) -> Parts:
    """The first set-up of Veletas 7, as far as these taps make it."""
    inner = [f"{column}{row}" for column in "bcdef" for row in range(2, 7)]
    every = [f"{column}{row}" for column in "abcdefg" for row in range(1, 8)]
    template = [LegalPart(what="shooter", points=inner), LegalPart(what="stone", points=every)]
    draft = begin(Legal(turn=0, total=9, template=template))
    assert isinstance(draft, Parts)
    return tapped(draft, *points)


def test_tapping_another_point_moves_the_pending_set_up_piece() -> None:
    """c3, e4, d5 once sent d5/e4: a guess at it was played, to learn why it is not legal."""
    draft = cut("c3", "e4", "d5")
    assert (draft.text, draft.complete) == ("c3/d5", True)
    assert draft.tap("d5", confirms=True) == Confirmed()
    assert draft.tap("d5", confirms=False) == Changed(cut("c3"))


def test_removing_a_shooter_from_the_draft_keeps_the_stone() -> None:
    draft = cut("c3", "e4", "c3")
    assert (draft.text, draft.complete) == ("/e4", False)
    assert draft.part is not None
    assert draft.part[0].what == "shooter"
    assert tapped(draft, "d5").text == "d5/e4"


def test_an_unreachable_point_is_explained() -> None:
    draft = cut("c3", "e4")
    assert draft.tap("z9", confirms=True) == Ask(("c3", "z9"))
    assert cut("c3").tap("z9", confirms=True) == Ask(("c3", "z9"))


def test_tapping_another_point_moves_the_pending_piece_of_an_action() -> None:
    actions = ["c3", "d4", "c3-c5", "pass"]
    first = _asked(actions)
    one = Steps(_asked(actions, "c3"), "c3", ("c3",), Steps(first))
    moved = one.tap("d4", confirms=True)
    assert moved == Changed(Steps(None, "d4", ("d4",), Steps(first)))
    assert one.tap("e5", confirms=True) == Ask(("e5",))
    assert one.tap("c3", confirms=False) == Changed(Steps(first))
    segment = Steps(_asked(actions, "c3-c5"), "c3-c5", ("c3", "c5"), one)
    assert segment.tap("c3", confirms=True) == Changed(Steps(first))
    assert segment.tap("d4", confirms=True) == Changed(Steps(None, "d4", ("d4",), Steps(first)))
    word = one.say("pass")
    assert (word.text, word.complete, word.targets) == ("pass", True, frozenset())
    assert word.tap("c3", confirms=False) == Picked(Steps(None, "c3", ("c3",), Steps(first)))
    assert word.undo() == Steps(first)


def test_a_number_stays_within_its_bounds() -> None:
    part = LegalPart(what="komi", first=0, last=24, step=2)
    draft = begin(Legal(turn=0, total=13, template=[part]))
    assert isinstance(draft, Number)
    assert draft.text == "komi:0"
    assert draft.change(3).text == "komi:6"
    assert draft.change(-1).text == "komi:0"
    assert draft.change(99).text == "komi:24"
