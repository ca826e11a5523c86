"""A room as lines of text, and what the terminal can show of it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, get_args

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.game import Winner
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Fischer
from pierule_protocol.log.events import Acted, AnyRecord, Holder, Offered, Rated, Unrated
from pierule_protocol.messages import (
    Card,
    ClockState,
    HandState,
    Result,
    RoomState,
    Seat,
    Status,
)
from pierule_protocol.state.position import position_state
from pierule_terminal import scene
from pierule_terminal.clockface import age
from pierule_terminal.commands.rooms import table
from pierule_terminal.screen import clean, fit, style_of
from pierule_terminal.style import Style
from support.documents import document_of
from terminal import boards

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


def draw_room(state: RoomState, *rest: Any) -> list[str]:
    """The room in the words of its game's document."""
    return scene.draw_room(document_of(state.position.game), state, *rest)


def headline(state: RoomState, mine: Sequence[Seat] = ()) -> str:
    return scene.headline(document_of(state.position.game), state, mine)


def outcome(state: RoomState) -> str:
    return scene.outcome(document_of(state.position.game), state)


def test_a_running_room_is_drawn_with_names_and_turn() -> None:
    assert draw_room(room(), [0], PLAIN, 0) == [
        " 5  ┌─┬─┬─┬─┐    Loose 5, room kobadimu",
        " 4  ├─┼─┼─┼─┤",
        " 3  ├─┼[●]┼─┤      ● Black   1  Bob",
        " 2  ├─┼─┼─┼─┤    ► ○ White  12  Ada (you)",
        " 1  └─┴─┴─┴─┘",
        "    a b c d e    Komi 12",
        "                 ply 3: c3",
        "                 your turn, White",
    ]


def test_compensated_lag_is_shown_with_the_action() -> None:
    def told(record: AnyRecord | None) -> str:
        return draw_room(room(), [0], PLAIN, 0, record)[6].strip()

    assert told(Acted(1, "c3", 310, 290)) == "ply 3: c3  +0.3 s for lag"
    assert told(Acted(1, "c3", 1_049, 1_049)) == "ply 3: c3  +1.0 s for lag"
    for record in (None, Acted(1, "c3", 49, 49), Offered(1, "draw", "a")):
        assert told(record) == "ply 3: c3"


def test_the_legend_explains_shooters() -> None:
    lines = draw_room(room("veletas", "d4/d5 white", size=7), [0], PLAIN, 0)
    assert lines[5].endswith("   ▲ shooter")
    assert not any("shooter" in line for line in draw_room(room(), [], PLAIN, 0))


def test_seats_are_numbered_before_colors_are_chosen() -> None:
    lines = draw_room(room(actions="", seats=("Ada", None), status="open"), [], PLAIN, 0)
    assert lines[2].endswith("  seat 0  Ada")
    assert lines[3].endswith("  seat 1  (free)")
    assert lines[5].endswith("waiting for a player in seat 1")


@pytest.mark.parametrize("style", [PLAIN, Style(color=True), Style(unicode=False)])
def test_the_largest_board_fits_a_small_terminal(style: Style) -> None:
    state = room(actions="komi:12 white", seats=("M" * 24, "棋" * 24), size=19)
    lines = draw_room(state, [0], style, 0)
    assert len(lines) <= 20
    if not style.color:
        for line in lines:
            assert len(line) + line.count("棋") <= 80


def test_a_game_that_does_not_count_says_why() -> None:
    def line(
        rated: Rated | None, unrated: Unrated | None, status: Status = "running"
    ) -> str | None:
        state = room(status=status)
        return scene.rated_line(msgspec.structs.replace(state, rated=rated, unrated=unrated))

    whys = {line("either", why) for why in get_args(Unrated)}
    assert len(whys) == len(get_args(Unrated)) == 10
    assert "not rated: a player has not registered a name" in whys
    assert line(None, "before") == "not rated: the room was made before this server rated games"
    assert line(None, None) is None  # The server is older.
    assert line("either", None) == line("yes", None, "open") == "rated"
    assert line("either", None, "open") == "rated if both players have registered a name"
    alone = room(seats=("Otto", None), status="open")
    otto = alone.seats[0]
    assert otto is not None
    bot = msgspec.structs.replace(otto, bot=True)
    alone = msgspec.structs.replace(alone, seats=(bot, None), rated="either", unrated=None)
    assert scene.rated_line(alone) == "rated if you have registered a name"


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
def test_the_headline_says_who_is_to_act(state: RoomState, mine: list[Seat], line: str) -> None:
    assert headline(state, mine) == line


@pytest.mark.parametrize(
    ("winner", "reason", "line"),
    [
        (0, "played", "Ada (White) wins by 11: 12 to 1"),
        (1, "resigned", "Bob (Black) wins: Ada (White) resigned"),
        ("draw", "played", "A draw: 1"),
        (1, "flagged", "Bob (Black) wins: White ran out of time"),
        (0, "bored", "Ada (White) wins: Bob (Black) bored"),
        (None, "aborted", "aborted: nobody loses"),
        (None, "closed", "the server ended the game; nobody loses"),
        ("draw", "agreed", "a draw by agreement"),
        (None, "spilled", "spilled"),
    ],
)
def test_the_outcome_says_who_won_and_why(winner: Winner | None, reason: str, line: str) -> None:
    state = room(status="over", result=Result(winner, reason))
    assert outcome(state) == headline(state, [0]) == line


