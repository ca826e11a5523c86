"""The rated games of dumps: what `pierule ratings` computes from (SPEC 17.5, 17.6, 30.4).

Anything damaged, missing, altered or duplicated is an error that names it: a table that silently
lacks a game would be worse than none. A manifest confirms the bytes of its files. Records in other
files are replayed by the rules first.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from pierule_protocol.log.digest import BadDigest, Digest, DigestChain, leaf_of, read_digest
from pierule_protocol.log.events import Created, Holder, Unrated, decode_record, line_of
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import (
    RECORD_BYTES,
    Amendment,
    BadRecord,
    Hash,
    Proof,
    RoomRecord,
    read_amendment,
    read_record,
)
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import Result as RoomResult
from pierule_protocol.state.room import UnknownGame
from pierule_protocol.state.unrated import WORDS
from pierule_ratings import Result
from pierule_terminal.proving import opened
from pierule_terminal.rated_feed import BadDump, Feed

SCORES: Final = {0: Decimal(1), 1: Decimal(0), "draw": Decimal("0.5")}
"""The points of seat 0, by the winner."""


_ROOM = re.compile(r"[a-z]{1,32}")


def read_feed(files: list[str]) -> Feed:
    """The feed in files or folders of a dump. Raises BadDump."""
    reader = _Reader()
    try:
        for file in files:
            if Path(file).is_dir():
                reader.folder(Path(file))
            else:
                reader.file(file, confirmed=False)
        feed = reader.feed()
    except BadDump as error:
        raise (BadDump(f"{reader.altered}: {error}") if reader.altered else error) from None
    if reader.altered:
        raise BadDump(reader.altered)
    return feed


class _Listed(msgspec.Struct):
    """A file in a manifest."""

    name: str
    sha256: Hash


class _Manifest(msgspec.Struct):
    """The parts of a manifest that a reader needs (SPEC 17.6)."""

    through: Annotated[int, msgspec.Meta(ge=0)]
    head: Hash
    files: list[_Listed]
    players: _Listed | None
    digests: _Listed | None


class _Kind(msgspec.Struct):
    """The fields that tell kinds of lines and manifests apart."""

    format: str | None = None
    version: int = 0
    id: str | None = None
    room: str | None = None


class _Private(msgspec.Struct, forbid_unknown_fields=True):
    feed: Annotated[int, msgspec.Meta(ge=1)]


class _Player(msgspec.Struct):
    id: str
    name: str | None
    bot: bool


class _Life(NamedTuple):
    """A record of a game. A game has a record for each time that it ended."""

    epoch: int
    feed: int
    room: str


@dataclass(slots=True)
class _Reader:
    """What was read so far. `seen` says where each feed number is, and `players` where each player
    is. `altered` says that a file differs from its manifest; a later error may tell in which
    line."""

    seen: dict[int, str] = field(default_factory=dict)
    found: Feed = field(default_factory=Feed)
    lives: dict[str, list[_Life]] = field(default_factory=dict)
    logs: dict[tuple[str, str], int] = field(default_factory=dict)
    voids: list[tuple[int, str, str]] = field(default_factory=list)
    seated: dict[str, int] = field(default_factory=dict)
    players: dict[str, str] = field(default_factory=dict)
    leaves: dict[int, tuple[str, str | None]] = field(default_factory=dict)
    digests: list[tuple[Digest, str]] = field(default_factory=list)
    ends: list[tuple[int, str]] = field(default_factory=list)
    head: tuple[int, str] = (0, "")
    altered: str = ""

    def folder(self, folder: Path) -> None:
        """Read all files of a dump's manifest, and check their checksums."""
        path = folder / "manifest.json"
        told = _manifest(path)
        self.head = told.through, ""
        self.ends.append((told.through, str(path)))
        self.found.whole = True
        for entry in (*told.files, *filter(None, (told.players, told.digests))):
            self._listed(folder / entry.name, entry.sha256, path)
        if told.through in self.seen and self.head[1] != told.head:
            raise BadDump(f"{path}: its `head` is not the SHA-256 of the line in {self.head[1]}")

    def _listed(self, path: Path, sha256: str, manifest: Path) -> None:
        try:
            with path.open("rb") as stream:
                same = hashlib.file_digest(stream, "sha256").hexdigest() == sha256
        except OSError as error:
            raise BadDump(f"{path}: {error.strerror or error}") from error
        if not same and not self.altered:
            self.altered = f"{path}: its SHA-256 is not the one in {manifest}"
        self.file(str(path), confirmed=same)

    def file(self, file: str, *, confirmed: bool) -> None:
        """Read all lines of a file. `confirmed` says whether a manifest confirms it."""
        number = 0
        try:
            with opened(file) as stream:
                lines = iter(lambda: stream.readline(RECORD_BYTES + 1), b"")
                for number, data in enumerate(lines, 1):
                    self._line(f"{file}:{number}", data, confirmed)
        except OSError as error:
            raise BadDump(f"{file}: after line {number}: {error.strerror or error}") from error

    def _line(self, where: str, data: bytes, confirmed: bool) -> None:
        if not data.endswith(b"\n"):
            raise BadDump(f"{where}: the line is cut short, or longer than {RECORD_BYTES} bytes")
        try:
            kind = msgspec.json.decode(data, type=_Kind)
            match kind.format:
                case "pierule.digest":
                    self.digests.append((read_digest(data), where))
                case "pierule.amendment":
                    self._amendment(where, data, read_amendment(data))
                case None if kind.id is not None:
                    self._player(where, msgspec.json.decode(data, type=_Player))
                case None if kind.room is not None:
                    raise BadDump(
                        f"{where}: this line is from a list of games; a dump has their records"
                    )
                case None:
                    number = self._number(
                        where, data, msgspec.json.decode(data, type=_Private).feed
                    )
                    self.found.unrated[number] = "it is private, or an amendment to a private game"
                    self.found.private.add(number)
                case _:
                    self._record(where, data, read_record(data), confirmed)
        except (
            BadRecord,
            BadDigest,
            msgspec.DecodeError,
            UnicodeDecodeError,
            RecursionError,
        ) as error:
            raise BadDump(f"{where}: this is not a line of a dump: {error}") from None

    def _number(self, where: str, data: bytes, feed: int | msgspec.UnsetType) -> int:
        """Note where a feed number is, and return it. Raises BadDump."""
        if not isinstance(feed, int) or feed < 1:
            raise BadDump(f"{where}: the line has no feed number")
        if feed in self.seen:
            raise BadDump(f"{where}: number {feed} is also in {self.seen[feed]}")
        self.seen[feed] = where
        if feed == self.head[0]:
            self.head = feed, hashlib.sha256(data).hexdigest()
        return feed

    def _player(self, where: str, player: _Player) -> None:
        if player.id in self.players:
            raise BadDump(f"{where}: this player is also in {self.players[player.id]}")
        self.players[player.id] = where
        self.found.names[player.id] = player.name

    def _amendment(self, where: str, data: bytes, amendment: Amendment) -> None:
        feed = self._number(where, data, amendment.feed)
        self.voids.append((feed, amendment.room, amendment.log))
        self.leaves[feed] = _leaf(amendment)

    def _record(self, where: str, data: bytes, record: RoomRecord, confirmed: bool) -> None:
        feed = self._number(where, data, record.feed)
        if not _ROOM.fullmatch(record.room):  # the rest of a record follows from its events
            raise BadDump(f"{where}: {record.room!r} is not the id of a room")
        if not record.events or record.final.result is None:
            raise BadDump(f"{where}: the game is not over")
        if not confirmed:
            _replay(where, record)
        entries = [event.entry for event in record.events]
        life = _Life(entries[-1].epoch, feed, record.room)
        self.lives.setdefault(line_of(entries[0]).decode(), []).append(life)
        self.logs[record.room, log_hash(entries)] = feed
        self.leaves[feed] = _leaf(record)
        found = self.found
        found.rooms[record.room] = max(feed, found.rooms.get(record.room, 0))
        for holder in filter(None, record.seats):
            self.seated.setdefault(holder.user, feed)
        why = _unrated(where, record)
        if why is not None:
            found.unrated[feed] = f"{WORDS[why]} ({why})"
            return
        result = _result(where, feed, record, record.final.result, entries[-1].at)
        found.results[feed] = record.options.game, result

    def feed(self) -> Feed:
        """The whole feed. Raises BadDump if parts contradict each other."""
        found = self.found
        self._check_digests()
        found.last = self._last()
        found.results = dict(sorted(found.results.items()))
        for lives in self.lives.values():
            for former, later in pairwise(sorted(lives)):
                self._replace(former, later)
        for number, room, log in self.voids:
            game = self.logs.get((room, log))
            if game is None or game > number:
                where = self.seen[number]
                raise BadDump(f"{where}: it voids a game of room {room} that is not before it")
            found.undo(game, number)
            found.unrated[number] = f"it voids number {game}"
        for player, number in self.seated.items() if self.players else ():
            if player not in self.players:
                raise BadDump(f"{self.seen[number]}: no line is about its player {player!r}")
        return found

    def _replace(self, former: _Life, later: _Life) -> None:
        """Let a game that ended again replace its earlier record. Raises BadDump."""
        here, there = self.seen[later.feed], self.seen[former.feed]
        if former.room != later.room:
            raise BadDump(f"{here}: the same game is in {there}, in another room")
        if former.epoch == later.epoch or former.feed > later.feed:
            raise BadDump(
                f"{here}: the same game is in {there}, and this record does not continue that one"
            )
        self.found.undo(former.feed, later.feed)

    def _last(self) -> int:
        """The last feed number. Raises BadDump if an earlier number is missing."""
        ends = [*self.ends, *((digest.last, where) for digest, where in self.digests)]
        last, whose = max([*ends, *self.seen.items()], default=(0, ""))
        if not last and not self.found.whole:
            raise BadDump("these files have no games")
        missing = next((number for number in range(1, last + 1) if number not in self.seen), None)
        if missing is None:
            return last
        after = min((number for number in self.seen if number > missing), default=None)
        told = [f"number {missing} is in none of the files"]
        if missing > 1:
            told.append(f"number {missing - 1} is in {self.seen[missing - 1]}")
        end = f"{whose} ends at {last}"
        told.append(f"number {after} is in {self.seen[after]}" if after else end)
        raise BadDump(", ".join(told))

    def _check_digests(self) -> None:
        """Compare the lines with the digests, if there are any. Raises BadDump if they differ."""
        where = {digest.number: at for digest, at in self.digests}
        chain = DigestChain(digest for digest, _ in self.digests)
        for each in chain.breaks:
            raise BadDump(f"{where[each.number]}: digest {each.number}: {each.why}")
        for digest in chain.digests:
            for feed, (leaf, room) in enumerate(digest.leaves, digest.first):
                if feed not in self.seen:
                    continue
                if (leaf, room) != self.leaves.get(feed, (leaf, None)):
                    raise BadDump(
                        f"{self.seen[feed]}: under number {feed} {where[digest.number]} lists "
                        f"another room or signature"
                    )


