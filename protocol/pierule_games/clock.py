"""The arithmetic of game clocks. Pure: every time is an argument, in the store's milliseconds.

One form covers all controls: main time, an increment for each turn, and periods of overtime that
begin anew with each turn (SPEC 9). Fischer has no periods; Japanese byo-yomi no increment;
a fixed time for each turn is one period and no main time.

A *turn* here is a stretch in which the same seat is to act: who chooses a color and then plays
acts twice in one turn, on one deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pierule_games.game import Seat

PAUSE_TIME = 600_000
"""Milliseconds after which clocks that the players stopped go on by themselves. No setting: every
node must fold a log alike."""


@dataclass(frozen=True, slots=True)
class Control:
    """How a clock runs: all in milliseconds but `periods`, a number."""

    main: int = 0
    increment: int = 0
    periods: int = 0
    period: int = 0

    @property
    def estimate(self) -> int:
        """How much time a player may need for a game of 40 turns, in milliseconds."""
        return self.main + 40 * (self.increment or self.period)

    @property
    def quota_gain(self) -> int:
        """Lag that may be compensated for each turn. The rule of lichess: the estimated length
        of a game gives 0.4 % of it and 150 ms, and never more than a second."""
        return min(1_000, self.estimate * 4 // 1_000 + 150)

    @property
    def quota_first(self) -> int:
        """The quota at the start of a game: three gains, as lichess has it."""
        return 3 * self.quota_gain

    @property
    def quota_most(self) -> int:
        """The most quota that can be saved up: seven gains, as lichess has it."""
        return 7 * self.quota_gain


@dataclass(frozen=True, slots=True)
class Hand:
    """What one seat has left: main time and lag quota in milliseconds, and periods."""

    main: int
    periods: int
    quota: int


@dataclass(frozen=True, slots=True)
class Left:
    """What a clock shows for one seat."""

    main: int
    """Main time, in milliseconds."""
    periods: int
    """How many periods there are, the one that runs included."""
    period: int
    """What is left of the first of them, in milliseconds."""

    @property
    def shown(self) -> int:
        """The time that runs off next: main time while there is any, then the period's."""
        return self.main or self.period


@dataclass(frozen=True, slots=True)
class Clock:
    """Both seats' clocks. While `running` names a seat, its turn began at `started`.

    `given` is the lag that was compensated at the actions of the present turn so far. `paused` is
    since when the clocks stand still by agreement; None if they do not.
    """

    control: Control
    hands: tuple[Hand, Hand]
    running: Seat | None = None
    started: int = 0
    given: int = 0
    paused: int | None = None

    @classmethod
    def fresh(cls, control: Control) -> Self:
        """The clocks of a game that has not begun."""
        hand = Hand(control.main, control.periods, control.quota_first)
        return cls(control, (hand, hand))

    def budget(self, seat: Seat) -> int:
        """The time in which a seat must end a turn, lag aside."""
        hand = self.hands[seat]
        return hand.main + hand.periods * self.control.period

    def allowance(self, seat: Seat) -> int:
        """The time after a turn's start at which its deadline falls: the budget and all of the
        lag quota that is left, so that the deadline is known before any lag is."""
        return self.budget(seat) + self.hands[seat].quota

    @property
    def deadline(self) -> int | None:
        """The last moment at which an action of the running seat counts, or, in a pause, before
        the clocks go on by themselves; None if none runs."""
        if self.running is None:
            return None
        if self.paused is not None:
            return self.paused + PAUSE_TIME
        return self.started + self.allowance(self.running)

    def begin(self, seat: Seat, at: int) -> Self:
        """A turn of `seat` begins."""
        return replace(self, running=seat, started=at, given=0)

    def compensation(self, lag: int) -> int:
        """How much of a measured lag the running seat is given: what its quota still allows."""
        if self.running is None:
            return 0
        return min(lag, self.hands[self.running].quota - self.given)

    def act(self, at: int, given: int, following: Seat | None) -> Self:
        """The running seat acted at `at` and was given so much for its lag; then `following` is
        to act. If that is the same seat, its turn goes on; else its clock settles."""
        if self.running is None:
            return self
        given += self.given
        if following == self.running:
            return replace(self, given=given)
        settled = self._settled(self.running, at - self.started, given)
        if following is None:
            return replace(settled, running=None, given=0)
        return settled.begin(following, at)

    def credit(self, lost_from: int, lost_to: int) -> Self:
        """Give the running seat back the time of an outage, as far as it fell into its turn and
        into no pause."""
        if self.running is None:
            return self
        lost = self._until(lost_to) - max(lost_from, self.started)
        return replace(self, started=self.started + max(0, lost))

    def pause(self, at: int) -> Self:
        """The players agreed that the clocks stand still."""
        return replace(self, paused=at)

    def resume(self, at: int) -> Self:
        """The clocks go on: the pause counts for nobody."""
        return replace(self, started=self.started + at - self._until(at), paused=None)

    def restored(self, then: int, now: int) -> Self:
        """This clock, that stood so at `then`, as if that had been `now`."""
        return replace(self, started=self.started + now - then)

    def stop(self, at: int) -> Self:
        """The game ended at `at` without an action: the running clock shows what was left."""
        if self.running is None:
            return self
        used = self._until(at) - self.started
        stopped = self._with(self.running, self._after(self.running, used))
        return replace(stopped, running=None, given=0, paused=None)

    def left(self, seat: Seat, now: int) -> Left:
        """What the seat's clock shows at `now` (SPEC 9.7). No lag is compensated here: in the
        time that the quota adds, a clock shows nothing left."""
        hand, period = self.hands[seat], self.control.period
        used = max(0, self._until(now) - self.started) if seat == self.running else 0
        after = self._after(seat, used)
        beyond = max(0, used - hand.main) - (hand.periods - after.periods) * period
        return Left(after.main, after.periods, max(0, period - beyond) if after.periods else 0)

    def _until(self, now: int) -> int:
        """Up to when the running clock has run by `now`."""
        return now if self.paused is None else min(now, self.paused)

    def _settled(self, seat: Seat, elapsed: int, given: int) -> Self:
        control, quota = self.control, self.hands[seat].quota
        # Before the deadline an action counts, whatever was measured: the quota covers the rest.
        given = max(min(given, elapsed), elapsed - self.budget(seat))
        hand = self._after(seat, elapsed - given)
        quota = min(quota + control.quota_gain - given, control.quota_most)
        return self._with(seat, replace(hand, main=hand.main + control.increment, quota=quota))

    def _after(self, seat: Seat, used: int) -> Hand:
        """The hand when `used` is taken from it: first main time, then whole periods. A period is
        lost when it is overstepped, not when it is used up to its end."""
        hand, period = self.hands[seat], self.control.period
        beyond = used - hand.main
        lost = (beyond - 1) // period if period and beyond > 0 else 0
        return replace(hand, main=max(0, -beyond), periods=max(0, hand.periods - lost))

    def _with(self, seat: Seat, hand: Hand) -> Self:
        first, second = self.hands
        return replace(self, hands=(hand, second) if seat == 0 else (first, hand))
