"""Actions put together point by point: every legal one can be, and nothing else is offered."""

from __future__ import annotations

import re

import pytest

from pierule.fullscreen.draft import Number, Parts, Steps, begin
from pierule_protocol.messages import Legal, LegalPart
from pierule_rules import GAMES
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
            ways = [points, points[::-1]] if game == "taugo" and len(points) == 2 else [points]
            for way in ways:
                draft = Steps(first, first)
                for point in way:
                    assert point in draft.targets
                    text = draft.pick(point)
                    assert text is not None
                    draft = Steps(first, _asked(actions, text), text)
                assert draft.text == action
                assert draft.complete
                assert draft.pick(points[-1]) == action
                undone = draft.undo()
                assert undone == Steps(first, first)
                assert undone.undo() is None


def test_a_set_up_is_spelled_in_order_however_it_was_picked() -> None:
    points = [f"{column}{row}" for column in "abcdefghi" for row in range(1, 11)]
    template = [
        LegalPart(what="shooter", count=3, points=points[10:]),
        LegalPart(what="stone", points=points),
    ]
    draft = begin(Legal(turn=0, total=9, template=template))
    assert isinstance(draft, Parts)
    assert draft.pick("a1") is None
    for point in ("c10", "c9", "b2", "c10", "b10"):  # c10 is taken back by being picked again
        after = draft.pick(point)
        assert after is not None
        draft = after
    assert draft.text == "b2,b10,c9"
    assert not draft.complete
    assert "c9" not in draft.targets
    after = draft.pick("a1")
    assert after is not None
    assert (after.text, after.complete, after.targets) == ("b2,b10,c9/a1", True, frozenset())
    assert after.undo() == draft


def test_a_number_stays_within_its_bounds() -> None:
    part = LegalPart(what="komi", first=0, last=24, step=2)
    draft = begin(Legal(turn=0, total=13, template=[part]))
    assert isinstance(draft, Number)
    assert draft.text == "komi:0"
    assert draft.change(3).text == "komi:6"
    assert draft.change(-1).text == "komi:0"
    assert draft.change(99).text == "komi:24"
