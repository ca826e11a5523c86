"""What clients can do with rooms: each request is decided on the fold and appended to the log.

`_change` is the loop of law 3: decide, append at the place that was decided on, and after a
conflict or an unknown outcome read the log and decide again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import Literal

import msgspec

from pierule_protocol.codes import Code
from pierule_protocol.controls import OPEN_TIME, Fischer
from pierule_protocol.events import EMPTY, Created, Entry, Place, decode_record, encode_record
from pierule_protocol.messages import (
    Act,
    Card,
    Create,
    Event,
    Join,
    LegalQuery,
    LogQuery,
    Ok,
    Resign,
    Seat,
)
from pierule_protocol.room import Done, Room
from pierule_rules import GAMES
from pierule_server import metrics
from pierule_server.room import decide
from pierule_server.room.decide import Append, Decision, Refused
from pierule_server.room.hub import Hub
from pierule_server.room.legal import legal
from pierule_server.room.live import Live, retold
from pierule_server.room.quota import Quota
from pierule_server.store.log import (
    Conflict,
    Deadline,
    Outage,
    StoreUnavailable,
    TooEarly,
    TooLate,
    Uncredited,
)
from pierule_server.wire.identity import User

LOG_ENTRIES = 1_000
"""Entries of a log in one answer."""

EPOCHS_BELIEVED = 16
"""Epochs that may begin in a room because a client says so."""

TRIES = 8
"""How often a request is decided anew. Two players rarely meet; more means that the store ails."""


class Rooms:
    """The requests about rooms, over a hub and its log."""

    def __init__(self, hub: Hub, rooms_per_user: int = 0) -> None:
        self._hub = hub
        self._quota = Quota(hub.log.holdings, rooms_per_user)

    async def create(self, user: User, request: Create) -> Ok:
        """Make a room. Its id follows from the user and the nonce, so that a retry finds it."""
        game = GAMES.get(request.game)
        if game is None:
            raise Refused(
                Code.BAD_FIELD, f"there is no game {request.game!r}; there are {', '.join(GAMES)}",
                field="game",
            )  # fmt: skip
        size = request.size or game.default_size
        if size not in game.sizes:
            sizes = ", ".join(map(str, game.sizes))
            raise Refused(Code.BAD_FIELD, f"{request.game} has the sizes {sizes}", field="size")
        clock = request.clock
        if isinstance(clock, Fischer) and clock.main + clock.increment == 0:
            raise Refused(Code.BAD_FIELD, "this clock would have no time", field="clock")
        record = Created(request.game, size, user.id, user.name, request.nonce, request.seat, clock)
        for attempt in range(TRIES):
            room_id = room_id_for(user.id, request.nonce, attempt)
            try:
                await self._quota.take(user.id, room_id)
            except Refused:
                if not await self._hub.log.read(room_id):  # else it may be a retry, which is safe
                    raise
            place = await self._create(room_id, record)
            if place is not None:
                seats = [] if request.seat is None else [request.seat]
                return Ok(id=request.id, room=room_id, seats=seats, place=place, turn=0)
            await self._quota.give_back(user.id, room_id)
        raise Refused(Code.LIMIT, "no free room id was found; try again with a fresh nonce")

    async def _create(self, room_id: str, record: Created) -> Place | None:
        """The place of the room's first event; None if another room has this id."""
        log = self._hub.log
        names: list[str | None] = [None, None]
        if record.seat is not None:
            names[record.seat] = record.name
        card = Card(
            room=room_id, game=record.game, size=record.size, status="open",
            names=(names[0], names[1]), turn=0, at=0, control=record.clock,
        )  # fmt: skip
        try:
            entry = await log.append(
                room_id,
                EMPTY,
                encode_record(record),
                card=msgspec.json.encode(card),
                deadline=Deadline("idle", OPEN_TIME),
            )
        except (Conflict, StoreUnavailable):
            entries = await log.read(room_id)
            if not entries:
                raise StoreUnavailable from None
            entry = entries[0]
            first = decode_record(entry.record)
            if not isinstance(first, Created) or (first.user, first.nonce) != (
                record.user,
                record.nonce,
            ):
                return None
            # Texts are compared, for a clock that was asked for is of another type than one kept.
            renamed = msgspec.structs.replace(first, name=record.name)
            if encode_record(renamed) != encode_record(record):
                raise Refused(
                    Code.BAD_FIELD, "this nonce made another room; take a fresh one", field="nonce"
                ) from None
            if not await log.confirm(room_id, entry.place):
                raise StoreUnavailable from None
        else:
            metrics.count_event(record)
        return entry.place

    async def join(self, user: User, request: Join) -> tuple[Ok, Live, list[Event] | None]:
        """Take a seat if asked to. The answer, and what `Hub.follow` is to send after it."""
        if request.seat is not None:
            if request.nonce is None:
                raise Refused(Code.BAD_FIELD, "taking a seat needs a nonce", field="nonce")
            await self._sit(user, request.room, request.seat, request.nonce)
        live = await self._hub.get(request.room)
        missed = None
        if request.since is not None:
            since = Place(request.since.epoch, request.since.seq, request.since.chain)
            missed = await self._hub.missed(live, since)
            if missed is None and _lost(live.room, user, since):
                await self._hub.renew(live)
        room = live.room
        answer = Ok(
            id=request.id, room=room.id, seats=room.seats_of(user.id), place=room.place,
            turn=room.turn, resumed=missed is not None,
        )  # fmt: skip
        return answer, live, missed

    async def _sit(self, user: User, room_id: str, seat: Seat | Literal["any"], nonce: str) -> None:
        def sit(room: Room) -> Decision:
            return decide.take_seat(room, user, seat, nonce)

        room = (await self._hub.get(room_id)).room
        if room.created.user == user.id or not isinstance(sit(room), Append):
            await self._change(room_id, sit)
            return
        await self._quota.take(user.id, room_id)
        try:
            await self._change(room_id, sit)
        except Refused:
            await self._quota.give_back(user.id, room_id)
            raise

    async def act(self, user: User, request: Act, lag: int) -> Ok:
        """Play an action; `lag` is the client's measured round trip in milliseconds."""
        done = await self._change(
            request.room, lambda room: decide.act(room, user, request.turn, request.action, lag)
        )
        return Ok(id=request.id, room=request.room, place=done.place, turn=done.turn)

    async def resign(self, user: User, request: Resign) -> Ok:
        """Give a game up."""
        done = await self._change(
            request.room, lambda room: decide.resign(room, user, request.seat, request.nonce)
        )
        return Ok(id=request.id, room=request.room, place=done.place, turn=done.turn)

    async def legal(self, request: LegalQuery) -> Ok:
        """List legal actions."""
        live = await self._hub.get(request.room)
        room = live.room
        return Ok(id=request.id, room=room.id, legal=legal(room, request.prefix))

    async def cards(self, request_id: int, limit: int) -> Ok:
        """List rooms."""
        kept = await self._hub.log.cards(limit)
        cards = [
            msgspec.structs.replace(msgspec.json.decode(card, type=Card), at=at)
            for at, card in kept
        ]
        return Ok(id=request_id, rooms=cards)

    async def log(self, request: LogQuery) -> Ok:
        """The log as it is kept, at most `LOG_ENTRIES` entries of it."""
        entries = await self._hub.log.read(request.room)
        if not entries:
            raise Refused(Code.UNKNOWN_ROOM, field="room")
        first = request.first
        return Ok(
            id=request.id,
            room=request.room,
            log=retold(request.room, entries)[1][first - 1 : first - 1 + LOG_ENTRIES],
        )

    async def time_out(self, room_id: str) -> None:
        """End a room if its deadline has passed (SPEC, Clocks). Any node may do this."""
        with suppress(TooEarly):  # an event was faster and has moved the deadline
            await self._change(room_id, decide.time_out)

    async def credit(self, room_id: str) -> None:
        """Give a room back what it lost to an outage, if that was not done yet."""
        live = await self._hub.get(room_id)
        for _ in range(TRIES):
            outage = await self._hub.log.outage(room_id)
            if outage is None:
                return
            try:
                await self._append(live, decide.credit(live.room, outage), credit=outage)
            except (Conflict, StoreUnavailable):
                await self._hub.catch_up(live)
            else:
                return

    async def _change(self, room_id: str, decision_on: Callable[[Room], Decision]) -> Done:
        """Do what `decision_on` says until it is kept. Raises Refused, TooEarly or
        StoreUnavailable."""
        live = await self._hub.get(room_id)
        fresh = False
        for _ in range(TRIES):
            decision = decision_on(live.room)
            match decision:
                case Done() if await self._hub.log.confirm(room_id, decision.place):
                    return decision
                case Refused() if fresh:
                    raise decision
                case Append(record=record, turn=turn):
                    try:
                        entry = await self._append(live, decision)
                        if decision.card is None:
                            await self._quota.over(live.room)
                        return Done(record, entry.place, turn)
                    except Uncredited:
                        await self.credit(room_id)
                    except TooLate as late:
                        await self.time_out(room_id)
                        raise Refused(Code.FLAGGED, late=late.by) from None
                    except (Conflict, StoreUnavailable):
                        pass
            # What is known here may be old: no refusal is final before the log was read.
            await self._hub.catch_up(live)
            fresh = True
        raise StoreUnavailable

    async def _append(self, live: Live, decision: Append, *, credit: Outage | None = None) -> Entry:
        live.foreseen = decision.foreseen or live.foreseen
        entry = await self._hub.log.append(
            live.room.id,
            live.room.place,
            encode_record(decision.record),
            card=None if decision.card is None else msgspec.json.encode(decision.card),
            deadline=decision.deadline,
            timing=decision.timing,
            credit=credit,
        )
        metrics.count_event(decision.record)
        # What was acknowledged is seen by the next request, even if it was not published to us yet.
        self._hub.entry(live.room.id, entry)
        return entry


def _lost(room: Room, user: User, since: Place) -> bool:
    """Whether the log must have lost an event, because a client knows of it. Only players are
    believed, and only so often: everybody else could have epochs begin at will."""
    return (
        bool(room.seats_of(user.id))
        and room.status == "running"
        and room.place.epoch <= min(since.epoch, EPOCHS_BELIEVED)
    )


_CONSONANTS = "bdfghjklmnprstvz"
_VOWELS = "aeiou"
SYLLABLES = 4


def room_id_for(user: str, nonce: str, attempt: int) -> str:
    """The id of the room that a user makes with a nonce: four syllables, easy to say and type.

    There are 41 million; where one is taken, the next `attempt` gives another.
    """
    number = int.from_bytes(
        blake2b(f"{user} {nonce} {attempt}".encode(), digest_size=8, person=b"pierule").digest()
    )
    syllables = []
    for _ in range(SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        syllables.append(_CONSONANTS[consonant] + _VOWELS[vowel])
    return "".join(syllables)
