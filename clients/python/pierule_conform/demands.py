"""What a scenario waits for the client to do. Each of these steps ends when that has come, or
raises Breach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pierule_conform.contract import CONTRACT, Breach
from pierule_conform.stage import Stage

SOON = 6.0
"""Seconds for what a client does at once."""
START = 12.0
"""Seconds for a client to start up and connect."""
STALE = 10.0
"""Seconds after a `stale` in which a client that hears nothing has to ask (SPEC 14: some 5 s)."""
HASTE = 0.03
"""Seconds for which a client waits before one of four new connections at least. If it waits as it
should (14.1), all four delays are shorter once in 77 000 runs."""
RETURN = 20.0
"""Seconds for a client to come back, back-off included."""


class Step(Protocol):
    """One line of a script."""

    async def play(self, stage: Stage) -> None: ...


@dataclass(frozen=True, slots=True)
class Joined:
    """The client connects, says hello and joins for the first time; it sits if it is told to."""

    async def play(self, stage: Stage) -> None:
        await stage.until(lambda: bool(stage.handshakes), START, "1.1", "a connection")
        await stage.until(
            lambda: any(line.greeted for line in stage.lines), SOON,
            "7" if stage.passing else "1.3", "the client's hello",
        )  # fmt: skip
        if stage.hello_refused is not None:
            return
        seat, room = stage.task.seat, stage.truth
        await stage.until(
            lambda: bool(stage.joins) and (seat is None or room.room.seats[seat] is not None),
            SOON + 5 * stage.lag,
            "6.1",
            "its join" if seat is None else "its join with a seat",
        )
        await Reported().play(stage)
        stage.seen = len(stage.joins)


@dataclass(frozen=True, slots=True)
class TriesAgain:
    """The first handshakes, so many, are refused because the server is busy; the client comes back
    nevertheless."""

    times: int

    async def play(self, stage: Stage) -> None:
        stage.turned_away = self.times
        await stage.until(lambda: bool(stage.handshakes), START, "1.1", "a connection")
        await stage.until(lambda: len(stage.handshakes) > self.times, RETURN, "1.13", "another try")


@dataclass(frozen=True, slots=True)
class Reported:
    """The client has reported every board that it was told of."""

    async def play(self, stage: Stage) -> None:
        due = stage.judge.waiting
        what = f"the board after event {due.seq} of epoch {due.epoch}" if due else "nothing"
        await stage.until(
            lambda: stage.judge.waiting is None, SOON + 4 * stage.lag,
            stage.section if stage.judge.tricked else "6.1", f"a report of {what}",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rejoins:
    """The client, in trouble since the step before, joins again on the same connection: from the
    place it knows, or for a snapshot."""

    since: bool
    slowly: bool = False

    async def play(self, stage: Stage) -> None:
        seconds = STALE if self.slowly else SOON
        await _join_follows(stage, self.since, stage.section, seconds)


@dataclass(frozen=True, slots=True)
class Returns:
    """The client, cut off since the step before, connects again and joins from the place that it
    knows. It may have to try for longer."""

    section: str = "7"

    async def play(self, stage: Stage) -> None:
        await stage.until(
            lambda: len(stage.handshakes) > stage.tried, RETURN, self.section,
            "another connection (has the client noticed that the last one is dead?)",
        )  # fmt: skip
        await _join_follows(stage, True, self.section, RETURN)


async def _join_follows(stage: Stage, since: bool, section: str, seconds: float) -> None:
    known = stage.judge.last
    what = "a join with since = the place it knows" if since else "a join without since"
    seen = stage.seen
    await stage.until(lambda: len(stage.joins) > seen, seconds + 4 * stage.lag, section, what)
    join = stage.joins[seen].message
    stage.seen = len(stage.joins)
    place = join.since and (join.since.epoch, join.since.seq)
    if place != (known if since else None):
        raise Breach(section, "joins again, but not from there", what, join.since, stage.last_sent)


@dataclass(frozen=True, slots=True)
class Stays:
    """Nothing is said for a while, but the server is there: the client has no reason to make
    another connection."""

    seconds: float

    async def play(self, stage: Stage) -> None:
        before = len(stage.handshakes)
        await stage.quiet(self.seconds)
        if len(stage.handshakes) > before:
            why = "makes another connection though the server answers and pings"
            raise Breach("1.4", why, 0, len(stage.handshakes) - before)


@dataclass(frozen=True, slots=True)
class Connected:
    """So many connections were enough until here."""

    times: int
    section: str

    async def play(self, stage: Stage) -> None:
        tries = len(stage.handshakes)
        if tries > self.times:
            why = "makes another connection without need"
            raise Breach(self.section, why, self.times, tries)


@dataclass(frozen=True, slots=True)
class Hesitates:
    """The client has let some time pass before the connections that it made anew."""

    async def play(self, stage: Stage) -> None:
        longest = max(stage.delays)
        if longest < HASTE:
            why = f"connects again at once, each time within {longest:.3f} s"
            raise Breach(stage.section, why, "a random time of up to 0.5 s", stage.delays)


@dataclass(frozen=True, slots=True)
class Keeps:
    """The client had no reason to join again."""

    async def play(self, stage: Stage) -> None:
        await stage.quiet(0.1)
        if len(stage.joins) > stage.seen:
            why, join = "joins again without need", stage.joins[-1].message
            raise Breach(stage.section, why, "no join", join, stage.last_sent)


@dataclass(frozen=True, slots=True)
class Trusts:
    """All that came has fitted: the client had no reason to ask for everything anew."""

    section: str

    async def play(self, stage: Stage) -> None:
        for join in stage.joins[1:]:
            if join.message.since is None:
                why = "joins without since, as after a fork, though every event fitted"
                raise Breach(self.section, why, "no such join", join.message, stage.last_sent)


@dataclass(frozen=True, slots=True)
class GivesUp:
    """The client tells of a fault and ends with a status that is not 0, and does not come back."""

    section: str

    async def play(self, stage: Stage) -> None:
        before = len(stage.handshakes)
        stage.may_give_up = True
        await stage.until(
            lambda: bool(stage.acts) or len(stage.handshakes) > before
            or stage.exit_status is not None,
            SOON, self.section, "the client's end, with a fault",
        )  # fmt: skip
        if stage.acts:
            raise Breach(self.section, "sends again what was refused for good", None,
                         stage.acts[-1].message, stage.last_sent)  # fmt: skip
        if len(stage.handshakes) > before:
            raise Breach(self.section, "connects again though that is of no use")
        if stage.fault is None or stage.exit_status == 0:
            wanted = "a line with `fault`, and a status that is not 0"
            raise Breach(self.section, "ends without telling of a fault", wanted,
                         stage.exit_status, stage.last_sent)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShutOut:
    """The client tries to connect once more, is refused for good, and gives up."""

    section: str

    async def play(self, stage: Stage) -> None:
        await stage.until(lambda: len(stage.handshakes) > stage.tried, RETURN, "7", "another try")
        await GivesUp(self.section).play(stage)


@dataclass(frozen=True, slots=True)
class Ends:
    """The room ends by resignation if it has not ended yet; the client reports that and ends with
    status 0."""

    async def play(self, stage: Stage) -> None:
        await Reported().play(stage)
        if stage.truth.state.status != "over":
            await stage.tell(stage.truth.resign(1))
        await Reported().play(stage)
        if stage.exit_status is None:
            await stage.until(lambda: stage.exit_status is not None, SOON, CONTRACT,
                              "the client's end after the end of the room")  # fmt: skip
        if stage.exit_status != 0:
            raise Breach(CONTRACT, "ends with another status than 0", 0, stage.exit_status)
        if stage.acts or stage.played < len(stage.task.actions):
            raise Breach("6.3", "acts without need, or too seldom", None,
                         [asked.message for asked in stage.acts])  # fmt: skip
