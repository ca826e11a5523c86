"""What the archive keeps of a game: the log up to its end, and the facts that searches use."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec

from pierule_protocol.log.controls import Correspondence
from pierule_protocol.log.events import (
    EMPTY,
    Aborted,
    Acted,
    Claimed,
    Created,
    Drawn,
    Entry,
    Flagged,
    Resigned,
    Seated,
    Step,
    chain,
    decode_record,
    line_of,
    step,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.state.room import Room
from pierule_protocol.steps import at_once

Category: TypeAlias = Literal["none", "live", "correspondence"]
"""How fast a game was: without clocks, in one sitting, or over days."""

_ENDINGS = Acted, Resigned, Flagged, Aborted, Claimed, Drawn
"""The records that can end a game between two players, and cannot come after its end."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[int, int, str])


class NotFinished(ValueError):
    """The log has no event that ends a game between two players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A finished game. `entries` are its events without names. The columns of `schema.games` follow
    from them, and so do `actions`, which were not taken back. `anchor` is the fixed rating of the
    bot in a rated game against one. `names` has the names of the players by id."""

    room: str
    entries: Sequence[Entry]
    actions: Sequence[str]
    created_hash: bytes
    access: str
    game: str
    rules: int
    size: int
    cut: str | None
    komi: int | None
    black: int | None
    player0: str
    player1: str
    bot0: bool
    bot1: bool
    clock: str | None
    category: Category
    rated: bool
    anchor: int | None
    winner: str | None
    reason: str
    plies: int
    started: int
    ended: int
    rematch_of: str | None
    names: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def epoch(self) -> int:
        """The epoch of the event that ended the game. A game with a higher epoch replaces this."""
        return self.entries[-1].epoch


def game_of(room_id: str, entries: Iterable[Entry]) -> Game:
    """The game of a log, up to the event that ended it. Raises NotFinished, CorruptLog, and
    UnknownGame for rules that are not installed."""
    return at_once(reading_game(room_id, entries))


def reading_game(room_id: str, entries: Iterable[Entry]) -> Generator[None, None, Game]:
    """`game_of`, in steps of an event."""
    kept, names, started, room = [], {}, 0, None
    for entry in entries:
        room = fold(room, room_id, entry)
        names.update(entry.names)
        kept.append(msgspec.structs.replace(entry, names={}))
        if not started and None not in room.seats:
            started = entry.at
        if room.result is not None:
            return _game(room, kept, names, started)
        yield
    raise NotFinished(f"the game of room {room_id} is not over")


def game_at_hand(room: Room, entries: Sequence[Entry]) -> Game | None:
    """`game_of` for a room that is already folded. None if the room is not at the last of these
    events, or that event did not end the game."""
    if room.result is None or not entries or room.place != entries[-1].place:
        return None
    if not isinstance(decode_record(entries[-1].record), _ENDINGS):
        return None
    place, names = EMPTY, {}
    for entry in entries:
        if step(place, entry) is not Step.NEXT:
            return None
        place = entry.place
        names.update(entry.names)
    kept = [msgspec.structs.replace(each, names={}) if each.names else each for each in entries]
    return _game(room, kept, names, _started(entries))


def _started(entries: Iterable[Entry]) -> int:
    """The time at which the second seat was taken."""
    taken = set[int]()
    for entry in entries:
        record = decode_record(entry.record)
        if isinstance(record, Created) and record.players is not None:
            return entry.at
        if isinstance(record, Created | Seated) and record.seat is not None:
            taken.add(record.seat)
        if len(taken) == 2:
            return entry.at
    return 0


def _game(room: Room, entries: list[Entry], names: dict[str, str], started: int) -> Game:
    created, position, result = room.created, room.position, room.result
    first, second = room.seats
    if result is None or first is None or second is None:
        raise NotFinished(f"room {room.id} never had two players")
    return Game(
        room=room.id, entries=entries, actions=list(room.actions),
        created_hash=created_hash(entries[0]),
        access=created.access, game=created.game, rules=created.rules, size=created.size,
        cut=room.actions[0] if room.actions else None, komi=position.komi, black=position.black,
        player0=first.user, player1=second.user, bot0=first.bot, bot1=second.bot,
        clock=None if created.clock is None else _encoder.encode(created.clock).decode(),
        category=_category(created.clock), rated=room.unrated is None, anchor=_anchor(room),
        winner=None if result.winner is None else str(result.winner), reason=result.reason,
        plies=len(room.actions), started=started, ended=room.at, rematch_of=created.rematch_of,
        names=names,
    )  # fmt: skip


def _anchor(room: Room) -> int | None:
    if room.unrated is not None:
        return None
    bots = (holder for holder in room.seats if holder is not None and holder.bot)
    return next((bot.standing.rating for bot in bots if bot.standing is not None), None)


def _category(clock: object) -> Category:
    if clock is None:
        return "none"
    return "correspondence" if isinstance(clock, Correspondence) else "live"


def created_hash(first: Entry) -> bytes:
    """What names a game, together with its room's id: SHA-256 of its first event's line."""
    return sha256(line_of(first)).digest()


def pack(entries: Iterable[Entry]) -> bytes:
    """A log in the form that the archive keeps: compressed lines (zlib), each a JSON array of an
    event's epoch, time and record. Seq and chain follow from these."""
    rows = [(entry.epoch, entry.at, entry.record) for entry in entries]
    return zlib.compress(_encoder.encode_lines(rows), 9)


def unpack(log: bytes) -> Iterator[Entry]:
    """The events of a packed log, without names. Raises ValueError for damaged data."""
    link = EMPTY.chain
    try:
        rows = _decoder.decode_lines(zlib.decompress(log))
    except (zlib.error, msgspec.DecodeError) as error:
        raise ValueError(f"the log is damaged: {error}") from error
    for seq, (epoch, at, record) in enumerate(rows, 1):
        link = chain(link, epoch, seq, record.encode(), at)
        yield Entry(epoch, seq, link, at, record)
