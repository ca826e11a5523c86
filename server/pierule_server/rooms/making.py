"""Makes rooms. A room's id follows from the request, so a retry finds the room.

The id is a hash. A value that only the maker can know (the nonce of a `create`) is hashed as it is.
A value that others know before the room exists (the room of which it is the rematch, the challenge
that it answers) is hashed with a secret of the store: otherwise somebody could take all ids that
the room may get.

This module also decides who may look into a private room.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from hashlib import blake2b, sha256
from hmac import compare_digest
from itertools import count
from zlib import crc32

import msgspec

from pierule_games import GAMES
from pierule_games.game import Rules
from pierule_games.package import Game
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ClockOptions, Fischer
from pierule_protocol.log.events import (
    EMPTY,
    Access,
    Created,
    Holder,
    Place,
    Rated,
    Standing,
    decode_record,
    encode_record,
    without_names,
)
from pierule_protocol.messages import Create
from pierule_protocol.state.room import CorruptLog, Room
from pierule_protocol.state.unrated import WORDS, why_unrated
from pierule_server import metrics
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.fair_play import FairPlay
from pierule_server.rooms.quota import Quota
from pierule_server.rooms.standings import Standings
from pierule_server.store.room_log import Conflict, RoomLog, StoreRefused, StoreUnavailable
from pierule_server.store.tables.accounts import is_registered, nameless
from pierule_server.store.tables.block_lists import BlockLists
from pierule_server.store.tables.tables import Tables
from pierule_server.terms import AppendOptions

TRIES = 32
"""The most ids to try for a requested room. Two rooms rarely get the same id. But while a primary
is down, the store can keep rooms with only some of the ids."""


def check_game(name: str) -> Game:
    """The game of this name. Raises Refused if this server does not have it."""
    if name not in GAMES:
        games = ", ".join(GAMES)
        text = f"this server has no game {name!r}; it has {games}"
        raise Refused(Code.BAD_FIELD, text, field="game")
    return GAMES[name]


def rules_of(name: str, size: int | None, version: int | None = None) -> tuple[type[Rules], int]:
    """The rules of a game in a version (None: the newest), and the size (None: the default). Raises
    Refused if this server does not have them."""
    game = check_game(name)
    rules = game.rules.get(version or game.version)
    if rules is None:
        text = f"this server does not have version {version} of the rules of {name}"
        raise Refused(Code.NO_GAME, text, field="rules")
    size = size or rules.default_size
    if size not in rules.sizes:
        sizes = ", ".join(map(str, rules.sizes))
        raise Refused(Code.BAD_FIELD, f"{name} has no size {size}; it has {sizes}", field="size")
    return rules, size


def created(maker: Holder, request: Create) -> Created:
    """The first record of a requested room. Raises Refused."""
    _, size = rules_of(request.game, request.size)
    check_clock(request.clock)
    if (request.access == "private") != (request.invitation is not None):
        why = "a private room needs an invitation, and other rooms must not have one"
        raise Refused(Code.BAD_FIELD, why, field="invitation")
    seat = request.seat
    check_rated(request.rated, request.access, None if seat is None else maker)
    if seat == "random":  # the same for a retry, on any node
        seat = 1 if crc32(f"{maker.user} {request.nonce}".encode()) % 2 else 0
    return Created(
        request.game, size, maker.user, maker.name, request.nonce, seat, request.clock,
        request.access, request.invitation and hash_of(request.invitation), request.delay,
        bot=maker.bot, rules=GAMES[request.game].version, rated=request.rated,
        registered=maker.registered and seat is not None,
    )  # fmt: skip


def check_rated(rated: Rated | None, access: Access, *seats: Holder | None) -> None:
    """Raise Refused if a game must be rated and cannot be, whoever takes the free seats."""
    why = why_unrated(rated, access, seats)
    if rated == "yes" and why is not None:
        raise Refused(Code.UNRATED, f"this game could not be rated: {WORDS[why]}", field="rated")


def check_clock(clock: ClockOptions | None) -> None:
    """Raise Refused for a clock that gives nobody any time."""
    if isinstance(clock, Fischer) and clock.main + clock.increment == 0:
        text = "this clock has no time: give main time or an increment"
        raise Refused(Code.BAD_FIELD, text, field="clock")


def rematch_of(room: Room) -> Created:
    """The first record of an agreed rematch: the same settings, with the seats swapped."""
    agreed = room.rematching
    first, second = room.seats
    assert agreed is not None
    assert first is not None
    assert second is not None
    by = (first, second)[agreed.seat]
    return msgspec.structs.replace(
        room.created, user=by.user, name=by.name, bot=by.bot, nonce=agreed.nonce, seat=None,
        players=(second, first), rematch_of=room.id, registered=False, standing=None,
        rules=GAMES[room.created.game].version,
    )  # fmt: skip


def hash_of(invitation: str) -> str:
    """The hash of an invitation, which the log keeps. Logs are public, and the hash does not reveal
    the invitation."""
    return sha256(invitation.encode()).hexdigest()


def admit(room: Room, user: User, invitation: str | None) -> None:
    """Raise Refused if a room is private and the user is neither a player nor has the
    invitation."""
    wanted = room.created.invitation
    if wanted is None or room.seats_of(user.id):
        return
    if invitation is None or not compare_digest(hash_of(invitation), wanted):
        raise Refused(Code.PRIVATE, field="invitation")


class Maker:
    """Makes rooms, and notes whose rooms they are."""

    def __init__(
        self,
        log: RoomLog,
        tables: Tables,
        quota: Quota,
        fair_play: FairPlay,
        standings: Standings | None = None,
    ) -> None:
        self._log = log
        self._tables = tables
        self._quota = quota
        self._fair_play = fair_play
        self._standings = standings

    async def create(self, user: User, request: Create) -> tuple[str, Created, Place]:
        """Make a requested room, unless it exists. Returns its id, first record and first place.
        Raises Refused and StoreUnavailable."""
        registered = request.seat is not None and await self.is_registered(user, request.rated)
        maker = Holder(user.id, user.name, user.bot, registered)
        record = created(maker, request)
        if record.seat is not None:
            [standing] = await self.standings(record, maker)
            record = msgspec.structs.replace(record, standing=standing)

        async def hold(room_id: str) -> None:
            try:
                if registered and request.access != "private":
                    await self._fair_play.check_user(user.id, "rated")
                await self._quota.take(user.id, room_id)
            except Refused:
                if not await self._log.read(room_id):  # if the room exists, this may be a retry
                    raise

        ids = await self._open_ids(user.id, request.nonce)
        room_id, place = await self._make(record, ids, hold)
        return room_id, record, place

    async def is_registered(self, user: User, rated: Rated | None) -> bool:
        """Whether the user has a name of their own; False without a look if the game cannot be
        rated or the user is a bot."""
        if rated in (None, "no") or user.bot:
            return False
        return await is_registered(self._tables.accounts, user.id)

    async def standings(self, room: Created, *players: Holder) -> list[Standing | None]:
        """The ratings that players have now in the room's game; None for each if the game cannot be
        rated."""
        if self._standings is None or why_unrated(room.rated, room.access, []) is not None:
            return [None for _ in players]
        people = {each.user for each in players if each.registered and not each.bot}
        known = await self._standings.of(room.game, people) if people else {}
        bot = self._standings.of_bot
        return [bot(room.game, each.user) if each.bot else known.get(each.user) for each in players]

    async def _with_standings(self, record: Created) -> Created:
        """The record of a room whose game begins immediately, with the players' present ratings."""
        assert record.players is not None
        known = await self.standings(record, *record.players)
        first, second = (
            msgspec.structs.replace(each, standing=standing)
            for each, standing in zip(record.players, known, strict=True)
        )
        return msgspec.structs.replace(record, players=(first, second))

    async def start(self, maker: Holder, other: Holder, request: Create) -> str:
        """Make a room with both players, whose game begins immediately. Returns its id. Limits do
        not apply, because the players were promised the room. The players have the names that they
        had when they asked, unless they have deleted their accounts since."""
        gone = await self._tables.accounts.gone({maker.user, other.user})
        maker, other = (
            msgspec.structs.replace(each, name=nameless(each.user)) if each.user in gone else each
            for each in (maker, other)
        )
        asked = created(maker, request)
        players = (maker, other) if asked.seat == 0 else (other, maker)
        record = msgspec.structs.replace(asked, seat=None, players=players, registered=False)
        record = await self._with_standings(record)
        ids = self._secret_ids(maker.user, request.nonce)
        return (await self._make(record, ids, self._note(record)))[0]

    async def allow_rematch(self, room: Room) -> None:
        """Let both players hold the room of a rematch before they agree on it. Raises Refused if a
        player has too many rooms. Nothing else refuses a rematch, because its ids never run out."""
        room_id = next(self._rematch_ids(room))
        holding: list[str] = []
        try:
            for user in sorted(_players(room)):
                await self._quota.take(user, room_id)
                holding.append(user)
        except Refused:
            for user in holding:
                await self._quota.give_back(user, room_id)
            raise

    async def rematch(self, room: Room) -> str:
        """Make the room of an agreed rematch, unless it exists. Returns its id."""
        record = await self._with_standings(rematch_of(room))
        return (await self._make(record, self._rematch_ids(room), self._note(record)))[0]

    def _rematch_ids(self, room: Room) -> Iterator[str]:
        return self._secret_ids(room.id, "rematch")

    def _secret_ids(self, maker: str, nonce: str) -> Iterator[str]:
        """The ids that a promised room may get, in order."""
        key = self._tables.secrets.rooms
        return (room_id_for(maker, nonce, attempt, key) for attempt in count())

    def _note(self, record: Created) -> Callable[[str], Awaitable[None]]:
        """A function that lets all users of a new room hold it, however many rooms they have."""

        async def hold(room_id: str) -> None:
            for user in sorted(_holders(record)):
                await self._quota.note(user, room_id)

        return hold

    async def _make(
        self, record: Created, ids: Iterable[str], hold: Callable[[str], Awaitable[None]]
    ) -> tuple[str, Place]:
        for room_id in ids:
            await hold(room_id)
            place = await self._append(room_id, record)
            if place is not None:
                return room_id, place
            for user in sorted(_holders(record)):
                await self._quota.give_back(user, room_id)
        raise Refused(Code.LIMIT, "the server found no free room id; try again with a fresh nonce")

    async def _open_ids(self, maker: str, nonce: str) -> list[str]:
        """The ids to try, in order: first those that the maker already holds, because an earlier
        try may have made the room; then those that the store can keep now. Raises StoreUnavailable
        if there are none."""
        log = self._log
        held = {room for _, room in await self._tables.memberships.held(maker)}
        ids = [room_id_for(maker, nonce, attempt) for attempt in range(TRIES)]
        tried = [each for each in ids if each in held]
        tried += [each for each in ids if each not in held and log.serves(each)]
        if not tried:
            raise StoreUnavailable("no part of the store can keep the room now")
        return tried

    async def _append(self, room_id: str, record: Created) -> Place | None:
        """Append the first event of a room. Returns its place; None if another room has this
        id."""
        log = self._log
        kept, names = without_names(record)
        append = decide.create(room_id, record)
        try:
            entry = await log.append(
                room_id,
                EMPTY,
                encode_record(kept),
                AppendOptions(
                    names=names,
                    card=None if append.card is None else msgspec.json.encode(append.card),
                    deadline=append.deadline,
                ),
            )
        except StoreRefused:
            raise
        except (Conflict, StoreUnavailable):
            return await self._made_before(room_id, record)
        metrics.count_event(record)
        return entry.place

    async def _made_before(self, room_id: str, record: Created) -> Place | None:
        """The place of the room's first event if this record made the room; None if another record
        did, or if the log is damaged. Raises Refused if the nonce made a different room."""
        log = self._log
        try:
            entries = await log.read(room_id)
            first = decode_record(entries[0].record) if entries else None
        except (CorruptLog, msgspec.DecodeError):
            return None
        if first is None:
            raise StoreUnavailable
        if not isinstance(first, Created) or (first.user, first.nonce) != (
            record.user,
            record.nonce,
        ):
            return None
        if _asked(first) != _asked(record):
            why = "this nonce made a different room; take a fresh one"
            raise Refused(Code.BAD_FIELD, why, field="nonce")
        if not await log.confirm(room_id, entries[0].place):
            raise StoreUnavailable
        return entries[0].place


