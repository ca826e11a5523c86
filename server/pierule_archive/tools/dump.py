"""Public dumps for static hosting: a file for the games of each month and game.

Private games, and amendments to them, appear only as numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import Engine, Select, exists, or_, select, union_all

from pierule_archive.archive import Archive
from pierule_archive.record import AMENDMENTS, COLUMNS
from pierule_archive.schema import amendments, games, players, withheld
from pierule_archive.tools.folder import Folder, Manifest, writing_into
from pierule_archive.tools.lines import player_lines, selected
from pierule_archive.tools.progress import Progress
from pierule_archive.tools.proving import proofs

_PUBLIC = games.c.access != "private"

_AMENDMENTS = AMENDMENTS.where(_PUBLIC)

_bare = union_all(
    select(games.c.feed).where(games.c.access == "private"),
    select(amendments.c.feed)
    .join(games, games.c.feed == amendments.c.game)
    .where(games.c.access == "private"),
    select(withheld.c.feed),
).subquery()
_BARE = select(_bare.c.feed)

_PLAYERS = select(players.c.id, players.c.name, players.c.bot).where(
    exists().where(_PUBLIC, or_(games.c.player0 == players.c.id, games.c.player1 == players.c.id))
)

SCAN = 10_000
"""Rows per query of the scan for months with something new."""


class _Month(NamedTuple):
    """The matches of a game that ended in a month (UTC)."""

    year: int
    month: int
    game: str

    @property
    def group(self) -> str:
        return f"{self.year:04d}-{self.month:02d}-{quote(self.game, safe='')}"

    @property
    def query(self) -> Select[Any]:
        start = datetime(self.year, self.month, 1, tzinfo=UTC)
        end = datetime(self.year + self.month // 12, self.month % 12 + 1, 1, tzinfo=UTC)
        return select(*COLUMNS).where(
            games.c.game == self.game, _PUBLIC,
            games.c.ended >= _ms(start), games.c.ended < _ms(end),
        )  # fmt: skip


def dump(engine: Engine, path: Path, progress: Progress) -> Manifest:
    """Bring the dumps in a folder up to date with an archive. Nodes may write to the archive
    meanwhile. Raises BadFolder and Unwritable."""
    with writing_into(path, "pierule.dump", private=False) as folder:
        folder.check_head(lambda number: _line(engine, number))
        through = Archive(engine).last
        progress.expect(through - folder.through)

        def grow(group: str, query: Select[Any]) -> None:
            folder.grow(
                group, lambda after: progress.counting(selected(engine, query, after, through))
            )

        for group, query in _changed(engine, folder, through).items():
            grow(group, query)
        return folder.publish(
            through,
            _line(engine, through) or b"",
            player_lines(engine, _PLAYERS),
            *proofs(engine, through),
        )


def _changed(engine: Engine, folder: Folder, through: int) -> dict[str, Select[Any]]:
    """The groups that may have something new, or whose files are damaged, with their queries."""
    months = set(_months(engine, folder.through, through))
    if damaged := {file.group for file in folder.damaged()}:
        months |= {month for month in _months(engine, 0, through) if month.group in damaged}
    return {
        **{month.group: month.query for month in sorted(months)},
        "amendments": _AMENDMENTS,
        "private": _BARE,
    }


def _months(engine: Engine, after: int, through: int) -> Iterator[_Month]:
    """The months of the games with these numbers, with repetitions."""
    columns = select(games.c.feed, games.c.game, games.c.ended).where(_PUBLIC)
    while True:
        page = columns.where(games.c.feed > after, games.c.feed <= through)
        with engine.connect() as connection:
            rows = connection.execute(page.order_by(games.c.feed).limit(SCAN)).all()
        for row in rows:
            at = datetime.fromtimestamp(row.ended / 1000, UTC)
            yield _Month(at.year, at.month, row.game)
        if len(rows) < SCAN:
            return
        after = rows[-1].feed


def _line(engine: Engine, number: int) -> bytes | None:
    """The line of a number in the dumps; None if there is none."""
    public = select(*COLUMNS).where(_PUBLIC)
    for query in (public, _AMENDMENTS, _BARE):
        for line in selected(engine, query, number - 1, number):
            return line.data
    return None


def _ms(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000
