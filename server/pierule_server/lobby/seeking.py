"""Pairs users who wait for the same game, whichever nodes they are connected to (SPEC 23).

The store decides a pairing and records it, in one step within one bucket. The room and both inboxes
are in other buckets. So the node that asked then carries the pairing out, in steps that are safe to
repeat. If that node is gone, any other node does it (ARCHITECTURE, Decisions: two idempotent steps
with a recorded intent).
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial

import msgspec
import structlog
from msgspec.structs import replace

from pierule_games.game import OTHER
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import requested
from pierule_protocol.log.events import Holder, Rated
from pierule_protocol.messages import CancelSeek, Create, Notice, Ok, Paired, Seat, Seek, StandIn
from pierule_server.connections.connection import Connection
from pierule_server.identity.tokens import User
from pierule_server.lobby import house_bots
from pierule_server.lobby.ranges import standing_of
from pierule_server.lobby.sought import LAST, LAST_MS, answer, noted, paired_of, pool_of, waits
from pierule_server.lobby.waiting import Waiting, blocked
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.making import check_clock, check_rated, rules_of
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.store.outages import Outages
from pierule_server.store.tables.accounts import is_registered
from pierule_server.store.tables.pools import (
    GRACE_MS,
    KEPT_MS,
    LEASE_MS,
    Overdue,
    PoolKey,
    Seeker,
    SeekState,
    Verb,
)
from pierule_server.store.tables.tables import Tables

logger = structlog.get_logger()

RENEW = 2.0
"""Seconds between two renewals of a lease. A seek outlives two failed renewals."""

UNSOUGHT = 100
"""The most withdrawals of seeks that a user's inbox keeps."""

NOTED_MS = LEASE_MS + GRACE_MS
"""Milliseconds after which a seek that nobody renews no longer counts for its user. By then it has
lost its place in the pool."""

NOTES = 5
"""After this many renewals of a seek, its note is renewed, too."""

AT_ONCE = 32
"""Seeks to renew in parallel."""


