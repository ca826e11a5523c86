"""How to follow a room, event by event: what to apply, and what to ask the server for.

Pure: it holds the mirror of the room and never awaits (SPEC 6, law 6).

Remedies get stronger. After a hole, join with `since`. After a fork, a mismatch or a hole that is
still there, join for a snapshot. Trouble right after a snapshot is a `Desync`. Every event that
applies starts this over, so each round makes progress by at least one event.
"""

from __future__ import annotations

from enum import Enum

from pierule.errors import Desync
from pierule_protocol.messages import MOST_PROOF, Event, Ok, RoomState, Since
from pierule_protocol.state.mirror import Trouble, advance, consistent


class Verdict(Enum):
    """What to do after a message."""

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
        self._proof: str | None = None  # came with the place of the state; None if none came
        self._waiting = False  # a join is under way, which will mend all trouble until then
        self._distrusted = False  # the state is wrong, and only a snapshot helps
        self._filled = False  # a join was to fill a hole, and no event has applied since
        self._cured = False  # a snapshot was to mend trouble, and no event has applied since

    @property
    def since(self) -> Since | None:
        """The `since` of the next join; None asks for a snapshot."""
        if self.state is None or self._distrusted:
            return None
        return Since(self.state.epoch, self.state.seq, self.state.chain, self._proof)

    def rejoin(self) -> None:
        """A join with `since` is about to be sent. Ignore other trouble until its answer."""
        self._waiting = True

    def joined(self, ok: Ok) -> None:
        """A join was answered. If it was not `resumed`, a snapshot comes, which ends the wait."""
        if ok.resumed:
            self._waiting = False

    def snapshot(self, state: RoomState, proof: str | None = None) -> Verdict:
        """Take a snapshot and its proof. Raises Desync if its digest does not fit its position."""
        try:
            sound = consistent(state)
        except ValueError:
            sound = False
        if not sound:
            raise Desync(
                self.room, f"the digest of the snapshot at {state.place} does not fit its position"
            )
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
            return Verdict.IGNORED  # the snapshot that is on its way includes it
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
            raise Desync(self.room, f"{trouble.value} at event {event.seq}, right after a snapshot")
        return Verdict.MISMATCH if trouble is Trouble.MISMATCH else Verdict.REJOIN


def _kept(proof: str | None) -> str | None:
    """A proof; None if it is too long to send back (SPEC 6.13)."""
    return None if proof is None or len(proof) > MOST_PROOF else proof
