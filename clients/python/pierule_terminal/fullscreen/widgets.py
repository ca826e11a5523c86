"""Draws a view: the board, the panel next to it, the list of actions, the help."""

from __future__ import annotations

import re
import textwrap
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from pierule_protocol.messages import Seat
from pierule_terminal.clockface import duration
from pierule_terminal.drawing import draw_board, legend
from pierule_terminal.fullscreen.view import View, marks
from pierule_terminal.gone import gone
from pierule_terminal.offers import WORDS as OFFERS
from pierule_terminal.plan import Plan
from pierule_terminal.prompts import WORDS
from pierule_terminal.scene import (
    called,
    clock_faces,
    color_of,
    in_order,
    player_lines,
    rated_line,
    sums_of,
    title,
)
from pierule_terminal.screen import fit
from pierule_terminal.style import Style

NOTICE = 4
"""The most lines of a notice."""
SCROLL_BAR = 2
"""The columns that a scroll bar takes."""
_KEY = re.compile(r" *\S.*? {2,}(?=\S)")
"""A key or a word, and the space before the text beside it."""

KEYS = """\
arrows, mouse  move the cursor; Enter, Space or a click picks the point there,
               and Escape takes it back. Another point moves the last one.
Enter s        the same point again, or s, sends an action that is complete
               (with --send-at-once, the last point sends it)
b w p          Black, White (when you choose a color), pass; again to send it
l              mark the points that can be picked with x
, . Home End   look at earlier positions and come back, as the game goes on;
               also by the wheel or a click on the list of actions
e i            where the shown score comes from; the rules of the game
v              after the game: how good its positions were, as a bot estimates
t d z m        offer a takeback, a draw, a pause (or to go on), a rematch
               (as a spectator: go on to the rematch)
y n u          accept or decline an offer; withdraw your own offer
R X C          resign, abort, claim the game if your opponent has been gone
               too long; each asks you to press it a second time
:              type an action or a word, as below; Escape leaves the line
? q Ctrl-L     this help; leave (you keep your seat); draw the screen again

< > the cursor  [ ] the last action  ( ) picked  { } counts  x can be picked
"""


class Board(Widget, can_focus=True):
    """The board with its cursor. A click moves the cursor and picks the point."""

    class Clicked(Message):
        """The user clicked on a cell."""

        def __init__(self, cell: int) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self, view: View, style: Style) -> None:
        super().__init__()
        self._view = view
        self._style = style

    @property
    def plan(self) -> Plan:
        """Where the points stand."""
        return self._view.document.plan(self._view.state.position.size)

    def show(self, view: View) -> None:
        """Draw another view."""
        plan = self.plan
        self._view = view
        self.refresh(layout=self.plan is not plan)
        self.call_after_refresh(self.keep_cursor_in_sight)

    def keep_cursor_in_sight(self) -> None:
        """Scroll to the cursor if the terminal is too small for the board."""
        x, y = self.plan.points[self._view.cursor]
        if isinstance(self.parent, Widget):
            self.parent.scroll_to_region(Region(x - 1, y, 3, 1), animate=False)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """The columns of the board."""
        return self.plan.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """The lines of the board."""
        return self.plan.height

    def render(self) -> RenderResult:
        """The board as text."""
        view, position = self._view, self._view.shown.position
        lines = draw_board(view.document, position.size, position.cells, marks(view), self._style)
        return Text.from_ansi("\n".join(lines), no_wrap=True)

    def on_click(self, event: events.Click) -> None:
        """Click the point here, or right after this gap."""
        cell = self.plan.cell_at(event.x, event.y)
        if cell is not None:
            self.post_message(self.Clicked(cell))


class Field(ScrollableContainer, inherit_bindings=False):
    """The container of the board. It scrolls with the cursor, and has no keys for that."""


def panel(view: View, now: int, width: int, style: Style) -> list[str]:
    """The panel beside the board: players with their colors and clocks, presence, and offers. `now`
    is the store's time in ms."""
    state, document = view.shown, view.document
    line = "connected" if view.connected else "(!) no connection: trying again"
    told = textwrap.wrap(view.notice, max(width, 1))[:NOTICE]
    lines = [fit(title(document, state), width), fit(line, width), *told, ""]
    faces = clock_faces(view.state, view.mine, now)
    for seat in in_order(state):
        clock = f"{faces[seat]:>{max(map(len, faces))}}  " if any(faces) else ""
        lines += player_lines(document, state, seat, view.mine, width, style, clock)
        color = (color_of(state, seat) or "").lower()
        lines += [fit(f"    {line}", width) for line in sums_of(document, view.counted, color)]
        lines += [fit(f"    {line}", width) for line in _about(view, seat, now)]
    if view.presence is not None and view.presence.spectators:
        lines.append(f"  {view.presence.spectators} watching")
    if state.delay and state.status != "over":
        lines.append(fit(f"  {_delayed(view)}", width))
    counts = rated_line(state) or ""
    lines += [f"  {line}" for line in textwrap.wrap(counts, max(width - 2, 1))]
    if state.position.komi is not None:
        lines.append(fit(f"  {document.number('komi', state.position.komi)}", width))
    return lines + legend(document, state.position.cells, style, width)


