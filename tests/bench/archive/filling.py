"""Fills an archive as nodes and the API do, and measures the speed and the size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from sqlalchemy import Engine, func, select, text

from bench.archive.crowd import Crowd, line_of
from bench.rounds import say
from pierule_archive import counting
from pierule_archive.archive import Archive
from pierule_archive.positions import Visit, visits
from pierule_archive.schema import games

BATCH = 64
"""Games of one transaction, as nodes write them."""

VOIDED = 2_000
"""One game in so many is voided."""

COUNTED = 20_000
"""How many numbers are counted in full. After that the positions of each line are remembered: a
line stands for many games, and only the database differs."""

AT_ONCE = 4_096
"""Numbers of one transaction from then on, since nobody waits for it."""

TOLD = 50_000


class Watch:
    """A stopwatch that counts things, for their rate."""

    def __init__(self) -> None:
        self.seconds, self.count = 0.0, 0

    @contextmanager
    def timing(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - began

    @property
    def rate(self) -> float:
        """A second."""
        return self.count / self.seconds if self.seconds else 0.0


def write(archive: Archive, crowd: Crowd) -> Watch:
    """Write the games that are not there yet, in batches; only the writing is timed."""
    with archive.engine.connect() as connection:
        there = connection.execute(select(func.count()).select_from(games)).scalar_one()
    watch, new = Watch(), islice(crowd.games(), there, None)
    told = 0
    while batch := list(islice(new, BATCH)):
        with watch.timing():
            watch.count += archive.add(batch)
        if watch.count // VOIDED > (watch.count - len(batch)) // VOIDED:
            archive.void(batch[-1].room, batch[-1].ended + 60_000, "Both played by one person.")
        if watch.count // TOLD > told:
            told = watch.count // TOLD
            say(f"  {there + watch.count:,} games written, {watch.rate:,.0f} a second")
    return watch


def count(archive: Archive, crowd: Crowd) -> Watch:
    """Count what is not counted yet; the first numbers are timed."""
    watch, engine = Watch(), archive.engine
    more = 1
    while more and watch.count < COUNTED:
        with watch.timing():
            more = counting.count(engine)
        watch.count += more
    done, told = watch.count, 0
    with _remembered(crowd):
        while more := counting.count(engine, AT_ONCE):
            done += more
            if done // TOLD > told:
                told = done // TOLD
                say(f"  {done:,} numbers counted")
    return watch


@contextmanager
def _remembered(crowd: Crowd) -> Iterator[None]:
    """Let the counter remember the positions of each line."""
    known: dict[int, list[Visit]] = {}

    def remembered(row: counting._Row) -> list[Visit]:
        number = line_of(row.room)
        if number not in known:
            known[number] = list(visits(crowd.lines[number].game))
        return known[number]

    real = counting._visits
    counting._visits = remembered  # type: ignore[assignment]
    try:
        yield
    finally:
        counting._visits = real


def settle(engine: Engine) -> None:
    """Bring the database to the state that it has after a while: everything in its file, with
    statistics."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
        connection.execute(text("CHECKPOINT"))


def size(engine: Engine) -> tuple[int, int]:
    """The bytes of the database, and those of them that the table of positions has."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            whole = Path(engine.url.database or "").stat().st_size
            query = (
                "SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE '%positions%'"
            )
        else:
            whole = connection.scalar(text("SELECT pg_database_size(current_database())")) or 0
            query = "SELECT pg_total_relation_size('positions')"
        return whole, int(connection.scalar(text(query)) or 0)
