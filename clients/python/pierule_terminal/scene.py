"""A room as lines of text: the board on the left; the players, the score and the next step on the
right. All texts about the game come from its document."""

from __future__ import annotations

import textwrap
from collections.abc import Collection
from itertools import zip_longest

from pierule.clocks import show_clock
from pierule_games.board import board
from pierule_games.description import Account, Sum
from pierule_games.game import BLACK, OTHER, WHITE, Winner
from pierule_games.package import fill
from pierule_protocol.log.events import Acted, AnyRecord, Holder
from pierule_protocol.messages import Challenged, RoomState, Seat
from pierule_protocol.state.mirror import time_left
from pierule_protocol.state.unrated import WORDS as UNRATED
from pierule_terminal.clockface import face, given_for_lag
from pierule_terminal.document import Document
from pierule_terminal.drawing import draw_board, glyph, last_action, legend, points_of
from pierule_terminal.screen import clean, columns, fit
from pierule_terminal.standings import beside
from pierule_terminal.style import Style, paint

COLUMNS = 80

NAME = 12
"""A name may be cut to this many columns to fit in a line with the clock."""

_SEATS: tuple[Seat, Seat] = (0, 1)


def draw_room(
    document: Document,
    state: RoomState,
    mine: Collection[Seat],
    style: Style,
    now: int,
    record: AnyRecord | None = None,
) -> list[str]:
    """The board with its panel, at most 80 columns wide, and up to size 19, 20 lines high.

    `now` is the store's time in ms, for the clocks. `record` is what led to this state, if known.
    """
    position = state.position
    last = state.actions[-1] if state.actions else ""
    marks = last_action(document, position.size, last)
    board = draw_board(document, position.size, position.cells, marks, style)
    width = document.plan(position.size).width
    panel = _panel(document, state, mine, COLUMNS - width - 3, style, now, given_for_lag(record))
    lines = []
    for left, right in zip_longest(board, panel, fillvalue=""):
        padding = "" if style.color and left else " " * (width - len(left))
        lines.append(f"{left}{padding}   {right}".rstrip())
    return lines


def _panel(
    document: Document,
    state: RoomState,
    mine: Collection[Seat],
    width: int,
    style: Style,
    now: int,
    lag: str,
) -> list[str]:
    position = state.position
    lines = [fit(title(document, state), width), ""]
    faces = clock_faces(state, mine, now)
    for seat in in_order(state):
        clock = f"{faces[seat]:>{max(map(len, faces))}}  " if any(faces) else ""
        lines += player_lines(document, state, seat, mine, width, style, clock)
    if told := legend(document, position.cells, style, width):
        lines += ["", *told]
    lines.append("")
    if position.komi is not None:
        lines.append(fit(document.number("komi", position.komi), width))
    if state.actions:
        lines.append(fit(f"ply {state.ply}: {state.actions[-1]}  {lag}".rstrip(), width))
    lines.append(fit(headline(document, state, mine), width))
    return lines


def title(document: Document, state: RoomState) -> str:
    """The game, its size and clock, and the room."""
    game = f"{document.texts.name} {state.position.size}"
    control = f", {show_clock(state.control)}" if state.control else ""
    return f"{game}{control}, room {state.room}"


def in_order(state: RoomState) -> tuple[Seat, Seat]:
    """The seats from top to bottom: Black above White, or seat 0 above seat 1 before the colors are
    chosen."""
    return (1, 0) if state.position.black == 1 else _SEATS


def clock_faces(state: RoomState, mine: Collection[Seat], now: int) -> tuple[str, str]:
    """Both seats' clocks at the store's time `now`; empty in a room without clocks. A spectator who
    is behind sees them as they were when the turn began (SPEC 20.5)."""
    if state.delay and not mine and state.status == "running" and state.clock:
        now = state.clock.started
    first, second = (time_left(state, seat, now) for seat in _SEATS)
    return face(first, state.control), face(second, state.control)


def player_lines(
    document: Document,
    state: RoomState,
    seat: Seat,
    mine: Collection[Seat],
    width: int,
    style: Style,
    clock: str,
) -> list[str]:
    """A seat with its color and score, its clock, and its player. If that does not fit into a line,
    the name comes first, and the score and the clock in a line below."""
    acts = state.status == "running" and state.position.to_act == seat
    pointer = (">" if not style.unicode else "►") if acts else " "
    black, (black_score, white_score) = state.position.black, state.position.score
    if black is None:
        stone, plain, short = "", f"seat {seat}", f"seat {seat}"
    else:
        score = black_score if seat == black else white_score
        stone = glyph(document, BLACK if seat == black else WHITE, style)
        plain, short = f"{'Black' if seat == black else 'White'} {score:>3}", f"{score}"
    indent = (4 if style.color else 2) * bool(stone)  # colored, a stone has a space on either side
    person, rating = _person(state, seat, mine)

    def named(room: int) -> str:
        name = fit(person, room - len(rating)) + rating
        return paint(name, "1", style) if acts else name

    left = width - 4 - indent - len(plain) - len(clock)
    if columns(person) + len(rating) <= left or left >= NAME + len(rating):
        return [" ".join(filter(None, (pointer, stone, f"{plain}  {clock}{named(left)}")))]
    first = " ".join(filter(None, (pointer, stone, named(width - 2 - indent))))
    second, shorter = (f"    {score}  {clock}".rstrip() for score in (plain, short))
    return [first, second if len(second) <= width else fit(shorter, width)]


