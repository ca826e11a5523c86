"""The leaderboards of the server's games on the whole terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_terminal.asking import archive_of, asked
from pierule_terminal.leaderboard import bots, head, place, rows
from pierule_terminal.screen import clean

NO_ARCHIVE = "This server keeps no archive of finished games, so it has no ratings."

EMPTY = """\
Nobody has enough rated games yet.

Register a name (pierule account) and play: the first ten rated games bring you here."""

AWAY = "r asks again."


class Leaderboards(ModalScreen[None]):
    """The leaderboard of a game, with its house bots below. Keys switch to the other games. It
    begins with the first of `games`."""

    DEFAULT_CSS = """
    Leaderboards { background: $background; }
    Leaderboards #about { height: auto; text-style: bold; margin-bottom: 1; }
    Leaderboards VerticalScroll { height: 1fr; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "turn(1)", "Game"),
        Binding("right", "turn(1)", show=False, priority=True),
        Binding("left", "turn(-1)", show=False, priority=True),
        Binding("r", "turn(0)", "Again"),
        Binding("escape,q", "dismiss", "Back"),
    ]

    def __init__(self, client: pierule.Client, games: Sequence[str]) -> None:
        super().__init__()
        self._user, self._archive = client.user, archive_of(client)
        self._games, self._at = games, 0
        self._about = Static(id="about", markup=False)
        self._list = Static(markup=False)

    def compose(self) -> ComposeResult:
        """A heading, and the players in a pane that scrolls."""
        yield self._about
        with VerticalScroll():
            yield self._list
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Ask for the first leaderboard."""
        self.action_turn(0)

    def action_turn(self, games: int) -> None:
        """Show the leaderboard of the game `games` places further, or (0) ask for the same
        again."""
        self._at = (self._at + games) % len(self._games)
        game = self._games[self._at]
        self._about.update(f"{game.capitalize()}: ratings")
        if self._archive is None:
            self._list.update(NO_ARCHIVE)
            return
        self._list.update("loading")
        self.run_worker(self._load(self._archive, game), exclusive=True)

    async def _load(self, archive: Archive, game: str) -> None:
        try:
            table = await asked(partial(archive.top, game))
        except ArchiveError as error:
            self._list.update(f"{clean(str(error))}\n\n{AWAY}")
            return
        self._about.update(
            f"{game.capitalize()}: ratings\n{head(table)}\n{place(table, self._user)}"
        )
        lines = rows(table, self._user) if table["players"] else EMPTY.splitlines()
        below = bots(table)
        shown = [
            Text(line, "bold" if line.startswith(">") else "")
            for line in (*lines, *([""] if below else []), *below)
        ]
        self._list.update(Text("\n").join(shown))
