"""A room as lines of text: its board, and beside it who plays, the score and what comes next."""

from __future__ import annotations

from collections.abc import Collection
from itertools import zip_longest

from pierule.clocks import show_clock
from pierule_games.game import BLACK, BLACK_SHOOTER, OTHER, SHOOTER, WHITE, WHITE_SHOOTER
from pierule_protocol.log.events import AnyRecord, Holder
from pierule_protocol.messages import Challenged, RoomState, Seat
from pierule_protocol.state.mirror import time_left
from pierule_terminal.clockface import face, given_for_lag
from pierule_terminal.drawing import Style, board_width, draw_board, glyph, last_action, paint
from pierule_terminal.screen import clean, fit

COLUMNS = 80

NAME = 12
"""Columns of a name that may be cut to keep it in one line with the clock."""

_SEATS: tuple[Seat, Seat] = (0, 1)


def draw_room(
    state: RoomState,
    mine: Collection[Seat],
    style: Style,
    now: int,
    record: AnyRecord | None = None,
) -> list[str]:
    """The board with its panel, at most 80 columns wide and, up to size 19, 20 lines high.

    `now`, the store's time in ms, is for the clocks; `record` is what led to this state, if known.
    """
    position = state.position
    last = state.actions[-1] if state.actions else ""
    board = draw_board(position, last_action(position.game, position.size, last), style)
    width = board_width(position.size)
    panel = _panel(state, mine, COLUMNS - width - 3, style, now, given_for_lag(record))
    lines = []
    for left, right in zip_longest(board, panel, fillvalue=""):
        padding = "" if style.color and left else " " * (width - len(left))
        lines.append(f"{left}{padding}   {right}".rstrip())
    return lines


def _panel(
    state: RoomState, mine: Collection[Seat], width: int, style: Style, now: int, lag: str
) -> list[str]:
    position = state.position
    lines = [fit(title(state), width), ""]
    faces = clock_faces(state, now)
    for seat in in_order(state):
        clock = f"{faces[seat]:>{max(map(len, faces))}}  " if any(faces) else ""
        lines += player_lines(state, seat, mine, width, style, clock)
    if max(position.cells) >= SHOOTER:
        lines += ["", legend(style)]
    lines.append("")
    if position.komi is not None:
        lines.append(f"komi {position.komi}, in White's score")
    if state.actions:
        lines.append(fit(f"ply {state.ply}: {state.actions[-1]}  {lag}".rstrip(), width))
    lines.append(fit(headline(state, mine), width))
    return lines


def title(state: RoomState) -> str:
    """What is played, and where."""
    game = f"{state.position.game.capitalize()} {state.position.size}"
    control = f", {show_clock(state.control)}" if state.control else ""
    return f"{game}{control}, room {state.room}"


def legend(style: Style) -> str:
    """How shooters are drawn."""
    free, black, white = (glyph(cell, style) for cell in (SHOOTER, BLACK_SHOOTER, WHITE_SHOOTER))
    return f"{free} shooter  {black} claimed by Black  {white} by White"


def in_order(state: RoomState) -> tuple[Seat, Seat]:
    """Black above White once that is known, else the first seat above the second."""
    return (1, 0) if state.position.black == 1 else _SEATS


def clock_faces(state: RoomState, now: int) -> tuple[str, str]:
    """Both seats' clocks at the store's time `now`; nothing in a room without."""
    first, second = (time_left(state, seat, now) for seat in _SEATS)
    return face(first, state.control), face(second, state.control)


def player_lines(
    state: RoomState, seat: Seat, mine: Collection[Seat], width: int, style: Style, clock: str
) -> list[str]:
    """A seat with its color and score, its clock, and who sits there. Where that does not fit into
    one line the name comes first, and the score and the clock in a line below."""
    acts = state.status == "running" and state.position.to_act == seat
    pointer = (">" if not style.unicode else "►") if acts else " "
    black, (black_score, white_score) = state.position.black, state.position.score
    if black is None:
        stone, plain, short = "", f"seat {seat}", f"seat {seat}"
    else:
        score = black_score if seat == black else white_score
        stone = glyph(BLACK if seat == black else WHITE, style)
        plain, short = f"{'Black' if seat == black else 'White'} {score:>3}", f"{score}"
    indent = (4 if style.color else 2) * bool(stone)  # colored, a stone has a space on either side
    person = _person(state, seat, mine)

    def named(room: int) -> str:
        name = fit(person, room)
        return paint(name, "1", style) if acts else name

    left = width - 4 - indent - len(plain) - len(clock)
    if fit(person, left) == person or left >= NAME:
        return [" ".join(filter(None, (pointer, stone, f"{plain}  {clock}{named(left)}")))]
    first = " ".join(filter(None, (pointer, stone, named(width - 2 - indent))))
    second, shorter = (f"    {score}  {clock}".rstrip() for score in (plain, short))
    return [first, second if len(second) <= width else fit(shorter, width)]


def _person(state: RoomState, seat: Seat, mine: Collection[Seat]) -> str:
    holder = state.seats[seat]
    if holder is None:
        return "(free)"
    name = named(holder)
    return f"{name} (you)" if seat in mine else name


def named(who: Holder | Challenged) -> str:
    """Somebody's name, and whether that is a bot."""
    return f"{clean(who.name)}, bot" if who.bot else clean(who.name)


def color_of(state: RoomState, seat: Seat) -> str | None:
    """`Black` or `White`; None while the colors are not chosen."""
    black = state.position.black
    return None if black is None else "Black" if seat == black else "White"


def called(state: RoomState, seat: Seat) -> str:
    """A player by name and, if it is known, color."""
    holder, color = state.seats[seat], color_of(state, seat)
    name = named(holder) if holder else f"seat {seat}"
    return f"{name} ({color})" if color else name


def headline(state: RoomState, mine: Collection[Seat] = ()) -> str:
    """In one line: what the room waits for, or how it ended."""
    if state.status == "open":
        free = [str(seat) for seat in _SEATS if state.seats[seat] is None]
        both = len(free) == 2
        return "waiting for two players" if both else f"waiting for a player in seat {free[0]}"
    if state.status == "over":
        return outcome(state)
    seat = state.position.to_act
    if seat is None:
        return "nobody is to act"
    if state.clock is not None and state.clock.paused is not None:
        return "the game is paused"
    if seat in mine:
        color = color_of(state, seat)
        return f"your turn, {color}" if color else "your turn"
    return f"{called(state, seat)} is to act"


_UNWON = {
    "aborted": "aborted: nobody has lost",
    "left": "aborted: nobody has lost",
    "closed": "closed by the operators; nobody has lost",
    "voided": "the operators have taken the result back; nobody has won or lost",
}


def outcome(state: RoomState) -> str:
    """How a room ended, in one line."""
    result = state.result
    if result is None:
        return "no result yet"
    black, white = state.position.score
    score = f"Black {black}, White {white}"
    if result.winner is None:
        return _UNWON.get(result.reason, result.reason)
    if result.winner == "draw":
        return "a draw by agreement" if result.reason == "agreed" else f"a draw: {score}"
    winner = called(state, result.winner)
    if result.reason == "played":
        return f"{winner} wins: {score}"
    loser = OTHER[result.winner]
    if result.reason == "flagged":
        return f"{winner} wins: {color_of(state, loser) or called(state, loser)}'s time was up"
    return f"{winner} wins: {called(state, loser)} {result.reason}"
