"""What the server and the network do in a scenario, as steps of plain data."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from pierule_conform.contract import Breach
from pierule_conform.expectations import SOON, Reported
from pierule_conform.trial import Trial
from pierule_conform.truth import ELSEWHERE, Truth
from pierule_protocol.messages import Event, Snapshot

Told: TypeAlias = Literal[
    "once", "twice", "never", "with another digest", "with another chain", "with other cells",
    "with a cell too many", "beyond a hole", "of another past", "at length",
]  # fmt: skip


NOWHERE = 400
"""An index that no board has: the largest has 19 * 19 cells."""
LARGE = 1_000_000
"""Characters of a message that every client must be able to read (SPEC 1.7)."""


@dataclass(frozen=True, slots=True)
class Happens:
    """The seat that is to act plays an action, and the client is told of it in the way that `told`
    says. With `instead`, the action replaces the last one. In place of an action: `resigns`,
    `undone` (the last action), `asks` (the player who acted last asks for a takeback), `allows`
    (the other player allows it), `pause` and `resume` (seat 1 asks for that), `pauses` and
    `resumes` (seat 0 agrees)."""

    action: str
    told: Told = "once"
    instead: bool = False

    async def play(self, trial: Trial) -> None:
        event = self._happened(trial.truth)
        if self.told != "once":
            trial.judge.tricked = True
            trial.seen = trial.seen if self.told == "beyond a hole" else len(trial.joins)
        match self.told:
            case "once":
                await trial.tell(event)
            case "twice":
                await trial.tell(event)
                await trial.say(event, event)
            case "never":
                pass
            case "beyond a hole" | "of another past":
                await trial.say(event)
            case "at length":
                trial.padding = LARGE
                await trial.tell(event)
                trial.padding = 0
            case _:
                async with trial.lock:
                    trial.judge.distrusted = event.epoch, event.seq
                await trial.say(_FALSELY[self.told](event))

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
            case "pause" | "resume" as what:
                return truth.ask(what)
            case "pauses":
                return truth.pause()
            case "resumes":
                return truth.go_on()
            case action:
                return truth.replace(action) if self.instead else truth.act(action)


def _other_cells(event: Event) -> Event:
    """The event with wrong values of cells in its diff; its digest is right."""
    position = event.diff.position
    assert isinstance(position, msgspec.Struct), "this event changes no position"
    assert isinstance(position.cells, list), "this event changes no cells"
    changed = [(index, (value + 1) % 3) for index, value in position.cells]
    replace = msgspec.structs.replace
    return replace(event, diff=replace(event.diff, position=replace(position, cells=changed)))


def _cell_too_many(event: Event) -> Event:
    """The event with a cell in its diff that no board has; all else is right."""
    position = event.diff.position
    assert isinstance(position, msgspec.Struct), "this event changes no position"
    assert isinstance(position.cells, list), "this event changes no cells"
    changed = [*position.cells, (NOWHERE, 1)]
    replace = msgspec.structs.replace
    return replace(event, diff=replace(event.diff, position=replace(position, cells=changed)))


_FALSELY: dict[str, Callable[[Event], Any]] = {
    "with another digest": lambda event: msgspec.structs.replace(event, digest=event.digest ^ 1),
    "with another chain": lambda event: msgspec.structs.replace(event, chain=event.chain ^ 1),
    "with other cells": _other_cells,
    "with a cell too many": _cell_too_many,
}


@dataclass(frozen=True, slots=True)
class Again:
    """Old events come again, from this seq on."""

    first: int

    async def play(self, trial: Trial) -> None:
        trial.judge.tricked = True
        await trial.say(*(kept.event for kept in trial.truth.kept[self.first - 1 :]))


@dataclass(frozen=True, slots=True)
class Says:
    """The server says something that changes nothing."""

    messages: tuple[dict[str, Any], ...]

    async def play(self, trial: Trial) -> None:
        trial.judge.tricked = True
        await trial.say(*self.messages)


@dataclass(frozen=True, slots=True)
class Strays:
    """An event and a snapshot of another room come. The event would continue this room's log."""

    action: str

    async def play(self, trial: Trial) -> None:
        trial.judge.tricked = True
        other, replace = copy.deepcopy(trial.truth), msgspec.structs.replace
        event = other.act(self.action)
        await trial.say(replace(event, room=ELSEWHERE),
                        Snapshot(state=replace(other.state, room=ELSEWHERE)))  # fmt: skip
        await trial.quiet(0.3)


