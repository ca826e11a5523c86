"""The sources of an import: backups, dumps, and files of lines, compressed or not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from pierule_archive.game import Game, NotFinished, game_of
from pierule_archive.tools.folder import MANIFEST, BadFolder, File, Key, digest, read_manifest
from pierule_archive.tools.lines import BadLine, Line, Player, line_of
from pierule_archive.tools.misfits import misfit
from pierule_protocol.log.record import RECORD_BYTES, RoomRecord
from pierule_protocol.log.verify import verify
from pierule_protocol.state.room import CorruptLog, UnknownGame

_GZIP = b"\x1f\x8b"

_LARGEST = 2**53
"""Larger numbers in JSON are not exact everywhere."""

_player = msgspec.json.Decoder(Player)


class Flaw(Exception):
    """Something in the sources cannot be imported: where it is, and why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")


@dataclass(frozen=True, slots=True)
class Found:
    """A line, and where it was: `FILE:NUMBER`. `listed` says that a manifest confirms it."""

    where: str
    line: Line
    listed: bool


def parsed(where: str, data: bytes, *, listed: bool) -> Found:
    """The parsed line. Raises Flaw."""
    try:
        return Found(where, line_of(data), listed)
    except BadLine as error:
        raise Flaw(where, str(error)) from None


def game_in(found: Found) -> Game | None:
    """The game of a line; None if it is not a record. Raises Flaw if it breaks its rules or its
    chain. If no manifest confirms it, its digests and final state must be right, too."""
    record = found.line
    if not isinstance(record, RoomRecord):
        return None
    entries = [event.entry for event in record.events]
    try:
        if any(not 0 <= number < _LARGEST for each in entries for number in (each.epoch, each.at)):
            raise Flaw(found.where, "has an impossible time or epoch")
        flaw = None if found.listed else verify(record)
        if flaw is not None:
            raise Flaw(found.where, f"room {record.room} is not true: {flaw}")
        game = game_of(record.room, entries)
    except (CorruptLog, UnknownGame, NotFinished) as error:
        raise Flaw(found.where, str(error)) from None
    if record.feed is not msgspec.UNSET and len(game.entries) < len(entries):
        raise Flaw(found.where, f"room {record.room} has events after the end of its game")
    if flaw_text := misfit(game):
        raise Flaw(found.where, flaw_text)
    return game


@dataclass(frozen=True, slots=True)
class Source:
    """A file of lines. `listed` is what a manifest says about it; None without a manifest."""

    path: Path
    listed: File | None = None

    def check(self) -> None:
        """Raise Flaw if it is not the file that the manifest names."""
        if self.listed is None:
            return
        try:
            found = digest(self.path)
        except OSError as error:
            raise Flaw(str(self.path), error.strerror or str(error)) from None
        if found != self.listed.sha256:
            raise Flaw(
                str(self.path), "is not the file that the manifest names: its SHA-256 differs"
            )

    def lines(self) -> Iterator[Found]:
        """The lines. Raises Flaw."""
        listed = self.listed is not None
        return (parsed(*each, listed=listed) for each in raw(self.path))

    def players(self) -> Iterator[Player]:
        """The players in a file of players. Raises Flaw."""
        for where, data in raw(self.path):
            try:
                yield _player.decode(data)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise Flaw(where, f"is not a player: {error}") from None


@dataclass(slots=True)
class Sources:
    """All sources of an import: files of numbered lines with their first numbers, files of records
    without numbers, files of players and of digests, and keys."""

    numbered: list[tuple[int, Source]] = field(default_factory=list)
    records: list[Source] = field(default_factory=list)
    players: list[Source] = field(default_factory=list)
    digests: list[Source] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)

    @property
    def through(self) -> int:
        """The highest number that a manifest names; 0 if none does."""
        return max((getattr(each.listed, "last", 0) for _, each in self.numbered), default=0)


def sources_in(paths: Sequence[Path]) -> Sources:
    """The sources at these paths. Raises BadFolder, Flaw and OSError."""
    found = Sources()
    for path in paths:
        if not path.is_dir():
            _add_file(found, Source(path))
            continue
        manifest = read_manifest(path)
        if manifest is None:
            raise BadFolder(
                f"{path} has no {MANIFEST}: it is not a backup or dump, or was never completed"
            )
        for file in manifest.files:
            found.numbered.append((file.first, Source(path / file.name, file)))
        if manifest.players is not None:
            found.players.append(Source(path / manifest.players.name, manifest.players))
        if manifest.digests is not None:
            found.digests.append(Source(path / manifest.digests.name, manifest.digests))
        found.keys += manifest.keys
    return found


def _add_file(found: Sources, source: Source) -> None:
    """Add a file. Its first readable line tells what it is."""
    for each in raw(source.path):
        with suppress(Flaw):
            number = parsed(*each, listed=False).line.feed
            if isinstance(number, int):
                found.numbered.append((number, source))
                return
            break
    found.records.append(source)


def merged(numbered: Sequence[tuple[int, Source]]) -> Iterator[Found]:
    """The lines of several files in the order of their numbers. Opens a file only when its first
    number comes. Raises Flaw."""
    waiting: list[tuple[int, int, Found | None, Iterator[Found]]] = [
        (first, at, None, iter(())) for at, (first, _) in enumerate(numbered)
    ]
    heapify(waiting)
    while waiting:
        _, at, found, rest = heappop(waiting)
        if found is None:
            rest = _opened(numbered[at][1])
        else:
            yield found
        following = next(rest, None)
        if following is not None:
            heappush(waiting, (number_of(following), at, following, rest))


def _opened(source: Source) -> Iterator[Found]:
    """The lines of a file. If the file differs from its manifest, reads it up to its first damaged
    line. If no line is damaged, somebody has changed the file: raises Flaw."""
    try:
        source.check()
    except Flaw:
        unlisted = Source(source.path)
        if _is_sound(unlisted):
            raise
        return unlisted.lines()
    return source.lines()


def _is_sound(source: Source) -> bool:
    try:
        for found in source.lines():
            game_in(found)
    except Flaw:
        return False
    return True


def number_of(found: Found) -> int:
    """The number of a line. Raises Flaw if it has none."""
    number = found.line.feed
    if not isinstance(number, int):
        raise Flaw(found.where, "has no number, unlike the first line of this file")
    return number


def raw(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file, each with its place. Raises Flaw."""
    number = 0
    try:
        with _uncompressed(path) as stream:
            while data := stream.readline(RECORD_BYTES + 1):
                number += 1
                if number == 1 and data.strip() == b"{":  # a record from `pierule export`
                    yield str(path), data + stream.read(RECORD_BYTES)
                    return
                if len(data) > RECORD_BYTES:
                    raise Flaw(f"{path}:{number}", f"is longer than {RECORD_BYTES} bytes")
                if data.strip():
                    yield f"{path}:{number}", data
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise Flaw(f"{path}:{number + 1}", f"is damaged: {error}") from None
    except OSError as error:
        where = f"{path}:{number + 1}" if number else str(path)
        raise Flaw(where, error.strerror or str(error)) from None


@contextmanager
def _uncompressed(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
        file.seek(0)
        if compressed:
            with gzip.open(file, "rb") as stream:
                yield cast("BinaryIO", stream)
        else:
            yield file
