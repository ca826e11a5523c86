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
"""Seconds for the server to make an agreed rematch; it takes 2 at most (SPEC 19.7)."""


def new_nonce() -> str:
    """A nonce for one intention: 16 letters, digits, `_` and `-`."""
    return world.token_urlsafe(12)


class Room:
    """A room that you follow: made by `Client.create` and `Client.join`.

    The properties say what this client knows now; they change only while you await something.
    Iterating gives every state, from the present one to the last, each once and in order. The
    iterators end when the room is over or was left, and raise ConnectionLost or Desync if it cannot
    be followed any longer. Each iterator has its own pace and loses nothing up to 1 000 updates
    behind. Beyond that it goes on from the newest state, as it does after a snapshot (`updates`
    shows both).
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
        """The short id by which the room is found."""
        return self._live.id

    @property
    def state(self) -> RoomState:
        """The room as it was after the latest event that has arrived."""
        return self._live.state

    @property
    def position(self) -> PositionState:
        """The state of the game."""
        return self.state.position

    @property
    def seats(self) -> list[Seat]:
        """The seats that this user holds: none, one or both."""
        seats: tuple[Seat, Seat] = (0, 1)
        user, holders = self._session.welcome.user, self.state.seats
        return [seat for seat in seats if (holder := holders[seat]) and holder.user == user]

    @property
    def to_act(self) -> Seat | None:
        """The seat that may act now; None while a seat is free, in a pause, and when the room is
        over."""
        state = self.state
        paused = state.clock is not None and state.clock.paused is not None
        return self.position.to_act if state.status == "running" and not paused else None

    @property
    def my_turn(self) -> bool:
        """Whether a seat of this user is to act."""
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
        """Who was there when the server last told; None if it has not told yet."""
        return self._live.presence

    @property
    def invitation(self) -> str | None:
        """The secret by which others can join a private room; otherwise None."""
        return self._live.invitation

    @property
    def offered(self) -> list[What]:
        """What the other player offers this user now."""
        seats, offers = self.seats, self.state.offers
        return [what for seat in (0, 1) if (what := offers[seat]) and 1 - seat in seats]

    def time_left(self, seat: Seat, now: int | None = None) -> Left | None:
        """What the clock of a seat shows at `now`, in the store's ms (None: this moment); None in
        a room without clocks."""
        return time_left(self.state, seat, self._timekeeper.now() if now is None else now)

    # --- what happens ---

    def __aiter__(self) -> States:
        return States(self._live.feed())

    def updates(self, *, beyond: bool = False) -> Feed:
        """An async iterator over `Update`s: every state with the event that led to it. With
        `beyond` it goes on after the game's end, as for the offer of a rematch."""
        return self._live.feed(beyond=beyond)

    def turns(self) -> Turns:
        """An async iterator over the states in which a seat of this user is to act.

        It gives each turn once, however the loop's body used it, and always the newest state: turns
        that passed in the meantime are skipped.
        """
        return Turns(self)

    def chat(self) -> ChatStream:
        """An async iterator over the chat of the room, as far as this user may hear it: first the
        known messages, then each new one. It goes on when the game is over, and ends when the room
        is left."""
        return ChatStream(self._live.chat_history)

    # --- requests; all raise Refused, TimedOut, ConnectionLost, BadReply and Desync ---

    async def act(
        self, action: str, turn: int | None = None, epoch: int | None = None
    ) -> RoomState:
        """Play an action for the seat that is to act, at the room's present turn and epoch, or at
        those of the state for which you chose it. (A `turn` alone counts in any epoch.) Returns a
        state that includes it, perhaps with the opponent's answer."""
        if turn is None:
            turn = self.state.turn
            epoch = self.state.epoch if epoch is None else epoch
        return await self._do(Act(id=0, room=self.id, turn=turn, action=action, epoch=epoch))

    async def resign(self, seat: Seat | None = None) -> RoomState:
        """Give the game up. If you hold both seats, you may name one (None: the one that is to
        act). Returns the last state."""
        return await self._do(Resign(id=0, room=self.id, nonce=new_nonce(), seat=seat))

    async def abort(self, seat: Seat | None = None) -> RoomState:
        """End the game before you have acted in it; nobody loses."""
        return await self._do(Abort(id=0, room=self.id, nonce=new_nonce(), seat=seat))

    async def offer(self, what: What, seat: Seat | None = None) -> RoomState:
        """Offer the other player a `takeback` of your latest action, a `draw`, a `pause`, to
        `resume`, or, when the game is over, a `rematch`. If the other player offers the same
        already, this accepts it, except for takebacks."""
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
        """The id of the room of a rematch, once it exists; None if no offer stands, for example
        because it was declined. Join it like any other room, with the same `invitation`."""
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
            raise BadReply("the answer to legal lists nothing")
        return ok.legal

    async def why(
        self, action: str = "", *, points: Sequence[str] = (), turn: int | None = None
    ) -> LegalRefusal | None:
        """Why `action` is not legal, or why no legal action can be put together from `points`, in
        the order in which they were picked. None if it is legal, or can.

        The question is about `turn` (default: the one that `state` shows). It plays nothing, and
        anyone who may see the room may ask it. Raises Refused: `stale` if the room is at another
        turn, `finished` or `not_started` if it does not run, `bad_field` for a text that is no
        point, and from a server without the feature `why`. Raises ValueError unless you give an
        action or points, and not both.
        """
        if bool(action) == bool(points):
            raise ValueError("why() takes an action or points")
        at = self.state.turn if turn is None else turn
        ok = await self._aimed(
            LegalQuery(id=0, room=self.id, turn=at, action=action, points=list(points))
        )
        if ok.legal is None or (not ok.legal.total and ok.legal.refusal is None):
            raise BadReply("the answer to legal does not say why")
        return ok.legal.refusal

    async def preview(self, points: Sequence[str]) -> dict[int, int]:
        """What these points, picked in this order, would put on the board, by cell (SPEC 26.13);
        nothing if no action begins with them. Raises as `why`."""
        at = self.state.turn
        ok = await self._aimed(LegalQuery(id=0, room=self.id, turn=at, points=list(points)))
        return dict(ok.legal.preview) if ok.legal else {}

    async def claim(self, outcome: Outcome = "win", seat: Seat | None = None) -> RoomState:
        """End the game because your opponent has left it: as a `win` for you, or `abort` it. You
        can do so from the moment `presence.claim`."""
        return await self._do(
            Claim(id=0, room=self.id, outcome=outcome, nonce=new_nonce(), seat=seat)
        )

    async def say(self, text: str) -> ChatMessage:
        """Send a chat message: as a player to the players, otherwise to the spectators. Returns the
        message as everybody hears it."""
        request = Say(id=0, room=self.id, nonce=new_nonce(), text=text)
        ok = await self._session.request(request)
        if not ok.messages:
            raise BadReply("the answer to say has no line")
        return ok.messages[0]

    async def report(self, spoken: ChatEntry, text: str = "") -> None:
        """Report a chat message to the operators, and say what is wrong with it."""
        seq = spoken.message.seq
        await self._session.request(
            ReportMessage(id=0, room=self.id, channel=spoken.channel, seq=seq, text=text)
        )

    async def leave(self) -> None:
        """Stop following the room; seats are kept. Iterators end."""
        await self._session.leave(self._live)

    async def _aimed(self, message: Request) -> Ok:
        """Send a request that may be refused as stale."""
        try:
            return await self._session.request(message)
        except Refused as refused:
            if refused.code == Code.STALE and refused.place is not None:
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
    """An async iterator over the turns of a room at which this user is to act."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._feed = room.updates()
        self._given: tuple[int, int] | None = None  # epoch and turn of what was given last

    def __aiter__(self) -> Turns:
        return self

    async def __anext__(self) -> RoomState:
        while True:
            state = self._room.state
            if self._room.my_turn and (state.epoch, state.turn) != self._given:
                self._given = state.epoch, state.turn
                return state
            await anext(self._feed)
