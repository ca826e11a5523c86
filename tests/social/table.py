"""What a person does in a room: players do whatever the protocol allows, and some of what it does
not; spectators watch and chat."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random

import pierule
from chaos.players import choose
from pierule_protocol.log.events import Outcome, What
from social.crowd import Crowd, dare


class Player:
    """A user in a seat, until they leave."""

    def __init__(
        self, crowd: Crowd, client: pierule.Client, room: pierule.Room, rng: Random
    ) -> None:
        self._crowd = crowd
        self._client = client
        self._room = room
        self._rng = rng

    async def play(self) -> None:
        """Play on, through rematches, until they leave, orderly or without a word."""
        rng = self._rng
        while not await self._crowd.idle(rng):
            room = self._room
            if room.over:
                if not await self._again():
                    return await room.leave()
            elif await self._left_alone():
                return None
            elif rng.random() < 0.03:
                return await room.leave() if rng.random() < 0.5 else None
            else:
                await self._whim()
        return None

    async def _whim(self) -> None:
        """Do one random thing: mostly act."""
        if await self._answer():
            return
        doings = (self._act, self._offer, self._talk, self._shun, self._abort, self._resign,
                  self._claim)  # fmt: skip
        await self._rng.choices(doings, (60, 12, 10, 3, 3, 1, 1))[0]()

    async def _answer(self) -> bool:
        """Mostly answer the opponent's offer, or withdraw the own one."""
        room, draw = self._room, self._rng.random()
        own = [what for seat in room.seats if (what := room.state.offers[seat])]
        if room.offered and draw < 0.6:
            what = room.offered[0]
            await dare(room.accept(what) if draw < 0.4 else room.decline(what))
            return True
        if own and draw < 0.2:
            await dare(room.withdraw(own[0]))
            return True
        return False

    async def _act(self) -> None:
        room = self._room
        action = choose(room.position, self._rng) if room.my_turn else None
        if action is not None:
            await dare(room.act(action))

    async def _offer(self) -> None:
        await dare(self._room.offer(self._game_choice()))

    async def _talk(self) -> None:
        await say(self._crowd, self._room)

    async def _abort(self) -> None:
        if self._room.state.turn < 3:
            await dare(self._room.abort())

    async def _resign(self) -> None:
        await dare(self._room.resign())

    async def _claim(self) -> None:
        await dare(self._room.claim())

    async def _shun(self) -> None:
        """Mute, block or unblock the opponent."""
        others = {each.user for each in self._room.state.seats if each} - {self._client.user}
        for other in others:
            await dare(self._client.block(other, self._rng.choice(("mute", "block", None))))

    def _game_choice(self) -> What:
        """Something to offer, even if it may be refused."""
        state = self._room.state
        if state.clock is not None and state.clock.paused is not None:
            return "resume"
        wishes: list[What] = ["takeback"]
        wishes += ["draw"] * 3 if state.position.game == "taugo" else []  # few play it
        wishes += ["pause"] if state.control is not None else []
        return self._rng.choice(wishes)

    async def _left_alone(self) -> bool:
        """Claim the game of an absent opponent; return whether the player leaves instead of
        waiting."""
        room, presence = self._room, self._room.presence
        if presence is None or not room.seats:
            return not room.seats
        claim = presence.claim[1 - room.seats[0]]
        if claim is None:
            return False
        if self._client.server_time() >= claim:
            outcomes: tuple[Outcome, Outcome] = ("win", "abort")
            await dare(room.claim(self._rng.choice(outcomes)))
            return False
        if self._rng.random() < 0.2:
            await dare(room.claim())
        return not self._crowd.patient and self._rng.random() < 0.2

    async def _again(self) -> bool:
        """Offer or accept a rematch, and join it; return whether there is one."""
        room = self._room
        if self._rng.random() < 0.3:
            await say(self._crowd, room)
        if room.state.position.game == "taugo" and self._rng.random() < 0.3:  # it is too late
            await dare(room.accept("draw") if "draw" in room.offered else room.offer("draw"))
        if self._rng.random() < 0.5:
            return False
        await dare(room.offer("rematch"))
        with suppress(TimeoutError):
            async with asyncio.timeout(4 * self._crowd.pace):
                following = await room.rematch()
            if following is not None:
                await room.leave()
                self._room = await self._client.join(following)
                return True
        return False


async def watch(crowd: Crowd, room: pierule.Room, rng: Random) -> None:
    """Watch for a while, and chat."""
    for _ in range(rng.randint(1, 12)):
        if await crowd.idle(rng):
            return
        if rng.random() < 0.15:
            await say(crowd, room)
    if rng.random() < 0.7:
        await room.leave()


async def say(crowd: Crowd, room: pierule.Room) -> None:
    """Say something that nobody has said before."""
    await dare(room.say(f"line {next(crowd.numbers)}"))
