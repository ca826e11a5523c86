"""Changes a view, by the room's events, the connection, and the user's commands.

Commands run one after the other, in their order, while the view goes on following the room. A
refusal of the server becomes a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pierule
from pierule_protocol.log.events import Outcome, What
from pierule_protocol.messages import RoomState
from pierule_terminal.chat_panel import ChatPanel
from pierule_terminal.clockface import SHORT, LowWarning, given_for_lag
from pierule_terminal.document import Document, account_of
from pierule_terminal.fullscreen.draft import Number
from pierule_terminal.fullscreen.drafting import Drafting
from pierule_terminal.fullscreen.past import Past
from pierule_terminal.fullscreen.view import View
from pierule_terminal.gone import Absences
from pierule_terminal.offers import NO_OFFER, Answer, answer, tell_offer
from pierule_terminal.plan import Plan
from pierule_terminal.prompts import Action, Word, understand
from pierule_terminal.rating_news import rating_news
from pierule_terminal.refusals import explain
from pierule_terminal.scene import tell_changes
from pierule_terminal.screen import clean

Command: TypeAlias = Callable[[], Awaitable[None]]

CLAIMING = "C claims the win, X aborts"
"""What a player can do about an opponent who has been gone too long."""

WAITING = 20
"""The most commands that wait for the present one. Further ones are refused."""


class Controller:
    """Connects a user with a room. `view` is what to show. It calls `changed` after each change of
    the view, and `wanted` with typed words that concern the screen: `help`, `board` and `quit`.
    With `rematch`, it offers one after each game. With `follow`, spectators also go on to rematches
    automatically. Without `confirms`, the tap that completes an action sends it. `drafting` handles
    actions."""

    def __init__(
        self,
        client: pierule.Client,
        document: Document,
        room: pierule.Room,
        *,
        rematch: bool = False,
        follow: bool = False,
        confirms: bool = True,
        message: str = "",
        notice: str = "",
    ) -> None:
        self.document = document
        self.room = room
        self.changed: Callable[[], None] = lambda: None
        self.wanted: Callable[[str], None] = lambda _: None
        self._client = client
        self._rematch = rematch
        self._led = follow
        self._offered = ""  # the room after which `rematch` has offered one
        self._past = Past()
        self._prompted = ""  # the phase whose prompt was shown last
        self._accounted = ""  # the room whose end was explained
        self._news: tuple[str, asyncio.Task[None]] | None = None  # waits for a room's ratings
        self._commands: asyncio.Queue[Command] = asyncio.Queue(WAITING)
        self._chat_panel = ChatPanel(client, room, self)
        self.drafting = Drafting(self)
        self._twice = ""  # a command that needs a second press, after the first
        self._low = LowWarning()
        self._absences = Absences(room, CLAIMING)
        self.view = replace(self._fresh(message), notice=notice, confirms=confirms)

    async def run(self) -> None:
        """Follow the room and its rematches, and run commands. Raises the error that ends this."""
        tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._work())]
        chatting = asyncio.create_task(self._listen())
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            tasks += [chatting] if self._news is None else [chatting, self._news[1]]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # --- what happens ---

    async def _follow(self) -> None:
        room = None
        while room is not self.room:
            room = self.room
            async for update in room.updates(beyond=True):
                if room is not self.room:
                    break
                self._see(update)

    async def _listen(self) -> None:
        """Show chat messages of the room and its rematches."""
        chat_panel = None
        while chat_panel is not self._chat_panel:
            chat_panel = self._chat_panel
            await chat_panel.listen()

    def _see(self, update: pierule.Update) -> None:
        state, room = update.state, self.room
        turned = state.turn != self.view.state.turn or state.epoch != self.view.state.epoch
        told = tell_changes(self.document, self.view.state, state, update.record)
        past = self.view.past
        if turned:
            self._twice = ""
        self.change(
            state=state,
            lag=given_for_lag(update.record),
            mine=tuple(room.seats),
            my_turn=room.my_turn,
            draft=None if turned or not room.my_turn else self.view.draft,
            past=None if past is not None and past[0] >= state.ply else past,
            message="\n".join(told) if turned else self.view.message,
        )
        for line in tell_offer(update.record, state, room.seats, "y accepts, n declines"):
            self.say(line.removeprefix("-- "))
        if state is not room.state:
            return
        if room.over and state.result and state.result.reason == "played":
            self._explain_end()
        if room.over:
            self._await_ratings(state)
        if room.my_turn and self.view.draft is None:
            self.do(self.drafting.begin)
        if self._rematch and room.over and room.seats and self._offered != room.id:
            self._offered = room.id
            self.offer("rematch")
        if state.rematch is not None and (room.seats or self._led):
            self.do(self._go_on)
        elif state.rematch is not None:
            self.say(f"There is a rematch: m goes on to {state.rematch}")

    @property
    def plan(self) -> Plan:
        """Where the points of the board stand."""
        return self.document.plan(self.room.position.size)

    @property
    def features(self) -> Sequence[str]:
        """What the server can do (SPEC 15.4)."""
        return self._client.welcome.features

    def notice(self, text: str) -> None:
        """Show something important, until the next notice."""
        self.change(notice=text)

    def heard(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is back."""
        self.change(connected=news.connected, message=clean(news.text))

    def tick(self) -> bool:
        """Show what changes without an event: presence, the right to claim, and clocks. Call it
        often. Returns whether to alert the player."""
        room, view = self.room, self.view
        if room.presence != view.presence:
            self.change(presence=room.presence)
        for line in self._absences.news(self._client.server_time()):
            self.say(line.removeprefix("-- "))
        seat = room.to_act
        left = room.time_left(seat) if room.my_turn and seat is not None else None
        if left is None or not self._low.due(room.state.turn, left):
            return False
        self.say(f"You have {SHORT // 1000} seconds left.")
        return True

    def _fresh(self, message: str = "") -> View:
        room = self.room
        return View(document=self.document, state=room.state, mine=tuple(room.seats),
                    my_turn=room.my_turn, presence=room.presence, cursor=self.plan.middle,
                    message=message)  # fmt: skip

    def change(self, **how: Any) -> None:
        """Change the view."""
        view = replace(self.view, **how)
        if view != self.view:
            self.view = view
            self.changed()

    def say(self, *lines: str) -> None:
        """Show a message until the next one."""
        self.change(message="\n".join(lines))

    warn = say

    def prompt(self) -> None:
        """Show the prompt of a phase when it begins, unless there is another message."""
        phase = self.view.state.position.phase
        if phase != self._prompted and not self.view.message:
            self._prompted = phase
            self.say(self.document.prompt(phase))

    # --- commands that need no server ---

    def move(self, columns: int, rows: int) -> None:
        """Move the cursor, or change the number if the draft is one."""
        draft = self.view.draft
        if isinstance(draft, Number) and self.view.past is None:
            self.change(draft=draft.change(rows + 5 * columns))
            return
        self.point(self.plan.toward(self.view.cursor, columns, rows))

    def point(self, cell: int) -> None:
        """Put the cursor on a cell."""
        self.change(cursor=cell)

    def look(self, plies: int) -> None:
        """Look at a position `plies` later than the shown one; earlier if negative."""
        self.look_at(self.view.shown.ply + plies)

    def look_at(self, ply: int) -> None:
        """Look at the position after `ply` actions, or at the present if there are not more."""
        state = self.view.state
        if ply >= state.ply:
            self.change(past=None)
        elif (position := self._past.position(state, max(ply, 0))) is not None:
            self.change(past=(max(ply, 0), position))
        else:
            self.do(lambda: self._ask_past(state, max(ply, 0)))

    async def _ask_past(self, state: RoomState, ply: int) -> None:
        """Ask the server for positions, because this client lacks the rules."""
        game, size = state.position.game, state.position.size
        told = await self._client.replay(game, state.actions, size, state.rules)
        self._past.keep(state, told)
        if self.view.state.room == state.room and ply < self.view.state.ply:
            self.change(past=(ply, told[ply]))

    def score(self) -> None:
        """Show where the shown score comes from."""
        state = self.view.shown
        self.do(lambda: self._account(state))

    def _explain_end(self) -> None:
        """Show where the score comes from, once for each game."""
        if self._accounted != self.room.id:
            self._accounted = self.room.id
            self.score()

    def _await_ratings(self, state: RoomState) -> None:
        """Show how the latest game changed ratings when that is known, once for each game."""
        if self._news is not None and self._news[0] == self.room.id:
            return
        if self._news is not None:
            self._news[1].cancel()
        self._news = self.room.id, asyncio.create_task(self._tell_ratings(state))

    async def _tell_ratings(self, state: RoomState) -> None:
        if text := await rating_news(self._client, state):
            self.say(*self.view.message.splitlines()[:1], text)

    async def _account(self, state: RoomState) -> None:
        account = await account_of(self._client, state)
        self.change(account=(state.ply, account))

    def undo(self) -> None:
        """Return to the present, or take back the latest point of the draft."""
        self._twice = ""
        if self.view.past is not None:
            self.change(past=None)
        else:
            self.drafting.undo()

    def hint(self) -> None:
        """Show or hide which points may be picked."""
        self.change(hints=not self.view.hints)

    # --- commands for the server ---

    def do(self, command: Command) -> None:
        """Run a command after all earlier ones."""
        self._twice = ""
        try:
            self._commands.put_nowait(command)
        except asyncio.QueueFull:
            self.say("The server has not answered yet; wait a moment.")

    async def _work(self) -> None:
        while True:
            command = await self._commands.get()
            try:
                await command()
            except pierule.Refused as error:
                self.say(explain(error, self.document))
            except pierule.TimedOut:
                self.say("The server did not answer; it is safe to try again.")
            finally:
                self.change(sending="")

    def offer(self, what: What) -> None:
        """Offer something to the other player. In a pause, `pause` offers to go on. If there is
        already a rematch, go on to it."""
        state = self.view.state
        if what == "rematch" and state.rematch is not None:
            self.do(self._go_on)
        elif what == "pause" and state.clock is not None and state.clock.paused is not None:
            self.do(lambda: self._offer("resume"))
        else:
            self.do(lambda: self._offer(what))

    def answer(self, word: Answer) -> None:
        """Answer an offer, or withdraw the user's own."""
        self.do(lambda: self._answer(word))

    def end(self, word: str) -> None:
        """Resign, abort or claim, after the user has asked for it twice."""
        if self._twice != word:
            self._twice = word
            self.say(f"This ends the game. Press {word} once more to do it, or Escape.")
            return
        self.do({"resign": self._resign, "abort": self._abort, "claim": self._claim_win}[word])

    def obey(self, line: str) -> None:
        """Obey a typed line, with the words of the line mode."""
        match understand(line):
            case Action(text=action):
                self.drafting.type(action)
            case Word(word="legal"):
                self.hint()
            case Word(word="resign" | "abort" as word):
                self.end(word)
            case Word(word="claim", argument=argument):
                self.do(lambda: self._claim("abort" if argument else "win"))
            case Word(word="takeback" | "draw" | "pause" | "resume" | "rematch" as what):
                self.offer(what)
            case Word(word="accept" | "decline" | "withdraw" as word):
                self.answer(word)
            case Word(word="say" | "mute" | "block" | "hear" | "report" as word, argument=argument):
                self.do(lambda: self._chat_panel.obey(word, argument))
            case Word(word="score"):
                self.score()
            case Word(word="help" | "board" | "rules" | "quit" as word):
                self.wanted(word)

    async def _offer(self, what: What) -> None:
        await self.room.offer(what)

    async def _answer(self, word: Answer) -> None:
        if not await answer(self.room, word):
            self.say(NO_OFFER)

    async def _resign(self) -> None:
        await self.room.resign()

    async def _abort(self) -> None:
        """Abort the game, with a claim if the user may make one."""
        presence, now = self.room.presence, self._client.server_time()
        claims = presence.claim if presence is not None else ()
        if any(claim is not None and now >= claim for claim in claims):
            await self.room.claim("abort")
        else:
            await self.room.abort()

    async def _claim_win(self) -> None:
        await self.room.claim()

    async def _claim(self, outcome: Outcome) -> None:
        await self.room.claim(outcome)

    async def _go_on(self) -> None:
        """Go on to the rematch."""
        before = self.room
        following = before.state.rematch
        if following is None or following == self.view.state.room:
            return
        self.room = await self._client.join(following, invitation=before.invitation)
        self._twice = self._prompted = ""
        self._low = LowWarning()
        self._absences = Absences(self.room, CLAIMING)
        self._chat_panel = ChatPanel(self._client, self.room, self)
        fresh = self._fresh(f"This is the rematch, room {following}.")
        self.view = replace(fresh, notice=self.view.notice, confirms=self.view.confirms)
        self.changed()
        await before.leave()
