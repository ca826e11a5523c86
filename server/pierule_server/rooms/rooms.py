"""Carries out the requests about rooms. `changes` decides and appends."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import msgspec

from pierule_games.game import OTHER
from pierule_protocol.codes import Code
from pierule_protocol.log.events import (
    EMPTY,
    Holder,
    Place,
    Rematching,
)
from pierule_protocol.messages import (
    Act,
    Agreeing,
    Claim,
    Create,
    Event,
    Join,
    LegalQuery,
    LogQuery,
    Ok,
    Paired,
    Resign,
    RoomsQuery,
    Seat,
    Since,
)
from pierule_protocol.state.room import CorruptLog, Done, Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.address_limits import AbandonedRooms, UnfinishedGames
from pierule_server.rooms.changes import TRIES, Changes
from pierule_server.rooms.decisions import agreements, decide
from pierule_server.rooms.decisions.claim import claim
from pierule_server.rooms.decisions.decide import Append, Decision, Refused, too_soon
from pierule_server.rooms.decisions.delay import horizon
from pierule_server.rooms.fair_play import FairPlay
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.legal import answer, check_question, listing
from pierule_server.rooms.lists import page_of
from pierule_server.rooms.live import Live, retelling
from pierule_server.rooms.making import Maker, admit, check_welcome
from pierule_server.rooms.quota import Quota
from pierule_server.rooms.recovery import Pay, free
from pierule_server.rooms.standings import Standings
from pierule_server.store.room_log import (
    Returned,
    RoomLog,
    StillAwaited,
    StoreUnavailable,
)
from pierule_server.store.tables.pools import KEPT_MS
from pierule_server.store.tables.tables import Tables

OPENING = 4
"""In this many first turns, the node notes that the acting player has played. Both players act in
them, so later turns do not ask the store."""

LOG_ENTRIES = 1_000
"""The most entries of a log in one answer."""


class Rooms:
    """Carries out requests about rooms. All raise Refused and StoreUnavailable."""

    def __init__(
        self,
        hub: Hub,
        log: RoomLog,
        tables: Tables,
        rooms_per_user: int = 0,
        abandoned_per_address: int = 0,
        unfinished_per_address: int = 0,
        standings: Standings | None = None,
    ) -> None:
        self._hub = hub
        self._log = log
        self._tables = tables
        self.quota = Quota(tables.memberships, rooms_per_user)
        self.fair_play = FairPlay(tables.inboxes, log.now)
        self.changes = Changes(hub, log, tables.deadlines, self.quota, self.fair_play)
        change = self.changes.change
        self._abandoned = AbandonedRooms(hub, log, tables, abandoned_per_address, change)
        self.unfinished = UnfinishedGames(hub, log, tables, unfinished_per_address, change)
        self._maker = Maker(log, tables, self.quota, self.fair_play, standings)

    async def create(self, user: User, request: Create, origin: str = "") -> Ok:
        """Make a room. Its id follows from the user and the nonce, so a retry finds the room.
        `origin` stands for the user's address, if known."""
        room_id, record, place = await self._maker.create(user, request)
        if origin:
            await self._abandoned.made(origin, room_id)
        seats = [] if record.seat is None else [record.seat]
        proven = self._hub.proofs.place(room_id, place)
        return Ok(id=request.id, room=room_id, seats=seats, place=proven, turn=0)

    async def start(self, maker: Holder, other: Holder, request: Create) -> str:
        """Make a room whose game begins immediately: see `Maker.start`."""
        return await self._maker.start(maker, other, request)

    async def join(
        self, user: User, request: Join, pay: Pay = free
    ) -> tuple[Ok, Live, list[Event] | None]:
        """Take a seat if asked to. Returns the answer, and what `Hub.follow` must send after it.
        `pay` charges for resuming, but never keeps out a player of the room."""
        await self._admit(await self._hub.cache.get(request.room), user, request.invitation)
        if request.seat is not None:
            if request.nonce is None:
                raise Refused(Code.BAD_FIELD, "to take a seat, send a nonce", field="nonce")
            await self._sit(user, request.room, request.seat, request.nonce)
        live = await self._hub.cache.get(request.room)
        await self._hub.attendance.greet(live, user)
        missed = None
        if request.since is not None:
            since = Place(request.since.epoch, request.since.seq, request.since.chain)
            missed = await self._hub.recovery.missed(live, user, since, pay)
            if missed is None and self._lost(live.room, user, request.since):
                await self._hub.recovery.renew(live, since)
            elif missed is None and (wait := pay(1)) and not live.room.seats_of(user.id):
                raise too_soon(wait)
        room = live.view(user)
        answer = Ok(
            id=request.id, room=room.id, seats=room.seats_of(user.id), turn=room.turn,
            place=self._hub.proofs.place(room.id, room.place), resumed=missed is not None,
        )  # fmt: skip
        return answer, live, missed

    async def _admit(self, live: Live, user: User, invitation: str | None) -> None:
        """Raise Refused for a user who may not enter, after a look at the latest seats."""
        try:
            admit(live.room, user, invitation)
        except Refused:
            await self._hub.recovery.catch_up(live)
            admit(live.room, user, invitation)

    def _lost(self, room: Room, user: User, since: Since) -> bool:
        """Whether the log must have lost an event, because a player proves that we told them of it.
        A place of an earlier epoch proves nothing: that loss is known already."""
        return (
            bool(room.seats_of(user.id))
            and room.status == "running"
            and room.place.epoch <= since.epoch
            and self._hub.proofs.hold(room.id, since)
        )

    def _ok(self, request: Act | Resign | Claim | Agreeing, done: Done) -> Ok:
        place = self._hub.proofs.place(request.room, done.place)
        return Ok(id=request.id, room=request.room, place=place, turn=done.turn)

    async def _sit(self, user: User, room_id: str, seat: Seat | Literal["any"], nonce: str) -> None:
        room = (await self._hub.cache.get(room_id)).room
        registered, known = await self._maker.is_registered(user, room.created.rated), None

        def sit(room: Room) -> Decision:
            return decide.take_seat(room, user, seat, nonce, registered=registered, standing=known)

        if not isinstance(sit(room), Append):
            await self.changes.change(room_id, sit)
            return
        if registered:
            await self.fair_play.check_sitting(room, user.id)
        who = Holder(user.id, user.name, user.bot, registered)
        [known] = await self._maker.standings(room.created, who)
        if room.created.user == user.id:
            await self.changes.change(room_id, sit)
            return
        await check_welcome(self._tables.block_lists, room, user)
        await self.quota.take(user.id, room_id)
        try:
            await self.changes.change(room_id, sit)
        except Refused:
            await self.quota.give_back(user.id, room_id)
            raise

    async def act(self, user: User, request: Act, lag: int) -> Ok:
        """Play an action; `lag` is the client's measured round trip in milliseconds."""
        done = await self.changes.change(
            request.room,
            lambda room: decide.act(room, user, request.turn, request.action, lag, request.epoch),
        )
        if (done.turn or 0) <= OPENING and not self._hub.cache.is_solo(request.room):
            with suppress(StoreUnavailable):  # the next game will note it
                await self._tables.accounts.settle(user.id)
        return self._ok(request, done)

    async def resign(self, user: User, request: Resign) -> Ok:
        """Resign a game."""
        done = await self.changes.change(
            request.room, lambda room: decide.resign(room, user, request.seat, request.nonce)
        )
        return self._ok(request, done)

    async def agree(self, user: User, request: Agreeing) -> Ok:
        """Carry out an abort, an offer or an answer to an offer."""

        def decision_on(room: Room) -> Decision:
            return agreements.DECISIONS[type(request)](room, user, request)

        live = await self._hub.cache.get(request.room)
        decision = decision_on(live.room)
        if isinstance(decision, Append) and isinstance(decision.record, Rematching):
            await self._maker.allow_rematch(live.room)
        done = await self.changes.change(request.room, decision_on)
        if isinstance(done.record, Rematching):
            await self._rematch(live)
            done = live.room.effects[user.id, request.nonce]
        return self._ok(request, done)

    async def claim(self, user: User, request: Claim) -> Ok:
        """End the game of a player who is gone."""
        await self._hub.cache.get(request.room)
        for _ in range(TRIES):
            seen = await self._tables.deadlines.seen(request.room)
            try:
                done = await self.changes.change(
                    request.room,
                    lambda room, seen=seen: claim(room, user, request, seen),  # type: ignore[misc]
                )
            except Returned:
                continue
            except StillAwaited as awaited:
                raise Refused(Code.TOO_EARLY, left=awaited.left) from None
            return self._ok(request, done)
        raise StoreUnavailable

    async def _rematch(self, live: Live) -> None:
        """Make the room of an agreed rematch, then lead there. Any node may do this again at any
        time, because each step finds what was done before."""
        await self._hub.recovery.catch_up(live)
        if live.room.rematching is not None:
            rematch = await self._maker.rematch(live.room)
            await self._tell_of(rematch, live.room)
            await self.changes.change(live.room.id, lambda room: agreements.lead_on(room, rematch))

    async def _tell_of(self, rematch: str, room: Room) -> None:
        """Tell both players of a room of its rematch, even a player who has left."""
        for seat, nonce in agreements.rematchers(room):
            holder = room.seats[seat]
            assert holder is not None
            paired = Paired(nonce=nonce, room=rematch, seat=OTHER[seat])
            text = msgspec.json.encode(paired).decode()
            await self._tables.inboxes.put(holder.user, f"paired:{nonce}", text, KEPT_MS)

    async def legal(self, user: User, request: LegalQuery, *, admitted: bool) -> Ok:
        """List legal actions, or say why an action is not legal. `admitted` says that the user
        follows the room already."""
        check_question(request)
        live = await self._hub.cache.get(request.room)
        if not admitted:
            await self._admit(live, user, None)
        if request.turn not in (None, live.view(user).turn):
            await self._hub.recovery.catch_up(live)  # this node may be behind
        room = live.view(user)
        if request.action or request.points:  # one call into the rules
            legal = answer(room, request)
        else:
            legal = await self._hub.slices.work(listing(room, request))
        return Ok(id=request.id, room=room.id, legal=legal)

    async def cards(self, request: RoomsQuery) -> Ok:
        """A page of open and running rooms."""
        async with self._hub.slices.alone():
            return await page_of(self._tables.listing, request)

    async def log(self, user: User, request: LogQuery, *, admitted: bool) -> Ok:
        """At most `LOG_ENTRIES` entries of the log, as the store keeps it."""
        entries = await self._hub.recovery.entries(request.room)
        room, told = await self._hub.slices.work(retelling(request.room, entries))
        if not admitted:
            admit(room, user, None)
        if not room.seats_of(user.id):
            told = told[: horizon(room)]
        part = told[request.first - 1 :][:LOG_ENTRIES]
        return Ok(id=request.id, room=request.room, log=part)

    async def time_out(self, room_id: str) -> None:
        """Do what is due in a room whose deadline has passed (SPEC 9). Any node may do this."""
        live = await self._hub.cache.get(room_id)
        if live.room.rematching is not None:
            await self._rematch(live)
            return
        await self.changes.time_out(room_id)

    async def close(self, room_id: str, text: str) -> Done:
        """End a room for the operators, or void its result. Raises Refused for a room that is put
        away, because nothing can be appended to it."""
        live = await self._hub.cache.get(room_id)
        if (await self._log.ends([room_id])).get(room_id) == EMPTY:
            raise Refused(Code.FINISHED, "the room is put away; its result stands")
        done = await self.changes.change(room_id, lambda room: decide.close(room, text))
        await self.fair_play.voided(live.room)
        return done

    async def set_aside(self, error: CorruptLog) -> None:
        """See `Hub.set_aside`."""
        await self._hub.set_aside(error)
