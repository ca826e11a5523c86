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
    """A user's connection to a server. `connect` makes it.

    All requests may raise Refused, TimedOut, ConnectionLost and BadReply.
    """

    def __init__(self, session: Session, timekeeper: Timekeeper) -> None:
        self._session = session
        self._timekeeper = timekeeper

    @property
    def welcome(self) -> Welcome:
        """The server's answer to the latest hello, with its limits and games."""
        return self._session.welcome

    @property
    def url(self) -> str:
        """The address of the node to which this client is connected, or was last."""
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
        """The token that makes you the same user in a later `connect`. Keep it secret."""
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
        """Make a room, take `seat` in it (None: none), and follow it. `size` None means the game's
        default. A private room gets an `invitation`, which others need to join it. Spectators are
        `delay` plies behind. `rated` says whether the game is to count for ratings (`either`: if it
        can). The server refuses a game that must count but cannot, as `unrated`.

        `clock` says how the room is timed (None: not at all). It may be a text: `5+3` is 5 minutes
        and 3 s for each turn, `10m+3x30s` is byo-yomi, `30s/action` and `3d` give the same time for
        each turn. Raises BadClock for any other text.
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
        """Follow a room, and with `seat` take a seat in it (`any`: the first free one). To join a
        private room, you need its `invitation`, unless you play in it.

        You keep the seats that you already hold. The client leaves rooms after a while if they are
        over and nothing iterates over them, so a bot can play endlessly. Raises Desync if the
        server's messages about the room contradict each other.
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
        """The public open and running rooms, at most `limit` (None: all): open rooms, then running
        rooms, then open rooms in which nobody waits (`away`); the latest of each first (SPEC
        23.18). With `game`, `size` or `status`, only matching rooms; with `free_seat`, only rooms
        in which this seat is free, or `any` seat."""
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
        within `bot_after` seconds (None: never), a free house bot may play. With a `bot_level`,
        only a house bot of this level may (SPEC 23.20). `rated` is as in `create`. `range` says how
        many points weaker or stronger the opponent may be (SPEC 23.22); without a registered name,
        it is Refused as `unrated`.

        If this is cancelled or times out, the client withdraws the seek. If that is too late, it
        calls `on_paired`. Raises Refused with the code `expired` if nobody came in time, and
        BadClock.
        """
        nonce = new_nonce()
        request = Seek(
            id=0, nonce=nonce, game=game, size=size, clock=_requested(clock), bot_after=bot_after,
            rated=rated, bot_level=bot_level, range=range,
        )  # fmt: skip
        return await self._wanted(request, nonce, CancelSeek(id=0, nonce=nonce))

    async def stand_in(self, bot_level: str | None = None) -> Room:
        """For house bots: wait for a user who finds nobody or wants this level, and follow the room
        in which you play with them.

        If this is cancelled, the client withdraws it. If that is too late, it calls `on_paired`.
        Raises Refused with the code `expired` if nobody came in half an hour, and with
        `unknown_type` if no node has signed that this user is a house bot.
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
        """Challenge a user, by id or if `named`, by registered name. Wait for the answer, and
        follow the room in which you play with them. `seat` is the seat that you want (None: the
        seats are drawn by lot). `rated` is as in `create`.

        If this is cancelled or times out, the client withdraws the challenge. If that is too late,
        it calls `on_paired`. Raises Refused with the code `declined` if the recipient declines, and
        BadClock.
        """
        nonce = new_nonce()
        request = Challenge(
            id=0, nonce=nonce, to=user, named=named, game=game, size=size,
            clock=_requested(clock), seat=seat, rated=rated,
        )  # fmt: skip
        return await self._wanted(request, nonce, WithdrawChallenge(id=0, nonce=nonce))

    async def _wanted(self, request: Request, nonce: str, withdrawal: Request) -> Room:
        """Wait for the room that a request leads to, however long that takes."""
        wanted = self._session.wanted[nonce] = PendingRoom(request)
        try:
            ok = await self._session.request(request)
            room = ok.room or await wanted.room()
        except (asyncio.CancelledError, TimedOut):
            del self._session.wanted[nonce]  # do not send it again after its withdrawal
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
        """Each open challenge to you, then each new one, endlessly."""
        return self._session.challenges.each()

    def standing_challenges(self) -> AsyncIterator[list[Challenged]]:
        """All open challenges to you, the oldest first: now, and whenever a challenge comes, is
        answered or is withdrawn, endlessly."""
        return self._session.challenges.standing()

    async def accept(self, challenge: str) -> Room:
        """Accept a challenge, which is named by `Challenged.challenge`, and follow the room. Raises
        Refused with the code `unknown_challenge` if it is no longer open."""
        ok = await self._answer(challenge, accept=True)
        if ok.room is None:
            raise BadReply("the answer names no room")
        return await self.join(ok.room)

    async def decline(self, challenge: str) -> None:
        """Decline a challenge, which is named by `Challenged.challenge`."""
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
        """The open and running rooms in which you hold a seat, the latest first."""
        return (await self._session.request(MyRoomsQuery(id=0))).my_rooms or []

    async def lobby(
        self,
        *,
        game: str | None = None,
        status: ListedStatus | None = None,
        free_seat: FreeSeat | None = None,
    ) -> AsyncIterator[LobbyView]:
        """The lobby as it is, and again whenever it changes, endlessly. With `game`, `status` or
        `free_seat`, only matching rooms (see `rooms`) and the pools of that game. Raises ValueError
        while another caller watches another part of the lobby through this client."""
        lobby = self._session.lobby
        wanted = WatchLobby(id=0)
        if "filters" in self.welcome.features:
            wanted = WatchLobby(id=0, game=game, status=status, free_seat=free_seat)
        if lobby.watched and lobby.wanted != wanted:
            raise ValueError("this client already watches another part of the lobby")
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
        """The document of a game: its looks and texts (SPEC 26). Raises Refused for an unknown
        game."""
        answer = await self._session.request(GameQuery(id=0, game=name))
        return read_document(answer.document or "")

    async def lessons(self, game: str) -> GameLessons:
        """The lessons of a game (SPEC 26.16). Raises Refused if it has none: then its document has
        no `lessons_hash`."""
        answer = await self._session.request(GameQuery(id=0, game=game, lessons=True))
        return read_lessons(answer.document or "")

    async def ping(self) -> float:
        """The round trip to the server, in milliseconds."""
        return await self._timekeeper.measure()

    def server_time(self) -> int:
        """The store's time in milliseconds since 1970, by which all clocks run.

        Every `ping` measures it. Once you have joined a room with clocks, the client also measures
        it from time to time. Before the first measurement, it is this computer's time.
        """
        return self._timekeeper.now()
