"""What happened according to an exported room, and whether that is possible.

It uses the rules, the clock's arithmetic and the chain alone. The server's fold may not enter here:
it would agree with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import DecodeError

from pierule_games import GAMES
from pierule_games.clock import Clock
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import control
from pierule_protocol.log.events import (
    EMPTY,
    Aborted,
    Acted,
    Closed,
    Created,
    Credited,
    Flagged,
    Place,
    Renewed,
    Resigned,
    Seated,
    chain,
    decode_record,
)
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.position import digest, position_text

CREDITED_MS = 2_600
"""A longer outage must have been credited to a running clock (SPEC 9.6: 2 s, and the last heartbeat
may be half a second old)."""

HEARTBEAT_MS = 700
"""The tolerated difference between an outage and its credit."""


class Violation(NamedTuple):
    """A broken promise: which one, where, and what was found; also which client it concerns and
    when (seconds since 1970; 0.0: unknown), to explain it."""

    promise: str
    room: str
    text: str
    client: str = ""
    at: float = 0.0


class Played(NamedTuple):
    """An action of the log."""

    user: str
    turn: int
    action: str
    place: Place
    at: int


@dataclass
class Truth:
    """A room as its log says. `digests` are those of the rules, by epoch and seq."""

    room: str
    entries: list[LogEntry]
    digests: dict[tuple[int, int], int] = field(default_factory=dict)
    kept: dict[tuple[int, int], LogEntry] = field(default_factory=dict)
    played: dict[int, Played] = field(default_factory=dict)
    seats: list[str | None] = field(default_factory=lambda: [None, None])
    ended: int | None = None
    """When the game was over, in the store's milliseconds."""
    delay: int = 0
    """The delay of spectators in plies while it runs."""

    @property
    def end(self) -> Place:
        if not self.entries:
            return EMPTY
        last = self.entries[-1]
        return Place(last.epoch, last.seq, last.chain)

    @property
    def epoch(self) -> int:
        return self.end.epoch


def read(
    room: str, entries: list[LogEntry], outages: Sequence[tuple[float, float]]
) -> tuple[Truth, list[Violation]]:
    """The truth according to a log, and its flaws. `outages` are the times (seconds since 1970) in
    which the whole store was certainly away."""
    reader = _Reader(room, entries, outages)
    try:
        reader.run()
    except (_Wrong, DecodeError) as wrong:
        reader.violations.append(Violation("the log is sound", room, str(wrong)))
    return reader.truth, reader.violations


class _Wrong(Exception):
    """The rest of the log cannot be read."""


class _Reader:
    def __init__(
        self, room: str, entries: list[LogEntry], outages: Sequence[tuple[float, float]]
    ) -> None:
        self.truth = Truth(room, entries)
        self.violations: list[Violation] = []
        self._outages = outages
        self._position: Position
        self._clock: Clock | None = None
        self._started = 0

    def run(self) -> None:
        if not self.truth.entries:
            raise _Wrong("nobody is given it")
        before: LogEntry | None = None
        for entry in self.truth.entries:
            self._link(before, entry)
            self._take(entry)
            found = digest(position_text(self._position))
            key = entry.epoch, entry.seq
            self.truth.kept[key], self.truth.digests[key] = entry, found
            if found != entry.digest:
                raise _Wrong(f"entry {entry.seq} has another digest than the rules give")
            before = entry

    def _link(self, before: LogEntry | None, entry: LogEntry) -> None:
        seq, epoch, last, at = 1, 1, 0, 0
        if before is not None:
            seq, epoch, last, at = before.seq + 1, before.epoch, before.chain, before.at
            if isinstance(decode_record(entry.record), Renewed):
                epoch = max(entry.epoch, epoch + 1)
        if (entry.epoch, entry.seq) != (epoch, seq):
            raise _Wrong(f"({entry.epoch}, {entry.seq}) stands where ({epoch}, {seq}) belongs")
        if entry.chain != chain(last, epoch, seq, entry.record.encode(), entry.at):
            raise _Wrong(f"the chain breaks at {seq}")
        if entry.at < at:
            raise _Wrong(f"entry {seq} is older than the one before")

    def _take(self, entry: LogEntry) -> None:
        truth, at = self.truth, entry.at
        match decode_record(entry.record):
            case Created() as made:
                self._position = GAMES[made.game].opening(made.size)
                self._clock = None if made.clock is None else Clock.fresh(control(made.clock))
                if made.seat is not None:
                    self._sit(made.seat, made.user, at)
            case Seated(seat=seat, user=user):
                self._sit(seat, user, at)
            case Acted() as acted:
                self._act(acted, entry)
            case Credited(lost_from=lost_from, lost_to=lost_to):
                self._clock = self._clock and self._clock.credit(lost_from, lost_to)
            case Flagged(seat=seat):
                self._flag(seat, at)
                truth.ended = at
            case Resigned() | Aborted() | Closed():
                truth.ended = truth.ended or at  # the result of a finished game may be voided
            case Renewed():
                pass

    def _sit(self, seat: int, user: str, at: int) -> None:
        if self.truth.seats[seat] is not None:
            raise _Wrong(f"seat {seat} is taken twice")
        self.truth.seats[seat] = user
        if None not in self.truth.seats:
            self._clock = self._clock and self._clock.begin(0, at)
            self._started = at

    def _act(self, acted: Acted, entry: LogEntry) -> None:
        truth = self.truth
        if truth.ended is not None or None in truth.seats:
            raise _Wrong(f"entry {entry.seq} is an action in a game that does not run")
        if self._position.to_act != acted.seat:
            raise _Wrong(f"entry {entry.seq} is an action of who is not to act")
        deadline = self._clock.deadline if self._clock else None
        if deadline is not None and entry.at > deadline:
            raise _Wrong(f"entry {entry.seq} is an action after its deadline")
        after = self._position.play(acted.action)
        if isinstance(after, Refusal):
            raise _Wrong(f"entry {entry.seq} is not legal: {after}")
        turn = len(truth.played)
        place = Place(entry.epoch, entry.seq, entry.chain)
        user = truth.seats[acted.seat] or ""
        truth.played[turn] = Played(user, turn, acted.action, place, entry.at)
        if after.to_act != self._position.to_act:
            self._started = entry.at
        self._clock = self._clock and self._clock.act(entry.at, acted.given, after.to_act)
        self._position = after
        if after.winner is not None:
            truth.ended = entry.at

    def _flag(self, seat: int, at: int) -> None:
        clock, room = self._clock, self.truth.room
        if clock is None or clock.running != seat or clock.deadline is None:
            raise _Wrong("a clock is flagged that does not run")
        if at <= clock.deadline:
            self._wrong_flag(f"{clock.deadline - at} ms before the deadline that the log gives")
        lost = sum(self._lost(*outage, at) for outage in self._outages)
        had, due = at - self._started - lost, clock.budget(seat)
        if had + HEARTBEAT_MS * bool(lost) < due:
            self._wrong_flag(f"seat {seat} of {room} had {had} ms of {due}, the store being away")

    def _wrong_flag(self, text: str) -> None:
        self.violations.append(Violation("no flag falls wrongly", self.truth.room, text))

    def _lost(self, began: float, ended: float, at: int) -> float:
        if 1_000 * (ended - began) < CREDITED_MS:
            return 0
        return max(0, min(1_000 * ended, at) - max(1_000 * began, self._started))
