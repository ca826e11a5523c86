"""Backups: everything in an archive, enough to make an equal archive from it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, select

from pierule_archive.archive import Archive
from pierule_archive.schema import players
from pierule_archive.tools.folder import Manifest, writing_into
from pierule_archive.tools.lines import Numbered, player_lines, whole_feed
from pierule_archive.tools.progress import Progress
from pierule_archive.tools.proving import proofs

NUMBERS = 10_000
"""How many numbers a file has. After an interruption, at most one file is written again."""


def back_up(engine: Engine, path: Path, progress: Progress, numbers: int = NUMBERS) -> Manifest:
    """Bring the backup in a folder up to date with an archive. Nodes may write to the archive
    meanwhile. Raises BadFolder and Unwritable."""
    with writing_into(path, "pierule.backup", private=True) as folder:
        folder.check_head(lambda number: _line(engine, number))
        through = Archive(engine).last
        progress.expect(through - folder.through)
        starts = {file.first - 1 for file in folder.damaged()}
        starts |= set(range(folder.through // numbers * numbers, through, numbers))

        def grow(start: int) -> None:
            end = min(start + numbers, through)
            folder.grow(
                f"feed-{start + 1:010d}",
                lambda after: progress.counting(whole_feed(engine, max(start, after), end)),
            )

        for start in sorted(starts):
            grow(start)
        return folder.publish(
            through,
            _line(engine, through) or b"",
            player_lines(engine, select(players)),
            *proofs(engine, through),
        )


def _line(engine: Engine, number: int) -> bytes | None:
    """The line of a number; None if there is none."""
    found: list[Numbered] = list(whole_feed(engine, number - 1, number))
    return found[0].data if found else None
