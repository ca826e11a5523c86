"""A room as a program sees it: its state, its events, and what you can do in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pierule.chat import ChatEntry, ChatStream
from pierule.errors import BadReply, Refused
from pierule.feed import Feed
from pierule.live import LiveRoom
from pierule.session import Session
from pierule.timekeeping import Timekeeper
from pierule_games.clock import Left
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Declined, Outcome, What, Withdrawn
from pierule_protocol.messages import (
    Abort,
    Accept,
    Act,
    Agreeing,
    ChatMessage,
    Claim,
    Decline,
    Legal,
    LegalQuery,
    LegalRefusal,
    Offer,
    Ok,
    Presence,
    ReportMessage,
    Request,
    Resign,
    Result,
    RoomState,
    Say,
    Seat,
    Withdraw,
)
from pierule_protocol.state.mirror import time_left
from pierule_protocol.state.position import PositionState

REMATCH_TIME = 10.0
"""How many seconds to wait for the room of an agreed rematch. The server needs at most 2 (SPEC
19.7)."""


def new_nonce() -> str:
    """A nonce for one intention: 16 characters out of letters, digits, `_` and `-`."""
    return world.token_urlsafe(12)


class Room:
    """A room that you follow. `Client.create` and `Client.join` make it.

    The properties say what this client knows now. They change only while you await something.
    Iterating gives every state from the present to the last, each once and in order. The iterators
    end when the room is over or you leave it, and raise ConnectionLost or Desync if the client can
    no longer follow the room. Each iterator has its own pace, and misses nothing unless it falls
    more than 1,000 updates behind. Then it goes on from the newest state, as after a snapshot
    (`updates` shows both).
    """

    def __init__(self, session: Session, live: LiveRoom, timekeeper: Timekeeper) -> None:
        self._session = session
        self._live = live
        self._timekeeper = timekeeper

    def __repr__(self) -> str:
        state = self.state
        return f"<Room {self.id}: {state.position.game}, {state.status}, turn {state.turn}>"

    # --- what is ---

    @property
    def id(self) -> str:
        """The room's id, with which others can join it."""
        return self._live.id

    @property
    def state(self) -> RoomState:
        """The room after the latest event that has arrived."""
        return self._live.state

    @property
    def position(self) -> PositionState:
        """The state of the game."""
        return self.state.position

    @property
    def seats(self) -> list[Seat]:
        """The seats that you hold: none, one or both."""
        seats: tuple[Seat, Seat] = (0, 1)
        user, holders = self._session.welcome.user, self.state.seats
        return [seat for seat in seats if (holder := holders[seat]) and holder.user == user]

    @property
    def to_act(self) -> Seat | None:
        """The seat that may act now; None while a seat is free, during a pause, and when the room
        is over."""
        state = self.state
        paused = state.clock is not None and state.clock.paused is not None
        return self.position.to_act if state.status == "running" and not paused else None

    @property
    def my_turn(self) -> bool:
        """Whether a seat of yours is to act."""
        return self.to_act in self.seats

    @property
    def over(self) -> bool:
        """Whether the room is over."""
        return self.state.status == "over"

    @property
    def result(self) -> Result | None:
        """How the room ended; None until then."""
        return self.state.result

    @property
    def presence(self) -> Presence | None:
        """Who is there, as the server last told; None if it has not told yet."""
        return self._live.presence

    @property
    def invitation(self) -> str | None:
        """The secret that others need to join this private room; None if you do not have it, or the
        room is not private."""
        return self._live.invitation

    @property
    def offered(self) -> list[What]:
        """What the other player now offers you."""
        seats, offers = self.seats, self.state.offers
        return [what for seat in (0, 1) if (what := offers[seat]) and 1 - seat in seats]

    def time_left(self, seat: Seat, now: int | None = None) -> Left | None:
        """What the clock of a seat shows at `now`, in the store's milliseconds (None: now). None in
        a room without clocks."""
        return time_left(self.state, seat, self._timekeeper.now() if now is None else now)

    # --- what happens ---

    def __aiter__(self) -> States:
        return States(self._live.feed())

    def updates(self, *, beyond: bool = False) -> Feed:
        """An async iterator over `Update`s: every state with the event that led to it. With
        `beyond`, it goes on after the end of the game, for example to see the offer of a
        rematch."""
        return self._live.feed(beyond=beyond)

    def turns(self) -> Turns:
        """An async iterator over the states in which a seat of yours is to act.

        It gives each turn once, whether you act in the loop's body or not; once more if your action
        was refused as `stale`, but it is your turn after all. It always gives the newest state, and
        skips turns that have passed in the meantime.
        """
        return Turns(self)

    def chat(self) -> ChatStream:
        """An async iterator over the chat messages that you may read: the known messages, then each
        new one. It goes on after the end of the game, and ends when you leave the room."""
        return ChatStream(self._live.chat_history)

    # --- requests; all raise Refused, TimedOut, ConnectionLost, BadReply and Desync ---

    async def act(
        self, action: str, turn: int | None = None, epoch: int | None = None
    ) -> RoomState:
        """Play an action for the seat that is to act, at the room's present turn and epoch. Or pass
        `turn` and `epoch` of the state for which you chose the action. (A `turn` alone is valid in
        any epoch.) Returns a state that includes the action, and perhaps the opponent's answer."""
        if turn is None:
            turn = self.state.turn
            epoch = self.state.epoch if epoch is None else epoch
        return await self._do(Act(id=0, room=self.id, turn=turn, action=action, epoch=epoch))

    async def resign(self, seat: Seat | None = None) -> RoomState:
        """Resign. If you hold both seats, you may name one (None: the seat that is to act). Returns
        the last state."""
        return await self._do(Resign(id=0, room=self.id, nonce=new_nonce(), seat=seat))

    async def abort(self, seat: Seat | None = None) -> RoomState:
        """End the game before you have acted in it; nobody loses."""
        return await self._do(Abort(id=0, room=self.id, nonce=new_nonce(), seat=seat))

    async def offer(self, what: What, seat: Seat | None = None) -> RoomState:
        """Offer the other player a `takeback` of your latest action, a `draw`, a `pause`, to
        `resume`, or after the game, a `rematch`. If the other player already offers the same, this
        accepts it, except for takebacks."""
        return await self._do(Offer(id=0, room=self.id, what=what, nonce=new_nonce(), seat=seat))

    async def accept(self, what: What, seat: Seat | None = None) -> RoomState:
        """Accept what the other player offers."""
        turn = self.state.turn
        return await self._do(
            Accept(id=0, room=self.id, what=what, turn=turn, nonce=new_nonce(), seat=seat)
        )

    async def decline(self, what: What, seat: Seat | None = None) -> RoomState:
        """Decline what the other player offers."""
        return await self._do(Decline(id=0, room=self.id, what=what, nonce=new_nonce(), seat=seat))

    async def withdraw(self, what: What, seat: Seat | None = None) -> RoomState:
        """Take an offer back."""
        return await self._do(Withdraw(id=0, room=self.id, what=what, nonce=new_nonce(), seat=seat))

    async def rematch(self) -> str | None:
        """Wait for the room of a rematch, and return its id. Join it like any other room, with the
        same `invitation`. None if there will be none, for example because the offer was
        declined."""
        feed = self.updates(beyond=True)
        while self.state.rematch is None:
            seconds = None if "rematch" in self.state.offers else REMATCH_TIME
            try:
                update = await asyncio.wait_for(anext(feed), seconds)
            except (TimeoutError, StopAsyncIteration):
                break
            if isinstance(update.record, Declined | Withdrawn):
                break
        return self.state.rematch

    async def legal(self, prefix: str = "") -> Legal:
        """The legal actions that begin with `prefix`."""
        ok = await self._session.request(LegalQuery(id=0, room=self.id, prefix=prefix))
        if ok.legal is None:
            raise BadReply("the answer to legal has no list of actions")
        return ok.legal

    async def why(
        self, action: str = "", *, points: Sequence[str] = (), turn: int | None = None
    ) -> LegalRefusal | None:
        """Why `action` is not legal, or why no legal action begins with `points`, in the order in
        which they were picked. None if the action is legal, or one begins with these points.

        The question is about `turn` (None: that of `state`). It plays nothing, and anyone who may
        see the room may ask. Raises Refused: `stale` if the room is at another turn, `finished` or
        `not_started` if the game is not running, and `bad_field` for a text that is not a point, or
        from a server without the feature `why`. Raises ValueError unless you give either an action
        or points.
        """
        if bool(action) == bool(points):
            raise ValueError("why() takes either an action or points")
        at = self.state.turn if turn is None else turn
        ok = await self._aimed(
            LegalQuery(id=0, room=self.id, turn=at, action=action, points=list(points))
        )
        if ok.legal is None or (not ok.legal.total and ok.legal.refusal is None):
            raise BadReply("the answer to legal does not say why")
        return ok.legal.refusal

    async def preview(self, points: Sequence[str]) -> dict[int, int]:
        """What these points, picked in this order, would put on the board: values by index of the
        cell (SPEC 26.13). Empty if no action begins with them. Raises like `why`."""
        at = self.state.turn
        ok = await self._aimed(LegalQuery(id=0, room=self.id, turn=at, points=list(points)))
        return dict(ok.legal.preview) if ok.legal else {}

    async def claim(self, outcome: Outcome = "win", seat: Seat | None = None) -> RoomState:
        """End the game because your opponent is gone: as a `win` for you, or as an `abort`. You can
        do so from the time in `presence.claim` on."""
        return await self._do(
            Claim(id=0, room=self.id, outcome=outcome, nonce=new_nonce(), seat=seat)
        )

    async def say(self, text: str) -> ChatMessage:
        """Send a chat message, to the players if you are one, otherwise to the spectators. Returns
        the message as everybody gets it."""
        request = Say(id=0, room=self.id, nonce=new_nonce(), text=text)
        ok = await self._session.request(request)
        if not ok.messages:
            raise BadReply("the answer to say has no message")
        return ok.messages[0]

    async def report(self, spoken: ChatEntry, text: str = "") -> None:
        """Report a chat message to the operators. `text` says what is wrong with it."""
        seq = spoken.message.seq
        await self._session.request(
            ReportMessage(id=0, room=self.id, channel=spoken.channel, seq=seq, text=text)
        )

    async def leave(self) -> None:
        """Stop following the room. You keep your seats, and iterators end."""
        await self._session.leave(self._live)

    async def _aimed(self, message: Request) -> Ok:
        """Send a request that may be refused as stale."""
        try:
            return await self._session.request(message)
        except Refused as refused:
            if refused.code == Code.STALE and refused.place is not None:
                if isinstance(message, Act) and message.turn == self.state.turn:
                    self._live.doubted = self.state
                self._session.outdated(self._live, refused.place)
            raise

    async def _do(self, message: Act | Resign | Agreeing | Claim) -> RoomState:
        self._live.check()
        ok = await self._aimed(message)
        async with self._session.limited():
            await self._live.reach(ok.place or EMPTY)
        return self.state


class States:
    """An async iterator over the states of a room."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def __aiter__(self) -> States:
        return self

    async def __anext__(self) -> RoomState:
        return (await anext(self._feed)).state


class Turns:
    """An async iterator over the turns of a room at which you are to act."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._live = room._live  # noqa: SLF001 - a part of it
        self._feed = self._live.feed(turns=True)
        self._given: tuple[int, int, int] | None = None  # epoch and turn of the last state given

    def __aiter__(self) -> Turns:
        return self

    async def __anext__(self) -> RoomState:
        while True:
            state = self._room.state
            turn = state.epoch, state.turn, self._live.returns
            if self._room.my_turn and turn != self._given:
                self._given = turn
                return state
            await anext(self._feed)
