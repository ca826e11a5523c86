"""Answers to the client's acts: `ok` and the event in either order, late or never, or a refusal."""

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
    "internal", "event, unavailable", "late, ok, event", "rate", "refused", "stale",
    "stale, silence", "stale, lost", "withheld",
]  # fmt: skip


LATE = 1.5
"""The delay of a late answer, in seconds."""
RETRY_MS = 1_200
"""The `retry_ms` for a client that is too fast."""


@dataclass(frozen=True, slots=True)
class Acts:
    """The client plays its next action, and gets this answer. `meanwhile` is what the same user has
    played from elsewhere, if the act comes too late."""

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
            case "unavailable" | "internal":
                await trial.refuse(asked, self.answered)
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
                if len(trial.joins) > trial.seen:
                    why, due = "joins at once after `stale`", "about 5 s in which news may come"
                    raise Breach("6.9", why, due, trial.joins[-1].message, trial.last_sent)
                await trial.say(event)
            case _:
                await self._take(trial, asked)

    @staticmethod
    async def _outdate(trial: Trial, asked: Asked) -> None:
        trial.seen = len(trial.joins)
        state = trial.truth.state
        await trial.refuse(asked, "stale", place=state.place, turn=state.turn)

    async def _take(self, trial: Trial, asked: Asked) -> None:
        """Keep the action, and tell the client as much of it as `answered` says."""
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
        """Wait until the client has read what it was sent: a reset loses what the other end has not
        read yet."""
        if not await connection.answers_ping(SOON):
            raise Breach("1.10", f"does not answer a ping within {SOON:g} s", "a pong")

    @staticmethod
    async def _answer_repeats(trial: Trial) -> None:
        """Answer the same act again, if the client has repeated it meanwhile."""
        for asked in list(trial.acts):
            if done := trial.truth.done(asked.message.turn, asked.message.action):
                trial.acts.remove(asked)
                await trial.answer(asked, **acted(done))


@dataclass(frozen=True, slots=True)
class Answers:
    """The withheld `ok` comes at last."""

    async def play(self, trial: Trial) -> None:
        asked = trial.withheld
        assert asked is not None, "nothing was withheld"
        done = trial.truth.done(asked.message.turn, asked.message.action)
        assert done is not None, "it was kept"
        await trial.answer(asked, **acted(done))
