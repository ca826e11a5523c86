"""A room as lines of text, and what the terminal can show of it."""

from __future__ import annotations

import io

import pytest

from cli import boards
from pierule.commands.rooms import age, table
from pierule.terminal.drawing import Style
from pierule.terminal.scene import draw_room, headline, outcome
from pierule.terminal.screen import clean, fit, style_of
from pierule_protocol.messages import Card, Holder, Result, RoomState, Seat, Status
from pierule_protocol.position import position_state
from pierule_rules.game import Winner

PLAIN = Style(color=False)


def room(
    game: str = "loose",
    actions: str = "komi:12 black c3",
    seats: tuple[str | None, str | None] = ("Ada", "Bob"),
    status: Status = "running",
    result: Result | None = None,
    size: int = 5,
) -> RoomState:
    """A room after some actions."""
    played = actions.split()
    first, second = (Holder(name.lower(), name) if name else None for name in seats)
    return RoomState(
        room="kobadimu", epoch=1, seq=1, chain=0, at=0, digest=0, status=status,
        seats=(first, second), turn=len(played), ply=len(played), actions=played,
        position=position_state(boards.play(game, size, played)), result=result,
    )  # fmt: skip


def test_a_running_room() -> None:
    assert draw_room(room(), [0], PLAIN) == [
        " 5  ┌─┬─┬─┬─┐    Loose 5, room kobadimu",
        " 4  ├─┼─┼─┼─┤",
        " 3  ├─┼[●]┼─┤      ● Black   1  Bob",
        " 2  ├─┼─┼─┼─┤    ► ○ White  12  Ada (you)",
        " 1  └─┴─┴─┴─┘",
        "    a b c d e    komi 12, in White's score",
        "                 ply 3: c3",
        "                 your turn, White",
    ]


def test_shooters_are_explained() -> None:
    lines = draw_room(room("veletas", "d4/d5 white", size=7), [0], PLAIN)
    assert lines[5].endswith("▲ shooter  ■ claimed by Black  □ by White")
    assert not any("shooter" in line for line in draw_room(room(), [], PLAIN))


def test_before_the_colors_are_chosen() -> None:
    lines = draw_room(room(actions="", seats=("Ada", None), status="open"), [], PLAIN)
    assert lines[2].endswith("  seat 0  Ada")
    assert lines[3].endswith("  seat 1  (free)")
    assert lines[5].endswith("waiting for a player in seat 1")


@pytest.mark.parametrize("style", [PLAIN, Style(color=True), Style(unicode=False)])
def test_the_largest_board_fits_a_small_terminal(style: Style) -> None:
    state = room(actions="komi:12 white", seats=("M" * 24, "棋" * 24), size=19)
    lines = draw_room(state, [0], style)
    assert len(lines) <= 20
    if not style.color:
        for line in lines:
            assert len(line) + line.count("棋") <= 80


@pytest.mark.parametrize(
    ("state", "mine", "line"),
    [
        (room(seats=(None, None), status="open"), [], "waiting for two players"),
        (room(seats=(None, "Bob"), status="open"), [1], "waiting for a player in seat 0"),
        (room(), [], "Ada (White) is to act"),
        (room(), [1], "Ada (White) is to act"),
        (room(), [0], "your turn, White"),
        (room(actions="komi:12"), [1], "your turn"),
        (room(actions="komi:12"), [0], "Bob is to act"),
    ],
)
def test_headlines(state: RoomState, mine: list[Seat], line: str) -> None:
    assert headline(state, mine) == line


@pytest.mark.parametrize(
    ("winner", "reason", "line"),
    [
        (0, "played", "Ada (White) wins: Black 1, White 12"),
        (1, "resigned", "Bob (Black) wins: Ada (White) resigned"),
        ("draw", "played", "a draw: Black 1, White 12"),
    ],
)
def test_outcomes(winner: Winner, reason: str, line: str) -> None:
    state = room(status="over", result=Result(winner, reason))
    assert outcome(state) == headline(state, [0]) == line


def test_names_cannot_steer_the_terminal() -> None:
    name = "\x1b[2J\r\n\u202eAda"
    assert clean(name) == "?[2J???Ada"
    for line in draw_room(room(seats=(name, "Bob")), [0], PLAIN):
        assert line.isprintable()


def test_fit() -> None:
    assert fit("kobadimu", 8) == "kobadimu"
    assert fit("kobadimu", 5) == "koba~"
    assert fit("棋棋棋", 5) == "棋棋~"


class _Stream(io.StringIO):
    def __init__(self, encoding: str, tty: bool) -> None:
        super().__init__()
        self._encoding, self._tty = encoding, tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._tty


def test_colors_are_for_terminals_that_want_them() -> None:
    tty, pipe = _Stream("utf-8", True), _Stream("utf-8", False)
    assert style_of(tty, "auto", {}).color
    assert not style_of(pipe, "auto", {}).color
    assert not style_of(tty, "auto", {"NO_COLOR": "1"}).color
    assert style_of(tty, "auto", {"NO_COLOR": ""}).color
    assert not style_of(tty, "auto", {"TERM": "dumb"}).color
    assert style_of(pipe, "always", {"NO_COLOR": "1"}).color
    assert not style_of(tty, "never", {}).color


@pytest.mark.parametrize(
    ("encoding", "unicode"),
    [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False), ("nonsense", False)],
)
def test_ascii_where_the_terminal_is_not_utf8(encoding: str, unicode: bool) -> None:
    assert style_of(_Stream(encoding, True), "auto", {}).unicode is unicode


def test_the_table_of_rooms() -> None:
    cards = [
        Card(room="kobadimu", game="veletas", size=10, status="open", names=(None, "Bob"),
             turn=0, at=1_000),
        Card(room="tuli", game="loose", size=9, status="running", names=("A\n", "Bob"),
             turn=124, at=9_000_000),
    ]  # fmt: skip
    assert table(cards, 9_000_500) == [
        "ROOM      GAME        STATE    TURN  LAST  PLAYERS",
        "kobadimu  veletas 10  open     0     2 h   (free) - Bob",
        "tuli      loose 9     running  124   0 s   A? - Bob",
    ]


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(-5, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_600_000, "1 h"), (172_800_000, "2 d")],
)
def test_age(milliseconds: int, text: str) -> None:
    assert age(milliseconds) == text
