"""The rated games of dumps: what `pierule ratings` computes from (SPEC 17.5, 30.4).

Whatever is damaged, missing or twice there is an error that names it: a table that silently lacks a
game would be worse than none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from pierule_protocol.log.events import line_of
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import (
    RECORD_BYTES,
    BadRecord,
    RoomRecord,
    read_amendment,
    read_record,
)
from pierule_protocol.messages import Result as RoomResult
from pierule_ratings import Model, Pool, Result
from pierule_terminal.proving import opened

SCORES: Final = {0: Decimal(1), 1: Decimal(0), "draw": Decimal("0.5")}
"""The points of seat 0, by the winner."""


class BadDump(Exception):
    """The files do not give a table; the text names the file, the line and the reason."""


@dataclass(slots=True)
class Feed:
    """What stands under each feed number: results by game, which of them count no more since which
    number, and the names of players."""

    results: dict[int, tuple[str, Result]] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)
    rooms: dict[str, int] = field(default_factory=dict)
    last: int = 0

    @property
    def games(self) -> list[str]:
        """The games of which there are results, in order."""
        return sorted({game for game, _ in self.results.values()})

    def pool(self, model: Model, game: str, through: int | None = None) -> Pool:
        """The ratings of a game, with all numbers up to `through` (None: all)."""
        end = self.last if through is None else through
        pool = Pool(model)
        for feed, (of, result) in self.results.items():
            if of == game and feed <= end and not self.undone.get(feed, end + 1) <= end:
                pool.add(result)
        return pool


def read_feed(files: list[str]) -> Feed:
    """The feed that files or folders of a dump have. Raises BadDump."""
    reader = _Reader()
    for file in files:
        if Path(file).is_dir():
            reader.folder(Path(file))
        else:
            reader.file(file)
    return reader.feed()


class _Line(msgspec.Struct):
    """What tells the lines apart."""

    format: str | None = None
    feed: int | None = None
    id: str | None = None
    name: str | None = None


@dataclass(slots=True)
class _Reader:
    """What was read so far; `seen` says where each feed number stands."""

    seen: dict[int, str] = field(default_factory=dict)
    results: dict[int, tuple[str, Result]] = field(default_factory=dict)
    games: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)
    logs: dict[tuple[str, str], int] = field(default_factory=dict)
    voids: list[tuple[int, str, str, str]] = field(default_factory=list)
    names: dict[str, str | None] = field(default_factory=dict)
    rooms: dict[str, int] = field(default_factory=dict)
    through: int | None = None

    def folder(self, folder: Path) -> None:
        """All files of a dump's manifest, with their checksums."""
        manifest = folder / "manifest.json"
        try:
            told: dict[str, Any] = json.loads(manifest.read_bytes())
            if told.get("format") != "pierule.dump" or told.get("version") != 1:
                raise BadDump(f"{manifest}: this is not the manifest of a dump of version 1")
            entries = [*told["files"], *(told[name] for name in ("players",) if told.get(name))]
            wanted = [(folder / entry["name"], entry["sha256"]) for entry in entries]
            self.through = max(self.through or 0, told["through"])
        except OSError as error:
            raise BadDump(f"{manifest}: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise BadDump(f"{manifest}: it is damaged: {error!r}") from error
        for path, sha256 in wanted:
            try:
                found = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise BadDump(f"{path}: {error.strerror or error}") from error
            if found != sha256:
                raise BadDump(f"{path}: it has other bytes than {manifest} says")
            self.file(str(path))

    def file(self, file: str) -> None:
        """All lines of a file."""
        number = 0
        try:
            for number, data in enumerate(_lines(file), 1):
                self._line(f"{file}:{number}", data)
        except OSError as error:
            raise BadDump(f"{file}: after line {number}: {error.strerror or error}") from error

    def _line(self, where: str, data: bytes) -> None:
        if not data.endswith(b"\n"):
            raise BadDump(f"{where}: the line is cut short, or longer than {RECORD_BYTES} bytes")
        try:
            head = msgspec.json.decode(data, type=_Line)
            if head.format == "pierule.digest":
                return
            if head.format is None and head.id is not None:
                self.names[head.id] = head.name
                return
            if not isinstance(head.feed, int) or head.feed < 1:
                raise BadDump(f"{where}: there is no feed number")
            if head.feed in self.seen:
                twice = self.seen[head.feed]
                raise BadDump(f"{where}: number {head.feed} is there already, in {twice}")
            self.seen[head.feed] = where
            if head.format == "pierule.amendment":
                amendment = read_amendment(data)
                self.voids.append((head.feed, amendment.room, amendment.log, where))
            elif head.format is not None:
                self._record(where, head.feed, read_record(data))
        except (BadRecord, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadDump(f"{where}: this is no line of a dump: {error}") from None

    def _record(self, where: str, feed: int, record: RoomRecord) -> None:
        final = record.final
        if not record.events or final.result is None:
            raise BadDump(f"{where}: the game is not over")
        entries = [event.entry for event in record.events]
        made = record.room, line_of(entries[0]).decode()
        self.games.setdefault(made, []).append((entries[-1].epoch, feed))
        self.logs[record.room, log_hash(entries)] = feed
        self.rooms[record.room] = max(feed, self.rooms.get(record.room, 0))
        if final.unrated is None:
            result = _result(where, feed, record, final.result, entries[-1].at)
            self.results[feed] = record.options.game, result

    def feed(self) -> Feed:
        """All that was read. Raises BadDump for a number that is missing."""
        last = max([*self.seen, self.through or 0, 0])
        missing = next((number for number in range(1, last + 1) if number not in self.seen), None)
        if missing is not None:
            raise BadDump(f"number {missing} is in none of the files (they go up to {last})")
        found = Feed(dict(sorted(self.results.items())), {}, self.names, self.rooms, last)
        for number, room, log, where in self.voids:
            game = self.logs.get((room, log))
            if game is None:
                raise BadDump(f"{where}: none of the files has the game that it voids ({room})")
            _undo(found, game, number)
        for epochs in self.games.values():
            for (_, former), (_, later) in pairwise(sorted(epochs)):
                _undo(found, former, later)
        return found


def _undo(feed: Feed, game: int, since: int) -> None:
    feed.undone[game] = min(since, feed.undone.get(game, since))


def _result(where: str, feed: int, record: RoomRecord, result: RoomResult, at: int) -> Result:
    first, second = record.seats
    if first is None or second is None or result.winner not in SCORES:
        raise BadDump(f"{where}: a rated game has two players, and a winner or a draw")
    return Result(feed, (first.user, second.user), SCORES[result.winner], at)


def _lines(file: str) -> Iterator[bytes]:
    with opened(file) as stream:
        yield from iter(lambda: stream.readline(RECORD_BYTES + 1), b"")
