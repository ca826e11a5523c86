"""What a view says in words, and what it marks."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from pierule.clocks import parse_clock
from pierule_games.board import board
from pierule_protocol.log.controls import requested
from pierule_protocol.log.events import Holder
from pierule_protocol.messages import Legal, LegalPart, Presence, RoomState
from pierule_protocol.state.position import position_state
from pierule_terminal.drawing import CURSOR, LAST, PICKED, Style
from pierule_terminal.fullscreen.draft import Steps, begin
from pierule_terminal.fullscreen.view import View, guide, marks
from pierule_terminal.fullscreen.widgets import panel
from support.games import game

STYLE = Style()


def _view(ply: int = 8, **how: object) -> View:
    of = game("taugo", 6)
    state = RoomState(
        room="kobadimu", epoch=1, seq=ply, chain=0, at=0, digest=0, status="running",
        seats=(Holder("ada", "Ada"), Holder("bert", "Bert")), turn=ply, ply=ply,
        actions=of.actions[:ply], position=position_state(of.positions[ply]),
        control=requested(parse_clock("5+3")), offers=("draw", None),
    )  # fmt: skip
    return replace(View(state=state, mine=(1,), my_turn=True), **how)  # type: ignore[arg-type]


def _panel(view: View, width: int = 35) -> str:
    lines = panel(view, 0, width, STYLE)
    assert all(len(line) <= width for line in lines)
    return "\n".join(lines)


def test_the_panel_tells_who_is_there_and_what_is_offered() -> None:
    view = _view()
    assert "connected" in _panel(view)
    assert "y or n: offers a draw" in _panel(view)
    assert "u: offers a draw" in _panel(replace(view, mine=(0,)))
    assert "\n    offers a draw" in _panel(replace(view, mine=()))
    assert "is not connected" not in _panel(view)
    away = replace(view, presence=Presence(room="kobadimu", players=(True, False), spectators=7))
    assert "is not connected" in _panel(away)
    assert "7 looking on" in _panel(away)


def test_the_panel_counts_down_for_an_absent_player() -> None:
    def tell(claim: int | None, **how: object) -> str:
        gone = Presence(
            room="kobadimu",
            players=(False, True),
            spectators=0,
            gone=(0, None),
            claim=(claim, None),
        )
        return _panel(_view(presence=gone, **how))  # type: ignore[arg-type]

    assert "is gone, awaited 0:30" in tell(30_000)
    assert "is gone for too long" in tell(0)
    assert "is gone\n" in tell(None)
    over = msgspec.structs.replace(_view().state, status="over")
    assert "is not connected" in tell(30_000, state=over)


def test_the_panel_tells_of_a_delay_and_of_the_operators() -> None:
    late = msgspec.structs.replace(_view().state, delay=2)
    assert "spectators are 2 plies behind" in _panel(_view(state=late))
    assert "you see it 2 plies late" in _panel(_view(state=late, mine=()))
    assert "you see it 1 ply late" in _panel(
        _view(state=msgspec.structs.replace(late, delay=1), mine=())
    )
    assert "late" not in _panel(_view(mine=()))
    told = _panel(_view(notice="-- the operators: a restart " * 20), 30)
    assert told.count("a restart") == 4


def test_the_panel_is_honest_about_the_connection() -> None:
    lost = _panel(_view(connected=False))
    assert "(!) no connection: trying again" in lost
    assert "\nconnected" not in lost


def test_the_panel_fits_where_there_is_hardly_room() -> None:
    for width in range(24, 40):
        _panel(_view(), width)


def test_a_name_comes_before_the_clock_where_there_is_room_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "pierule_terminal.fullscreen.widgets.clock_faces", lambda *_: ("4:05", "10:00")
    )
    assert "Bert (you)" in _panel(_view(), 40)
    for width in range(14, 26):
        lines = _panel(_view(), width).splitlines()
        at = next(i for i, line in enumerate(lines) if "Bert (you)" in line)
        assert lines[at + 1].strip() in ("White   3  10:00", "3  10:00")


def test_marks_are_those_of_what_is_shown() -> None:
    index = board(6).index
    legal = Legal(turn=8, total=3, next=["b2", "c3"], actions=["b2", "c3", "b2-b4"])
    goes_on = Legal(turn=8, total=2, next=["-b4"], actions=["b2", "b2-b4"])
    begun = Steps(goes_on, "b2", ("b2",), Steps(legal))
    view = _view(draft=begun, cursor=index["e5"])
    last = view.state.actions[-1]
    shown = marks(view)
    assert shown.brackets[index["b2"]] == PICKED
    assert shown.brackets[index["e5"]] == CURSOR
    assert LAST in shown.brackets.values(), last
    assert set(shown.targets) == {index["b4"]}
    unbegun = replace(view, draft=begin(legal))
    assert not marks(unbegun).targets
    hinted = marks(replace(unbegun, hints=True)).targets
    assert set(hinted) == {index["b2"], index["c3"], index["b4"]}
    past = replace(view, past=(0, position_state(game("taugo", 6).positions[0])))
    assert dict(marks(past).brackets) == {index["e5"]: CURSOR}
    assert not marks(past).targets


_WHOLE = Steps(
    Legal(turn=8, total=2, next=["-a3"], actions=["a1", "a1-a3"]),
    "a1",
    ("a1",),
    Steps(Legal(turn=8, total=1, next=["a1", "pass"])),
)
_STONE = LegalPart(what="stone", points=["b2"])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"sending": "b2"}, "b2: waiting for the server"),
        ({"my_turn": False, "mine": ()}, "Bert (White) is to act"),
        ({"draft": None}, "Enter asks what is legal"),
        ({"draft": begin(Legal(turn=8, total=1, template=[_STONE]))}, "Enter places a black stone"),
        ({"draft": begin(Legal(turn=8, total=2, next=["black", "white"]))}, "b for Black"),
        ({"draft": begin(Legal(turn=8, total=1, next=["pass"]))}, "a1 (not legal), p to pass"),
        ({"draft": begin(Legal(turn=8, total=1, next=["a1"]))}, "Enter picks a1"),
        ({"draft": _WHOLE}, "a1: Enter sends it, Escape takes back; x: goes on"),
        ({"draft": _WHOLE, "cursor": 7}, "a1: s sends it, Escape takes back; x: goes on"),
        ({"draft": _WHOLE, "confirms": False}, "a1: s sends it"),
        ({"draft": _WHOLE.say("pass")}, "pass: p sends it, Escape takes back"),
    ],
)
def test_the_guide_says_what_can_be_done(how: dict[str, object], said: str) -> None:
    view = replace(_view(), **how)  # type: ignore[arg-type]
    assert said in guide(view)
    assert len(guide(view)) <= 80
