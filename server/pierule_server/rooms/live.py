"""One room in memory on this node, with its followers, and folds of logs.

The hub talks to the store; this module does not.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Sequence

from msgspec.structs import replace

from pierule_protocol.log.events import Entry, Holder, Place
from pierule_protocol.log.fold import Precomputed, fold
from pierule_protocol.messages import (
    Channel,
    ChatMessage,
    Event,
    LogEntry,
    Notice,
    ServerMessage,
    Snapshot,
)
from pierule_protocol.state.room import (
    Room,
    before,
    diff,
    room_digest,
    room_state,
)
from pierule_protocol.steps import at_once
from pierule_server.connections.connection import Broadcast, Connection, frame
from pierule_server.identity.tokens import User
from pierule_server.rooms.chat_history import ChatHistory, side_of, tell
from pierule_server.rooms.decisions.delay import horizon
from pierule_server.rooms.presence import Audience
from pierule_server.rooms.proofs import Proofs
from pierule_server.store.tables.accounts import nameless

RECENT = 128
"""The most events of a room that stay in memory for clients that resume. Older events are made from
the log again."""


class Live:
    """One room in memory: its fold, its followers here, and its latest events.

    `shown` is the room as spectators see it. Without a delay it is the `room` itself.
    """

    def __init__(self, room: Room, shown: Room, untold: Iterable[Entry], proofs: Proofs) -> None:
        self.followers: set[Connection] = set()
        self.audience = Audience()
        self.catching_up = asyncio.Lock()
        self.chat_history: ChatHistory | None = None
        """The latest chat messages; None until a client needs them."""
        self._proofs = proofs
        self.begin(room, shown, untold)

    def begin(self, room: Room, shown: Room, untold: Iterable[Entry]) -> None:
        """Replace the room by this fold of the log. Spectators see `shown`, and get the entries in
        `untold` later."""
        self.room, self.shown = room, shown
        self.recent: deque[Event] = deque(maxlen=RECENT)
        self.precomputed: Precomputed | None = None
        self.snapshots: dict[tuple[str, bool], bytes] = {}
        self._held: list[tuple[Entry, Broadcast | None]] = [(each, None) for each in untold]

    def remember(self, events: list[Event]) -> None:
        """Keep events that were made from the log again, if they end where the room is."""
        if events and place_of(events[-1]) == self.room.place:
            self.recent.clear()
            self.recent.extend(events)

    def view(self, user: User | None) -> Room:
        """The room as this user may see it."""
        return self.room if user is not None and self.room.seats_of(user.id) else self.shown

    def hears(self, user: User | None, channel: Channel) -> bool:
        """Whether a user may hear a channel now. While the game runs, in the user's view, they only
        hear the channel of their own side (SPEC 21.2)."""
        view = self.view(user)
        return view.status != "running" or side_of(view, user) == channel

    def tell(
        self, channel: Channel, lines: Collection[ChatMessage], followers: Iterable[Connection]
    ) -> None:
        """Send chat messages to the followers who may hear them."""
        tell(self.room.id, channel, lines, [f for f in followers if self.hears(f.user, channel)])

    def send(self, message: ServerMessage) -> None:
        """Send a message to all followers."""
        Broadcast(message).send(self.followers)

    def apply(self, entry: Entry) -> Event:
        """Fold the next entry and broadcast its event: to players now, to spectators after the
        room's delay. Raises CorruptLog."""
        event = fold_event(self.room, entry, self._proofs, self.precomputed)
        self.precomputed = None
        self.recent.append(event)
        self.snapshots.clear()
        news = Broadcast(event)
        if self.shown is self.room:
            news.send(self.followers)
        else:
            news.send(each for each in self.followers if self.view(each.user) is self.room)
            self._held.append((entry, news))
            self._release()
        return event

    def _release(self) -> None:
        """Send spectators the events that they may know by now."""
        spectators = [each for each in self.followers if self.view(each.user) is self.shown]
        end = horizon(self.room)
        while self._held and self._held[0][0].seq <= end:
            entry, news = self._held.pop(0)
            if news is None:  # it happened before this node had the room in memory
                news = Broadcast(fold_event(self.shown, entry, self._proofs))
            else:
                fold(self.shown, self.room.id, entry)
            news.send(spectators)
        if self.room.status == "over":
            self.shown = self.room

    def forget(self, users: Collection[str]) -> None:
        """Remove the names of these users, and show that to all followers of the room."""
        self._call(lambda _, holder: nameless(holder.user) if holder.user in users else holder.name)

    def name(self, seats: Sequence[Holder | None]) -> None:
        """Give the players the names that they have in these seats, and show that to all followers
        of the room."""
        known = {(seat, holder.user): holder.name for seat, holder in enumerate(seats) if holder}
        self._call(lambda seat, holder: known.get((seat, holder.user), holder.name))

    def _call(self, name: Callable[[int, Holder], str]) -> None:
        called = [
            (seats, seat, holder, new)
            for seats in (self.room.seats, self.shown.seats)
            for seat, holder in enumerate(seats)
            if holder and holder.name != (new := name(seat, holder))
        ]
        for seats, seat, holder, new in called:
            seats[seat] = replace(holder, name=new)
        if called:
            self.recent = deque(maxlen=RECENT)  # the events that seated them contain names
            self.snapshots.clear()
            for follower in self.followers:
                self.send_snapshot(follower)

    def end(self, why: str | None = None) -> None:
        """End all following: the room no longer exists, or `why` says why nobody can follow it."""
        self.send(Notice(kind="room_gone", room=self.room.id, text=why))
        for follower in self.followers:
            follower.following.discard(self.room.id)
        self.followers.clear()

    def measure_lag(self) -> None:
        """Measure the round trip to the player whose clock runs now. The ping follows the event
        that began the turn."""
        clock = self.room.clock
        if clock is None or clock.running is None:
            return
        holder = self.room.seats[clock.running]
        for follower in self.followers:
            if holder and follower.user and follower.user.id == holder.user:
                follower.measure_lag()

    def send_snapshot(self, follower: Connection) -> None:
        """Send the room as the follower may see it. The bytes stay in memory until the next
        event."""
        codec, view = follower.codec, self.view(follower.user)
        key = codec.subprotocol, view is self.room
        data = self.snapshots.get(key)
        if data is None:
            place = view.place
            proof = self._proofs.of(view.id, place.epoch, place.seq, place.chain)
            data = self.snapshots[key] = frame(codec, Snapshot(state=room_state(view), proof=proof))
        follower.push(data)


