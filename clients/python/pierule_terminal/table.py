"""A game at the terminal: it shows what happens, and obeys what the player types."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pierule
from pierule_protocol.log.events import AnyRecord
from pierule_protocol.messages import RoomState
from pierule_terminal.chat_panel import ChatPanel
from pierule_terminal.clockface import SHORT, LowWarning, until_next_second
from pierule_terminal.document import Document, account_of
from pierule_terminal.editor import LineEditor
from pierule_terminal.gone import Absences
from pierule_terminal.keyboard import Pieces
from pierule_terminal.offers import NO_OFFER, Answer, answer, tell_offer, tell_standing
from pierule_terminal.prompts import (
    WORDS,
    Action,
    Typed,
    Word,
    hint,
    show_legal,
    show_rules,
    understand,
)
from pierule_terminal.rating_news import rating_news
from pierule_terminal.refusals import explain
from pierule_terminal.scene import (
    called,
    clock_faces,
    color_of,
    draw_room,
    headline,
    outcome,
    rated_line,
    tell_account,
    tell_changes,
)
from pierule_terminal.screen import Screen


class Table:
    """A player's game in a room. `again` is the command that continues in this seat, `keys` the
    player's input."""

    def __init__(
        self,
        client: pierule.Client,
        document: Document,
        room: pierule.Room,
        screen: Screen,
        keys: Pieces,
        again: str,
        *,
        rematch: bool = False,
    ) -> None:
        self._client = client
        self._document = document
        self._room = room
        self._screen = screen
        self._keys = keys
        self._again = again
        self._editor = LineEditor()
        self._counts: str | None = None  # the last message about ratings
        self._hinted = ""  # the phase whose hint was shown last
        self._resigning = False
        self._low = LowWarning()
        self._absences = Absences(room)
        self._chat_panel = ChatPanel(client, room, screen)
        self.rematch = rematch
        """Whether the player wants a rematch. At a terminal, after `play` has returned: whether
        there is one."""

    async def play(self) -> int:
        """Play until the game is over, or until the player leaves. At a terminal, the player can
        then go on chatting. Returns the exit status."""
        watching = asyncio.create_task(self._watch())
        typing = asyncio.create_task(self._listen())
        ticking = asyncio.create_task(self._tick())
        hearing = asyncio.create_task(self._chat_panel.listen())
        try:
            await asyncio.wait({watching, typing}, return_when=asyncio.FIRST_COMPLETED)
            if not watching.done() and await typing:
                self._screen.close()
                self._screen.say(f"You keep your seat. To go on: {self._again}")
                return 0
            await watching  # until the result, even after the end of the input
            await self._tell_result()
            if self._screen.live:
                await self._linger(typing)
        finally:
            tasks = (watching, typing, ticking, hearing)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._screen.close()
        return 0

    async def _tell_result(self) -> None:
        state = self._room.state
        if state.result is not None and state.result.reason == "played":
            with suppress(pierule.Refused, pierule.TimedOut):  # `score` gives it again
                await self._tell_score()
        self._screen.say(f"result: {outcome(self._document, state)}")

    async def _tell_score(self) -> None:
        account = await account_of(self._client, self._room.state)
        self._screen.say(*tell_account(self._document, account))

    async def _linger(self, typing: asyncio.Task[bool]) -> None:
        """Go on with chat and offers of a rematch, until the player leaves or there is a
        rematch."""
        self._screen.say(_OVER)
        self._prompt()
        wanted, self.rematch = self.rematch, False
        following = asyncio.create_task(self._await_rematch())
        rating = asyncio.create_task(self._tell_ratings())
        if wanted:
            await self._obey("rematch", live=True)
        await asyncio.wait({typing, following}, return_when=asyncio.FIRST_COMPLETED)
        for task in (following, rating):
            task.cancel()
        await asyncio.gather(following, rating, return_exceptions=True)

    async def _tell_ratings(self) -> None:
        if text := await rating_news(self._client, self._room.state):
            self._screen.say(text)
            self._prompt()

    # --- what happens ---

    async def _watch(self) -> None:
        before = self._room.state
        async for update in self._room.updates():
            self._show(update.state, update.record)
            self._screen.say(*tell_changes(self._document, before, update.state, update.record))
            before = update.state
            self._screen.say(*tell_offer(update.record, update.state, self._room.seats))
            if update.state is self._room.state:
                await self._help_on()
                self._prompt()

    async def _await_rematch(self) -> None:
        """Show offers after the end of the game, until there is a rematch."""
        async for update in self._room.updates(beyond=True):
            record, state, mine = update.record, update.state, self._room.seats
            # The opponent may have made an offer before the end was shown.
            told = tell_offer(record, state, mine) if record else tell_standing(state, mine)
            self._screen.say(*told)
            if update.state.rematch is not None:
                self.rematch = True
                return
            self._prompt()

    def _show(self, state: RoomState, record: AnyRecord | None = None) -> None:
        now, style = self._client.server_time(), self._screen.style
        drawn = draw_room(self._document, state, self._room.seats, style, now, record)
        self._screen.say(*drawn, "")
        counts = rated_line(state)
        if counts and counts != self._counts:
            self._screen.say(f"-- {counts}", "")
        self._counts = counts

    async def _help_on(self) -> None:
        """Explain what can be typed, once for each phase."""
        phase = self._room.position.phase
        if self._room.my_turn and phase != self._hinted:
            self._hinted = phase
            with suppress(pierule.Refused, pierule.TimedOut):  # `help` gives it again
                self._screen.say(*await self._hint(), "")

    async def _hint(self) -> list[str]:
        legal = await self._room.legal()
        return hint(self._document, self._room.position, legal.template)

    def _prompt(self) -> None:
        self._screen.prompt(self._prompt_text(), self._editor.typed)

    def _prompt_text(self) -> str:
        state, seat = self._room.state, self._room.to_act
        if self._room.my_turn and seat is not None:
            text = (color_of(state, seat) or "your turn").lower()
        else:
            text = headline(self._document, state)
        now = self._client.server_time()
        clock = "" if seat is None else clock_faces(state, self._room.seats, now)[seat]
        text = f"{self._absences.countdown(now)}{text}"
        return f"{text} {clock}> " if clock else f"{text}> "

    async def _tick(self) -> None:
        """Let the clock in the prompt run. Warn once in a turn when the player's time gets short,
        and show who is gone."""
        room = self._room
        while True:
            now = self._client.server_time()
            for line in self._absences.news(now):
                self._screen.warn(line)
            seat = room.to_act
            left = None if seat is None else room.time_left(seat)
            if left and room.my_turn and self._low.due(room.state.turn, left):
                self._screen.warn(f"-- you have {SHORT // 1000} seconds left")
            if left or self._absences.countdown(now):
                self._screen.tick(self._prompt_text())
            await asyncio.sleep(until_next_second(left))

    # --- what is typed ---

    async def _listen(self) -> bool:
        """Obey what the player types. Returns True when they want to leave, False at the end of the
        input."""
        live = self._screen.live
        async for keys in self._keys:
            for line in self._editor.feed(keys):
                self._screen.enter(line)
                if await self._obey(line, live):
                    return True
            self._prompt()
            if live and self._editor.ended:
                return True
        if live:
            return True
        if await self._obey(self._editor.typed, live):  # a last line without a line break
            return True
        if not self._room.over:
            self._screen.warn("-- end of input: showing the game until it is over")
        return False

    async def _obey(self, line: str, live: bool) -> bool:
        """Obey a line. Returns whether it says to leave."""
        typed = understand(line)
        if typed is None:
            return False
        if typed != _RESIGN:
            self._resigning = False
        if typed == Word("quit"):
            return True
        try:
            await self._do(typed, live)
        except pierule.Refused as error:
            self._screen.warn(explain(error, self._document))
        except pierule.TimedOut:
            self._screen.warn("the server did not answer; it is safe to type this again")
        return not live and self.rematch and self._room.over

    async def _do(self, typed: Typed, live: bool) -> None:
        match typed:
            case Action(text=action):
                await self._act(action, live)
            case Word(word="help" | "legal" | "board" | "rules" | "score" as word, argument=prefix):
                await self._inform(word, prefix)
            case Word(word="resign" | "abort" | "claim" as word, argument=argument):
                await self._end(word, argument)
            case Word(word="say" | "mute" | "block" | "hear" | "report" as word, argument=argument):
                await self._chat_panel.obey(word, argument)
            case Word(word="takeback" | "draw" | "pause" | "resume" as what):
                await self._room.offer(what)
            case Word(word="rematch") if live and self._room.over:
                await self._room.offer("rematch")
            case Word(word="rematch"):
                self.rematch = True
                if not self._room.over:
                    self._screen.say("When the game is over, you offer a rematch.")
            case Word(word="accept" | "decline" | "withdraw" as word):
                await self._answer(word)

    async def _inform(self, word: str, prefix: str) -> None:
        """Show what the player asks for."""
        match word:
            case "help":
                waits = [headline(self._document, self._room.state)]
                now = await self._hint() if self._room.my_turn else waits
                self._screen.say(*now, "", WORDS, "")
            case "legal":
                self._screen.say(*show_legal(await self._room.legal(prefix), prefix), "")
            case "board":
                self._show(self._room.state)
            case "rules":
                self._screen.say(*show_rules(self._document, self._screen.style), "")
            case "score":
                await self._tell_score()

    async def _answer(self, word: Answer) -> None:
        if not await answer(self._room, word):
            self._screen.warn(NO_OFFER)

    async def _act(self, action: str, live: bool) -> None:
        room = self._room
        if not live:  # a script types ahead
            async for _ in room.updates():
                if room.my_turn:
                    break
        if room.my_turn:
            await room.act(action)
        elif room.to_act is not None:
            self._screen.warn(f"it is not your turn: {called(room.state, room.to_act)} is to act")
        else:
            self._screen.warn(headline(self._document, room.state))

    async def _end(self, word: str, argument: str) -> None:
        """Resign, abort or claim the game."""
        if word == "resign":
            await self._resign()
        elif word == "abort":
            await self._room.abort()
        else:
            await self._room.claim("abort" if argument else "win")

    async def _resign(self) -> None:
        if self._resigning:
            await self._room.resign()
        else:
            self._screen.say("To give up the game, type resign once more.")
        self._resigning = not self._resigning


_RESIGN = Word("resign")
_OVER = "-- type say TEXT to chat, rematch to play again, quit to leave"
