"""The scripted truth of `pierule conform client`: one room's log, and every state it ever had.

The states come from the fold that nodes use. The log can also lose events, go on in a new epoch,
and contain kinds of events that no client can know yet.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from zlib import crc32

import msgspec
from msgspec import UNSET

from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Holder,
    Offered,
    Paused,
    Place,
    Renewed,
    Resigned,
    Resumed,
    Seated,
    TakenBack,
    What,
    chain,
    encode_record,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import (
    Event,
    RoomState,
    Seat,
    Since,
)
from pierule_protocol.state.position import position_text
from pierule_protocol.state.room import (
    Before,
    Done,
    Room,
    before,
    diff,
    room_digest,
    room_state,
)

START = 1_700_000_000_000
"""The time of the first event; each later event comes `STEP` ms after the one before."""
STEP = 1_000
USER = "user-under-test"
RIVAL = Holder("user-script", "Script")
ROOM = "bakotedu"
ELSEWHERE = "kobadimu"
"""A room that the client has never asked for."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An event as it is sent, and the room right after it."""

    event: Event
    room: Room
    state: RoomState


class Truth:
    """The room. `kept` is its log, `places` are all places that it ever had, lost or not, and
    `states` the latest state at each epoch and seq."""

    def __init__(self, game: str, size: int, seats: tuple[Holder | None, Holder | None]) -> None:
        self.kept: list[Kept] = []
        self.states: dict[tuple[int, int], RoomState] = {}
        self.places: set[Place] = set()
        clock = Fischer(main=600, increment=5)
        self._append(
            Created(game, size, RIVAL.user, RIVAL.name, "made", clock=clock, rated="either")
        )
        numbers: tuple[Seat, Seat] = (0, 1)
        for seat, holder in zip(numbers, seats, strict=True):
            if holder is not None:
                self.sit(seat, holder, f"sat{seat}")

    @property
    def room(self) -> Room:
        return self.kept[-1].room

    @property
    def state(self) -> RoomState:
        return self.kept[-1].state

    @property
    def place(self) -> Place:
        return self.state.place

    @property
    def to_act(self) -> Seat | None:
        return self.state.position.to_act if self.state.status == "running" else None

    def sit(self, seat: Seat, holder: Holder, nonce: str) -> Event:
        return self._append(Seated(seat, holder.user, holder.name, nonce))

    def act(self, action: str) -> Event:
        seat = self.to_act
        assert seat is not None, "nobody is to act"
        return self._append(Acted(seat, action))

    def resign(self, seat: Seat) -> Event:
        return self._append(Resigned(seat, "gave-up"))

    def offer(self) -> Event:
        """The player who acted last asks for a takeback."""
        record = self.room.turns[-1].record
        assert isinstance(record, Acted)
        return self._append(Offered(record.seat, "takeback", f"asked{self.place.seq}"))

    def take_back(self) -> Event:
        """The other player allows it."""
        allows: Seat = 0 if self.room.offers.standing[1] else 1
        return self._append(TakenBack(allows, f"allowed{self.place.seq}"))

    def ask(self, what: What) -> Event:
        """Seat 1 asks for a pause, or for its end."""
        return self._append(Offered(1, what, f"asked{self.place.seq}"))

    def pause(self) -> Event:
        """Seat 0 agrees: the clocks stand still."""
        return self._append(Paused(0, f"allowed{self.place.seq}"))

    def go_on(self) -> Event:
        """Seat 0 agrees: the clocks go on."""
        return self._append(Resumed(0, f"resumed{self.place.seq}"))

    def cut(self, keep: int) -> None:
        """The store loses all events after the first `keep`."""
        del self.kept[keep:]

    def renew(self) -> Event:
        """A new epoch goes on from what is left."""
        at = START + STEP * (self.place.seq + 1)
        return self._append(Renewed(), epoch=max(self.place.epoch + 1, at // 1000))

    def undo(self) -> Event:
        """An event of a kind that does not exist yet takes back the last action. A client that
        rewrites its record, or takes characters for bytes, gets another chain."""
        room, back = copy.deepcopy(self.room), self.kept[-2].room
        old = before(room)
        self._unplay(room, back)
        return self._keep(
            old, room, self._entry('{"kind":"undone","by":"Žofie \\u68cb"}', room.place.epoch)
        )

    def replace(self, action: str) -> Event:
        """An event of another such kind takes back the last action and plays another. Its diff
        brings one action and leaves the ply as it was."""
        room, back = copy.deepcopy(self.room), self.kept[-2].room
        old = before(room)
        self._unplay(room, back)
        position = room.position.play(action)
        assert not isinstance(position, Refusal), position
        room.position = position
        room.actions.append(action)
        event = self._keep(old, room, self._entry('{"kind":"replaced"}', room.place.epoch))
        diff = msgspec.structs.replace(event.diff, ply=len(room.actions), actions=[action])
        event = msgspec.structs.replace(event, diff=diff)
        self.kept[-1] = Kept(event, room, self.kept[-1].state)
        return event

    @staticmethod
    def _unplay(room: Room, back: Room) -> None:
        room.turns.append(Done(Renewed(), room.place, room.turn + 1))
        room.actions.pop()
        room.position, room.clock = back.position, back.clock

    def after(self, since: Since) -> list[Event] | None:
        """The events after a place; None if the log does not know it."""
        for index, kept in enumerate(self.kept):
            if kept.state.place == Place(since.epoch, since.seq, since.chain):
                return [later.event for later in self.kept[index + 1 :]]
        return None

    def done(self, turn: int, action: str) -> Done | None:
        """What was done at a turn; None if it was not this action."""
        if turn < len(self.room.turns):
            done = self.room.turns[turn]
            if isinstance(done.record, Acted) and done.record.action == action:
                return done
        return None

    def _append(self, record: AnyRecord, epoch: int | None = None) -> Event:
        room = copy.deepcopy(self.room) if self.kept else None
        now = self.place.epoch if self.kept else 1
        entry = self._entry(encode_record(record).decode(), epoch or now)
        if room is None:
            room = fold(None, ROOM, entry)
            old = before(room)
        else:
            old = before(room)
            room = fold(room, ROOM, entry)
        return self._keep(old, room, entry)

    def _entry(self, record: str, epoch: int) -> Entry:
        place = self.place if self.kept else EMPTY
        seq, at = place.seq + 1, START + STEP * (place.seq + 1)
        return Entry(epoch, seq, chain(place.chain, epoch, seq, record.encode(), at), at, record)

    def _keep(self, old: Before, room: Room, entry: Entry) -> Event:
        room.place, room.at = entry.place, entry.at
        changed = diff(old, room)
        if changed.ply is not UNSET and len(room.actions) < room.turn and "undone" in entry.record:
            changed = msgspec.structs.replace(changed, actions=UNSET)
        event = Event(
            room=ROOM,
            epoch=entry.epoch,
            seq=entry.seq,
            chain=entry.chain,
            at=entry.at,
            record=entry.record,
            diff=changed,
            digest=room_digest(room),
        )
        state = room_state(room)
        self.kept.append(Kept(event, room, state))
        self.states[entry.epoch, entry.seq] = state
        self.places.add(state.place)
        return event


def proof_of(place: Place) -> str:
    """The proof that comes with a place, if the scripted server sends proofs."""
    return f"script {crc32(f'{place}'.encode())}"


def text_of(state: RoomState) -> str:
    """The position text of a state."""
    return position_text(state.position)
