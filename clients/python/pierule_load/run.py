"""A run: begin the games, play until the time is up, and end all games."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from random import Random

from pierule_games import GAMES
from pierule_load.member import AT_ONCE, Member
from pierule_load.pace import Pace, Stopped
from pierule_load.plan import Plan, Unwilling
from pierule_load.scripts import deck
from pierule_load.table import Table
from pierule_load.tally import Second, Tally
from pierule_load.watch import Watch
from pierule_protocol.messages import Welcome

OPENING = 30.0
"""The most seconds to wait until all games have begun. The rest begin later."""
PATIENCE = 5.0
"""Seconds to wait for another game to begin when connections are refused."""
SPARE_FILES = 64


def kinds(plan: Plan, welcome: Welcome) -> list[tuple[str, int]]:
    """The games to play, and the size of each. Raises Unwilling."""
    served = {each.game: each for each in welcome.games}
    for game in plan.games:
        if game not in served or game not in GAMES:
            where = "on this server" if game in GAMES else "installed here"
            raise Unwilling(f"{game} is not {where}; the server has {', '.join(served)}")
    found = []
    for game in plan.games or [game for game in served if game in GAMES]:
        size = plan.size or served[game].default_size
        if size not in served[game].sizes:
            sizes = ", ".join(map(str, served[game].sizes))
            raise Unwilling(f"{game} has the sizes {sizes}, not {size}")
        found.append((game, size))
    if not found:
        raise Unwilling("none of the server's games is installed here")
    return found


def allow_files(wanted: int) -> None:
    """Raise the limit of file descriptors to what the connections need. Raises Unwilling."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted += SPARE_FILES
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise Unwilling(
            f"this needs {wanted} file descriptors, but only {hard} are allowed here; raise the "
            "limit (ulimit -n), or load from several machines"
        )
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def run(
    plan: Plan, welcome: Welcome, stop: asyncio.Event, show: Callable[[Second], None], rng: Random
) -> Tally:
    """Load the server until the time is up or `stop` is set, and end all games."""
    allow_files(plan.connections)
    scripts = deck(kinds(plan, welcome), rng)
    tally = Tally()
    pace = Pace(plan, tally)
    gate = asyncio.Semaphore(AT_ONCE)
    numbers = count()

    def member() -> Member:
        number = next(numbers)
        urls = plan.urls_of(number)
        return Member(f"Load {number + 1}", urls, tally, plan.timeout, gate, rng, hints=plan.hints)

    def table() -> Table:
        spectators = [member() for _ in range(plan.spectators)]
        return Table((member(), member()), spectators, scripts, pace, tally)

    tables = [table() for _ in range(plan.tables)]
    members = [member for table in tables for member in table.members]
    async with asyncio.TaskGroup() as group:
        lives = [group.create_task(member.run()) for member in members]
        games = [group.create_task(table.run()) for table in tables]
        watching = group.create_task(Watch(plan, tally, pace).run(show))
        ending = group.create_task(_end_with(stop, pace))
        await _lay(tables, pace, tally)
        storms = group.create_task(_storms(plan, pace, members))
        await _until(plan, pace)
        await _end(tables, games, plan.timeout)
        tally.left += sum(table.room is not None for table in tables)
        for task in (*lives, ending, storms, watching):
            task.cancel()
    return tally


async def _end(
    tables: Sequence[Table], games: Sequence[asyncio.Task[None]], patience: float
) -> None:
    """Let the tables end their games. Cancel tables that are stuck, and end their rooms."""
    _, stuck = await asyncio.wait(games, timeout=patience)
    for task in stuck:
        task.cancel()
    await asyncio.wait(games)
    if rest := [asyncio.create_task(table.end()) for table in tables if table.room is not None]:
        _, stuck = await asyncio.wait(rest, timeout=patience)
        for task in stuck:
            task.cancel()


async def _lay(tables: Sequence[Table], pace: Pace, tally: Tally) -> None:
    """Wait until the first game of each table has begun, but not for tables whose players are
    refused, and not longer than `OPENING`."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + OPENING
    latest, laid = clock(), 0
    with suppress(Stopped):
        while laid < len(tables) and clock() < deadline:
            await pace.pause(0.1)
            if (now := sum(table.begun for table in tables)) > laid:
                latest, laid = clock(), now
            if tally.refused and clock() > latest + PATIENCE:
                break
    pace.begin()


async def _until(plan: Plan, pace: Pace) -> None:
    """Wait until the time is up, then stop."""
    try:
        await pace.pause(plan.seconds)
    except Stopped:
        return
    pace.stop()


async def _end_with(stop: asyncio.Event, pace: Pace) -> None:
    await stop.wait()
    pace.stop()


async def _storms(plan: Plan, pace: Pace, members: Sequence[Member]) -> None:
    """Drop all connections, again and again."""
    if plan.storm is None:
        return
    try:
        while True:
            await pace.pause(plan.storm)
            for member in members:
                member.cut()
    except Stopped:
        return