def _person(state: RoomState, seat: Seat, mine: Collection[Seat]) -> tuple[str, str]:
    """The player in a seat, and their rating."""
    holder = state.seats[seat]
    if holder is None:
        return "(free)", ""
    name = named(holder)
    return f"{name} (you)" if seat in mine else name, beside(holder.standing)


def named(who: Holder | Challenged) -> str:
    """A user's name, marked if it is a bot."""
    return f"{clean(who.name)}, bot" if who.bot else clean(who.name)


def color_of(state: RoomState, seat: Seat) -> str | None:
    """`Black` or `White`; None while the colors are not chosen."""
    black = state.position.black
    return None if black is None else "Black" if seat == black else "White"


def called(state: RoomState, seat: Seat) -> str:
    """A player by name and, once it is chosen, color."""
    holder, color = state.seats[seat], color_of(state, seat)
    name = named(holder) if holder else f"seat {seat}"
    return f"{name} ({color})" if color else name


def headline(document: Document, state: RoomState, mine: Collection[Seat] = ()) -> str:
    """What the room waits for, or how it ended, in a line."""
    if state.status == "open":
        free = [str(seat) for seat in _SEATS if state.seats[seat] is None]
        both = len(free) == 2
        return "waiting for two players" if both else f"waiting for a player in seat {free[0]}"
    if state.status == "over":
        return outcome(document, state)
    seat = state.position.to_act
    if seat is None:
        return "nobody is to act"
    if state.clock is not None and state.clock.paused is not None:
        return "the game is paused"
    if seat in mine:
        color = color_of(state, seat)
        return f"your turn, {color}" if color else "your turn"
    return f"{called(state, seat)} is to act"


def rated_line(state: RoomState) -> str | None:
    """Whether the game is rated, and if not, why; None if the server does not say."""
    if state.unrated is not None:
        return f"not rated: {UNRATED.get(state.unrated, state.unrated)}"
    if state.rated is None:
        return None
    if state.status == "open" and state.rated == "either":
        alone = any(holder is not None and holder.bot for holder in state.seats)  # SPEC 30.9
        who = "you have" if alone else "both players have"
        return f"rated if {who} registered a name"
    return "rated"


_UNWON = {
    "aborted": "aborted: nobody loses",
    "left": "aborted: nobody loses",
    "closed": "the server ended the game; nobody loses",
    "voided": "the operators voided the result; nobody wins or loses",
}


def outcome(document: Document, state: RoomState) -> str:
    """How a room ended, in a line."""
    result = state.result
    if result is None:
        return "no result yet"
    if result.winner is None:
        return _UNWON.get(result.reason, result.reason)
    if result.reason == "played":
        return _played(document, state, result.winner)
    if result.winner == "draw":
        return "a draw by agreement" if result.reason == "agreed" else "a draw"
    winner, loser = called(state, result.winner), OTHER[result.winner]
    if result.reason == "flagged":
        return f"{winner} wins: {color_of(state, loser) or called(state, loser)} ran out of time"
    return f"{winner} wins: {called(state, loser)} {result.reason}"


def _played(document: Document, state: RoomState, winner: Winner) -> str:
    """How a game ended by its rules, in the game's words (SPEC 26.9)."""
    black, white = state.position.score
    texts = document.texts.result
    if winner == "draw":
        return fill(texts.draw or "A draw: {2}", ["", "", str(black), str(white), "0"])
    first, second = (black, white) if winner == state.position.black else (white, black)
    text = texts.ahead if first > second else texts.level or texts.ahead
    scores = (str(number) for number in (first, second, abs(first - second)))
    return fill(text, [called(state, winner), called(state, OTHER[winner]), *scores])


def tell_changes(
    document: Document, before: RoomState, after: RoomState, record: AnyRecord | None
) -> list[str]:
    """What an action changed on the board, as far as the game has texts for it (SPEC 26.8)."""
    if not isinstance(record, Acted):
        return []
    position = after.position
    named = points_of(document, position.size, record.action)
    names, told = board(position.size).names, dict[int, list[str]]()
    for cell, (old, new) in enumerate(zip(before.position.cells, position.cells, strict=True)):
        at = document.change(old, new, named=cell in named) if old != new else None
        if at is not None:
            told.setdefault(at, []).append(names[cell])
    texts = [(document.texts.changes[at], points) for at, points in sorted(told.items())]
    return [fill(text, [", ".join(points)]) for text, points in texts if text]


def tell_account(document: Document, account: Account) -> list[str]:
    """Where a score comes from: the sums of each color, and the points that count."""
    lines = []
    for color in ("black", "white"):
        sums = sums_of(document, account, color)
        marks = [mark for mark in account.marks if mark.color == color and mark.value is not None]
        lines.append(f"{color.capitalize()}: {', '.join(sums) or 'nothing'}")
        for mark in marks:
            kind = document.texts.marks.get(mark.kind, mark.kind)
            text = f"{kind} ({mark.value}): {' '.join(mark.points)}"
            lines += textwrap.wrap(
                clean(text), COLUMNS - 2, initial_indent="  ", subsequent_indent="    "
            )
    return lines


def sums_of(document: Document, account: Account, color: str) -> list[str]:
    """The parts of a color's score."""
    return [
        clean(f"{_sum_text(document, each)} {each.value}")
        for each in account.sums
        if each.color == color
    ]


def _sum_text(document: Document, part: Sum) -> str:
    return fill(document.texts.sums.get(part.kind, part.kind), [str(n) for n in part.numbers])
