"""The engine of a client: one connection at a time, its requests, and the rooms that it follows.

One task reads. It passes answers to the requests, and events to the rooms. When the connection
ends, it makes another one, joins the rooms again from their places, and repeats the requests that
still wait for an answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress

from pierule.challenges import Challenges
from pierule.chat import hear_missed
from pierule.connection import Address, Closed, Connection, Identity
from pierule.dialling import dial_again
from pierule.errors import BadReply, ConnectionLost, Desync, PieruleError, Refused
from pierule.follow import Verdict
from pierule.live import LiveRoom
from pierule.lobby import LiveLobby
from pierule.moving import Moving
from pierule.news import RATED_FROM, WEBHOOK_OFF, ConnectionStatus, tell_all
from pierule.pending_room import PendingRoom
from pierule.requests import Requests
from pierule_protocol import world
from pierule_protocol.codec import BadMessage
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import (
    BoardMismatch,
    Challenged,
    Chat,
    Error,
    Event,
    Join,
    Leave,
    LobbyChange,
    LobbyState,
    MyRoomsQuery,
    Notice,
    Ok,
    Paired,
    Presence,
    Problem,
    Request,
    RoomState,
    ServerMessage,
    Since,
    Snapshot,
    Welcome,
)

logger = logging.getLogger(__name__)

SETTLED = 2.0
"""After a connection that lasted this many seconds, the back-off starts over. (When this was the
longest delay, nodes that died one after the other kept players away for half a minute.)"""

STALE = 5.0
"""How many seconds after a `stale` to wait for the event that caused it (SPEC 6.9)."""

TOLD = 100
"""How many reported rooms are remembered, so that none is reported twice."""


class Session:
    """Requests and rooms that outlive connections.

    The session gives up after `patience` seconds without a connection. It calls `listeners` when
    the connection is lost and when it is back, `announcements` with what the operators say, and
    `pairings` with a room that began when nothing waited for it any more.
    """

    def __init__(
        self,
        address: Address,
        connection: Connection,
        welcome: Welcome,
        patience: float,
        who: Callable[[str], Identity],
    ) -> None:
        self.welcome = welcome
        self.rooms: dict[str, LiveRoom] = {}
        self.lobby = LiveLobby()
        self.challenges = Challenges()
        self.wanted: dict[str, PendingRoom] = {}
        """The requests that wait for a room, by their nonces."""
        self.listeners: list[Callable[[ConnectionStatus], None]] = []
        self.announcements: list[Callable[[str, int | None], None]] = []
        self.pairings: list[Callable[[str], None]] = []
        self._told: deque[str] = deque(maxlen=TOLD)
        self.address = address
        self._patience = patience
        self._who = who
        self._rng = world.random()
        self._requests = Requests(connection, address.timeout, self._rng)
        self._moving = Moving(address, self._requests)
        self._helpers: set[asyncio.Task[None]] = set()
        self._runner = asyncio.create_task(self._run(connection), name="pierule-reader")
        self._runner.add_done_callback(self._stopped)

    # --- what the client asks for ---

    async def request(
        self, message: Request, live: LiveRoom | None = None, limit: float | None = None
    ) -> Ok:
        """Send a request and return its answer. This sets the request's `id`.

        `limit` is in seconds (None: the address's timeout), not counting time without a connection.
        Raises Refused, TimedOut, BadReply or ConnectionLost.
        """
        return await self._requests.request(message, live, limit)

    def limited(self, limit: float | None = None) -> AbstractAsyncContextManager[None]:
        """Raise TimedOut after `limit` seconds (None: the address's timeout), not counting time
        without a connection."""
        return self._requests.limited(limit)

    async def join(self, join: Join, live: LiveRoom) -> Ok:
        """Join a room for the first time, at the process where its other clients are (SPEC 1.16).
        Raises like `request`."""

        def suits() -> bool:
            return not self.wanted and self._moving.suits(self.welcome, self.rooms, live)

        return await self._moving.join(join, live, suits)

    async def leave(self, live: LiveRoom) -> None:
        """Stop following a room. Raises like `request`."""
        if self.rooms.get(live.id) is live:
            del self.rooms[live.id]
            live.end()
            live.stop_joining()
            await self.request(Leave(id=0, room=live.id))

    async def leave_finished(self) -> None:
        """Leave the rooms that are over and not in use, except for the latest, because a connection
        may follow only a limited number of rooms. Raises like `request`."""
        over = [live for live in self.rooms.values() if live.is_done]
        for live in over[: -max(1, self.welcome.limits.rooms_followed // 4)]:
            await self.leave(live)

    def forget(self, live: LiveRoom) -> None:
        """Drop a room if nobody is joining it and it never had a state."""
        unused = not live.joins and live.follower.state is None
        if unused and self.rooms.get(live.id) is live:
            del self.rooms[live.id]

    async def close(self) -> None:
        """End the session. Waiting requests and iterators fail with ConnectionLost."""
        connection, self._requests.connection = self._requests.connection, None
        self._give_up(ConnectionLost("this client was closed"))
        tasks = [self._runner, *self._helpers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if connection is not None:
            await connection.close()

    # --- reading ---

    async def _run(self, connection: Connection) -> None:
        clock = asyncio.get_running_loop().time
        attempt = 0
        while True:
            opened = clock()
            closed = await self._read(connection)
            moved = await self._moving.again(closed, lambda: self._who(self.welcome.token))
            if not isinstance(moved, Closed):
                connection, self.welcome = moved
                self._connected(connection)
                continue
            self._disconnected(moved)
            if clock() - opened > SETTLED:
                attempt = 0
            self.address.room = next(reversed(self.rooms), None)
            connection, self.welcome, attempt = await dial_again(
                self.address, lambda: self._who(self.welcome.token), moved, attempt,
                self._patience, self._rng,
            )  # fmt: skip
            self._tell(connected=True, text=f"{self.address.url}: connected again")
            self._connected(connection)

    async def _read(self, connection: Connection) -> Closed:
        """Handle messages until the connection ends."""
        while True:
            try:
                message = await connection.receive()
            except Closed as closed:
                return closed
            except BadMessage as bad:
                logger.warning("cannot read a message from the server: %s", bad.text)
                if bad.id is not None:
                    self._requests.resolve(bad.id, BadReply(bad.text))
            else:
                self._handle(message)

    def _handle(self, message: ServerMessage) -> None:
        match message:
            case Ok(id=id_) | Error(id=id_):
                self._requests.resolve(id_, message)
            case Snapshot(state=state):
                self._feed(state.room, message)
            case Event(room=room) | Presence(room=room):
                self._feed(room, message)
            case Chat(room=room) if room in self.rooms:
                self._hear(self.rooms[room], message)
            case Notice():
                self._notice(message)
            case Paired(nonce=nonce) if nonce in self.wanted:
                self.wanted[nonce].told(message)
            case Paired(nonce=nonce, room=room):
                self.challenges.answered(nonce)  # perhaps on another connection (SPEC 23.11)
                self._help(self.paired(room))
            case Challenged():
                self.challenges.hear(message)
            case LobbyState() | LobbyChange() if not self.lobby.hear(message):
                self._help(self._watch_again())

    async def paired(self, room: str) -> None:
        """Report once a room that nothing waits for (SPEC 23.4), unless it is over, already
        followed, or a rematch that a followed room shows."""
        if room in self.rooms or not self.pairings:
            return
        with suppress(PieruleError):
            mine = (await self.request(MyRoomsQuery(id=0))).my_rooms or []
            states = [live.follower.state for live in self.rooms.values()]
            seen = room in self.rooms or any(state and state.rematch == room for state in states)
            if not seen and any(my.card.room == room for my in mine):
                self.began(room)

    def began(self, room: str) -> None:
        """Report once that the user plays in a room that nothing waits for."""
        if room not in self._told:
            self._told.append(room)
            tell_all(self.pairings, room)

    def _notice(self, message: Notice) -> None:
        match message:
            case Notice(kind="announcement" | "store_away", text=str(text)):
                tell_all(self.announcements, text, message.at)
            case Notice(kind="webhook_off"):
                tell_all(self.announcements, WEBHOOK_OFF, None)
            case Notice(kind="rated_from", at=int(at)) if at > world.wall() * 1_000:
                tell_all(self.announcements, RATED_FROM, at)
            case Notice(kind="room_gone", room=str(room)) if room in self.rooms:
                code = Code.DAMAGED if message.text else Code.UNKNOWN_ROOM  # SPEC 1.5
                told = message.text or "the room no longer exists"
                self._drop(self.rooms[room], Refused(Error(id=None, code=code, text=told)))
            case Notice(kind="store_back"):
                # Only after requests that were refused just now have begun to wait.
                asyncio.get_running_loop().call_soon(self._requests.pauses.end, Code.UNAVAILABLE)
            case Notice(nonce=str(nonce)) if nonce in self.wanted:
                self.wanted[nonce].told(message)
            case Notice(challenge=str()):
                self.challenges.hear(message)

    def _feed(self, room: str, message: Snapshot | Event | Presence) -> None:
        live = self.rooms.get(room)
        if live is None:
            return  # already left
        try:
            match message:
                case Snapshot(state=state, proof=proof):
                    live.snapshot(state, proof)
                case Event():
                    verdict = live.event(message)
                    if verdict is Verdict.MISMATCH:
                        self._report(message, "mismatch")
                    if verdict in (Verdict.MISMATCH, Verdict.REJOIN):
                        self._rejoin(live)
                case Presence():
                    live.presence = message
        except Desync as error:
            logger.error("%s", error)  # noqa: TRY400 - a traceback would tell nothing more
            self._report(message, "desync")
            self._drop(live, error)

    def _hear(self, live: LiveRoom, chat: Chat) -> None:
        if live.chat_history.take(chat.channel, chat.messages) is not None:
            self._help(hear_missed(self.request, live.id, live.chat_history, chat.channel))

    def _report(self, message: Snapshot | Event | Presence, problem: Problem) -> None:
        """Tell the server that the board differs from its digest (SPEC 6.2)."""
        if not isinstance(message, Presence):
            place = message.state if isinstance(message, Snapshot) else message
            mismatch = BoardMismatch(
                id=0, room=place.room, epoch=place.epoch, seq=place.seq, problem=problem
            )
            self._help(self._ask_unasked(mismatch))

    def _drop(self, live: LiveRoom, error: PieruleError) -> None:
        if self.rooms.get(live.id) is live:
            del self.rooms[live.id]
            live.end(error)
            self._help(self._ask_unasked(Leave(id=0, room=live.id)))

    async def _ask_unasked(self, message: Request) -> None:
        """Send a request that nobody waits for."""
        with suppress(PieruleError):
            await self.request(message)

    # --- joining again ---

    def outdated(self, live: LiveRoom, place: Place) -> None:
        """The server says that the room is at `place`. If no event comes soon, catch up."""
        state = live.follower.state
        if state is not None and (state.epoch, state.seq) < (place.epoch, place.seq):
            self._help(self._catch_up(live, state))

    async def _catch_up(self, live: LiveRoom, known: RoomState) -> None:
        await asyncio.sleep(STALE)
        if self._requests.connection is not None and live.follower.state is known:
            self._rejoin(live)

    def _rejoin(self, live: LiveRoom) -> None:
        live.follower.rejoin()
        live.stop_joining()  # an earlier join mends less, or was on another connection
        live.joining = self._help(self._join_again(live, live.follower.since))

    async def _join_again(self, live: LiveRoom, since: Since | None) -> None:
        logger.debug("room %s: joining again from %s", live.id, since)
        try:
            join = Join(id=0, room=live.id, since=since, invitation=live.invitation)
            await self.request(join, live, self._patience)
        except ConnectionLost:
            pass  # `_give_up` tells all rooms
        except PieruleError as error:
            self._drop(live, error)

    def _help(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name="pierule-helper")
        self._helpers.add(task)
        task.add_done_callback(self._helpers.discard)
        return task

    # --- connecting again ---

    def _disconnected(self, closed: Closed) -> None:
        self._tell(connected=False, text=f"{self.address.url}: {closed}")
        self._requests.disconnected()

    def _connected(self, connection: Connection) -> None:
        self._requests.connected(connection)
        self.challenges.forget()
        for live in self.rooms.values():  # before all else (SPEC 6.8)
            if live.follower.state is not None:
                self._rejoin(live)
        self._requests.pauses.end()
        self._help(self._requests.send_again(connection, self._requests.unanswered()))
        for wanted in self.wanted.values():
            self._help(self._want_again(wanted))
        if self.lobby.watched:
            self._help(self._watch_again())

    async def _watch_again(self) -> None:
        """Ask for the lobby again; its iterators learn if that fails."""
        try:
            await self.request(self.lobby.wanted, limit=self._patience)
        except PieruleError as error:
            self.lobby.end(error)

    async def _want_again(self, wanted: PendingRoom) -> None:
        """Send the request again on this connection, to go on waiting for its room."""
        try:
            ok = await self.request(wanted.request)
        except PieruleError as error:
            wanted.fail(error)
        else:
            if ok.room is not None:
                wanted.found(ok.room)

    def _tell(self, *, connected: bool, text: str) -> None:
        logger.info("%s", text)
        tell_all(self.listeners, ConnectionStatus(connected, text))

    # --- the end ---

    def _stopped(self, runner: asyncio.Task[None]) -> None:
        error = None if runner.cancelled() else runner.exception()
        if isinstance(error, ConnectionLost):
            self._give_up(error)
        elif error is not None:
            logger.error("the task that reads messages failed", exc_info=error)
            self._give_up(ConnectionLost(f"there is a bug in this client: {error!r}"))

    def _give_up(self, error: ConnectionLost) -> None:
        if self._requests.ended:
            return
        self._requests.end(error)
        for live in self.rooms.values():
            live.end(error)
        self.rooms.clear()
        self.lobby.end(error)
        self.challenges.end(error)
        for wanted in self.wanted.values():
            wanted.fail(error)
