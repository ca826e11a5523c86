"""A model of clocks: deadlines, heartbeats, outages and what is given back for them (SPEC 9).

One room, in which a player acts or does not. Nodes are processes that ask the store; a request may
reach it at any time after it was decided, also when others were faster. Time goes in ticks.

| here | there |
|---|---|
| `_append` | `append.lua`: what it decides of time, and the new deadline |
| `_beat` | `heartbeat.lua` |
| `act`, `time out`, `credit` | `Rooms.act`, `Rooms.time_out`, `Rooms.credit` |

What the log is, and what becomes of it when a store is replaced, is a model of its own (`log.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

INTERVAL, STALE = 1, 2
"""Ticks between heartbeats, and the age from which a heartbeat shows an outage."""


NOTHING = (0, 0)


class Ask(NamedTuple):
    """A request under way to the store: what it appends, where the log is to end, and what it gives
    back."""

    kind: str
    seq: int
    credit: tuple[int, int] = NOTHING


class State(NamedTuple):
    """The store, as append.lua sees it, and what is under way. The rest is for the laws: `turn`
    ticks of real time went by in this turn, `outage` of them in outages that must be given back,
    `blocked` while nobody could act; `gap` is how long this outage has lasted."""

    now: int = 0
    at: int = 0
    seq: int = 0
    started: int = 0
    deadline: int = 0
    heartbeat: int = 0
    lost: tuple[int, int] | None = None
    over: bool = False
    asks: tuple[Ask, ...] = ()
    away: bool = False
    tick: int = 0
    jumps: int = 0
    outages: int = 0
    turn: int = 0
    outage: int = 0
    gap: int = 0
    blocked: int = 0
    given: int = 0
    wrong: str | None = None


@dataclass(frozen=True)
class Bounds:
    """How much happens at most. A turn takes `budget` ticks; a jump of the store's clock is of more
    than `STALE` ticks, back or ahead."""

    ticks: int = 9
    budget: int = 3
    outages: int = 2
    jumps: int = 0
    asks: int = 2
    acts: int = 1


class ClockModel:
    """The model within bounds; `broken` is what it does wrong on purpose (`runs.BREAKS`)."""

    def __init__(self, bounds: Bounds, broken: str = "") -> None:
        self.bounds = bounds
        self.broken = broken

    def initial(self) -> State:
        return State(deadline=self.bounds.budget)

    def steps(self, s: State) -> Iterator[tuple[str, State]]:
        # While nodes and store are there, heartbeats are never late: what is late is an outage.
        late = not s.away and s.now - s.heartbeat >= INTERVAL
        if s.tick < self.bounds.ticks and not late:
            yield "a tick", self._tick(s)
        if not s.away:
            yield from self._served(s)
        if s.away:
            yield "nodes and store are back", s._replace(away=False, gap=0)
        elif s.outages < self.bounds.outages:
            yield "!nodes or store are away", s._replace(away=True, outages=s.outages + 1)
        if s.jumps < self.bounds.jumps:
            for by in (-STALE - 1, STALE + 1):
                jumped = s._replace(now=max(0, s.now + by), jumps=s.jumps + 1)
                yield f"!the clock jumps by {by}", jumped

    def _tick(self, s: State) -> State:
        gap = s.gap + 1 if s.away else 0
        owed = 0 if gap <= STALE else gap if gap == STALE + 1 else 1
        return s._replace(
            now=s.now + 1, tick=s.tick + 1, gap=gap, turn=s.turn + 1, outage=s.outage + owed,
            blocked=s.blocked + (s.away or s.lost is not None),
        )  # fmt: skip

    def _served(self, s: State) -> Iterator[tuple[str, State]]:
        if s.now < s.heartbeat or s.now - s.heartbeat >= INTERVAL:
            yield "a heartbeat", self._beat(s)
        for index, ask in enumerate(s.asks):
            left = s.asks[:index] + s.asks[index + 1 :]
            yield f"the store gets: {ask.kind}", self._append(s._replace(asks=left), ask)
            if ask.kind != "act" and ask.seq != s.seq:  # an act of a turn that is over is stale
                asks = tuple(sorted((*left, ask._replace(seq=s.seq))))
                yield f"a node catches up: {ask.kind}", s._replace(asks=asks)
        if s.over or len(s.asks) >= self.bounds.asks:
            return
        if s.seq < self.bounds.acts and not any(ask.kind == "act" for ask in s.asks):
            yield "the player acts", _asked(s, Ask("act", s.seq))
        if s.lost is not None:
            yield "a node credits", _asked(s, Ask("credit", s.seq, s.lost))
        elif s.now > s.deadline:
            yield "a node times out", _asked(s, Ask("time out", s.seq))

    # --- the store --------------------------------------------------------------------------------

    def _beat(self, s: State) -> State:
        """heartbeat.lua: write the heartbeat; a stale one shows what the room has lost."""
        lost = s.lost
        if s.now - s.heartbeat > STALE and not s.over and self.broken != "notice no outage":
            since = s.heartbeat if lost is None or self.broken == "lose an outage" else lost[0]
            lost = since, s.now
        return s._replace(heartbeat=s.now, lost=lost)

    def _append(self, s: State, ask: Ask) -> State:
        """append.lua. What is refused changes nothing: its node looks again."""
        if ask.seq != s.seq or s.over:
            return s
        gives_back = ask.kind == "credit"
        if gives_back and ask.credit != s.lost and self.broken != "credit again":
            return s
        at = max(s.now, s.at, ask.credit[1])
        if self.broken == "stamp the clock":
            at = s.now
        away = s.lost is not None or s.now - s.heartbeat > STALE
        if not gives_back and away and self.broken != "ignore outages":
            return s
        if at < s.at:
            return s._replace(wrong="SPEC 3.2: the time of an event is before the one before")
        s = s._replace(at=at, seq=s.seq + 1)
        if gives_back:
            return self._credited(s, ask.credit)
        if ask.kind == "act":
            return self._acted(s)
        return self._timed_out(s)

    def _credited(self, s: State, credit: tuple[int, int]) -> State:
        given = max(0, credit[1] - max(credit[0], s.started))
        if self.broken == "give nothing back":
            given = 0
        return s._replace(
            lost=None, started=s.started + given, deadline=s.deadline + given, given=s.given + given
        )

    def _acted(self, s: State) -> State:
        if s.at > s.deadline and self.broken != "accept what is late":
            return s._replace(seq=s.seq - 1)
        if s.at > s.deadline:
            return s._replace(wrong="SPEC 9.3: an action counts that came after the deadline")
        return s._replace(
            started=s.at, deadline=s.at + self.bounds.budget,
            turn=0, outage=s.gap if s.gap > STALE else 0, blocked=0, given=0,
        )  # fmt: skip

    def _timed_out(self, s: State) -> State:
        early = s.at <= s.deadline
        if early and self.broken != "time out early":
            return s._replace(seq=s.seq - 1)
        if s.turn - s.outage <= self.bounds.budget:
            return s._replace(wrong="SPEC 9.6: a clock fell that should not")
        return s._replace(over=True, lost=None)

    # --- laws -------------------------------------------------------------------------------------

    def wrong(self, s: State) -> str | None:
        if s.wrong is not None:
            return s.wrong
        if not s.jumps and s.given > s.blocked + INTERVAL * s.outages:
            return "SPEC 9.6: more was given back than was lost"
        return None

    def wrong_at_rest(self, s: State) -> str | None:
        if s.lost is not None:
            return "SPEC 9.6: an outage is never given back"
        if not s.over and s.now > s.deadline and s.now - s.heartbeat <= STALE:
            return "SPEC 9.3: nobody times out"
        return None


def _asked(s: State, ask: Ask) -> State:
    return s._replace(asks=tuple(sorted((*s.asks, ask))))
