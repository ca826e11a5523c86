"""How a room is followed, event by event: what to apply, and what to ask the server for.

Pure: it holds the mirror of the room and never awaits. (SPEC 6; law 6.)

Trouble climbs a ladder: a hole is filled by a join with `since`; a fork, a mismatch, or a hole that
is still there, by a join for a snapshot; trouble right after that is a `Desync`. Every event that
applies resets the ladder, so each round makes progress by at least one event.
"""

from __future__ import annotations

from enum import Enum

from pierule.errors import Desync
from pierule_protocol.messages import MOST_PROOF, Event, Ok, RoomState, Since
from pierule_protocol.state.mirror import Trouble, advance, consistent


class Verdict(Enum):
    """What follows from a message."""

    CHANGED = "changed"
    """There is a new state."""
    IGNORED = "ignored"
    REJOIN = "rejoin"
    """Join again, with `since` as it is now."""
    MISMATCH = "mismatch"
    """The board differs from the server's: report it, then join again."""


class Follower:
    """Keeps the mirrored state of one room; `state` is None until the first snapshot."""

    def __init__(self, room: str) -> None:
        self.room = room
        self.state: RoomState | None = None
        self._proof: str | None = None  # that came with the place of the state, if one did
        self._waiting = False  # a join is under way that will mend all trouble seen until then
        self._distrusted = False  # the state is wrong, and only a snapshot will do
        self._filled = False  # no event has applied since a hole was to be filled ...
        self._cured = False  # ... and since a snapshot was sent to mend a trouble

    @property
    def since(self) -> Since | None:
        """Where a join has to go on; None asks for a snapshot."""
        if self.state is None or self._distrusted:
            return None
        return Since(self.state.epoch, self.state.seq, self.state.chain, self._proof)

    def rejoin(self) -> None:
        """A join with `since` is being sent: until it is answered, ignore other trouble."""
        self._waiting = True

    def joined(self, ok: Ok) -> None:
        """A join was answered. Without `resumed`, its snapshot has come or is about to, and ends
        the wait."""
        if ok.resumed:
            self._waiting = False

    def snapshot(self, state: RoomState, proof: str | None = None) -> Verdict:
        """Take over a snapshot and its proof. Raises Desync if it does not fit its own digest."""
        try:
            sound = consistent(state)
        except ValueError:
            sound = False
        if not sound:
            raise Desync(self.room, f"the snapshot at {state.place} has another digest")
        self._cured = self._distrusted
        self._waiting = self._distrusted = False
        self._proof = _kept(proof)
        if state == self.state:
            return Verdict.IGNORED
        self.state = state
        return Verdict.CHANGED

    def event(self, event: Event) -> Verdict:
        """Apply an event, or say what to do instead. Raises Desync."""
        if self.state is None:
            return Verdict.IGNORED  # a snapshot is on its way that has it already
        after = advance(self.state, event)
        if isinstance(after, RoomState):
            self.state = after
            self._proof = _kept(event.proof)
            self._filled = self._cured = False
            return Verdict.CHANGED
        if after is Trouble.DUPLICATE or self._waiting:
            return Verdict.IGNORED
        return self._climb(after, event)

    def _climb(self, trouble: Trouble, event: Event) -> Verdict:
        if trouble is Trouble.HOLE and not self._filled:
            self._filled = True
        elif not self._cured:
            self._distrusted = True
        else:
            raise Desync(self.room, f"{trouble.value} at {event.seq}, right after a snapshot")
        return Verdict.MISMATCH if trouble is Trouble.MISMATCH else Verdict.REJOIN


def _kept(proof: str | None) -> str | None:
    """A proof, unless it is too long to be sent back (SPEC 6.13)."""
    return None if proof is None or len(proof) > MOST_PROOF else proof
