"""What a view says in words, and what it marks."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from pierule.clocks import parse_clock
from pierule_games import GAMES
from pierule_games.board import board
from pierule_protocol.log.controls import requested
from pierule_protocol.log.events import Holder
from pierule_protocol.messages import Legal, LegalPart, Presence, RoomState
from pierule_protocol.state.position import position_state
from pierule_terminal.drawing import COUNTED, CURSOR, LAST, PICKED
from pierule_terminal.fullscreen.draft import Picked, Steps, begin
from pierule_terminal.fullscreen.view import View, guide, marks
from pierule_terminal.fullscreen.widgets import panel
from pierule_terminal.style import Style
from support.documents import document_of
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
    view = View(document=document_of("taugo"), state=state, mine=(1,), my_turn=True)
    return replace(view, **how)  # type: ignore[arg-type]


def _panel(view: View, width: int = 35) -> str:
    lines = panel(view, 0, width, STYLE)
    assert all(len(line) <= width for line in lines)
    return "\n".join(lines)


def test_the_panel_shows_presence_and_offers() -> None:
    view = _view()
    assert "connected" in _panel(view)
    assert "y or n: offers a draw" in _panel(view)
    assert "u: offers a draw" in _panel(replace(view, mine=(0,)))
    assert "\n    offers a draw" in _panel(replace(view, mine=()))
    assert "is not connected" not in _panel(view)
    away = replace(view, presence=Presence(room="kobadimu", players=(True, False), spectators=7))
    assert "is not connected" in _panel(away)
    assert "7 watching" in _panel(away)


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

    assert "is gone, 0:30 to come back" in tell(30_000)
    assert "is gone for too long" in tell(0)
    assert "is gone\n" in tell(None)
    over = msgspec.structs.replace(_view().state, status="over")
    assert "is not connected" in tell(30_000, state=over)


def test_the_panel_shows_a_delay_and_announcements() -> None:
    late = msgspec.structs.replace(_view().state, delay=2)
    assert "spectators are 2 plies behind" in _panel(_view(state=late))
    assert "you see it 2 plies late" in _panel(_view(state=late, mine=()))
    assert "you see it 1 ply late" in _panel(
        _view(state=msgspec.structs.replace(late, delay=1), mine=())
    )
    assert "late" not in _panel(_view(mine=()))
    told = _panel(_view(notice="-- the operators: a restart " * 20), 30)
    assert told.count("a restart") == 4


def test_the_panel_shows_the_state_of_the_connection() -> None:
    lost = _panel(_view(connected=False))
    assert "(!) no connection: trying again" in lost
    assert "\nconnected" not in lost


def test_the_panel_fits_any_width() -> None:
    for width in range(24, 40):
        _panel(_view(), width)


def test_a_name_is_shown_before_a_clock_if_there_is_room_for_only_one(
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


def test_marks_belong_to_the_shown_position_and_draft() -> None:
    index = board(6).index
    legal = Legal(turn=8, total=3, next=["b2", "c3"], actions=["b2", "c3", "b2-b4"])
    goes_on = Legal(turn=8, total=2, next=["-b4"], actions=["b2", "b2-b4"])
    begun = Steps(goes_on, "b2", ("b2",), Steps(legal, segments=True), segments=True)
    view = _view(draft=begun, cursor=index["e5"])
    last = view.state.actions[-1]
    shown = marks(view)
    assert shown.brackets[index["b2"]] == PICKED
    assert shown.brackets[index["e5"]] == CURSOR
    assert LAST in shown.brackets.values(), last
    assert set(shown.targets) == {index["b4"]}
    unbegun = replace(view, draft=begin(legal, segments=True))
    assert not marks(unbegun).targets
    hinted = marks(replace(unbegun, hints=True)).targets
    assert set(hinted) == {index["b2"], index["c3"], index["b4"]}
    past = replace(view, past=(0, position_state(game("taugo", 6).positions[0])))
    assert dict(marks(past).brackets) == {index["e5"]: CURSOR}
    assert not marks(past).targets


def test_no_point_has_the_cursor_while_a_word_is_chosen() -> None:
    view = _view()
    position = msgspec.structs.replace(view.state.position, phase="color")
    choosing = replace(view, state=msgspec.structs.replace(view.state, position=position))
    assert CURSOR in marks(view).brackets.values()
    assert CURSOR not in marks(choosing).brackets.values()


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
        ({"draft": begin(Legal(turn=8, total=1, template=[_STONE]))}, "Enter places stone, left"),
        ({"draft": begin(Legal(turn=8, total=2, next=["black", "white"]))}, "b for Black"),
        ({"draft": begin(Legal(turn=8, total=1, next=["pass"]))}, "a1 (not legal), p to pass"),
        ({"draft": begin(Legal(turn=8, total=1, next=["a1"]))}, "Enter picks a1"),
        ({"draft": _WHOLE}, "a1: Enter sends it, Escape takes back; x: goes on. Play a1 alone"),
        (
            {"draft": _WHOLE, "cursor": 7},
            "a1: s sends it, Escape takes back; x: goes on. Play a1",
        ),
        ({"draft": _WHOLE, "confirms": False}, "a1: s sends it"),
        ({"draft": _WHOLE.say("pass")}, "pass: p sends it, Escape takes back"),
    ],
)
def test_the_guide_says_what_can_be_done(how: dict[str, object], said: str) -> None:
    view = replace(_view(), **how)  # type: ignore[arg-type]
    assert said in guide(view)
    assert len(guide(view)) <= 160, "two lines"


def test_a_word_tells_what_it_does_when_it_ends_the_game() -> None:
    view = _view(draft=begin(Legal(turn=8, total=1, next=["pass"])).say("pass"))  # type: ignore[union-attr]
    assert guide(view) == "pass: p sends it, Escape takes back"
    state = msgspec.structs.replace(
        view.state, position=msgspec.structs.replace(view.state.position, passes=1)
    )
    assert "A second pass in a row ends the game" in guide(replace(view, state=state))


def test_words_without_a_key_are_typed() -> None:
    view = _view(draft=begin(Legal(turn=8, total=1, next=["swap"])))
    assert guide(view).endswith(", :swap to swap")


def test_a_set_up_is_drawn_before_it_is_sent() -> None:
    index = board(7).index
    of = game("veletas", 7)
    template = [
        LegalPart(what="shooter", points=["d4", "c3"], cell=3),
        LegalPart(what="stone", points=["a1", "c3"], cell=1),
    ]
    draft = begin(Legal(turn=0, total=9, template=template))
    for point in ("d4", "a1"):
        tap = draft.tap(point, confirms=True)  # type: ignore[union-attr]
        assert isinstance(tap, Picked)
        draft = tap.draft
    state = msgspec.structs.replace(_view().state, position=position_state(of.positions[0]))
    view = _view(document=document_of("veletas"), state=state, draft=draft)
    assert marks(view).pieces == {index["d4"]: 3, index["a1"]: 1}


def test_the_end_of_a_game_is_explained_beside_the_board() -> None:
    of = game("taugo", 6)
    ply = len(of.actions)
    account = GAMES["taugo"].account(of.positions[ply])
    view = _view(ply, account=(ply, account))
    assert "edge, stones" in _panel(view, 60)
    strings = [mark for mark in account.marks if mark.kind == "string"]
    brackets = marks(view).brackets
    counted = {board(6).index[point] for mark in strings for point in mark.points}
    others = {cell for cell, kind in brackets.items() if kind in (LAST, CURSOR)}
    assert {cell for cell, kind in brackets.items() if kind == COUNTED} >= counted - others
    earlier = replace(view, past=(3, position_state(of.positions[3])))
    assert "edge, stones" not in _panel(earlier, 60)