def _asked(record: Created) -> bytes:
    """The part of a first record that a retry must repeat, as text: a requested clock and a kept
    clock have different types. Names and ratings do not count, because they may have changed."""
    replace = msgspec.structs.replace
    players = record.players
    if players is not None:
        first, second = (replace(each, standing=None) for each in players)
        players = first, second
    same = replace(record, registered=False, standing=None, players=players)
    return encode_record(without_names(same)[0])


def _holders(record: Created) -> set[str]:
    return {record.user, *(holder.user for holder in record.players or ())}


def _players(room: Room) -> set[str]:
    return {holder.user for holder in room.seats if holder is not None}


_CONSONANTS = "bdfghjklmnprstvz"
_VOWELS = "aeiou"
SYLLABLES = 7


def room_id_for(maker: str, nonce: str, attempt: int, key: bytes = b"") -> str:
    """The id of the room that a user (or, for a rematch, a room) makes with a nonce: seven
    syllables, easy to say and type. Nobody can compute it without the `key`.

    There are 21 trillion ids, so among a million games, including rooms that are gone, two share an
    id in one case of forty. If an id is taken, the next `attempt` gives another.
    """
    text = f"{maker} {nonce} {attempt}".encode()
    number = int.from_bytes(blake2b(text, digest_size=8, key=key, person=b"pierule").digest())
    syllables = []
    for _ in range(SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        syllables.append(_CONSONANTS[consonant] + _VOWELS[vowel])
    return "".join(syllables)


async def check_welcome(block_lists: BlockLists, room: Room, user: User) -> None:
    """Raise Refused if a player of the room, or its maker, has blocked the user."""
    hosts = {room.created.user, *(holder.user for holder in room.seats if holder)} - {user.id}
    for found in await asyncio.gather(*map(block_lists.read, hosts)):
        if found.get(user.id) == "block":
            raise Refused(Code.BLOCKED)
