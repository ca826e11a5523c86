"""The arithmetic of game clocks. Pure: every time is an argument, in the store's milliseconds.

One form covers all controls: main time, an increment for each turn, and periods of overtime that
begin anew with each turn (SPEC 9). Fischer has no periods. Japanese byo-yomi has no increment. A
fixed time for each turn is one period without main time.

Here, a *turn* lasts as long as the same seat is to act. A player who chooses a color and then plays
acts twice in one turn, with one deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pierule_games.game import Seat

PAUSE_TIME = 600_000
"""Milliseconds after which clocks that the players stopped go on by themselves. This is not a
setting, because every node must fold a log in the same way."""


@dataclass(frozen=True, slots=True)
class Control:
    """How a clock runs. Times are in milliseconds; `periods` is how many periods there are."""

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
        """The lag quota that a seat gains with each turn, in milliseconds: 0.4 % of the estimate
        plus 150 ms, at most a second. Lichess has the same rule."""
        return min(1_000, self.estimate * 4 // 1_000 + 150)

    @property
    def quota_first(self) -> int:
        """The quota at the start of a game: three gains, as on lichess."""
        return 3 * self.quota_gain

    @property
    def quota_most(self) -> int:
        """The most quota that a seat can save up: seven gains, as on lichess."""
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
    """The number of periods left, including the one that runs."""
    period: int
    """What is left of the first period, in milliseconds."""

    @property
    def shown(self) -> int:
        """The time to show, in milliseconds: main time while there is any, then the period's."""
        return self.main or self.period


@dataclass(frozen=True, slots=True)
class Clock:
    """Both seats' clocks. While `running` names a seat, its turn began at `started`.

    `given` is the lag compensated so far in the present turn. `paused` is the time since which the
    clocks stand still by agreement; None if they do not.
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
        """The milliseconds that a seat has for a turn, without compensation for lag."""
        hand = self.hands[seat]
        return hand.main + hand.periods * self.control.period

    def allowance(self, seat: Seat) -> int:
        """The milliseconds from a turn's start to its deadline: the budget and the whole lag quota
        that is left. So the deadline is known before any lag is measured."""
        return self.budget(seat) + self.hands[seat].quota

    @property
    def deadline(self) -> int | None:
        """The last moment at which an action of the running seat counts. In a pause, the moment at
        which the clocks go on by themselves. None if no clock runs."""
        if self.running is None:
            return None
        if self.paused is not None:
            return self.paused + PAUSE_TIME
        return self.started + self.allowance(self.running)

    def begin(self, seat: Seat, at: int) -> Self:
        """A turn of `seat` begins."""
        return type(self)(self.control, self.hands, seat, at, 0, self.paused)

    def compensation(self, lag: int) -> int:
        """How much of a measured lag the running seat gets back: as much as its quota allows."""
        if self.running is None:
            return 0
        return min(lag, self.hands[self.running].quota - self.given)

    def act(self, at: int, given: int, following: Seat | None) -> Self:
        """The clocks after the running seat acted at `at` and got `given` for its lag. `following`
        acts next. If that is the same seat, its turn goes on; otherwise its clock settles."""
        if self.running is None:
            return self
        given += self.given
        if following == self.running:
            return replace(self, given=given)
        started = self.started if following is None else at
        hands = self._settled(self.running, at - self.started, given)
        return type(self)(self.control, hands, following, started, 0, self.paused)

    def credit(self, lost_from: int, lost_to: int) -> Self:
        """Give the running seat the time of an outage back: the part that fell into its turn and
        not into a pause."""
        if self.running is None:
            return self
        lost = self._until(lost_to) - max(lost_from, self.started)
        return replace(self, started=self.started + max(0, lost))

    def pause(self, at: int) -> Self:
        """The players agreed that the clocks stand still."""
        return replace(self, paused=at)

    def resume(self, at: int) -> Self:
        """The clocks go on. The pause costs nobody any time."""
        return replace(self, started=self.started + at - self._until(at), paused=None)

    def restored(self, then: int, now: int) -> Self:
        """The clock as it stood at `then`, moved to `now`: it shows the same times."""
        return replace(self, started=self.started + now - then)

    def stop(self, at: int) -> Self:
        """The game ended at `at` without an action: the running clock stops at what is left."""
        if self.running is None:
            return self
        used = self._until(at) - self.started
        hands = self._with(self.running, self._after(self.running, used))
        return replace(self, hands=hands, running=None, given=0, paused=None)

    def left(self, seat: Seat, now: int) -> Left:
        """What the seat's clock shows at `now` (SPEC 9.7). It does not count the lag quota: during
        the time that the quota adds, the clock shows zero."""
        hand, period = self.hands[seat], self.control.period
        used = max(0, self._until(now) - self.started) if seat == self.running else 0
        after = self._after(seat, used)
        beyond = max(0, used - hand.main) - (hand.periods - after.periods) * period
        return Left(after.main, after.periods, max(0, period - beyond) if after.periods else 0)

    def _until(self, now: int) -> int:
        """The time up to which the running clock has run: `now`, or when the pause began."""
        return now if self.paused is None else min(now, self.paused)

    def _settled(self, seat: Seat, elapsed: int, given: int) -> tuple[Hand, Hand]:
        control, quota = self.control, self.hands[seat].quota
        # An action before the deadline counts, whatever lag was measured: the quota covers it.
        given = max(min(given, elapsed), elapsed - self.budget(seat))
        hand = self._after(seat, elapsed - given)
        quota = min(quota + control.quota_gain - given, control.quota_most)
        return self._with(seat, Hand(hand.main + control.increment, hand.periods, quota))

    def _after(self, seat: Seat, used: int) -> Hand:
        """The hand after `used` milliseconds: first main time runs off, then periods. A period is
        lost when it is exceeded, not when it is used up exactly."""
        hand, period = self.hands[seat], self.control.period
        beyond = used - hand.main
        lost = (beyond - 1) // period if period and beyond > 0 else 0
        return Hand(max(0, -beyond), max(0, hand.periods - lost), hand.quota)

    def _with(self, seat: Seat, hand: Hand) -> tuple[Hand, Hand]:
        first, second = self.hands
        return (hand, second) if seat == 0 else (first, hand)
