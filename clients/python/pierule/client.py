"""The client: what a user can do on a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Literal, TypeAlias

from pierule.account import Account
from pierule.clocks import parse_clock
from pierule.errors import BadReply, PieruleError, Refused, TimedOut
from pierule.history import History
from pierule.listing import RoomFilter, list_rooms
from pierule.live import LiveRoom
from pierule.lobby import LobbyView
from pierule.pending_room import PendingRoom
from pierule.room import Room, new_nonce
from pierule.session import Session
from pierule.timekeeping import Timekeeper
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.games.document import (
    GameDocument,
    GameLessons,
    read_document,
    read_lessons,
)
from pierule_protocol.log.controls import ClockOptions, ClockRequest, requested
from pierule_protocol.log.events import EMPTY, Access, Rated
from pierule_protocol.messages import (
    AnswerChallenge,
    CancelSeek,
    Card,
    Challenge,
    Challenged,
    Create,
    FreeSeat,
    GameQuery,
    Join,
    ListedStatus,
    MyRoom,
    MyRoomsQuery,
    Ok,
    RatingRange,
    Request,
    Seat,
    Seek,
    StandIn,
    WatchLobby,
    Welcome,
    WithdrawChallenge,
)

WITHDRAWING = 5.0
"""Seconds that withdrawing a seek may take when the client closes."""

SeatChoice: TypeAlias = Seat | Literal["any"] | None


def _requested(clock: ClockOptions | str | None) -> ClockRequest | None:
    options = parse_clock(clock) if isinstance(clock, str) else clock
    return None if options is None else requested(options)


class Client(Account, History):
    """One user's connection to a server, made by `connect`.

    All its requests raise Refused, TimedOut, ConnectionLost and BadReply.
    """

    def __init__(self, session: Session, timekeeper: Timekeeper) -> None:
        self._session = session
        self._timekeeper = timekeeper

    @property
    def welcome(self) -> Welcome:
        """What the server said at the latest hello: its limits, its games."""
        return self._session.welcome

    @property
    def url(self) -> str:
        """The address of the node to which it is connected."""
        return self._session.address.url

    @property
    def user(self) -> str:
        """The id of the user."""
        return self.welcome.user

    @property
    def name(self) -> str:
        """The name of the user."""
        return self.welcome.name

    @property
    def token(self) -> str:
        """Whoever has it is this user: keep it, and keep it secret."""
        return self.welcome.token

    async def create(
        self,
        game: str,
        size: int | None = None,
        seat: Seat | Literal["random"] | None = None,
        clock: ClockOptions | str | None = None,
        *,
        access: Access = "public",
        delay: int = 0,
        rated: Rated = "either",
    ) -> Room:
        """Make a room, take `seat` in it (None: none), and follow it. `size` None is the game's own
        default. A private room gets an `invitation`, which others need to join it; spectators are
        `delay` plies behind. `rated` says whether the game is to count for ratings (`either`: if it
        can); a game that must and cannot is refused as `unrated`.

        `clock` says how the room is timed (None: not at all), also as a text: `5+3` is 5 minutes
        and 3 s a turn, `10m+3x30s` byo-yomi, `30s/action` and `3d` the same time for each turn.
        Raises BadClock for any other text.
        """
        invitation = world.token_urlsafe(16) if access == "private" else None
        request = Create(
            id=0, nonce=new_nonce(), game=game, size=size, seat=seat, clock=_requested(clock),
            access=access, invitation=invitation, delay=delay, rated=rated,
        )  # fmt: skip
        ok = await self._session.request(request)
        if ok.room is None:
            raise BadReply("the answer to create names no room")
        return await self.join(ok.room, invitation=invitation)

    async def join(
        self, room: str, seat: SeatChoice = None, *, invitation: str | None = None
    ) -> Room:
        """Follow a room, and take a seat in it if `seat` says so (`any`: the first free one). A
        private room needs its `invitation`, except from its players.

        You keep the seats that you hold already. Rooms that are over and that nobody iterates over
        any more are left automatically after a while, so that a bot can play without end. Raises
        Desync if the room does not fit together.
        """
        session = self._session
        await session.leave_finished()
        live = session.rooms.setdefault(room, LiveRoom(room))
        live.joins += 1
        live.invitation = invitation or live.invitation
        try:
            ok = await session.join(
                Join(
                    id=0,
                    room=room,
                    seat=seat,
                    nonce=None if seat is None else new_nonce(),
                    since=live.follower.since,
                    invitation=live.invitation,
                ),
                live,
            )
            async with session.limited():
                await live.reach(ok.place or EMPTY)
        finally:
            live.joins -= 1
            session.forget(live)
        if live.state.clock is not None:
            await self._timekeeper.start()
        return Room(session, live, self._timekeeper)

    async def rooms(
        self,
        limit: int | None = 50,
        *,
        game: str | None = None,
        size: int | None = None,
        status: ListedStatus | None = None,
        free_seat: FreeSeat | None = None,
    ) -> list[Card]:
        """The public rooms that are open or running, at most `limit` (None: all): open rooms, then
        running ones, then open rooms in which nobody waits (`away`); the latest of each first
        (SPEC 23.18). Given `game`, `size` or `status`, only such rooms; given `free_seat`, only
        those in which this seat, or `any`, is free."""
        return await list_rooms(self._session, limit, RoomFilter(game, size, status, free_seat))

    async def seek(
        self,
        game: str,
        size: int | None = None,
        clock: ClockOptions | str | None = None,
        *,
        bot_after: int | None = None,
        rated: Rated = "either",
        bot_level: str | None = None,
        range: RatingRange | None = None,  # noqa: A002 - as the protocol calls it
    ) -> Room:
        """Find an opponent for this game, size and clock, and follow the new room. If nobody comes
        within `bot_after` seconds (None: never), a free house bot may play. With a `bot_level` only
        a house bot of this level does (SPEC 23.20). `rated` is as in `create`. `range` says by how
        many points of rating the opponent may be weaker or stronger (SPEC 23.22); without a name of
        your own it is Refused as `unrated`.

        If this is cancelled, or not answered, the seek is withdrawn; `on_paired` is called if that
        was too late. Raises Refused with the code `expired` if nobody came in time, and BadClock.
        """
        nonce = new_nonce()
        request = Seek(
            id=0, nonce=nonce, game=game, size=size, clock=_requested(clock), bot_after=bot_after,
            rated=rated, bot_level=bot_level, range=range,
        )  # fmt: skip
        return await self._wanted(request, nonce, CancelSeek(id=0, nonce=nonce))

    async def stand_in(self, bot_level: str | None = None) -> Room:
        """As a house bot of this level, wait for a user who finds nobody or wants this level, and
        follow the room of the two.

        If this is cancelled, it is withdrawn; `on_paired` is called if that was too late. Raises
        Refused with the code `expired` if nobody came in half an hour, and `unknown_type` if no
        node has signed that this is a house bot.
        """
        nonce = new_nonce()
        request = StandIn(id=0, nonce=nonce, bot_level=bot_level)
        return await self._wanted(request, nonce, CancelSeek(id=0, nonce=nonce))

    async def challenge(
        self,
        user: str,
        game: str,
        size: int | None = None,
        clock: ClockOptions | str | None = None,
        seat: Seat | None = None,
        *,
        named: bool = False,
        rated: Rated = "either",
    ) -> Room:
        """Challenge a user, by id or (`named`) by registered name, wait for the answer, and follow
        the room of the two. `seat` is the seat that you take (None: it is drawn); `rated` is as in
        `create`.

        If this is cancelled, or not answered, the challenge is withdrawn; `on_paired` is called if
        that was too late. Raises Refused with the code `declined` if the recipient declines, and
        BadClock.
        """
        nonce = new_nonce()
        request = Challenge(
            id=0, nonce=nonce, to=user, named=named, game=game, size=size,
            clock=_requested(clock), seat=seat, rated=rated,
        )  # fmt: skip
        return await self._wanted(request, nonce, WithdrawChallenge(id=0, nonce=nonce))

    async def _wanted(self, request: Request, nonce: str, withdrawal: Request) -> Room:
        """Wait for the room that a request is about, however long that takes."""
        wanted = self._session.wanted[nonce] = PendingRoom(request)
        try:
            ok = await self._session.request(request)
            room = ok.room or await wanted.room()
        except (asyncio.CancelledError, TimedOut):
            del self._session.wanted[nonce]  # so that it is not sent again behind its withdrawal
            with suppress(PieruleError):
                late = await self._session.request(withdrawal, limit=WITHDRAWING)
                if late.room is not None:
                    await self._session.paired(late.room)
            raise
        finally:
            self._session.wanted.pop(nonce, None)
        try:
            return await self.join(room)
        except (asyncio.CancelledError, TimedOut):
            self._session.began(room)
            raise

    def challenges(self) -> AsyncIterator[Challenged]:
        """Each challenge that stands against this user, then new ones; endless."""
        return self._session.challenges.each()

    def standing_challenges(self) -> AsyncIterator[list[Challenged]]:
        """All challenges that stand against this user, the oldest first, now and whenever a
        challenge has come, was answered or was withdrawn; endless."""
        return self._session.challenges.standing()

    async def accept(self, challenge: str) -> Room:
        """Accept a challenge, by its name, and follow the room. Raises Refused with the code
        `unknown_challenge` if it no longer stands."""
        ok = await self._answer(challenge, accept=True)
        if ok.room is None:
            raise BadReply("the answer names no room")
        return await self.join(ok.room)

    async def decline(self, challenge: str) -> None:
        """Decline a challenge, by its name."""
        await self._answer(challenge, accept=False)

    async def _answer(self, challenge: str, *, accept: bool) -> Ok:
        request = AnswerChallenge(id=0, challenge=challenge, accept=accept)
        try:
            ok = await self._session.request(request)
        except Refused as error:
            if error.code == Code.UNKNOWN_CHALLENGE:
                self._session.challenges.answered(challenge)
            raise
        self._session.challenges.answered(challenge)
        return ok

    async def my_rooms(self) -> list[MyRoom]:
        """The rooms that are not over and in which you hold a seat, the latest first."""
        return (await self._session.request(MyRoomsQuery(id=0))).my_rooms or []

    async def lobby(
        self,
        *,
        game: str | None = None,
        status: ListedStatus | None = None,
        free_seat: FreeSeat | None = None,
    ) -> AsyncIterator[LobbyView]:
        """The lobby as it is, and again whenever it has changed; endless. Given `game`, `status` or
        `free_seat`, only such rooms (see `rooms`) and the pools of that game. Raises ValueError
        while another caller watches another part of it through this client."""
        lobby = self._session.lobby
        wanted = WatchLobby(id=0)
        if "filters" in self.welcome.features:
            wanted = WatchLobby(id=0, game=game, status=status, free_seat=free_seat)
        if lobby.watched and lobby.wanted != wanted:
            raise ValueError("this client watches another part of the lobby already")
        lobby.wanted = wanted
        lobby.watched += 1
        try:
            await self._session.request(wanted)
            async for view in lobby.views():
                yield view
        finally:
            lobby.watched -= 1
            if not lobby.watched:
                lobby.forget()
                with suppress(PieruleError):
                    await self._session.request(WatchLobby(id=0, watch=False))

    async def game(self, name: str) -> GameDocument:
        """How a game looks and what it says (SPEC 26). Raises Refused for an unknown game."""
        answer = await self._session.request(GameQuery(id=0, game=name))
        return read_document(answer.document or "")

    async def lessons(self, game: str) -> GameLessons:
        """The lessons of a game whose document names them (SPEC 26.16). Raises Refused if there are
        none."""
        answer = await self._session.request(GameQuery(id=0, game=game, lessons=True))
        return read_lessons(answer.document or "")

    async def ping(self) -> float:
        """Milliseconds to the server and back."""
        return await self._timekeeper.measure()

    def server_time(self) -> int:
        """The store's time in milliseconds since 1970, by which all clocks run.

        Every `ping` measures it, and so does the client from time to time once you joined a room
        with clocks; until then it is this computer's time.
        """
        return self._timekeeper.now()