def _manifest(path: Path) -> _Manifest:
    try:
        data = path.read_bytes()
        kind = msgspec.json.decode(data, type=_Kind)
        if (kind.format, kind.version) != ("pierule.dump", 1):
            raise BadDump(f"{path}: this is not the manifest of a dump, version 1")
        told = msgspec.json.decode(data, type=_Manifest)
    except OSError as error:
        raise BadDump(f"{path}: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadDump(f"{path}: it is damaged: {error}") from None
    for entry in filter(None, (*told.files, told.players, told.digests)):
        if Path(entry.name).name != entry.name:
            raise BadDump(f"{path}: it names a file outside its folder: {entry.name!r}")
    return told


def _replay(where: str, record: RoomRecord) -> None:
    """Check that a record agrees with its own events. Raises BadDump."""
    try:
        flaw = verify(record)
    except UnknownGame as error:
        raise BadDump(
            f"{where}: no manifest confirms this record, and it cannot be replayed: it {error.why}"
        ) from None
    if flaw is not None:
        raise BadDump(f"{where}: the record contradicts its own events: {flaw}")


def _leaf(line: RoomRecord | Amendment) -> tuple[str, str | None]:
    """What a digest lists for a line (SPEC 28.5)."""
    signature = bytes.fromhex(line.proof.signature) if isinstance(line.proof, Proof) else None
    return leaf_of(signature), line.room


def _unrated(where: str, record: RoomRecord) -> Unrated | None:
    """Why a game does not count. Records of servers without ratings do not say it."""
    said = record.final.unrated
    if not isinstance(said, msgspec.UnsetType):
        return said
    created = decode_record(record.events[0].record)
    if isinstance(created, Created) and created.rated is None:
        return "before"
    raise BadDump(f"{where}: the record does not say whether the game is rated")


def _result(where: str, feed: int, record: RoomRecord, result: RoomResult, at: int) -> Result:
    first, second = record.seats
    if first is None or second is None or result.winner not in SCORES:
        raise BadDump(f"{where}: this rated game lacks two different players, or a winner or draw")
    anchors = _anchor(where, first), _anchor(where, second)
    return Result(feed, (first.user, second.user), SCORES[result.winner], at, anchors)


def _anchor(where: str, holder: Holder) -> int | None:
    """The fixed rating of a bot (SPEC 30.9)."""
    if not holder.bot:
        return None
    if holder.standing is None:
        raise BadDump(f"{where}: the game is rated, but its bot has no fixed rating")
    return holder.standing.rating
