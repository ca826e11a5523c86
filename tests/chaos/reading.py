"""Reads one client's journal frame by frame: what it learned, and whether that is consistent.

It mirrors the board independently, by the received diffs, and compares it with the log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from chaos.account import Account, Acknowledged, Asked, Follow, Link, RefusedRetry, View
from chaos.journal import Journal, JournalEntry
from chaos.truth import Truth, Violation
from pierule_protocol.codec import client_codecs, server_codecs
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import (
    PROTOCOL,
    Act,
    BoardMismatch,
    ClientMessage,
    Create,
    Error,
    Event,
    Join,
    Leave,
    Ok,
    Ping,
    RoomState,
    ServerMessage,
    Snapshot,
)
from pierule_protocol.state.mirror import Trouble, advance, consistent

LATE = 25.0
"""Seconds after which a missing event counts as never noticed: the place check takes up to 10, and
store or connection may have been away meanwhile."""

READ = client_codecs()[f"{PROTOCOL}.msgpack"]
WRITTEN = server_codecs()[f"{PROTOCOL}.msgpack"]


def take_account(
    journal: Journal, truths: Mapping[str, Truth], taken_back: Sequence[float]
) -> Account:
    """Read a journal. `taken_back` are the times of fail-overs, which may lose seen events."""
    reader = Reader(journal.name, truths, taken_back)
    for line in journal.lines:
        reader.take(line)
    reader.finish()
    return reader.account


class Reader:
    """Reads a journal into an `account`, line by line."""

    def __init__(self, name: str, truths: Mapping[str, Truth], taken_back: Sequence[float]) -> None:
        self.account = Account(name)
        self._truths = truths
        self._taken_back = sorted(taken_back)
        self._asked: dict[tuple[int, int], Asked] = {}
        self._done: set[tuple[int, int]] = set()
        self._views: dict[str, View] = {}
        self._follows: dict[str, Follow] = {}

    def _violate(self, promise: str, room: str, text: str) -> None:
        name, now = self.account.name, self.account.end
        self.account.violations.append(Violation(promise, room, f"{name}: {text}", name, now))

    def take(self, line: JournalEntry) -> None:
        at, connection, what, data = line
        self.account.end = at
        if what == "opened":
            self.account.links[connection] = Link(int(data), at)
        elif what == "closed":
            self._closed(connection, at)
        elif what == "sent":
            self._sent(WRITTEN.decode(data), connection, at)  # type: ignore[arg-type]
        else:
            self._got(READ.decode(data), connection, at)  # type: ignore[arg-type]

    def finish(self) -> None:
        for (connection, _), asked in self._asked.items():
            if self.account.end - asked.sent > LATE:
                self._violate("every request is answered", "", f"{connection}: {asked.message}")
        for room, view in self._views.items():
            if view.doubtful and room in self._follows:  # else it did not stay to hear of it
                self._count_undetected(room, f"never told that {view.doubtful} was taken back")
            if view.troubled is not None and room in self._follows:
                self._count_undetected(room, "a desync was seen and never mended")

    def _count_undetected(self, room: str, text: str) -> None:
        self.account.counts["undetected desyncs"] += 1
        self._violate("no board differs from the log", room, text)

    def _closed(self, connection: int, at: float) -> None:
        self.account.links[connection].closed = at
        for key in [key for key in self._asked if key[0] == connection]:
            self._asked.pop(key).answered = at
        for room, follow in list(self._follows.items()):
            if follow.connection == connection:
                follow.left = at
                del self._follows[room]

    # --- what it sent ------------------------------------------------------------------------

    def _sent(self, message: ClientMessage, connection: int, at: float) -> None:
        asked = Asked(message, connection, at)
        if self.account.links[connection].closed <= at:
            asked.answered = at  # it went nowhere
        else:
            self._asked[connection, message.id] = asked
        self.account.asked.append(asked)
        match message:
            case Act(room=room, turn=turn, action=action):
                self.account.intended.add((room, turn, action))
            case Leave(room=room):
                follow = self._follows.pop(room, None)
                if follow is not None:
                    follow.left = at
                for (on, _), other in self._asked.items():
                    join = other.message
                    if on == connection and isinstance(join, Join) and join.room == room:
                        other.left = True
            case BoardMismatch(problem=problem):
                self.account.counts[f"reported: {problem}"] += 1

    # --- what it got -------------------------------------------------------------------------

    def _got(self, message: ServerMessage, connection: int, at: float) -> None:
        match message:
            case Ok() | Error():
                self._answer(message, connection, at)
            case Snapshot(state=state):
                self._snapshot(state, at)
            case Event():
                self._event(message, at)

    def _answer(self, answer: Ok | Error, connection: int, at: float) -> None:
        key = connection, -1 if answer.id is None else answer.id
        asked = self._asked.pop(key, None)
        if asked is None:
            self._violate("every request is answered once", "", f"{connection}: {answer}")
            return
        asked.answered = at
        if isinstance(answer, Error):
            self.account.counts[f"refused: {answer.code}"] += 1
            self._refused(asked, answer)
            return
        asked.good = True
        if answer.welcome is not None:
            self.account.user = answer.welcome.user
        match asked.message:
            case Act(room=room, turn=turn, action=action) if answer.place is not None:
                self.account.acknowledged.append(Acknowledged(room, turn, action, answer.place, at))
            case Create() if answer.room is not None:
                self.account.made[answer.room] = at
            case Join() as join:
                self._joined(join, asked, answer, at)
            case Ping():
                self.account.pongs.append(at)

    def _refused(self, asked: Asked, answer: Error) -> None:
        """A kept action must not be refused (law 7). The checker finds out whether it was kept by
        then."""
        message = asked.message
        if not isinstance(message, Act) or MEANINGS[Code(answer.code)].retry:
            return
        truth = self._truths.get(message.room)
        played = truth.played.get(message.turn) if truth else None
        if played is None or played.at / 1_000 >= asked.sent:
            return
        if (played.user, played.action) == (self.account.user, message.action):
            text = f"{message} of {asked.sent:.3f}: {answer.code}; there is {played}"
            known = RefusedRetry(message.room, played.place, asked.sent, text)
            self.account.refused.append(known)

    def _joined(self, join: Join, asked: Asked, answer: Ok, at: float) -> None:
        room, connection = join.room, asked.connection
        link = self.account.links[connection]
        link.back = min(link.back, at)
        if join.seat is not None:
            self.account.seated[room, self.account.user] = at
        view = self._views.setdefault(room, View())
        follow = self._follows.get(room)
        if not asked.left and (follow is None or follow.connection != connection):
            if follow is not None:
                follow.left = at  # its connection is still closing
            follow = self._follows[room] = Follow(room, connection, at)
            self.account.follows.append(follow)
            if answer.place is not None:
                follow.first = answer.place.epoch, answer.place.seq
        if answer.resumed:
            self._mended(view)
            if view.state is not None:
                self._reach(room, view.state.place, at)

    def _mended(self, view: View) -> None:
        if view.troubled is not None:
            view.troubled = None
            self.account.counts["desyncs repaired"] += 1

    def _trouble(self, view: View, what: str, at: float) -> None:
        if view.troubled is None:
            view.troubled = at
            self.account.counts["desyncs seen"] += 1
            self.account.counts[f"desync: {what}"] += 1

    def _reach(self, room: str, place: Place, at: float) -> None:
        follow = self._follows.get(room)
        if follow is not None:
            follow.place = place
            follow.reached.append((place.epoch, place.seq))
            follow.times.append(at)

    def _snapshot(self, state: RoomState, at: float) -> None:
        view = self._views.setdefault(state.room, View())
        known, place = view.state, state.place
        if not consistent(state):
            self._violate("no board differs from the log", state.room, "a snapshot's digest")
        self._told(view, state)
        for key in [key for key in view.seen if key >= (state.epoch, state.seq)]:
            del view.seen[key]  # it is to be forgotten
        truth = self._truths.get(state.room)
        if truth is not None:
            expected = truth.digests.get((state.epoch, state.seq))
            entry = truth.kept.get((state.epoch, state.seq))
            if entry is None or entry.chain != state.chain:
                if self._may_be_taken_back(state.at):
                    view.doubtful.append(place)
                else:
                    self._count_undetected(state.room, f"a snapshot at {place}, unknown to the log")
            elif expected != state.digest or len(state.actions) != state.ply:
                self._count_undetected(state.room, f"the snapshot at {place} is another board")
        if known is not None and _took_back(known, state):
            self._trouble(view, "taken back", at)
        self._mended(view)
        view.state = state
        self._reach(state.room, place, at)

    def _told(self, view: View, state: RoomState) -> None:
        """A new epoch tells what was taken back. Only a client without a proof (SPEC 3.2) may be
        the last to know of it, and gets what is left."""
        seated = any(holder and holder.user == self.account.user for holder in state.seats)
        for each in view.doubtful:
            if each == state.place:  # told once more, before the node knows that it is lost
                continue
            renewed = each.epoch < state.epoch
            self.account.counts["told by a new epoch" if renewed else "told by a snapshot"] += 1
            if renewed:  # so that number may have come again, before that epoch began
                view.seen.pop((each.epoch, each.seq), None)
            elif seated and state.status == "running":
                text = f"{each} was taken back, and {state.place} is of no new epoch"
                self._violate("what is taken back begins an epoch", state.room, text)
        view.doubtful = []

    def _event(self, event: Event, at: float) -> None:
        room = event.room
        view = self._views.setdefault(room, View())
        key = event.epoch, event.seq
        if view.seen.setdefault(key, event.chain) != event.chain:
            self._violate("nobody sees an event twice, differently", room, f"{_place(event)}")
        self._hold_against_log(event, view)
        if view.state is None or view.troubled is not None:
            return
        after = advance(view.state, event)
        if isinstance(after, RoomState):
            view.state = after
            self._reach(room, after.place, at)
        elif after is Trouble.DUPLICATE:
            self.account.counts["duplicates"] += 1
        else:
            self._trouble(view, after.value, at)

    def _hold_against_log(self, event: Event, view: View) -> None:
        truth = self._truths.get(event.room)
        if truth is None:
            return
        entry = truth.kept.get((event.epoch, event.seq))
        if entry is not None and entry.chain == event.chain:
            if (entry.record, entry.at) != (event.record, event.at):
                self._count_undetected(event.room, f"{_place(event)} has another content")
            if truth.digests[event.epoch, event.seq] != event.digest:
                self._count_undetected(event.room, f"{_place(event)} makes another board")
        elif self._may_be_taken_back(event.at):
            self.account.counts["events taken back"] += 1
            self.account.counts["events overgrown"] += entry is not None
            view.doubtful.append(Place(event.epoch, event.seq, event.chain))
        else:
            self._count_undetected(event.room, f"{_place(event)} is not in the log")

    def _may_be_taken_back(self, at: int) -> bool:
        """Whether a fail-over came after it. A client that saw it must be told (`_told`)."""
        return bisect_right(self._taken_back, at / 1_000) < len(self._taken_back)


def _took_back(known: RoomState, state: RoomState) -> bool:
    return state.epoch > known.epoch or (state.epoch == known.epoch and state.seq < known.seq)


def _place(event: Event) -> str:
    return f"event ({event.epoch}, {event.seq})"