@pytest.mark.parametrize(
    ("game", "size", "before", "action", "told"),
    [
        ("loose", 5, "komi:2 black b1 a1", "a2", ["Changed color: a1."]),
        ("loose", 5, "komi:2 black b1 a1", "c3", []),
        ("veletas", 7, "f4/e1 black c3,d2/d3 c3-c1/d1 c1-b1/b2 d2-c2/c1 b1-a1/a2", "b1",
         ["Claimed: a1."]),
        ("taugo", 6, "e5 white e3 d3 b5 d4-d5 e2 d2", "b3-d3", ["Cut: d3."]),
    ],
)  # fmt: skip
def test_changes_beside_an_action_are_told(
    game: str, size: int, before: str, action: str, told: list[str]
) -> None:
    earlier = room(game, before, size=size)
    state = room(game, f"{before} {action}", size=size)
    assert scene.tell_changes(document_of(game), earlier, state, Acted(0, action)) == told
    assert scene.tell_changes(document_of(game), earlier, state, None) == []


def test_the_account_of_a_score_is_told() -> None:
    state = room("taugo", "e5 white e3 d3 b5 d4-d5 e2 d2 b3-d3", size=6)
    position = boards.play("taugo", 6, state.actions)
    lines = scene.tell_account(document_of("taugo"), GAMES["taugo"].account(position))
    assert lines[0].startswith("Black: perimeter line, strings: ")
    assert any(line.startswith("White: ") for line in lines)
    assert all(len(line) <= 78 for line in lines)


def test_a_time_out_before_colors_are_chosen_names_the_seat() -> None:
    state = room(actions="komi:12", status="over", result=Result(0, "flagged"))
    assert outcome(state) == "Ada wins: Bob ran out of time"


NOW = 1_700_000_000_000


def clocked(control: ClockOptions, first: HandState, second: HandState) -> RoomState:
    """The room of `room()` on a clock; White, in seat 0, has been thinking for 5.25 s at `NOW`."""
    clock = ClockState(hands=(first, second), running=0, started=NOW - 5_250, deadline=NOW + 9**9)
    return msgspec.structs.replace(room(), control=control, clock=clock)


def test_clocks_stand_beside_the_names() -> None:
    hand = HandState(300_000, 0, 999)
    state = clocked(Fischer(main=300, increment=3), hand, HandState(61_500, 0, 0))
    assert [line[17:] for line in draw_room(state, [0], PLAIN, NOW)[:4]] == [
        "Loose 5, 5+3, room kobadimu",
        "",
        "  ● Black   1  1:02  Bob",
        "► ○ White  12  4:55  Ada (you)",
    ]


def test_the_clocks_of_a_delayed_spectator_stand() -> None:
    hand = HandState(245_000, 0, 0)
    state = clocked(Fischer(main=300, increment=3), hand, HandState(61_500, 0, 0))
    delayed = msgspec.structs.replace(state, delay=5)
    assert scene.clock_faces(delayed, (), NOW)[0] == "4:05"
    assert scene.clock_faces(delayed, [0], NOW)[0] == "4:00"
    assert scene.clock_faces(state, (), NOW)[0] == "4:00"


def test_byoyomi_clocks_show_periods() -> None:
    control = Byoyomi(main=600, periods=3, period=30)
    state = clocked(control, HandState(0, 2, 0), HandState(3_700_000, 3, 0))
    assert [line[17:] for line in draw_room(state, [], PLAIN, NOW)[2:4]] == [
        "  ● Black   1  1:01:40 +3  Bob",
        "► ○ White  12     0:25 x2  Ada",
    ]


def test_the_longest_clocks_fit_a_small_terminal() -> None:
    state = room(actions="komi:12 white", seats=("M" * 24, "棋" * 24), size=19)
    control = Byoyomi(main=10_800, periods=25, period=600)
    hand = HandState(10_800_000, 25, 7_000)
    clock = ClockState(hands=(hand, hand), running=0, started=NOW, deadline=NOW)
    for line in draw_room(
        msgspec.structs.replace(state, control=control, clock=clock), [0], PLAIN, NOW
    ):
        assert len(line) + line.count("棋") <= 80


def test_control_characters_in_names_are_escaped() -> None:
    name = "\x1b[2J\r\n\u202eAda"
    assert clean(name) == "?[2J???Ada"
    for line in draw_room(room(seats=(name, "Bob")), [0], PLAIN, 0):
        assert line.isprintable()


def test_fit_cuts_a_text_to_columns() -> None:
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


def test_colors_are_used_only_on_terminals_that_want_them() -> None:
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
def test_ascii_is_used_if_the_terminal_is_not_utf_8(encoding: str, unicode: bool) -> None:
    assert style_of(_Stream(encoding, True), "auto", {}).unicode is unicode


def test_rooms_are_listed_in_a_table() -> None:
    cards = [
        Card(room="kobadimu", game="veletas", size=10, status="open", names=(None, "Bob"),
             turn=0, at=1_000, control=Fischer(main=300, increment=3)),
        Card(room="tuli", game="loose", size=9, status="running", names=("A\n", "Bob"),
             turn=124, at=9_000_000),
    ]  # fmt: skip
    assert table(cards, 9_000_500) == [
        "ROOM      GAME        CLOCK  STATE    TURN  LAST  PLAYERS",
        "kobadimu  veletas 10  5+3    open     0     2 h   (free) - Bob",
        "tuli      loose 9     -      running  124   0 s   A? - Bob",
    ]


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(-5, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_600_000, "1 h"), (172_800_000, "2 d")],
)
def test_ages_are_written_in_one_unit(milliseconds: int, text: str) -> None:
    assert age(milliseconds) == text
