"""The form that asks which game the user wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Input, Label, Select, Static

from pierule.clocks import FORMS, BadClock, parse_clock
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Access, Rated
from pierule_protocol.messages import GameOptions, Seat


@dataclass(frozen=True, slots=True)
class GameChoice:
    """The game that the user wants. `seat` and `access` are for creating it, and `points` for
    seeking it: how much the opponent's rating may differ (None: any number)."""

    game: str
    size: int
    clock: ClockOptions | None
    seat: Seat | Literal["random"] = 0
    access: Access = "public"
    rated: Rated = "either"
    points: int | None = None

    @property
    def wishes(self) -> str:
        """The choices besides game, size and clock, to show while the user waits."""
        near = f", rating within {self.points} of yours" if self.points else ""
        return near + {"yes": ", rated", "no": ", not rated", "either": ""}[self.rated]


_SEATS: tuple[tuple[str, Seat | Literal["random"]], ...] = (
    ("first: you cut", 0), ("second: you choose a color", 1), ("at random", "random"),
)  # fmt: skip
_ACCESS: tuple[tuple[str, Access], ...] = (
    ("anyone", "public"), ("anyone with its name", "unlisted"), ("only by invitation", "private"),
)  # fmt: skip
_RATED: tuple[tuple[str, Rated], ...] = (
    ("if possible", "either"), ("yes", "yes"), ("no", "no"),
)  # fmt: skip
ANY = 0
_POINTS = (("any rating", ANY), ("within 200", 200), ("within 100", 100))


class GameForm(ModalScreen[GameChoice | None]):
    """Asks for a game, its size and clock, and whether it is rated. With `seeking`, also for the
    opponent's rating; otherwise for a seat, and who may join. Gives None if the user cancels."""

    DEFAULT_CSS = """
    GameForm { align: center middle; }
    GameForm > VerticalScroll {
        width: 60; max-width: 100%; height: auto; max-height: 100%;
        border: round $foreground; padding: 0 1;
    }
    GameForm Grid { grid-size: 2; grid-columns: 14 1fr; grid-rows: 1; height: auto; }
    GameForm Input { border: none; height: 1; padding: 0 1; }
    GameForm Select { width: 100%; }
    GameForm #fault { height: 1; margin: 1 0 0 0; }
    GameForm #buttons { height: 1; margin: 1 0; }
    GameForm Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "go", "Send", show=True, priority=True),
        Binding("escape", "dismiss", "Back", show=True),
        Binding("tab", "app.focus_next", "Next", show=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, games: Sequence[GameOptions], *, seeking: bool) -> None:
        super().__init__()
        self._games = {options.game: options for options in games}
        self._seeking = seeking
        first = games[0].game
        names = [(game.capitalize(), game) for game in self._games]
        self._game: Select[str] = Select(names, value=first, allow_blank=False, compact=True)
        self._side: Select[int] = Select(
            self._sizes(first), value=games[0].default_size, allow_blank=False, compact=True
        )
        self._clock = Input(placeholder="no time limit; or, for example, 5+3", compact=True)
        self._seat = Select(_SEATS, value=0, allow_blank=False, compact=True)
        self._access = Select(_ACCESS, value="public", allow_blank=False, compact=True)
        self._rated = Select(_RATED, value="either", allow_blank=False, compact=True)
        self._points = Select(_POINTS, value=ANY, allow_blank=False, compact=True, id="points")
        self._fault = Static(id="fault", markup=False)

    def _sizes(self, game: str) -> list[tuple[str, int]]:
        return [(str(size), size) for size in sorted(self._games[game].sizes)]

    def compose(self) -> ComposeResult:
        """A line for each question."""
        with VerticalScroll(can_focus=False):
            yield Static("Seek a game" if self._seeking else "A new game", markup=False)
            with Grid():
                yield from (Label("game"), self._game, Label("size"), self._side)
                yield from (Label("clock"), self._clock)
                yield from (Label("rated"), self._rated)
                if self._seeking:
                    yield from (Label("opponent"), self._points)
                else:
                    yield from (Label("your seat"), self._seat)
                    yield from (Label("who may join"), self._access)
            yield self._fault
            with Horizontal(id="buttons"):
                yield Button("Seek" if self._seeking else "Create", id="go", compact=True)
                yield Button("Back", id="back", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    @on(Select.Changed)
    def game_changed(self, changed: Select.Changed) -> None:
        """Offer the sizes of the chosen game."""
        if changed.select is self._game:
            game = str(changed.value)
            self._side.set_options(self._sizes(game))
            self._side.value = self._games[game].default_size

    @on(Button.Pressed, "#back")
    def back(self) -> None:
        """Cancel."""
        self.dismiss(None)

    @on(Button.Pressed, "#go")
    @on(Input.Submitted)
    def action_go(self) -> None:
        """End with the user's choices, unless the clock is wrong."""
        text = self._clock.value.strip()
        try:
            clock = parse_clock(text) if text else None
        except BadClock:
            self._fault.update(f"{text[:12]} is not a clock; write {FORMS}")
            self._clock.focus()
            return
        game, size = cast("str", self._game.value), cast("int", self._side.value)
        rated = cast("Rated", self._rated.value)
        if self._seeking:  # fields that are not shown have no value
            points = cast("int", self._points.value)
            self.dismiss(GameChoice(game, size, clock, rated=rated, points=points or None))
            return
        seat = cast("Seat | Literal['random']", self._seat.value)
        access = cast("Access", self._access.value)
        self.dismiss(GameChoice(game, size, clock, seat, access, rated))
