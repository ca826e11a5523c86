"""Clocks under fire: hundreds of short games by real clients on two nodes over one store, with
most actions aimed within milliseconds of a deadline, while lines are cut, nodes stopped and
killed, and everything stands still twice. Then the logs are exported and judged by an arbiter.

Run with `-s` for the figures, and with `--workers 2` for nodes of several processes.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import TypeAlias

import pytest

from pierule_protocol.log.controls import (
    Byoyomi,
    ClockRequest,
    Fischer,
    Turnwise,
    requested,
)
from pierule_protocol.log.events import Entry
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Create, Join, Leave, LogQuery, Ok, RoomState
from pierule_protocol.state.room import CorruptLog
from support.arbiter import Turn, Verdict, Window, compare, hold_outages, judge
from support.crew import end, workers_of
from support.games import game
from support.serving import Serving
from support.timed_connections import Attempt, StoreTime, TimedConnection, Way, wall

TABLES = 64
LEAST_SECONDS = 25.0
MOST_SECONDS = 240.0
NEAR = 5
"""Milliseconds from a deadline within which an action counts as near, if this machine lets half of
the actions land as near as that to where they are aimed; else what it lets them."""
NEARLY = 1_000
"""So many actions are to land near a deadline,"""
EACH_SIDE = 200
"""and at least so many on each side of it."""
GAMES = 200
RECONNECTS = 50
"""So many games are to be played, and lines to be mended."""

IN_TIME = 100
"""Milliseconds in which a time-out is to stand in the log; the median is held against it."""
NOISE = 1_000
"""What chance may add to that: each one is held against it."""
HEARTBEAT_SLACK = 1_500
"""The age in milliseconds that the last heartbeat before an outage may have."""
STEPS = 4
"""Each of these three takes a few steps of a node. A busy machine keeps a node waiting before each,
as long as it keeps it from answering a ping, which is one step."""

LATE = 0.25
"""The share of actions that are aimed behind the deadline at first."""

Table: TypeAlias = tuple[TimedConnection, ...]

ACTIONS = game("loose", 5).actions

FISCHER = requested(Fischer(main=1))
"""From the third turn on, both have about 150 ms for each: the quota that they gain."""
CONTROLS: list[ClockRequest] = [
    *[FISCHER] * 6,
    requested(Fischer(main=1, increment=1)),
    requested(Turnwise(time=1)),
    requested(Byoyomi(main=1, periods=2, period=1)),
]


def processes(node: Serving) -> list[int]:
    """What a node consists of: its own process, and its workers."""
    assert node.process is not None
    return [node.process.pid, *workers_of(node.process.pid)]


class Cluster:
    """Two nodes over one store, each with so many workers; `up` are those that new connections
    go to."""

    def __init__(self, folder: Path, workers: int) -> None:
        keys = {"PIERULE_KEYS": "k1:" + "5e" * 32}
        flags = ("--workers", str(workers)) if workers > 1 else ()
        for name in ("a", "b"):
            (folder / name).mkdir()
        self.a = Serving(folder / "a", *flags, environment=keys)
        self.a.start()
        self.b = Serving(folder / "b", *flags, environment=keys, store=self.a.store_url)
        self.b.start()
        self.up = [self.a, self.b]
        self.alone: list[Window] = []
        """When one node was stopped or dead."""
        self.outages: list[Window] = []
        """When all nodes or the store stood still."""

    def near(self, node: Serving) -> Callable[[], str]:
        """Where to connect: to this node, if it is up."""
        return lambda: (node if node in self.up else self.up[0]).url

    async def pause(self, pids: list[int], seconds: float) -> Window:
        """Have processes stand still. The window lies within the time for which all of them do."""
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        start = wall() + 1
        try:
            await asyncio.sleep(seconds)
        finally:
            end = wall()
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        return Window(start, end)

    async def kill_and_restart(self, node: Serving) -> None:
        start = wall()
        self.up.remove(node)
        workers = processes(node)[1:]
        await asyncio.to_thread(node.kill)
        end(workers)
        await asyncio.to_thread(node.start)
        self.up.append(node)
        self.alone.append(Window(start, wall()))

    def clear(self) -> None:
        for node in (self.b, self.a):
            if node.process is not None and node.process.poll() is None:
                for pid in processes(node):
                    os.kill(pid, signal.SIGCONT)
            node.clear()


class Match:
    """All tables, what was tried at them, and what time it is."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.cluster = cluster
        self.random = random.Random(seed)
        self.store = StoreTime()
        self.ways = {node: Way() for node in (cluster.a, cluster.b)}
        self.attempts: list[Attempt] = []
        self.rooms: list[str] = []
        self.silent: set[str] = set()
        self.lateness: list[int] = []
        """How late, or early, each aimed action was at its deadline."""
        self.near: Counter[str] = Counter()
        """How many of them were near, on each side, when that was last asked."""
        self.misses: deque[float] = deque(maxlen=500)
        """How far from where they were aimed the latest actions have landed, in milliseconds."""
        self.pings: list[Window] = []
        self.closing = False
        self.tables = [
            tuple(TimedConnection(cluster.near(node), f"{name} {number}") for name, node in
                  (("Ada", cluster.a), ("Bob", cluster.b)))
            for number in range(TABLES)
        ]  # fmt: skip
        self.lines = [line for table in self.tables for line in table]
        self._nonces = count(1)

    def nonce(self) -> str:
        return f"n{next(self._nonces)}"

    @property
    def margin(self) -> float:
        """How near to a deadline is near, on this machine."""
        return max(NEAR, median(self.misses)) if self.misses else NEAR

    @property
    def enough(self) -> bool:
        margin = self.margin  # which changes: what was near may not be any more
        self.near = Counter(
            "after" if late > 0 else "before" for late in self.lateness if abs(late) <= margin
        )
        return (
            sum(self.near.values()) >= 1.1 * NEARLY
            and all(self.near[side] >= 1.1 * EACH_SIDE for side in ("before", "after"))
            and len(self.rooms) >= GAMES
            and self.reconnects >= RECONNECTS
        )

    @property
    def reconnects(self) -> int:
        return sum(line.reconnects for line in self.lines)

    def way(self, line: TimedConnection) -> Way:
        return next((way for node, way in self.ways.items() if node.url == line.url), Way())

    async def keep_time(self) -> None:
        while True:
            sent = wall()
            await self.lines[0].ping(self.store)
            self.pings.append(Window(sent, wall() + 1))
            await asyncio.sleep(0.05)

    async def cut_lines(self) -> None:
        while True:
            await asyncio.sleep(0.3)
            self.random.choice(self.lines).cut()

    async def sleep_until(self, moment: float) -> None:
        """Wait for a time of the store."""
        await asyncio.sleep(max(0.0, moment - self.store.now()) / 1_000)

    async def sit(self, table: Table) -> None:
        """Play games at a table until the match closes."""
        while not self.closing:
            control = self.random.choice(CONTROLS)
            made = await table[0].do(
                Create, nonce=self.nonce(), game="loose", size=5, seat=0, clock=control
            )
            assert made.room is not None
            self.rooms.append(made.room)
            await table[0].do(Join, room=made.room)
            await table[1].do(Join, room=made.room, seat=1, nonce=self.nonce())
            await Play(self, table, made.room).run()
            for line in table:
                line.states.pop(made.room)
                await line.do(Leave, room=made.room)

    def aim(self, turn: int) -> float:
        """How far from the deadline an action is to land, in milliseconds."""
        if turn == 0:  # it would only abort the game
            return self.random.uniform(-60, -20)
        # Behind it until there are enough of those, for each of them ends a game.
        if self.near["after"] < 1.2 * EACH_SIDE and self.random.random() < LATE:
            return self.random.uniform(0.5, 4.5)
        return self.random.uniform(-5.0, -1.0)


