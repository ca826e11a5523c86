"""How an act of the client is answered: in either order, late, never, or not as it hoped."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule_conform.answers import acted
from pierule_conform.contract import Breach
from pierule_conform.deeds import cut
from pierule_conform.demands import RETURN, SOON, Reported
from pierule_conform.scripted import Line
from pierule_conform.stage import Asked, Stage

Answered: TypeAlias = Literal[
    "ok, event", "event, ok", "cut", "event kept, cut", "ok, cut", "unavailable",
    "event, unavailable", "late, ok, event", "rate", "refused", "stale", "stale, silence",
    "stale, lost", "withheld",
]  # fmt: skip


LATE = 1.5
"""Seconds after which a late answer comes."""
RETRY_MS = 1_200
"""What a client that is too fast is told to wait."""


@dataclass(frozen=True, slots=True)
class Acts:
    """The client plays its next action; how that is answered. `meanwhile` is what the same user
    played from elsewhere, where the act comes too late."""

    answered: Answered = "ok, event"
    meanwhile: str = ""

    async def play(self, stage: Stage) -> None:
        action = stage.task.actions[stage.played]
        what = f"act {action} at turn {stage.truth.state.turn}"
        section = stage.section if stage.judge.tricked else "6.3"
        await stage.until(lambda: bool(stage.acts), RETURN, section, what)
        asked = stage.acts.popleft()
        await Reported().play(stage)
        stage.judge.tricked |= self.answered != "ok, event"
        match self.answered:
            case "cut":
                await cut(stage)
            case "unavailable":
                await stage.refuse(asked, "unavailable")
            case "rate":
                stage.not_before = asyncio.get_running_loop().time() + RETRY_MS / 1_000
                await stage.refuse(asked, "rate", retry_ms=RETRY_MS)
            case "withheld":
                stage.seen = len(stage.joins)
                stage.withheld = asked
                await self._take(stage, asked)
            case "refused":
                stage.may_give_up = True
                await stage.refuse(asked, "a_code_of_the_future")
            case "stale" | "stale, silence":
                event = stage.truth.act(self.meanwhile)
                await self._outdate(stage, asked)
                if self.answered == "stale":
                    await stage.tell(event)
            case "stale, lost":
                stage.truth.cut(len(stage.truth.kept) - 1)
                event = stage.truth.renew()
                await self._outdate(stage, asked)
                await stage.quiet(LATE)
                await stage.say(event)
            case _:
                await self._take(stage, asked)

    @staticmethod
    async def _outdate(stage: Stage, asked: Asked) -> None:
        stage.seen = len(stage.joins)
        state = stage.truth.state
        await stage.refuse(asked, "stale", place=state.place, turn=state.turn)

    async def _take(self, stage: Stage, asked: Asked) -> None:
        """The action is kept; what the client hears of that differs."""
        event = stage.truth.act(asked.message.action)
        stage.played += 1
        done = stage.truth.room.turns[-1]
        for word in self.answered.split(", "):
            match word:
                case "late":
                    await asyncio.sleep(LATE)
                case "ok":
                    await stage.answer(asked, **acted(done))
                    stage.last_sent = "ok"
                case "event":
                    await stage.tell(event)
                case "unavailable":
                    await stage.refuse(asked, "unavailable")
                case "cut":
                    await self._heard(asked.line)
                    await cut(stage)
        await self._answer_repeats(stage)

    @staticmethod
    async def _heard(line: Line) -> None:
        """Wait until the client has read what it was sent: a connection that is reset takes along
        what its other end has not read yet."""
        if not await line.answers_ping(SOON):
            raise Breach("1.10", f"does not answer a ping within {SOON:g} s", "a pong")

    @staticmethod
    async def _answer_repeats(stage: Stage) -> None:
        """The same act may wait a second time, if the client lost patience."""
        for asked in list(stage.acts):
            if done := stage.truth.done(asked.message.turn, asked.message.action):
                stage.acts.remove(asked)
                await stage.answer(asked, **acted(done))


@dataclass(frozen=True, slots=True)
class Answers:
    """The `ok` that was withheld comes at last."""

    async def play(self, stage: Stage) -> None:
        asked = stage.withheld
        assert asked is not None, "nothing was withheld"
        done = stage.truth.done(asked.message.turn, asked.message.action)
        assert done is not None, "it was kept"
        await stage.answer(asked, **acted(done))
