"""What the server and the network do in a scenario, as steps of plain data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from pierule_conform.contract import Breach
from pierule_conform.demands import SOON, Reported
from pierule_conform.stage import Stage
from pierule_conform.truth import Truth
from pierule_protocol.messages import Event

Told: TypeAlias = Literal[
    "once", "twice", "never", "with another digest", "with another chain", "with other cells",
    "beyond a hole", "of another past",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Happens:
    """The seat that is to act, of the script's, plays an action (or `resigns`, or the last action
    is `undone` or, with `instead`, replaced, or its player `asks` for a takeback, or the other one
    `allows` it), and the client is told of it in some way."""

    action: str
    told: Told = "once"
    instead: bool = False

    async def play(self, stage: Stage) -> None:
        event = self._happened(stage.truth)
        if self.told != "once":
            stage.judge.tricked = True
            stage.seen = stage.seen if self.told == "beyond a hole" else len(stage.joins)
        match self.told:
            case "once":
                await stage.tell(event)
            case "twice":
                await stage.tell(event)
                await stage.say(event, event)
            case "never":
                pass
            case "beyond a hole" | "of another past":
                await stage.say(event)
            case _:
                async with stage.lock:
                    stage.judge.distrusted = event.epoch, event.seq
                await stage.say(_FALSELY[self.told](event))

    def _happened(self, truth: Truth) -> Event:
        match self.action:
            case "resigns":
                return truth.resign(truth.to_act or 0)
            case "undone":
                return truth.undo()
            case "asks":
                return truth.offer()
            case "allows":
                return truth.take_back()
            case action:
                return truth.replace(action) if self.instead else truth.act(action)


def _other_cells(event: Event) -> Event:
    """The position's diff without its cells' true values; the digest is that of the truth."""
    position = event.diff.position
    assert isinstance(position, msgspec.Struct), "this event changes no position"
    assert isinstance(position.cells, list), "this event changes no cells"
    changed = [(index, (value + 1) % 3) for index, value in position.cells]
    replace = msgspec.structs.replace
    return replace(event, diff=replace(event.diff, position=replace(position, cells=changed)))


_FALSELY: dict[str, Callable[[Event], Any]] = {
    "with another digest": lambda event: msgspec.structs.replace(event, digest=event.digest ^ 1),
    "with another chain": lambda event: msgspec.structs.replace(event, chain=event.chain ^ 1),
    "with other cells": _other_cells,
}


@dataclass(frozen=True, slots=True)
class Again:
    """Old events are sent again, from the given seq on."""

    first: int

    async def play(self, stage: Stage) -> None:
        stage.judge.tricked = True
        await stage.say(*(kept.event for kept in stage.truth.kept[self.first - 1 :]))


@dataclass(frozen=True, slots=True)
class Says:
    """The server says something that changes nothing."""

    messages: tuple[dict[str, Any], ...]

    async def play(self, stage: Stage) -> None:
        stage.judge.tricked = True
        await stage.say(*self.messages)


@dataclass(frozen=True, slots=True)
class Sets:
    """Something holds from now on: a field of the stage."""

    name: Literal[
        "lag", "stuffed", "forgetful", "hello_refused", "cut_when_seated", "may_give_up", "spoilt",
        "greeting", "proves", "passing", "refusal"
    ]  # fmt: skip
    value: Any

    async def play(self, stage: Stage) -> None:
        assert hasattr(stage, self.name)
        setattr(stage, self.name, self.value)


@dataclass(frozen=True, slots=True)
class Cut:
    """Every connection breaks; with `code`, it is closed in good order."""

    code: int | None = None

    async def play(self, stage: Stage) -> None:
        await Reported().play(stage)
        stage.judge.tricked = True
        await cut(stage, self.code)


async def cut(stage: Stage, code: int | None = None) -> None:
    """End all connections."""
    stage.seen, stage.tried = len(stage.joins), len(stage.handshakes)
    stage.last_sent = "the connection's end" if code is None else f"close code {code}"
    stage.ended_at = asyncio.get_running_loop().time()
    stage.judge.lost()
    for line in [line for line in stage.lines if line.open]:
        line.following = False
        if code is None:
            line.cut()
        else:
            await line.close(code)


@dataclass(frozen=True, slots=True)
class Loses:
    """The store loses what comes after the first `keep` events; a new epoch begins. Who follows
    is told of its first event. Or nobody notices (`told` False) and the same epoch goes on."""

    keep: int
    told: bool = True

    async def play(self, stage: Stage) -> None:
        stage.judge.tricked = True
        stage.seen = len(stage.joins)
        before = stage.truth.place
        stage.truth.cut(self.keep)
        if not self.told:
            return
        event = stage.truth.renew()
        if before.seq == self.keep:  # nothing was lost
            await stage.tell(event)
        else:
            await stage.say(event)


@dataclass(frozen=True, slots=True)
class Holds:
    """From now on no join is answered."""

    async def play(self, stage: Stage) -> None:
        stage.admitting.clear()


@dataclass(frozen=True, slots=True)
class Hampers:
    """While the client's join waits for its answer, more comes that does not fit: beyond the hole,
    and of another past. The answer comes after that."""

    async def play(self, stage: Stage) -> None:
        await stage.until(lambda: stage.asked > stage.seen, SOON, stage.section, "its join")
        replace, newest = msgspec.structs.replace, stage.truth.kept[-1].event
        events = (kept.event for kept in stage.truth.kept)
        known = next(event for event in events if (event.epoch, event.seq) == stage.judge.last)
        await stage.say(replace(known, chain=known.chain ^ 1), newest,
                        replace(newest, seq=known.seq + 1, chain=newest.chain ^ 1))  # fmt: skip
        for line in stage.followers:
            await line.answers_ping(SOON)
        await stage.quiet(0.3)
        stage.admitting.set()


@dataclass(frozen=True, slots=True)
class Silence:
    """The server neither speaks nor listens any more, but the connection stays open."""

    async def play(self, stage: Stage) -> None:
        await Reported().play(stage)
        stage.judge.tricked = True
        stage.seen, stage.tried = len(stage.joins), len(stage.handshakes)
        stage.judge.lost()
        for line in stage.lines:
            line.following = False
            line.fall_silent()


@dataclass(frozen=True, slots=True)
class Refuses:
    """A node takes no connection: for some seconds, or for good. No more than `most` attempts may
    come in that time."""

    seconds: float | None = None
    most: int = 7
    node: int = 0

    async def play(self, stage: Stage) -> None:
        stage.refusing.add(self.node)
        if self.seconds is None:
            return
        before = len(stage.handshakes)
        await stage.quiet(self.seconds)
        tries = len(stage.handshakes) - before
        if tries > self.most:
            why = f"tries to connect {tries} times in {self.seconds:g} s: that is no back-off"
            raise Breach("7", why, f"at most {self.most} tries", tries)
        stage.refusing.discard(self.node)