def refold(room_id: str, entries: list[Entry]) -> Room:
    """The fold of a whole log (at least one entry). Raises CorruptLog."""
    return at_once(refolding(room_id, entries))


def refolding(room_id: str, entries: list[Entry]) -> Generator[None, None, Room]:
    """`refold`, step by step."""
    room: Room | None = None
    for entry in entries:
        room = fold(room, room_id, entry)
        yield
    assert room is not None
    return room


def retold(room_id: str, entries: list[Entry]) -> tuple[Room, list[LogEntry]]:
    """The fold of a whole log (at least one entry), and the log with the digest after each entry.
    Raises CorruptLog."""
    return at_once(retelling(room_id, entries))


def retelling(
    room_id: str, entries: list[Entry]
) -> Generator[None, None, tuple[Room, list[LogEntry]]]:
    """`retold`, step by step."""
    room: Room | None = None
    kept = []
    for entry in entries:
        room = fold(room, room_id, entry)
        kept.append(LogEntry.of(entry, room_digest(room)))
        yield
    assert room is not None
    return room, kept


def events_after(
    room_id: str, entries: list[Entry], seq: int, proofs: Proofs
) -> Generator[None, None, tuple[Room, list[Event]]]:
    """The fold of a log, and its events after number `seq`, step by step. Raises CorruptLog."""
    room = yield from refolding(room_id, entries[:seq])
    events = []
    for entry in entries[seq:]:
        events.append(fold_event(room, entry, proofs))
        yield
    return room, events


def fold_event(
    room: Room, entry: Entry, proofs: Proofs, precomputed: Precomputed | None = None
) -> Event:
    """Fold one entry into a room, and return the event for clients. Raises CorruptLog."""
    old = before(room)
    fold(room, room.id, entry, precomputed)
    return Event(
        room=room.id,
        epoch=entry.epoch,
        seq=entry.seq,
        chain=entry.chain,
        at=entry.at,
        record=entry.record,
        diff=diff(old, room),
        digest=room_digest(room),
        proof=proofs.of(room.id, entry.epoch, entry.seq, entry.chain),
    )


def place_of(event: Event) -> Place:
    return Place(event.epoch, event.seq, event.chain)
