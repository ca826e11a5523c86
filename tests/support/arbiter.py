"""An arbiter that judges games on clocks afterwards: by the exported logs, by what clients sent and
received, and by its own arithmetic. It uses neither our clock nor the fold nor the script.

The store of these games runs on this machine, so its clock is ours
(`support.timed_connections.wall`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.log.events import Entry
from pierule_protocol.messages import Error, Ok
from support.timed_connections import Attempt


class Window(NamedTuple):
    """A stretch of time in milliseconds."""

    start: int
    end: int

    def shared(self, other: Window) -> int:
        """How much of this window lies in the other."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclass(slots=True)
class Turn:
    """One turn in the log: it ended at `at` by an action, or by `flagged`, `aborted` or `resigned`.
    `credited` is the time credited within it."""

    room: str
    seat: int
    started: int
    deadline: int
    at: int
    how: str
    credited: list[Window]

    @property
    def late(self) -> int:
        """How long after the deadline it ended; negative if before."""
        return self.at - self.deadline

    @property
    def window(self) -> Window:
        return Window(self.started, self.at)


@dataclass(slots=True)
class Verdict:
    """All judged turns, and everything wrong that was found."""

    turns: list[Turn] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def seconds_of(control: dict[str, Any]) -> tuple[int, int, int, int]:
    """Main time, increment, periods and period of a control, in milliseconds."""
    match control["kind"]:
        case "fischer":
            return control["main"] * 1_000, control.get("increment", 0) * 1_000, 0, 0
        case "byoyomi":
            return control["main"] * 1_000, 0, control["periods"], control["period"] * 1_000
        case "turnwise":
            return 0, 0, 1, control["time"] * 1_000
    raise AssertionError(control)


def judge(room: str, log: Sequence[Entry], verdict: Verdict) -> None:  # noqa: C901 - one story
    """Follow one room's log with a stopwatch and a budget for each seat."""
    records = [json.loads(entry.record) for entry in log]
    main, increment, periods, period = seconds_of(records[0]["clock"])
    gain = min(1_000, (main + 40 * (increment or period)) * 4 // 1_000 + 150)
    purse = [3 * gain, 3 * gain]
    left = [main, main]
    byoyomi = [periods, periods]
    position: Any = GAMES[records[0]["game"]].opening(records[0]["size"])
    seated = sum(record["kind"] == "seated" or "seat" in record for record in records[:1])
    began = started = given = 0
    credited: list[Window] = []
    over = running = False
    for entry, record in zip(log[1:], records[1:], strict=True):
        where = f"{room} {entry.seq} {record['kind']}"
        if over:
            verdict.faults.append(f"{where}: after the end")
        seat = position.to_act
        match record["kind"]:
            case "seated":
                seated += 1
                if seated == 2:
                    began = started = entry.at
                    running = True
                continue
            case "credited":
                lost = Window(record["lost_from"], record["lost_to"])
                credited.append(lost)
                if running:
                    started += lost.shared(Window(started, lost.end))
                continue
        budget = left[seat] + byoyomi[seat] * period
        turn = Turn(room, seat, began, started + budget + purse[seat], entry.at,
                    record["kind"], credited.copy())  # fmt: skip
        verdict.turns.append(turn)
        if record["kind"] in ("flagged", "aborted"):
            over = True
            if turn.late <= 0:
                verdict.faults.append(f"{where}: {-turn.late} ms before the deadline")
            if record.get("seat", seat) != seat or (record["kind"] == "aborted") != (
                position.phase == "komi"
            ):
                verdict.faults.append(f"{where}: of the wrong kind or seat")
            continue
        if turn.late > 0:
            verdict.faults.append(f"{where}: {turn.late} ms after the deadline")
        position = position.play(record["action"])
        assert not isinstance(position, Refusal), where
        given += record.get("given", 0)
        if position.to_act == seat:
            continue
        used = entry.at - started
        given = max(min(given, used), used - budget)
        rest = used - given - left[seat]
        if rest > 0 and period:
            byoyomi[seat] -= -(-rest // period) - 1
        left[seat] = max(0, -rest) + increment
        purse[seat] = min(purse[seat] - given + gain, 7 * gain)
        began = started = entry.at
        given, credited = 0, []
        over = position.to_act is None
    if not over:
        verdict.faults.append(f"{room}: not over")


def compare(
    attempts: Iterable[Attempt], logs: dict[str, list[Entry]], verdict: Verdict
) -> list[int]:
    """Compare what the clients know with the logs. Return how far from its deadline each refused
    action landed."""
    lates: list[int] = []
    for attempt in attempts:
        where = f"{attempt.room} turn {attempt.turn} {attempt.action}"
        acted = [
            (entry, record)
            for entry in logs[attempt.room]
            if (record := json.loads(entry.record))["kind"] == "acted"
        ]
        match attempt.answer:
            case Ok(place=place):
                kept = [pair for pair in acted if pair[0].place == place]
                if len(kept) != 1 or acted.index(kept[0]) != attempt.turn:
                    verdict.faults.append(f"{where}: acknowledged, but not kept at its place")
                    continue
                entry, record = kept[0]
                if (record["seat"], record["action"]) != (attempt.seat, attempt.action):
                    verdict.faults.append(f"{where}: another action is kept in its place")
                if not attempt.sent <= entry.at <= attempt.answered:
                    verdict.faults.append(
                        f"{where}: kept at {entry.at}, but it was under way from "
                        f"{attempt.sent} to {attempt.answered}"
                    )
            case Error(code=code, late=late):
                if len(acted) > attempt.turn:
                    verdict.faults.append(f"{where}: refused as {code}, but played")
                if late is not None:
                    lates.append(late)
            case None:
                verdict.faults.append(f"{where}: never answered")
    return lates


def hold_outages(verdict: Verdict, outages: Sequence[Window], slack: int) -> None:
    """A seat whose clock ran during an outage must have got that time back: no less, and no more
    than the possible age of the last heartbeat (`slack`) on top."""
    for turn in verdict.turns:
        where = f"{turn.room} seat {turn.seat}, {turn.how} at {turn.at}"
        stood = sum(outage.shared(turn.window) for outage in outages)
        back = sum(credit.shared(Window(turn.started, credit.end)) for credit in turn.credited)
        touched = sum(bool(outage.shared(turn.window)) for outage in outages)
        if back < stood:
            verdict.faults.append(f"{where}: stood still for {stood} ms, got back {back}")
        if back > stood + slack * max(touched, 1):
            verdict.faults.append(f"{where}: stood still for {stood} ms, but got back {back}")