class Play:
    """One game at a table, to whatever end."""

    def __init__(self, match: Match, table: Table, room: str) -> None:
        self.match = match
        self.table = table
        self.room = room
        self.turn = 0
        self.quick = match.random.random() < 0.03
        self.aimed: tuple[Way, float, int] | None = None
        """By which way the last action went that was aimed, when, and at which deadline."""

    async def run(self) -> None:
        while (state := await self.ready()).status != "over":
            if self.match.closing or (self.turn > 1 and self.match.random.random() < 0.02):
                await self.fall_silent(state)
            else:
                await self.move(state)

    async def ready(self) -> RoomState:
        """The room as the one knows it who is to act next."""
        turn = self.turn

        def reached(state: RoomState) -> bool:
            return state.status == "over" or (state.status == "running" and state.turn >= turn)

        state = await self.table[0].until(self.room, reached)
        if state.status != "over":
            state = await self.line(state).until(self.room, reached)
        if state.turn == turn:
            self.landed(state.at)
        return state

    def line(self, state: RoomState) -> TimedConnection:
        assert state.position.to_act is not None
        return self.table[state.position.to_act]

    async def move(self, state: RoomState) -> None:
        """Act at the moment that is aimed at, if nothing happens before."""
        match, line, deadline = self.match, self.line(state), _deadline(state)
        if not self.quick and state.position.phase != "color":
            way = match.way(line)
            await match.sleep_until(deadline + match.aim(self.turn) - way.milliseconds)
            if line.states[self.room].seq != state.seq:
                return  # flagged or credited meanwhile
            self.aimed = way, match.store.now(), deadline
        attempt = Attempt(
            self.room, self.turn, state.position.to_act or 0, ACTIONS[self.turn], sent=wall()
        )
        match.attempts.append(attempt)
        answer = await line.act(attempt)
        if attempt.sends > 1:
            self.aimed = None
        if isinstance(answer, Ok):
            assert answer.turn is not None
            self.turn = answer.turn
            return
        if answer.late is not None:
            self.landed(deadline + answer.late)
        self.aimed = None
        await self.end()

    def landed(self, at: int) -> None:
        """The last action has come to the store at this time."""
        if self.aimed is not None:
            way, sent, deadline = self.aimed
            if not self.match.closing:  # the margin is to stay what it was when it was enough
                self.match.misses.append(abs(at + 0.5 - sent - way.milliseconds))
            way.landed(at + 0.5 - sent)
            self.match.lateness.append(at - deadline)
        self.aimed = None

    async def fall_silent(self, state: RoomState) -> None:
        """Let the time run out, sometimes with nobody there."""
        self.match.silent.add(self.room)
        if self.match.random.random() < 0.5:
            for line in self.table:
                line.cut()
            await self.match.sleep_until(_deadline(state) + 300)
        await self.end()

    async def end(self) -> None:
        for line in self.table:
            await line.until(self.room, lambda state: state.status == "over")