@dataclass(frozen=True, slots=True)
class Shows:
    """A snapshot of the room comes unasked."""

    async def play(self, trial: Trial) -> None:
        trial.judge.tricked = True
        async with trial.lock:
            trial.last_sent = "a snapshot"
            trial.judge.told(trial.truth.state, "snapshot")
            for connection in trial.followers:
                await trial.send(connection, Snapshot(state=trial.truth.state))


@dataclass(frozen=True, slots=True)
class Sets:
    """A field of the trial has this value from now on."""

    name: Literal[
        "lag", "stuffed", "forgetful", "hello_refused", "cut_when_seated", "may_give_up", "spoilt",
        "features", "greeting", "proves", "passing", "refusal", "gappy"
    ]  # fmt: skip
    value: Any

    async def play(self, trial: Trial) -> None:
        assert hasattr(trial, self.name)
        setattr(trial, self.name, self.value)


@dataclass(frozen=True, slots=True)
class Cut:
    """Every connection breaks; with `code`, a close frame comes first."""

    code: int | None = None

    async def play(self, trial: Trial) -> None:
        await Reported().play(trial)
        trial.judge.tricked = True
        await cut(trial, self.code)


async def cut(trial: Trial, code: int | None = None) -> None:
    """End all connections."""
    trial.seen, trial.tried = len(trial.joins), len(trial.handshakes)
    trial.last_sent = "the connection's end" if code is None else f"close code {code}"
    trial.ended_at = asyncio.get_running_loop().time()
    trial.judge.lost()
    for connection in [connection for connection in trial.connections if connection.open]:
        connection.following = False
        if code is None:
            connection.cut()
        else:
            await connection.close(code)


@dataclass(frozen=True, slots=True)
class Loses:
    """The store loses everything after the first `keep` events. A new epoch begins, and its first
    event goes to all followers. If `told` is False, nobody notices, and the same epoch goes on."""

    keep: int
    told: bool = True

    async def play(self, trial: Trial) -> None:
        trial.judge.tricked = True
        trial.seen = len(trial.joins)
        before = trial.truth.place
        trial.truth.cut(self.keep)
        if not self.told:
            return
        event = trial.truth.renew()
        if before.seq == self.keep:  # nothing was lost
            await trial.tell(event)
        else:
            await trial.say(event)


@dataclass(frozen=True, slots=True)
class Holds:
    """The server answers no join from now on."""

    async def play(self, trial: Trial) -> None:
        trial.admitting.clear()


@dataclass(frozen=True, slots=True)
class Hampers:
    """While the client's join waits for its answer, events come that do not fit: one from beyond
    the hole, and two of another past. Then the answer comes."""

    async def play(self, trial: Trial) -> None:
        await trial.until(lambda: trial.asked > trial.seen, SOON, trial.section, "its join")
        replace, newest = msgspec.structs.replace, trial.truth.kept[-1].event
        events = (kept.event for kept in trial.truth.kept)
        known = next(event for event in events if (event.epoch, event.seq) == trial.judge.last)
        await trial.say(replace(known, chain=known.chain ^ 1), newest,
                        replace(newest, seq=known.seq + 1, chain=newest.chain ^ 1))  # fmt: skip
        for connection in trial.followers:
            await connection.answers_ping(SOON)
        await trial.quiet(0.3)
        trial.admitting.set()


@dataclass(frozen=True, slots=True)
class Silence:
    """The server sends and reads nothing any more, but the connection stays open."""

    async def play(self, trial: Trial) -> None:
        await Reported().play(trial)
        trial.judge.tricked = True
        trial.seen, trial.tried = len(trial.joins), len(trial.handshakes)
        trial.judge.lost()
        for connection in trial.connections:
            connection.following = False
            connection.fall_silent()


@dataclass(frozen=True, slots=True)
class Refuses:
    """A node accepts no connections, for some seconds or for good. The client may try `most` times
    in these seconds."""

    seconds: float | None = None
    most: int = 7
    node: int = 0

    async def play(self, trial: Trial) -> None:
        trial.refusing.add(self.node)
        if self.seconds is None:
            return
        before = len(trial.handshakes)
        await trial.quiet(self.seconds)
        tries = len(trial.handshakes) - before
        if tries > self.most:
            why = f"tries to connect {tries} times in {self.seconds:g} s, without back-off"
            raise Breach("7", why, f"at most {self.most} tries", tries)
        trial.refusing.discard(self.node)