def _delayed(view: View) -> str:
    """How far spectators are behind, in words for them or for the players."""
    plies = "1 ply" if view.state.delay == 1 else f"{view.state.delay} plies"
    return f"spectators are {plies} behind" if view.mine else f"you see it {plies} late"


def _about(view: View, seat: Seat, now: int) -> list[str]:
    """Further lines about a seat: that its player is away or gone, and what they offer."""
    state, presence, lines = view.state, view.presence, []
    if presence is not None and state.seats[seat] is not None and not presence.players[seat]:
        claim = presence.claim[seat]
        if state.status != "running" or presence.gone[seat] is None:
            lines.append("is not connected")
        elif claim is None or now >= claim:
            lines.append(f"is {gone(claim, now)}")
        else:
            lines.append(f"is gone, {duration(claim - now)} to come back")
    if (what := state.offers[seat]) is not None:
        to_me = view.mine and seat not in view.mine
        keys = "u: " if seat in view.mine else "y or n: " if to_me else ""
        lines.append(f"{keys}offers {OFFERS[what]}")
    return lines


class Actions(Widget):
    """The list of actions: as many as fit, around the shown one."""

    class Chosen(Message):
        """The user chose a ply."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    class Turned(Message):
        """The user turned the wheel by a number of plies."""

        def __init__(self, plies: int) -> None:
            super().__init__()
            self.plies = plies

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view

    def show(self, view: View) -> None:
        """Draw another view."""
        before, self._view = self._view, view
        if view.state != before.state or view.past != before.past:
            self.refresh()

    @property
    def _top(self) -> int:
        """The ply in the first line."""
        count, height, ply = len(self._view.state.actions), self.size.height, self._view.shown.ply
        return max(1, min(ply - height // 2, count - height + 1))

    def render(self) -> RenderResult:
        """A line for each action."""
        shown, actions = self._view.shown.ply, self._view.state.actions
        lines = []
        for ply in range(self._top, min(len(actions), self._top + self.size.height - 1) + 1):
            line = f"{'>' if ply == shown else ' '} {ply:>3}  {actions[ply - 1]}"
            lag = f"  {self._view.lag}" if ply == len(actions) else ""
            lines.append(fit(f"{line}{lag}".rstrip(), self.size.width))
        return Text("\n".join(lines), no_wrap=True)

    def on_click(self, event: events.Click) -> None:
        """Look at the ply in this line."""
        ply = self._top + event.y
        if ply <= len(self._view.state.actions):
            self.post_message(self.Chosen(ply))

    def on_mouse_scroll_up(self) -> None:
        """Step back."""
        self.post_message(self.Turned(-1))

    def on_mouse_scroll_down(self) -> None:
        """Step forward."""
        self.post_message(self.Turned(1))


class Line(Static):
    """A text, for most of the time in one line. The screen is laid out anew only if it needs more
    lines, or fewer: that takes several times as long as to draw a line."""

    def __init__(self, text: str = "", *, id: str) -> None:  # noqa: A002 - as Static calls it
        super().__init__(text, id=id, markup=False)
        self._text = text

    def show(self, text: str) -> None:
        """Show a text."""
        if text != self._text:
            same = self._is_line(text) and self._is_line(self._text)
            self._text = text
            self.update(text, layout=not same)

    def _is_line(self, text: str) -> bool:
        return bool(text) and "\n" not in text and cell_len(text) <= self.content_size.width


class Help(ModalScreen[None]):
    """A text on top of the room or the lobby: the keys and words, or the rules of the game."""

    DEFAULT_CSS = "Help > VerticalScroll { width: 100%; height: 100%; background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,i,q,enter", "dismiss", "Back")
    ]

    def __init__(self, lines: list[str], back: str = "the room") -> None:
        super().__init__()
        self._lines = "\n".join([*lines, "", f"Escape goes back to {back}."]).split("\n")
        self._shown = Static()

    def compose(self) -> ComposeResult:
        """The text, in a pane that scrolls."""
        with VerticalScroll():
            yield self._shown

    def on_resize(self) -> None:
        """Wrap the text for the terminal's width, less that of the scroll bar."""
        width = self.size.width - SCROLL_BAR
        lines = [part for line in self._lines for part in hanging(line, width)]
        self._shown.update(Text.from_ansi("\n".join(lines)))


def hanging(line: str, width: int) -> list[str]:
    """A line in pieces of this width. Further pieces begin where the text beside a key begins.
    Lines with colors, such as those of a board, are left as they are."""
    if len(line) <= width or "\x1b" in line:
        return [line]
    found = _KEY.match(line)
    indent = found.end() if found else len(line) - len(line.lstrip())
    width = max(width, 1)
    return textwrap.wrap(line, width, subsequent_indent=" " * min(indent, width // 2))


def about_keys(view: View) -> list[str]:
    """The keys and words, below the name of the room."""
    players = " and ".join(called(view.state, seat) for seat in in_order(view.state))
    return [f"{title(view.document, view.state)}: {players}", "", KEYS, WORDS]