def _deadline(state: RoomState) -> int:
    assert state.clock is not None
    assert state.clock.deadline is not None
    return state.clock.deadline


async def disturb(cluster: Cluster) -> None:
    """What goes wrong, in order."""
    store = await asyncio.to_thread(cluster.a.store_pid)
    await asyncio.sleep(4)
    cluster.alone.append(await cluster.pause(processes(cluster.a), 1.3))
    await asyncio.sleep(3)
    await cluster.kill_and_restart(cluster.b)
    await asyncio.sleep(3)
    nodes = processes(cluster.a) + processes(cluster.b)
    cluster.outages.append(await cluster.pause(nodes, 2.8))
    await asyncio.sleep(3)
    cluster.outages.append(await cluster.pause([store], 2.8))


@asynccontextmanager
async def background(*work: asyncio.Task[None]) -> AsyncIterator[None]:
    try:
        yield
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)


async def export(lines: list[TimedConnection], rooms: Iterable[str]) -> dict[str, list[Entry]]:
    """All logs, as anyone can ask for them."""
    logs = {}
    for number, room in enumerate(rooms):
        answer = await lines[number % len(lines)].do(LogQuery, room=room)
        assert answer.log is not None
        logs[room] = [each.entry for each in answer.log]
    return logs


@pytest.mark.long(52)
@pytest.mark.timeout(2 * MOST_SECONDS + 60)
async def test_an_action_in_time_never_loses_on_time(
    tmp_path: Path, seed: int, pytestconfig: pytest.Config
) -> None:
    cluster = await asyncio.to_thread(Cluster, tmp_path, pytestconfig.getoption("workers"))
    match = Match(cluster, seed)
    try:
        async with asyncio.timeout(2 * MOST_SECONDS):
            logs = await contest(match)
    finally:
        await asyncio.to_thread(cluster.clear)
    verdict = Verdict()
    for room, log in logs.items():
        try:
            folded = None
            for entry in log:
                folded = fold(folded, room, entry)
        except CorruptLog as error:
            verdict.faults.append(f"does not verify: {error}")
            continue
        judge(room, log, verdict)
    refused = compare(match.attempts, logs, verdict)
    report(match, verdict, refused)


