"""A room on the whole terminal: keys and mouse go to the controller, its view to the widgets.

Next to the board is a column of widgets, each drawn from the view. Anything else that a room shows
belongs there.
"""

from __future__ import annotations

import asyncio
import signal
from typing import ClassVar, cast

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, Static

import pierule
from pierule_protocol.log.events import What
from pierule_terminal.fullscreen.controller import Controller
from pierule_terminal.fullscreen.evaluation import Evaluations
from pierule_terminal.fullscreen.view import guide
from pierule_terminal.fullscreen.widgets import Actions, Board, Field, Help, Line, about_keys, panel
from pierule_terminal.offers import Answer
from pierule_terminal.prompts import show_rules
from pierule_terminal.screen import clean
from pierule_terminal.style import Style

TICK = 0.1
"""Seconds between two updates of the clocks, which show tenths at the end."""

STOPPED = {signal.SIGINT: 130, signal.SIGTERM: 143}


def _key(keys: str, action: str, description: str = "", *, show: bool = False) -> Binding:
    return Binding(keys, action, description, show=show)


class RoomApp(App[None]):
    """A room and its rematches. After `run_async`, `trouble` is the error that ended it, and
    `return_code` is not 0 if a signal stopped it."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; }
    #table { height: 1fr; }
    #field { width: auto; max-width: 60%; height: 1fr; margin-right: 2; }
    Board { width: auto; height: auto; }
    #side { width: 1fr; }
    #panel { height: auto; margin-bottom: 1; }
    Actions { height: 1fr; }
    #guide { height: auto; max-height: 2; min-height: 1; text-style: bold; }
    #message { height: auto; max-height: 3; min-height: 1; }
    #line { display: none; border: none; height: 1; padding: 0; }
    #line.open { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        _key("question_mark,f1", "help", "Help", show=True),
        _key("enter,space", "pick", "Pick", show=True),
        _key("escape", "undo", "Undo", show=True),
        _key("s", "send", "Send", show=True),
        _key("comma", "look(-1)", "Back", show=True),
        _key("full_stop", "look(1)", "On", show=True),
        _key("end", "look(99999)", "Present", show=True),
        _key("colon", "type", "Type", show=True),
        _key("q", "leave", "Leave", show=True),
        _key("home", "look(-99999)"),
        _key("left", "move(-1, 0)"),
        _key("right", "move(1, 0)"),
        _key("up", "move(0, 1)"),
        _key("down", "move(0, -1)"),
        _key("l", "hint"),
        _key("e", "score"),
        _key("v", "evaluations"),
        _key("i", "rules"),
        _key("b", "act('black')"),
        _key("w", "act('white')"),
        _key("p", "act('pass')"),
        _key("t", "offer('takeback')"),
        _key("d", "offer('draw')"),
        _key("z", "offer('pause')"),
        _key("m", "offer('rematch')"),
        _key("y", "answer('accept')"),
        _key("n", "answer('decline')"),
        _key("u", "answer('withdraw')"),
        _key("R", "end('resign')"),
        _key("X", "end('abort')"),
        _key("C", "end('claim')"),
        _key("ctrl+l", "redraw"),
        _key("ctrl+z", "suspend_process"),
        Binding("ctrl+c", "stop(2)", priority=True, show=False),
    ]

    def __init__(self, client: pierule.Client, controller: Controller, style: Style) -> None:
        super().__init__()
        self.controller = controller
        self.trouble: pierule.PieruleError | None = None
        self._client = client
        self._style = style
        self._board = Board(controller.view, style)
        self._panel = Static(id="panel", markup=False)
        self._drawn = ""  # the text of the panel
        self._actions = Actions(controller.view)
        self._guide = Line(id="guide")
        self._message = Line(id="message")
        self._line = Input(
            id="line", placeholder="an action, or a word such as takeback", compact=True
        )
        controller.changed = self._show
        controller.wanted = self._want

    def compose(self) -> ComposeResult:
        """The board, the column next to it, and the lines below."""
        with Horizontal(id="table"):
            with Field(id="field", can_focus=False):
                yield self._board
            with Vertical(id="side"):
                yield self._panel
                yield self._actions
        yield self._guide
        yield self._message
        yield self._line
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to follow the room."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.action_stop, signal.SIGTERM)
        self._board.focus()
        self._show()
        self.set_interval(TICK, self._tick)
        self.run_worker(self._follow())

    def on_resize(self) -> None:
        """Use the new width."""
        self.call_after_refresh(self._show)

    async def _follow(self) -> None:
        try:
            await self.controller.run()
        except pierule.PieruleError as error:
            self.trouble = error
            self.exit(return_code=1)

    # --- drawing ---

    def _show(self) -> None:
        view = self.controller.view
        self._board.show(view)
        self._actions.show(view)
        self._guide.show(guide(view))
        self._message.show(view.message)
        self._show_panel()

    def _show_panel(self) -> None:
        now, width = self._client.server_time(), self._panel.size.width
        lines = "\n".join(panel(self.controller.view, now, width, self._style))
        if lines != self._drawn:
            longer = lines.count("\n") != self._drawn.count("\n")
            self._panel.update(Text.from_ansi(lines, no_wrap=True), layout=longer)
            self._drawn = lines

    def _tick(self) -> None:
        if self.controller.tick():
            self.bell()
        self._show_panel()

    # --- keys, mouse, and words ---

    def on_board_clicked(self, clicked: Board.Clicked) -> None:
        """Pick a point with the mouse."""
        self.controller.drafting.click(clicked.cell)

    def on_actions_chosen(self, chosen: Actions.Chosen) -> None:
        """Look at a ply."""
        self.controller.look_at(chosen.ply)

    def on_actions_turned(self, turned: Actions.Turned) -> None:
        """Step back or forward."""
        self.controller.look(turned.plies)

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Obey a typed line."""
        self._close_line()
        self.controller.obey(clean(submitted.value))

    def _close_line(self) -> None:
        self._line.clear()
        self._line.remove_class("open")
        self._board.focus()

    def _want(self, word: str) -> None:
        if word == "quit":
            self.exit()
        elif word == "help":
            self.action_help()
        elif word == "rules":
            self.action_rules()

    def action_type(self) -> None:
        """Open the input line."""
        self._line.add_class("open").focus()

    def action_undo(self) -> None:
        """Close the input line, or undo."""
        if self._line.has_class("open"):
            self._close_line()
        else:
            self.controller.undo()

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help(about_keys(self.controller.view)))

    def action_rules(self) -> None:
        """Show the rules of the game."""
        self.push_screen(Help(show_rules(self.controller.document, self._style)))

    def action_score(self) -> None:
        """Show where the score comes from."""
        self.controller.score()

    def action_evaluations(self) -> None:
        """Show how good the positions of the game were, once it is over."""
        view = self.controller.view
        self.push_screen(Evaluations(self._client, view.state, view.shown.ply))

    def action_leave(self) -> None:
        """Leave the room. The user keeps the seat."""
        self.exit()

    def action_stop(self, number: int) -> None:
        """End because of a signal, or a key that stands for one."""
        self.exit(return_code=STOPPED[signal.Signals(number)])

    def action_redraw(self) -> None:
        """Draw the whole screen again."""
        self.refresh(repaint=True, layout=True)

    def action_move(self, columns: int, rows: int) -> None:
        """Move the cursor."""
        self.controller.move(columns, rows)

    def action_pick(self) -> None:
        """Pick the point under the cursor."""
        self.controller.drafting.pick()

    def action_send(self) -> None:
        """Send the draft."""
        self.controller.drafting.send()

    def action_look(self, plies: int) -> None:
        """Step back or forward."""
        self.controller.look(plies)

    def action_hint(self) -> None:
        """Mark the points that can be picked."""
        self.controller.hint()

    def action_act(self, word: str) -> None:
        """Choose a word that is an action."""
        self.controller.drafting.say(word)

    def action_offer(self, what: str) -> None:
        """Offer something."""
        self.controller.offer(cast("What", what))

    def action_answer(self, word: str) -> None:
        """Answer an offer."""
        self.controller.answer(cast("Answer", word))

    def action_end(self, word: str) -> None:
        """Resign, abort or claim."""
        self.controller.end(word)
