"""How good the positions of a finished game were, on the whole terminal."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_protocol.messages import RoomState
from pierule_terminal.asking import archive_of, asked
from pierule_terminal.evaluation import rows, swings, told
from pierule_terminal.refusals import explain
from pierule_terminal.screen import clean

RUNNING = "You can see evaluations when the game is over."
NOT_HERE = "This server does not evaluate positions."
ABOUT = "What Black may expect after each action, as a house bot estimates"
AWAY = "r asks again."


class Evaluations(ModalScreen[None]):
    """The positions of a finished game, with a bar for each, as they come from the archive. At the
    end, the largest swings appear above them."""

    DEFAULT_CSS = """
    Evaluations { background: $background; }
    Evaluations #about { height: auto; margin-bottom: 1; }
    Evaluations VerticalScroll { height: 1fr; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "ask", "Again"),
        Binding("escape,q,v", "dismiss", "Back"),
    ]

    def __init__(self, client: pierule.Client, state: RoomState, shown: int) -> None:
        super().__init__()
        self._client, self._state, self._shown = client, state, shown
        self._about = Static(id="about", markup=False)
        self._list = Static(markup=False)
        self._positions: list[dict[str, Any]] = []

    def compose(self) -> ComposeResult:
        """A heading, and the positions in a pane that scrolls."""
        yield self._about
        with VerticalScroll():
            yield self._list
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Ask for the positions."""
        self.action_ask()

    def action_ask(self) -> None:
        """Ask for the positions that are missing."""
        archive = archive_of(self._client)
        if self._state.status != "over":
            self._about.update(RUNNING)
        elif archive is None or "evaluations" not in self._client.welcome.features:
            self._about.update(NOT_HERE)
        else:
            self.run_worker(self._ask(archive), exclusive=True)

    async def _ask(self, archive: Archive) -> None:
        state, game = self._state, self._state.position.game
        self._draw("loading")
        try:
            # Only the node knows whether somebody is playing exactly this line (SPEC 27.17).
            await self._client.legal_after(game, state.actions, state.position.size, state.rules)
            coming = archive.evaluations(
                game, state.actions, first=len(self._positions),
                size=state.position.size, rules=state.rules,
            )  # fmt: skip
            while told := await asked(lambda: next(coming, {})):
                self._positions.append(told)
                self._draw(f"{len(self._positions)} of {len(state.actions) + 1}")
        except ArchiveError as error:
            self._draw(f"{clean(str(error))} {AWAY}")
        except pierule.Refused as error:
            self._draw(explain(error, None))
        except pierule.TimedOut:
            self._draw(f"The server did not answer. {AWAY}")
        else:
            self._draw("")

    def _draw(self, news: str) -> None:
        """Draw the positions so far, with news about the rest."""
        actions = self._state.actions
        head = [f"{ABOUT}:", news]
        if not news and (found := swings(self._positions, actions)):
            head += ["What cost most:", *map(told, found)]
        self._about.update("\n".join(filter(None, head)))
        lines = [
            Text(line, "bold" if each["ply"] == self._shown else "")
            for line, each in zip(rows(self._positions, actions), self._positions, strict=True)
        ]
        self._list.update(Text("\n").join(lines))
