"""The lobby on the whole terminal: what you can play and watch, live, until you choose."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, OptionList
from textual.widgets.option_list import Option

import pierule
from pierule.clocks import show_clock
from pierule_protocol.messages import Pool
from pierule_terminal.fullscreen.app import STOPPED
from pierule_terminal.fullscreen.choice import FULL, Choice, is_full
from pierule_terminal.fullscreen.form import GameChoice, GameForm
from pierule_terminal.fullscreen.listing import EMPTY, HEADINGS, KEYS, NO_MATCH, Entry, entries
from pierule_terminal.fullscreen.ratings import Leaderboards
from pierule_terminal.fullscreen.widgets import Help, Line
from pierule_terminal.refusals import explain
from pierule_terminal.screen import clean, fit

LOOK = 5.0
"""Seconds between two requests for the user's own rooms, which the lobby does not include."""


class Rooms(OptionList):
    """Lines that the user can choose, under headings that they cannot."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "select", "Join", show=True)]

    def show(self, found: list[Entry]) -> None:
        """Show other lines. The cursor stays on its entry, if that is still there."""
        kept = self.highlighted_option.id if self.highlighted_option else None
        options, before = [], None
        for entry in found:
            if entry.kind != before:
                heading = Text(f"{HEADINGS[entry.kind]}", style="bold")
                options.append(Option(heading, disabled=True))
                before = entry.kind
            options.append(Option(Text(f"  {entry.text}", no_wrap=True), id=entry.key))
        top = self.scroll_y
        self.set_options(options)
        self.scroll_y = top
        places = {option.id: i for i, option in enumerate(options) if option.id}
        if options:
            self.highlighted = places.get(kept or "", 1)  # the first line is a heading


class LobbyApp(App[pierule.Room]):
    """The lobby. It ends with the chosen room, or None to leave. After `run_async`, `trouble` is
    the error that ended it, and `return_code` is not 0 if a signal stopped it."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; }
    #title { height: 1; text-style: bold; margin-bottom: 1; }
    Rooms { height: 1fr; border: none; padding: 0; background: $background; }
    #empty { height: 1fr; display: none; }
    .empty #empty { display: block; }
    .empty Rooms { height: 1; }
    #message { height: auto; max-height: 4; min-height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "watch", "Watch only"),
        Binding("d", "decline", "Decline"),
        Binding("n", "new", "New game"),
        Binding("s", "seek", "Seek"),
        Binding("g", "next_game", "Game"),
        Binding("o", "next_kind", "Show"),
        Binding("m", "more", "More"),
        Binding("r", "ratings", "Ratings"),
        Binding("escape", "stop_waiting", show=False),  # the message names this key while it waits
        Binding("q", "leave", "Quit"),
        Binding("question_mark,f1", "help", "Help"),
        Binding("ctrl+l", "redraw", show=False),
        Binding("ctrl+z", "suspend_process", show=False),
        Binding("ctrl+c", "stop(2)", priority=True, show=False),
    ]

    def __init__(self, client: pierule.Client, told: str = "", notice: str = "") -> None:
        super().__init__()
        self.trouble: pierule.PieruleError | None = None
        self.rooms = Rooms()
        self._client = client
        self._title = Line(id="title")
        self._message = Line(id="message")
        self._notice, self._told = notice, told
        self._sought: Pool | None = None  # the user's own seek
        self._wished = ""  # the seek's other choices, in words
        self._challenges: list[pierule.Challenged] = []
        self._connected = True
        self._view: pierule.LobbyView | None = None
        self._mine: list[pierule.MyRoom] | None = None
        self._entries: dict[str, Entry] = {}
        self._choice = Choice()
        self._listed: list[pierule.Card] = []  # rooms that the lobby does not include
        self._ended = False  # whether there are no more
        self._shown_commands: dict[str, bool] = {}  # which of them are possible
        self._watching = asyncio.Lock()
        self._empty = Line(EMPTY, id="empty")

    def compose(self) -> ComposeResult:
        """The rooms, and the lines below."""
        yield self._title
        yield self.rooms
        yield self._empty
        yield self._message
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to watch the lobby."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.action_stop, signal.SIGTERM)
        self.rooms.focus()
        self.show()
        self._watch_chosen()
        self.run_worker(self._look())
        self.run_worker(self._hear())

    def on_resize(self) -> None:
        """Use the new width."""
        self.call_after_refresh(self.show)

    # --- what is shown ---

    def _watch_chosen(self) -> None:
        self._view, self._listed, self._ended = None, [], False
        self.run_worker(self._watch(), group="watch", exclusive=True)

    async def _watch(self) -> None:
        game, _, status, seat = self._choice.filter
        try:
            async with self._watching:  # a client watches only one part of the lobby at a time
                async for view in self._client.lobby(game=game, status=status, free_seat=seat):
                    self._view = view
                    self.show()
        except pierule.PieruleError as error:
            self.trouble = error
            self.exit(return_code=1)

    async def _list_more(self) -> None:
        assert self._view is not None
        limit = len(self._choice.of(self._view, self._listed).rooms) + FULL
        game, _, status, seat = self._choice.filter
        try:
            cards = await self._client.rooms(limit, game=game, status=status, free_seat=seat)
        except pierule.PieruleError as error:
            self.say(_explained(error))
            return
        self._listed, self._ended = cards, len(cards) < limit
        self.show()

    async def _look(self) -> None:
        while True:
            try:
                self._mine = await self._client.my_rooms()
                self.show()
            except (pierule.Refused, pierule.TimedOut):
                pass  # leave it until the next time
            except pierule.PieruleError:
                return  # the task that watches the lobby says why
            await asyncio.sleep(LOOK)

    async def _hear(self) -> None:
        with suppress(pierule.PieruleError):  # the task that watches the lobby says why
            async for standing in self._client.standing_challenges():
                self._challenges = standing
                self.show()

    def notice(self, text: str) -> None:
        """Show what the operators say, or something else that is important, until the next
        notice."""
        self._notice = text
        self.show()

    def heard(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is back."""
        self._connected, self._told = news.connected, clean(news.text)
        self.show()

    def say(self, text: str) -> None:
        """Show a message until the next one."""
        self._told = text
        self.show()

    def show(self) -> None:
        """Draw the lobby."""
        if not self.is_running:
            return
        width = self.size.width
        line = "connected" if self._connected else "(!) no connection: trying again"
        only = f"; only {self._choice.text}" if self._choice.text else ""
        title = f"Pierule lobby, as {clean(self._client.name)}; {line}{only}"
        self._title.show(fit(title, width))
        more = "There may be more rooms: m lists them." if self._may_be_more else ""
        said = [text for text in (self._notice, self._waits(), more, self._told) if text]
        self._message.show("\n".join(said))
        self._show_commands()
        if self._view is None or self._mine is None:
            return  # wait for all lines, so that the cursor starts on the very first one
        now = self._client.server_time()
        asked, sought = self._challenges, self._sought
        view = self._choice.of(self._view, self._listed)
        found = entries(view, self._mine, asked, sought, now, width - 5)
        if [*self._entries.values()] != found or not found:
            self._entries = {entry.key: entry for entry in found}
            self.rooms.show(found)
        self._empty.show(NO_MATCH if self._choice.text else EMPTY)
        self.screen_stack[0].set_class(not found, "empty")

    @property
    def _may_be_more(self) -> bool:
        return self._view is not None and not self._ended and is_full(self._view)

    def _waits(self) -> str:
        if (sought := self._sought) is None:
            return ""
        clock = show_clock(sought.control) if sought.control else "no clock"
        game = f"{sought.game.capitalize()} {sought.size}, {clock}"
        return f"Waiting for an opponent: {game}{self._wished}. Escape stops waiting."

    # --- what the user chooses ---

    def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """Take a seat, watch, seek the same, or accept a challenge."""
        entry = self._entries.get(selected.option_id or "")
        if entry is None:
            return
        if entry.challenge:
            self._do(self._client.accept(entry.challenge))
        elif entry.pool is not None:
            pool = entry.pool
            self._seek(GameChoice(pool.game, pool.size, pool.control))
        else:
            sits = entry.kind in ("bot", "open")
            self._do(self._client.join(entry.room, "any" if sits else None))

    @property
    def _entry(self) -> Entry | None:
        """The line under the cursor."""
        option = self.rooms.highlighted_option
        return self._entries.get((option.id if option else None) or "")

    def on_option_list_option_highlighted(self) -> None:
        """Update the commands, which depend on the line."""
        self._show_commands()

    def _show_commands(self) -> None:
        """Update the commands if they have changed: the footer makes all of its parts anew."""
        if (may := self._may) != self._shown_commands:
            self._shown_commands = may
            self.refresh_bindings()

    @property
    def _may(self) -> dict[str, bool]:
        """Which of the commands are possible that not always are: to decline only challenges, to
        watch everything else, and to list more rooms only if there may be more."""
        entry = self._entry
        asked = entry is not None and bool(entry.challenge)
        return {"decline": asked, "watch": not asked, "more": self._may_be_more}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether a command is possible."""
        return self._may.get(action, True)

    def action_watch(self) -> None:
        """Watch the room under the cursor."""
        entry = self._entry
        if entry is not None and entry.room:
            self._do(self._client.join(entry.room))

    def action_next_game(self) -> None:
        """List another game."""
        games = [options.game for options in self._client.welcome.games]
        self._choice = self._choice.next_game(games)
        self._watch_chosen()

    def action_next_kind(self) -> None:
        """List rooms of another status, or with another free seat."""
        self._choice = self._choice.next_kind()
        self._watch_chosen()

    def action_more(self) -> None:
        """List more than the lobby includes."""
        self.run_worker(self._list_more(), group="watch")

    def action_decline(self) -> None:
        """Decline the challenge under the cursor, and stay in the lobby."""
        entry = self._entry
        if entry is not None and entry.challenge:
            self.run_worker(self._decline(entry.challenge))

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help(["The lobby", "", KEYS], back="the lobby"))

    def action_ratings(self) -> None:
        """Show the leaderboards, first that of the chosen game."""
        games = [options.game for options in self._client.welcome.games]
        first = games.index(self._choice.game) if self._choice.game in games else 0
        self.push_screen(Leaderboards(self._client, [*games[first:], *games[:first]]))

    def action_new(self) -> None:
        """Ask for a game, and create it."""
        self.push_screen(GameForm(self._client.welcome.games, seeking=False), self._make)

    def action_seek(self) -> None:
        """Ask for a game, and wait for somebody who wants the same."""
        self.push_screen(GameForm(self._client.welcome.games, seeking=True), self._seek)

    def _make(self, wanted: GameChoice | None) -> None:
        if wanted is not None:
            self._do(
                self._client.create(
                    wanted.game,
                    wanted.size,
                    wanted.seat,
                    wanted.clock,
                    access=wanted.access,
                    rated=wanted.rated,
                )
            )

    def _seek(self, wanted: GameChoice | None) -> None:
        if wanted is not None:
            sought = Pool(game=wanted.game, size=wanted.size, control=wanted.clock, waiting=1)
            near, self._wished = wanted.points, wanted.wishes
            seek = self._client.seek(
                wanted.game, wanted.size, wanted.clock, rated=wanted.rated,
                range=None if near is None else pierule.RatingRange(near, near),
            )  # fmt: skip
            self._do(seek, sought)

    async def _decline(self, challenge: str) -> None:
        try:
            await self._client.decline(challenge)
            self._told = "You declined the challenge."
        except pierule.PieruleError as error:
            self._told = _explained(error)
        self.show()

    def _do(self, command: Awaitable[pierule.Room], sought: Pool | None = None) -> None:
        """Run this command instead of waiting, and go to the resulting room."""
        self.run_worker(self._done(command, sought), group="command", exclusive=True)

    async def _done(self, command: Awaitable[pierule.Room], sought: Pool | None) -> None:
        self._sought = sought
        self.say("")
        try:
            self.exit(await command)
        except pierule.PieruleError as error:
            self._told = _explained(error)
        finally:
            if self._sought is sought:  # unless another seek has replaced it
                self._sought = None
            self.show()

    def action_stop_waiting(self) -> None:
        """Stop seeking."""
        self.workers.cancel_group(self, "command")

    def action_leave(self) -> None:
        """Leave the lobby."""
        self.exit()

    def action_stop(self, number: int) -> None:
        """End because of a signal, or a key that stands for one."""
        self.exit(return_code=STOPPED[signal.Signals(number)])

    def action_redraw(self) -> None:
        """Draw the whole screen again."""
        self.refresh(repaint=True, layout=True)


def _explained(error: pierule.PieruleError) -> str:
    match error:
        case pierule.Refused():
            return explain(error)
        case pierule.TimedOut():
            return "The server did not answer; it is safe to try again."
    return clean(str(error))
