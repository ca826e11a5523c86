"""A house bot. It keeps rooms open in the listing, and plays with users who take a seat. If a node
runs it, it also stands in for opponents who do not come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import pierule
from pierule_bots.courtesy import Courtesy
from pierule_bots.player import Level, knows
from pierule_bots.thinking import Thinker
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.messages import Card, RoomState, Seat
from pierule_protocol.state.position import position_text

Offer: TypeAlias = tuple[str, int]
"""A game and a size."""

THRIFT = 20
"""A bot thinks for at most the time on its clock, divided by this."""

PAUSE = 5.0
"""Seconds before a bot repeats a refused or unanswered request."""

SEATS: tuple[Seat, Seat] = (0, 1)


@dataclass(frozen=True, slots=True)
class BotOptions:
    """How a bot plays. `seconds` is the longest time that it thinks about an action, `games` the
    most rooms that it has, including open ones, and `clock` the clock of its rooms. With `once`, it
    plays each offer a single time."""

    level: Level
    seconds: float
    games: int
    clock: ClockOptions | None
    once: bool


class NoRules(pierule.PieruleError):
    """The rules of a room are not installed here."""


class House:
    """A bot at a server. It calls `say` with news about its rooms."""

    def __init__(
        self,
        client: pierule.Client,
        thinker: Thinker,
        options: BotOptions,
        rng: Random,
        say: Callable[[str], None],
    ) -> None:
        self._client = client
        self._thinker = thinker
        self._options = options
        self._rng = rng
        self._say = say
        self._slots = asyncio.Semaphore(options.games)
        self._courtesy = Courtesy(client)
        self._hosted: set[str] = set()

    async def run(self, offers: Sequence[Offer]) -> None:
        """Play, endlessly unless `once` is set. Raises ConnectionLost and NoRules."""
        left = await self._left_over()
        try:
            async with asyncio.TaskGroup() as tables:
                for offer in offers:
                    waiting = [c.room for c in left if c.status == "open" and _of(c) == offer]
                    tables.create_task(self._keep(tables, offer, waiting))
                for card in left:
                    if card.status != "open" or _of(card) not in offers:
                        tables.create_task(self._host(_of(card), card.room, asyncio.Event()))
                if not self._options.once:
                    tables.create_task(self._stand_in(tables))
        except ExceptionGroup as group:  # one error ends all: they share a connection
            raise group.exceptions[0] from None

    async def visit(self, name: str) -> None:
        """Take a seat in someone's room, and play there to the end. Raises like `Client.join`, and
        NoRules."""
        room = await self._client.join(name)
        if not knows(room.position.game, room.state.rules):
            raise NoRules(_missing(room.position.game, room.state.rules))
        await self._client.join(name, "any")
        await self._host(_offer(room), room.id, asyncio.Event())

    async def _left_over(self) -> list[Card]:
        """The rooms in which this bot already sits, for example from before a restart."""
        return [mine.card for mine in await self._client.my_rooms()]

    async def _keep(self, tables: asyncio.TaskGroup, offer: Offer, known: list[str]) -> None:
        """Keep a room of this kind open while there are free slots."""
        while True:
            begun = asyncio.Event()
            tables.create_task(self._host(offer, known.pop() if known else None, begun))
            await begun.wait()
            if self._options.once:
                return

    async def _stand_in(self, tables: asyncio.TaskGroup) -> None:
        """Play with users who find nobody, while there are free slots. Returns if the server does
        not accept this user as a house bot (SPEC 23.16). Raises ConnectionLost."""
        tells = "bot_levels" in self._client.welcome.features
        while True:
            await self._slots.acquire()
            try:
                room = await self._client.stand_in(self._options.level if tells else None)
            except pierule.ConnectionLost:
                raise
            except pierule.PieruleError as error:
                self._slots.release()
                if isinstance(error, pierule.Refused) and error.code == pierule.Code.UNKNOWN_TYPE:
                    return
                await asyncio.sleep(PAUSE)
                await self._adopt(tables)
            else:
                tables.create_task(self._play_in_slot(_offer(room), room.id, asyncio.Event()))

    async def _adopt(self, tables: asyncio.TaskGroup) -> None:
        """Play in rooms that were paired while the answer got lost."""
        with suppress(pierule.TimedOut, pierule.Refused):
            for card in await self._left_over():
                if card.room not in self._hosted:
                    tables.create_task(self._host(_of(card), card.room, asyncio.Event()))

    async def _host(self, offer: Offer, room: str | None, begun: asyncio.Event) -> None:
        """Take a slot, and play a room (None: a new one) and its rematches to their ends. Raises
        ConnectionLost and NoRules."""
        await self._slots.acquire()
        await self._play_in_slot(offer, room, begun)

    async def _play_in_slot(self, offer: Offer, room: str | None, begun: asyncio.Event) -> None:
        """Like `_host`, in a slot that is already taken."""
        while True:
            try:
                table = await self._stay(offer, room, begun)
            finally:
                self._slots.release()
            if table is None:
                return
            room = await self._courtesy.rematch(table, self._slots)
            await table.leave()
            if room is None:
                return

    async def _stay(
        self, offer: Offer, room: str | None, begun: asyncio.Event
    ) -> pierule.Room | None:
        """Play a room to its end, in spite of refused requests. None if the room is gone, or its
        rules are not installed here. Sets `begun` when the room is no longer open. Raises
        ConnectionLost and NoRules."""
        try:
            while True:
                try:
                    table = await self._table(offer, room)
                    room = table.id
                    self._hosted.add(room)
                    if not knows(offer[0], table.state.rules):
                        self._say(f"{room}: {_missing(offer[0], table.state.rules)}")
                        return None
                    return await self._play(table, begun)
                except (pierule.ConnectionLost, NoRules):
                    raise
                except pierule.PieruleError as error:
                    self._say(f"{room or offer[0]}: {error}")
                    if isinstance(error, pierule.Refused) and error.code == GONE:
                        return None
                await asyncio.sleep(PAUSE)
        finally:
            begun.set()
            self._hosted.discard(room or "")

    async def _table(self, offer: Offer, room: str | None) -> pierule.Room:
        if room is not None:
            return await self._client.join(room)
        for options in self._client.welcome.games:
            rules = max(options.rules, default=1)
            if options.game == offer[0] and not knows(offer[0], rules):
                raise NoRules(_missing(offer[0], rules))
        return await self._client.create(*offer, self._rng.choice(SEATS), self._options.clock)

    async def _play(self, room: pierule.Room, begun: asyncio.Event) -> pierule.Room:
        self._say(f"{room.id}: {room.position.game} {room.position.size}, {room.state.status}")
        async for state in room:
            if state.status != "open":
                break
        begun.set()
        answering = asyncio.gather(self._courtesy.answer(room), self._courtesy.part(room))
        try:
            async for state in room.turns():
                action = await self._choose(room, state)
                await self._act(room, action, state)
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        self._say(f"{room.id}: {_ending(room)}")
        return room

    async def _choose(self, room: pierule.Room, state: RoomState) -> str:
        """The bot's action. A bot never resigns, because its opponent may want to see the end."""
        seconds, seat = self._options.seconds, state.position.to_act
        assert seat is not None
        if left := room.time_left(seat):
            seconds = min(seconds, left.shown / 1_000 / THRIFT)
        text = position_text(state.position)
        return await self._thinker.choose(
            text, state.rules, self._options.level, self._rng.getrandbits(64), seconds
        )

    async def _act(self, room: pierule.Room, action: str, state: RoomState) -> None:
        """Play the action. If the game has gone on or ended meanwhile, do nothing: `turns` gives
        the next turn."""
        try:
            await room.act(action, state.turn, state.epoch)
        except pierule.Refused as refused:
            if refused.code not in OVERTAKEN:
                raise


OVERTAKEN = (
    pierule.Code.STALE,
    pierule.Code.NOT_YOUR_TURN,
    pierule.Code.FLAGGED,
    pierule.Code.FINISHED,
)
"""Codes which say that the room moved on before the action came."""

GONE = pierule.Code.UNKNOWN_ROOM


def _offer(room: pierule.Room) -> Offer:
    return room.position.game, room.position.size


def _of(card: Card) -> Offer:
    return card.game, card.size


def _missing(game: str, rules: int) -> str:
    return f"needs {game} rules {rules}, which are not installed here"


def _ending(room: pierule.Room) -> str:
    if room.result is None:
        return "left"
    winner = room.result.winner
    return f"over, {'nobody' if winner in (None, 'draw') else f'seat {winner}'} won"