class Seeking:
    """Handles seeks. A user may have at most `most` waiting ones (0: no bound). `begun(room)` tells
    the player who acts first in the room of a pairing. `levels()` gives the levels of house bots
    that somebody runs."""

    def __init__(
        self, tables: Tables, rooms: Rooms, most: int, begun: Callable[[str], Awaitable[object]],
        levels: Callable[[], Awaitable[Collection[str]]], standings: Standings,
    ) -> None:  # fmt: skip
        self._tables = tables
        self._rooms = rooms
        self._most = most
        self._begun = begun
        self._levels = levels
        self._standings = standings
        self._bringing = asyncio.Lock()
        self._here: defaultdict[Connection, dict[str, Waiting]] = defaultdict(dict)

    async def seek(self, connection: Connection, user: User, request: Seek) -> Ok:
        """Wait for an opponent, or go on waiting. The answer has a room if there is one already.
        Raises Refused and StoreUnavailable."""
        notes = await self._tables.inboxes.read(user.id)
        if paired := paired_of(notes, request.nonce):
            return answer(request.id, paired)
        _, size = rules_of(request.game, request.size)
        check_clock(request.clock)
        level, bot_after = request.bot_level, request.bot_after
        if request.rated == "yes" and bot_after is not None:
            raise Refused(Code.BAD_FIELD, house_bots.FOR_PEOPLE, field="bot_after")
        if level is not None:
            house_bots.check_wishes(request)
            if not waits(notes, request.nonce):
                house_bots.check_level(level, await self._levels())
            bot_after = bot_after or 0
        # The same types as when it is read back from the store, so that both compare equal.
        pool = msgspec.convert(
            msgspec.to_builtins(PoolKey(request.game, size, request.clock, level)), PoolKey
        )
        seeker = await self._seeker(user, request, bot_after, notes)
        answered = await self._wait(connection, user, request.id, Waiting(pool, seeker))
        if bot_after == 0 and answered.room is None:
            await self._bring_bots(pool)
            if known := await self._known(user.id, request.nonce):
                return answer(request.id, known)
        return answered

    async def _seeker(
        self, user: User, request: Seek, bot_after: int | None, notes: Mapping[str, str]
    ) -> Seeker:
        """The user as an entry of the pool. Raises Refused if the user may not play the rated game
        that they seek, or gives a range without a rating."""
        registered = await is_registered(self._tables.accounts, user.id)
        check_rated(request.rated, "public", Holder(user.id, user.name, user.bot, registered))
        again = waits(notes, request.nonce)
        standing = await standing_of(
            self._standings, user, request, registered=registered, needed=not again
        )
        if request.rated != "no" and request.bot_level is None and not again:
            self._rooms.fair_play.check(notes, "rated")
        return Seeker(
            user.id, request.nonce, user.name, user.bot, bot_after,
            registered=registered, rated=request.rated, standing=standing, range=request.range,
            last=notes.get(LAST),
        )  # fmt: skip

    async def stand_in(self, connection: Connection, user: User, request: StandIn) -> Ok:
        """Let a house bot wait for a user who finds nobody, or go on waiting. The answer has a room
        if there is one already. Raises Refused and StoreUnavailable."""
        if not user.house:
            raise Refused(Code.UNKNOWN_TYPE, "only house bots may stand in; use `seek`")
        seeker = Seeker(user.id, request.nonce, user.name, user.bot, stands=True)
        waiting = Waiting(house_bots.free_at(request.bot_level), seeker)
        if request.bot_level is not None:  # first: whoever sees a free bot may ask for its level
            await self._run(connection, seeker, request.bot_level)
        return await self._wait(connection, user, request.id, waiting)

    async def _run(self, connection: Connection, seeker: Seeker, level: str) -> None:
        """Put the bot into the second pool, which tells the lobby that somebody runs this level. It
        stays there until the connection ends."""
        runs = Waiting(house_bots.run_at(level), replace(seeker, nonce=house_bots.RUNS))
        self._here[connection][house_bots.RUNS] = runs
        await self._ask("seek", runs)

    async def _wait(self, connection: Connection, user: User, request: int, waiting: Waiting) -> Ok:
        nonce = waiting.seeker.nonce
        known = await self._known(user.id, nonce)
        if known is not None:
            return answer(request, known)
        await self._note(user, nonce, noted(waiting.pool, waiting.seeker.rated))
        connection.block_list = await self._tables.block_lists.read(user.id)
        self._here[connection][nonce] = waiting
        standing = await self._ask("seek", waiting, blocked(connection))
        if isinstance(standing, Overdue):
            return answer(request, await self._settle(connection, waiting, standing))
        if standing == "waiting":
            return Ok(id=request)
        await self._forget(connection, waiting)
        if standing in ("expired", "gone"):
            raise Refused(Code.EXPIRED, field="nonce")
        raise Refused(Code.LIMIT, "too many users wait for this game; try again later")

    @property
    def waiting(self) -> int:
        """The number of waiting seeks of this node's connections, including those of house bots."""
        return sum(nonce != house_bots.RUNS for here in self._here.values() for nonce in here)

    async def cancel_seek(self, connection: Connection, user: User, request: CancelSeek) -> Ok:
        """Stop waiting. The answer has a room if it is too late. Raises Refused and
        StoreUnavailable.

        The seek may still be on its way, over a connection that broke. The note that this writes
        first keeps it out of the inbox. The withdrawal takes it out of the pool if it got that far.
        """
        done = await self._tables.inboxes.put(
            user.id, f"unsought:{request.nonce}", "1", KEPT_MS, most=UNSOUGHT, told=False
        )
        if done == "full":
            raise Refused(Code.LIMIT, f"you may withdraw at most {UNSOUGHT} seeks in 10 minutes")
        notes = await self._tables.inboxes.read(user.id)
        text = notes.get(f"seek:{request.nonce}")
        if paired := paired_of(notes, request.nonce):
            return answer(request.id, paired)
        if text is None:
            return Ok(id=request.id)
        waiting = Waiting(pool_of(text), Seeker(user.id, request.nonce, user.name, user.bot))
        standing = await self._ask("withdraw", waiting)
        if isinstance(standing, Overdue):
            return answer(request.id, await self._settle(connection, waiting, standing))
        await self._forget(connection, waiting)
        return Ok(id=request.id)

    def leave(self, connection: Connection) -> list[Waiting]:
        """A connection has ended. Returns its seeks, for `away`."""
        return list(self._here.pop(connection, {}).values())

    async def away(self, seeks: list[Waiting]) -> None:
        """Do not pair these seeks until their users come back. Raises StoreUnavailable."""
        await asyncio.gather(*(self._ask("away", each) for each in seeks))
        await asyncio.gather(*(self._extend(each.seeker) for each in seeks))

    async def run(self) -> None:
        """Renew leases, and carry out pairings that other nodes left unfinished, until
        cancelled."""
        outages = Outages("seeks wait because the store does not answer")
        while True:
            await asyncio.sleep(RENEW)
            try:
                with outages:
                    pairings, welcoming = await self._tables.pools.sweep()
                    for overdue in pairings:
                        logger.info("carrying out a pairing", token=overdue.pairing.token)
                        await self._carry_out(overdue)
                    await self._renew_all()
                    for pool in welcoming:
                        await self._bring_bots(pool)
            except Refused as error:
                logger.error("cannot carry out a pairing", error=str(error))  # noqa: TRY400

    async def _renew_all(self) -> None:
        seeks = [(who, each) for who, here in self._here.items() for each in here.values()]
        for start in range(0, len(seeks), AT_ONCE):
            part = seeks[start : start + AT_ONCE]
            await asyncio.gather(*(self._renew(*each) for each in part))

    async def _bring_bots(self, pool: PoolKey) -> None:
        """Let the free house bots of this node play users who found nobody. Each bot takes its
        opponent out of the pool, so nobody is paired twice. The bots do it one after the other, so
        no bot takes two opponents."""
        standing_in = [
            (connection, each)
            for connection, here in self._here.items()
            for each in here.values()
            if house_bots.is_free(each.pool) and house_bots.plays(each.pool, pool)
        ]
        for connection, each in standing_in:
            async with self._bringing:
                await self._bring_bot(connection, each, pool)

    async def _bring_bot(self, connection: Connection, bot: Waiting, pool: PoolKey) -> None:
        async with bot.order:
            if not self._waits(connection, bot):
                return
            taken = await self._tables.pools.seek(
                "take", pool, bot.seeker, world.token_hex(8), blocked(connection)
            )
        if isinstance(taken, Overdue):
            await self._settle(connection, bot, taken)
            await self._ask("withdraw", bot)

    async def _renew(self, connection: Connection, waiting: Waiting) -> None:
        nonce = waiting.seeker.nonce
        standing = await self._ask("renew", waiting, blocked(connection), connection)
        if isinstance(standing, Overdue):
            await self._settle(connection, waiting, standing)
            return
        if nonce == house_bots.RUNS:  # it lasts as long as its connection
            if standing in ("gone", "expired"):
                await self._ask("seek", waiting, of=connection)
            return
        waiting.renewals += 1
        if standing == "waiting" and waiting.renewals % NOTES == 0:
            if await self._extend(waiting.seeker) or not self._waits(connection, waiting):
                return
            # The note has expired, because this node or the store was away for too long. Without a
            # note nothing bounds the user's seeks.
            standing = await self._ask("withdraw", waiting)
            if isinstance(standing, Overdue):
                await self._settle(connection, waiting, standing)
                return
        if standing in ("gone", "expired") and self._waits(connection, waiting):
            await self._forget(connection, waiting)
            connection.send(Notice(kind="seek_expired", nonce=nonce))

    async def _extend(self, seeker: Seeker) -> bool:
        """Renew the note of a seek. False if the note is gone."""
        return await self._tables.inboxes.extend(seeker.user, f"seek:{seeker.nonce}", NOTED_MS)

    def _waits(self, connection: Connection, waiting: Waiting) -> bool:
        return self._here.get(connection, {}).get(waiting.seeker.nonce) is waiting

    async def _ask(
        self,
        verb: Verb,
        waiting: Waiting,
        avoids: Collection[str] = (),
        of: Connection | None = None,
    ) -> Overdue | SeekState:
        """Ask the store about a seek, and return its answer. If the connection `of` the seek is
        gone, return `waiting` without asking."""
        async with waiting.order:
            if of is not None and not self._waits(of, waiting):
                return "waiting"
            return await self._tables.pools.seek(
                verb, waiting.pool, waiting.seeker, world.token_hex(8), avoids
            )

    async def _settle(self, connection: Connection, waiting: Waiting, overdue: Overdue) -> Paired:
        """End a seek that was paired. Returns what to tell its user."""
        seeker = waiting.seeker
        self._here.get(connection, {}).pop(seeker.nonce, None)
        known = await self._known(seeker.user, seeker.nonce)
        return known or (await self._carry_out(overdue))[seeker.user]

    async def _carry_out(self, overdue: Overdue) -> dict[str, Paired]:
        """Make the room of a pairing and tell both players. Returns what each of them is told, by
        user. It is safe to repeat."""
        pairing = overdue.pairing
        pool, seekers = pairing.pool, (pairing.first, pairing.second)
        seat: Seat = 1 if int(pairing.token, 16) % 2 else 0
        first, second = (Holder(s.user, s.name, s.bot, s.registered) for s in seekers)
        wishes: list[Rated] = [seeker.rated for seeker in seekers if seeker.rated != "either"]
        room = await self._rooms.start(
            first,
            second,
            Create(
                id=0,
                nonce=f"pair-{pairing.token}",
                game=pool.game,
                size=pool.size,
                seat=seat,
                clock=None if pool.clock is None else requested(pool.clock),
                rated=wishes[0] if wishes else "either",
            ),
        )
        told = {}
        for seeker, its in zip(seekers, (seat, OTHER[seat]), strict=True):
            paired = told[seeker.user] = Paired(nonce=seeker.nonce, room=room, seat=its)
            text = msgspec.json.encode(paired).decode()
            await self._tables.inboxes.put(
                seeker.user, f"paired:{seeker.nonce}", text, KEPT_MS, instead=f"seek:{seeker.nonce}"
            )
        for one, other in (seekers, seekers[::-1]):
            if not (one.bot or other.bot):
                await self._tables.inboxes.drop(one.user, LAST)
                await self._tables.inboxes.put(one.user, LAST, other.user, LAST_MS, told=False)
        await self._begun(room)
        await self._tables.pools.carried_out(overdue)
        return told

    async def _known(self, user: str, nonce: str) -> Paired | None:
        return paired_of(await self._tables.inboxes.read(user), nonce)

    async def _note(self, user: User, nonce: str, text: str) -> None:
        """Note that the user is about to seek. Raises Refused if that is one seek or room too many,
        or if the nonce was used before."""
        name = f"seek:{nonce}"
        put = partial(
            self._tables.inboxes.put, user.id, name, text, NOTED_MS, most=self._most, told=False,
            unless=[f"unsought:{nonce}"],
        )  # fmt: skip
        done = await put()
        if done == "full":
            await self._prune(user)
            done = await put()
        if done == "barred":
            raise Refused(Code.EXPIRED, field="nonce")
        if done == "full":
            raise Refused(Code.LIMIT, f"you have {self._most} waiting seeks; cancel one first")
        if done == (text,):
            return
        if isinstance(done, tuple):
            raise Refused(
                Code.BAD_FIELD,
                "this nonce belongs to another seek; take a fresh one",
                field="nonce",
            )
        try:
            await self._rooms.quota.check(user.id)
        except Refused:
            await self._tables.inboxes.drop(user.id, name)
            raise

    async def _prune(self, user: User) -> None:
        """Withdraw the user's seeks that nobody renews, because no connection waits for them. The
        store decides which these are. It leaves alone a seek that is on its way to a pool."""
        notes = await self._tables.inboxes.read(user.id)
        for name, text in notes.items():
            kind, _, nonce = name.partition(":")
            if kind != "seek":
                continue
            waiting = Waiting(pool_of(text), Seeker(user.id, nonce, user.name))
            if await self._ask("prune", waiting) == "gone":
                await self._tables.inboxes.drop(user.id, name)

    async def _forget(self, connection: Connection, waiting: Waiting) -> None:
        """End a seek that was not paired."""
        seeker = waiting.seeker
        self._here.get(connection, {}).pop(seeker.nonce, None)
        await self._tables.inboxes.drop(seeker.user, f"seek:{seeker.nonce}")
