"""`pierule archive check`: check that everything in an archive is as nodes would write it now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Engine, Row, exists, func, select

from pierule_archive.archive import Archive
from pierule_archive.game import NotFinished, game_of, unpack
from pierule_archive.schema import amendments, games, players, withheld
from pierule_archive.tools import signatures
from pierule_archive.tools.lines import PAGE
from pierule_archive.tools.misfits import misfit
from pierule_archive.tools.progress import Progress
from pierule_protocol.state.room import CorruptLog, UnknownGame


def flaws(engine: Engine, progress: Progress) -> Iterator[str]:
    """Everything that is wrong, in the order of the numbers. Nodes may write to the archive
    meanwhile; numbers that come after the start are not checked."""
    through = Archive(engine).last
    progress.expect(through)
    for start in range(0, through, PAGE):
        end = min(start + PAGE, through)
        with engine.connect() as connection:
            found = list(_page(connection, start, end))
        yield from found
        for _ in progress.counting(range(start, end)):
            pass
    yield from _beyond(engine, through)
    yield from signatures.of_digests(engine, through)
    with engine.connect() as connection:
        for player in connection.scalars(_unlisted()):
            yield f"player {player} has played, but is not in the table of players"


def _page(connection: Connection, start: int, end: int) -> Iterator[str]:
    """The flaws of some numbers."""
    kept = connection.execute(select(games).where(games.c.feed > start, games.c.feed <= end)).all()
    amended = connection.execute(
        select(amendments).where(amendments.c.feed > start, amendments.c.feed <= end)
    ).all()
    bare = connection.scalars(
        select(withheld.c.feed).where(withheld.c.feed > start, withheld.c.feed <= end)
    )
    taken = Counter([row.feed for row in (*kept, *amended)] + list(bare))
    by_number: dict[int, Any] = {row.feed: row for row in (*kept, *amended)}
    for number in range(start + 1, end + 1):
        if taken[number] != 1:
            many = "is missing" if not taken[number] else "was given more than once"
            yield f"number {number} {many}"
        row = by_number.get(number)
        if row is not None:
            found = _of_game(connection, row) if "log" in row._asdict() else (
                _of_amendment(connection, row))  # fmt: skip
            yield from (f"number {number}: {flaw}" for flaw in found)


def _of_game(connection: Connection, row: Row[*tuple[Any, ...]]) -> Iterator[str]:
    try:
        entries = list(unpack(row.log))
        game = game_of(row.room, entries)
    except (ValueError, CorruptLog, UnknownGame, NotFinished) as error:
        yield str(error)
        return
    if len(game.entries) != len(entries):
        yield f"its log goes on after the end of the game, event {len(game.entries)}"
    if flaw := misfit(game):
        yield flaw
    follows = {**asdict(game), "epoch": game.epoch}
    for name, value in row._asdict().items():
        if name in follows and follows[name] != value:
            yield f"its {name} is {value!r}, but its log gives {follows[name]!r}"
    yield from _of_succession(connection, row)
    yield from signatures.of_game(connection, row, game)


def _of_succession(connection: Connection, row: Row[*tuple[Any, ...]]) -> Iterator[str]:
    """Check that the next record of the same game, with a higher epoch, supersedes this one."""
    same = games.c.room == row.room, games.c.created_hash == row.created_hash
    later = select(func.min(games.c.feed)).where(*same, games.c.feed > row.feed)
    successor = connection.scalar(later)
    if successor != row.superseded_by:
        yield f"it is superseded by {row.superseded_by}, but its successor is {successor}"
    earlier = select(games.c.feed).where(*same, games.c.feed < row.feed, games.c.epoch >= row.epoch)
    for number in connection.scalars(earlier):
        yield f"it comes after number {number} of the same game, but has no higher epoch"


def _of_amendment(connection: Connection, row: Row[*tuple[Any, ...]]) -> Iterator[str]:
    found = connection.scalar(select(games.c.feed).where(games.c.feed == row.game))
    if found is None or found > row.feed:
        yield f"it amends number {row.game}, which is not an earlier game"
    else:
        yield from signatures.of_amendment(connection, row)


def _beyond(engine: Engine, through: int) -> Iterator[str]:
    """Check that the counter is not behind the numbers, and that numbers are positive."""
    with engine.connect() as connection:
        counted = Archive(engine).last
        for table in (games, amendments, withheld):
            last = connection.scalar(select(func.max(table.c.feed))) or 0
            if last > max(counted, through):
                yield f"number {last} is higher than the counter, which is at {counted}"
            first = connection.scalar(select(func.min(table.c.feed)))
            if first is not None and first < 1:
                yield f"number {first} is below 1"


def _unlisted() -> Any:
    """A query for players of games without a row in the table of players."""
    listed = exists().where(players.c.id == games.c.player0)
    other = exists().where(players.c.id == games.c.player1)
    return select(games.c.player0).where(~listed).union(select(games.c.player1).where(~other))
