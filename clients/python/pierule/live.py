"""A followed room: its follower, its latest presence, and its feeds."""

from __future__ import annotations

import asyncio
from weakref import WeakSet

from pierule.chat import ChatHistory
from pierule.feed import Feed, Update
from pierule.follow import Follower, Verdict
from pierule_protocol.log.events import Place
from pierule_protocol.messages import Event, Ok, Presence, RoomState


class LiveRoom:
    """What a session keeps about a room that it follows."""

    def __init__(self, room: str) -> None:
        self.id = room
        self.invitation: str | None = None
        self.follower = Follower(room)
        self.presence: Presence | None = None
        self.chat_history = ChatHistory()
        self.joins = 0
        """How many callers are joining the room now."""
        self.joining: asyncio.Task[None] | None = None
        """The task that joins the room again, after trouble or on a new connection."""
        self.doubted: RoomState | None = None
        """The state in which an action was refused as stale."""
        self.returns = 0
        """How often a join has said that the room is in that state nevertheless."""
        self._feeds: WeakSet[Feed] = WeakSet()  # an iterator that nobody holds disappears
        self._ended = False
        self._error: Exception | None = None

    @property
    def state(self) -> RoomState:
        """The newest state. Raises RuntimeError before the first snapshot."""
        if self.follower.state is None:
            raise RuntimeError(f"room {self.id} has no state yet: its first snapshot has not come")
        return self.follower.state

    def joined(self, ok: Ok) -> None:
        """A join was answered. If the room is still where an action was refused as stale (the store
        may have lost what made it so), the turn is to be played again (SPEC 6.9)."""
        self.follower.joined(ok)
        doubted, self.doubted = self.doubted, None
        here, place = self.follower.state, ok.place
        if doubted is None or doubted is not here or not ok.resumed or place is None:
            return
        if (place.epoch, place.seq) == (here.epoch, here.seq):
            self.returns += 1
            for feed in list(self._feeds):
                if feed.turns:
                    feed.put(Update(here))

    def snapshot(self, state: RoomState, proof: str | None) -> None:
        """Take a snapshot and its proof. Raises Desync."""
        if self.follower.snapshot(state, proof) is Verdict.CHANGED:
            self._tell(Update(state))

    def event(self, event: Event) -> Verdict:
        """Apply an event, or say what to do instead. Raises Desync."""
        verdict = self.follower.event(event)
        if verdict is Verdict.CHANGED:
            self._tell(Update(self.state, event))
        return verdict

    def stop_joining(self) -> None:
        """Cancel the task that joins the room again."""
        if self.joining is not None:
            self.joining.cancel()

    @property
    def is_done(self) -> bool:
        """Whether the room is over, and nothing iterates over it, waits for its chat or joins."""
        state, used = self.follower.state, self._feeds or self.joins or self.chat_history.awaited
        return state is not None and state.status == "over" and not used

    def check(self) -> None:
        """Raise the error that ended this room, if one did."""
        if self._error is not None:
            raise self._error

    def feed(self, *, beyond: bool = False, turns: bool = False) -> Feed:
        """A new feed that begins with the present state, if there is one. With `beyond`, it does
        not end with the game; for `turns` see `Feed`."""
        feed = Feed(beyond=beyond, turns=turns)
        if self.follower.state is not None:
            self._put(feed, Update(self.follower.state))
        if self._ended:
            feed.end(self._error)
        self._feeds.add(feed)
        return feed

    async def reach(self, place: Place) -> None:
        """Wait until the state is at `place` or later, or no more states will come."""
        async for update in self.feed(beyond=True):
            if (update.state.epoch, update.state.seq) >= (place.epoch, place.seq):
                return

    def end(self, error: Exception | None = None) -> None:
        """No more updates will come: end all feeds, with this error if there is one."""
        self._ended, self._error = True, error
        self.chat_history.end(error)
        for feed in list(self._feeds):
            feed.end(error)

    def _tell(self, update: Update) -> None:
        for feed in list(self._feeds):
            self._put(feed, update)

    def _put(self, feed: Feed, update: Update) -> None:
        feed.put(update)
        if update.state.status == "over" and not feed.beyond:
            feed.end()