async def contest(match: Match) -> dict[str, list[Entry]]:
    """Play until enough has happened, and export what was played."""
    began = time.monotonic()
    for line in match.lines:
        await line.open()
    for _ in range(10):
        await match.lines[0].ping(match.store)
    disturbing = asyncio.create_task(disturb(match.cluster))
    tables = [asyncio.create_task(match.sit(table)) for table in match.tables]
    keeping = asyncio.create_task(match.keep_time())
    cutting = asyncio.create_task(match.cut_lines())
    async with background(keeping, cutting, disturbing, *tables):
        while not (disturbing.done() and match.enough and _since(began) >= LEAST_SECONDS):
            await asyncio.wait([*tables, keeping], timeout=0.5, return_when="FIRST_COMPLETED")
            for task in (*tables, keeping, cutting, disturbing):
                if task.done():
                    task.result()
            if _since(began) > MOST_SECONDS:
                break
        match.closing = True
        await asyncio.gather(disturbing, *tables)
    print(f"{_since(began):.1f} s of play")
    logs = await export(match.lines, match.rooms)
    await asyncio.gather(*(line.close() for line in match.lines))
    return logs


def _since(began: float) -> float:
    return time.monotonic() - began


def report(match: Match, verdict: Verdict, refused: list[int]) -> None:
    """Print the figures, and hold them against what was promised."""
    cluster, near = match.cluster, match.margin
    usual, longest = calm_pings(match)
    hold_outages(verdict, cluster.outages, HEARTBEAT_SLACK + STEPS * longest)
    ended = [turn for turn in verdict.turns if turn.how in ("flagged", "aborted")]
    early = [-turn.late for turn in verdict.turns if turn.how == "acted" and turn.late <= 0]
    before = sum(each <= near for each in early)
    after = sum(each <= near for each in refused)
    print(f"{len(match.rooms)} games, {len(match.attempts)} actions; within {near:.1f} ms of the "
          f"deadline {before} accepted and {after} refused; "
          f"pings {usual} to {longest} ms")  # fmt: skip
    print(f"ends: {Counter(turn.how for turn in ended)}, {len(match.silent)} by silence; "
          f"{match.reconnects} reconnects; outages "
          f"{[each.end - each.start for each in cluster.outages]} ms, "
          f"{sum(bool(turn.credited) for turn in verdict.turns)} turns credited")  # fmt: skip

    def disturbed(turn: Turn, windows: list[Window], after: int = 0) -> bool:
        waited = Window(turn.deadline, turn.at)
        return any(Window(each.start, each.end + after).shared(waited) for each in windows)

    late: dict[str, list[Turn]] = {"calm": [], "by silence": [], "alone": [], "after an outage": []}
    for turn in ended:
        if disturbed(turn, cluster.outages, after=NOISE):
            late["after an outage"].append(turn)
        elif disturbed(turn, cluster.alone):
            late["alone"].append(turn)
        else:
            late["by silence" if turn.room in match.silent else "calm"].append(turn)
    for name, turns in late.items():
        print(f"  time-outs {name}: {_spread([turn.late for turn in turns])}")
    for fault in verdict.faults[:20]:
        print("  FAULT", fault)
    faults = [fault for line in match.lines for fault in line.faults]
    assert not verdict.faults, f"{len(verdict.faults)} faults"
    assert not faults
    assert len(match.rooms) >= GAMES
    assert before + after >= NEARLY
    assert min(before, after) >= EACH_SIDE
    assert match.reconnects >= RECONNECTS
    in_time = IN_TIME + STEPS * usual
    assert median(turn.late for turn in ended) <= in_time
    assert median(turn.late for turn in late["by silence"]) <= in_time
    bound = NOISE + STEPS * longest
    for turn in ended:
        assert turn.late <= bound, f"{turn.room} was flagged {turn.late} ms after its deadline"


def calm_pings(match: Match) -> tuple[int, int]:
    """How long a ping took that nothing was done to, in milliseconds: usually, and at the most."""
    disturbed = [
        Window(each.start - NOISE, each.end + NOISE)
        for each in (*match.cluster.alone, *match.cluster.outages)
    ]
    calm = [
        each.end - each.start
        for each in match.pings
        if not any(window.shared(each) for window in disturbed)
    ]
    return int(median(calm)), max(calm)


def _spread(values: list[int]) -> str:
    if len(values) < 2:
        return str(values)
    cuts = quantiles(values, n=20)
    return (f"{len(values)}; median {median(values):.0f}, 95 % {cuts[-1]:.0f}, "
            f"most {max(values)} ms after the deadline")  # fmt: skip
