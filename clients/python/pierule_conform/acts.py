"""How an act of the client is answered: in either order, late, never, or with a refusal."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule_conform.answers import acted
from pierule_conform.contract import Breach
from pierule_conform.expectations import RETURN, SOON, Reported
from pierule_conform.scripted import ScriptedConnection
from pierule_conform.steps import cut
from pierule_conform.trial import Asked, Trial

Answered: TypeAlias = Literal[
    "ok, event", "event, ok", "cut", "event kept, cut", "ok, cut", "unavailable",
    "event, unavailable", "late, ok, event", "rate", "refused", "stale", "stale, silence",
    "stale, lost", "withheld",
]  # fmt: skip


LATE = 1.5
"""Seconds after which a late answer comes."""
RETRY_MS = 1_200
"""The `retry_ms` for a client that is too fast."""


@dataclass(frozen=True, slots=True)
class Acts:
    """The client plays its next action; how that is answered. `meanwhile` is what the same user
    played from elsewhere, where the act comes too late."""

    answered: Answered = "ok, event"
    meanwhile: str = ""

    async def play(self, trial: Trial) -> None:
        action = trial.task.actions[trial.played]
        what = f"act {action} at turn {trial.truth.state.turn}"
        section = trial.section if trial.judge.tricked else "6.3"
        await trial.until(lambda: bool(trial.acts), RETURN, section, what)
        asked = trial.acts.popleft()
        await Reported().play(trial)
        trial.judge.tricked |= self.answered != "ok, event"
        match self.answered:
            case "cut":
                await cut(trial)
            case "unavailable":
                await trial.refuse(asked, "unavailable")
            case "rate":
                trial.not_before = asyncio.get_running_loop().time() + RETRY_MS / 1_000
                await trial.refuse(asked, "rate", retry_ms=RETRY_MS)
            case "withheld":
                trial.seen = len(trial.joins)
                trial.withheld = asked
                await self._take(trial, asked)
            case "refused":
                trial.may_give_up = True
                await trial.refuse(asked, "a_code_of_the_future")
            case "stale" | "stale, silence":
                event = trial.truth.act(self.meanwhile)
                await self._outdate(trial, asked)
                if self.answered == "stale":
                    await trial.tell(event)
            case "stale, lost":
                trial.truth.cut(len(trial.truth.kept) - 1)
                event = trial.truth.renew()
                await self._outdate(trial, asked)
                await trial.quiet(LATE)
                await trial.say(event)
            case _:
                await self._take(trial, asked)

    @staticmethod
    async def _outdate(trial: Trial, asked: Asked) -> None:
        trial.seen = len(trial.joins)
        state = trial.truth.state
        await trial.refuse(asked, "stale", place=state.place, turn=state.turn)

    async def _take(self, trial: Trial, asked: Asked) -> None:
        """The action is kept; what the client learns of it differs."""
        event = trial.truth.act(asked.message.action)
        trial.played += 1
        done = trial.truth.room.turns[-1]
        for word in self.answered.split(", "):
            match word:
                case "late":
                    await asyncio.sleep(LATE)
                case "ok":
                    await trial.answer(asked, **acted(done))
                    trial.last_sent = "ok"
                case "event":
                    await trial.tell(event)
                case "unavailable":
                    await trial.refuse(asked, "unavailable")
                case "cut":
                    await self._heard(asked.connection)
                    await cut(trial)
        await self._answer_repeats(trial)

    @staticmethod
    async def _heard(connection: ScriptedConnection) -> None:
        """Wait until the client has read what it was sent: a reset connection loses what its other
        end has not read yet."""
        if not await connection.answers_ping(SOON):
            raise Breach("1.10", f"does not answer a ping within {SOON:g} s", "a pong")

    @staticmethod
    async def _answer_repeats(trial: Trial) -> None:
        """The same act may wait a second time, if the client lost patience."""
        for asked in list(trial.acts):
            if done := trial.truth.done(asked.message.turn, asked.message.action):
                trial.acts.remove(asked)
                await trial.answer(asked, **acted(done))


@dataclass(frozen=True, slots=True)
class Answers:
    """The `ok` that was withheld comes at last."""

    async def play(self, trial: Trial) -> None:
        asked = trial.withheld
        assert asked is not None, "nothing was withheld"
        done = trial.truth.done(asked.message.turn, asked.message.action)
        assert done is not None, "it was kept"
        await trial.answer(asked, **acted(done))
