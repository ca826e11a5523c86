"""Steps in which the client has to do something. Each ends when that has happened, or raises
Breach."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from websockets.frames import CloseCode

from pierule_conform.contract import CONTRACT, Breach
from pierule_conform.trial import Trial
from pierule_conform.truth import ROOM
from pierule_protocol.buckets import bucket_of
from pierule_protocol.messages import Problem

SOON = 6.0
"""Seconds for what a client does at once."""
START = 12.0
"""Seconds for a client to start up and connect."""
STALE = 10.0
"""Seconds after `stale` within which a client that hears nothing has to ask (SPEC 14: about 5
s)."""
LATER = 3.0
"""Seconds for a request that was refused for now to come again; a client may also leave it out."""
PAUSE = 1.0
"""Seconds of a pause, in which no act may come."""
HASTE = 0.03
"""At least one of four delays before new connections must be this long, in seconds. If a client
waits as it should (14.1), all four are shorter once in 77,000 runs."""
RETURN = 20.0
"""Seconds for a client to come back, back-off included."""


class Step(Protocol):
    """One step of a script."""

    async def play(self, trial: Trial) -> None: ...


@dataclass(frozen=True, slots=True)
class Joined:
    """The client connects, says hello and joins for the first time. It takes a seat if it was told
    to."""

    async def play(self, trial: Trial) -> None:
        await trial.until(lambda: bool(trial.handshakes), START, "1.1", "a connection")
        await trial.until(
            lambda: any(connection.greeted for connection in trial.connections), SOON,
            "7" if trial.passing else "1.3", "the client's hello",
        )  # fmt: skip
        if trial.hello_refused is not None:
            return
        seat, room = trial.task.seat, trial.truth
        await trial.until(
            lambda: bool(trial.joins) and (seat is None or room.room.seats[seat] is not None),
            SOON + 5 * trial.lag,
            "6.1",
            "its join" if seat is None else "its join with a seat",
        )
        await Reported().play(trial)
        trial.seen = len(trial.joins)


@dataclass(frozen=True, slots=True)
class TriesAgain:
    """The first handshakes are refused because the server is busy; the client comes back
    nevertheless."""

    times: int

    async def play(self, trial: Trial) -> None:
        trial.turned_away = self.times
        await trial.until(lambda: bool(trial.handshakes), START, "1.1", "a connection")
        await trial.until(lambda: len(trial.handshakes) > self.times, RETURN, "1.13", "another try")


@dataclass(frozen=True, slots=True)
class Reported:
    """The client has reported every board that it was sent."""

    async def play(self, trial: Trial) -> None:
        due = trial.judge.waiting
        what = f"the board after event {due.seq} of epoch {due.epoch}" if due else "nothing"
        await trial.until(
            lambda: trial.judge.waiting is None, SOON + 4 * trial.lag,
            trial.section if trial.judge.tricked else "6.1", f"a report of {what}",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rejoins:
    """What came in the step before did not fit. The client joins again on the same connection: from
    the place that it knows, or for a snapshot."""

    since: bool
    slowly: bool = False

    async def play(self, trial: Trial) -> None:
        seconds = STALE if self.slowly else SOON
        await _join_follows(trial, self.since, trial.section, seconds)


@dataclass(frozen=True, slots=True)
class PutOff:
    """The client has joined again, and was refused for now."""

    async def play(self, trial: Trial) -> None:
        what = "a join, because of what came"
        await trial.until(lambda: "join" in trial.put_off, SOON, trial.section, what)


@dataclass(frozen=True, slots=True)
class JoinsFromHere:
    """The client may send the join again that was refused: from the place that it knows by now."""

    async def play(self, trial: Trial) -> None:
        end = asyncio.get_running_loop().time() + LATER
        while len(trial.joins) == trial.seen and asyncio.get_running_loop().time() < end:
            await trial.quiet(0.05)
        for asked in trial.joins[trial.seen :]:
            since = asked.message.since
            if since is None or (since.epoch, since.seq) != trial.judge.last:
                why = "sends a join again with the `since` of before, though it knows another place"
                raise Breach(trial.section, why, trial.judge.last, since, trial.last_sent)
        trial.seen = len(trial.joins)


@dataclass(frozen=True, slots=True)
class Reports:
    """The client tells the server that its board differs after the latest event."""

    problem: Problem

    async def play(self, trial: Trial) -> None:
        place = trial.truth.place
        wanted = f"board_mismatch of event {place.seq} as {self.problem}"
        await trial.until(lambda: bool(trial.reports), SOON + 4 * trial.lag, "6.2", wanted)
        told = trial.reports.pop(0)
        if (told.epoch, told.seq, told.problem) != (place.epoch, place.seq, self.problem):
            raise Breach("6.2", "reports another board or problem", wanted, told, trial.last_sent)


@dataclass(frozen=True, slots=True)
class Closes:
    """The client stops, and closes its connection with 1000."""

    async def play(self, trial: Trial) -> None:
        socket = trial.connections[-1].socket
        await socket.wait_closed()
        code = socket.close_code
        if code != CloseCode.NORMAL_CLOSURE:
            why = "stops without a close with 1000: what it has sent may be lost"
            raise Breach("6.2", why, 1000, code)


@dataclass(frozen=True, slots=True)
class WhereToldTo:
    """A client that was sent elsewhere has connected by the room's hint, or has stayed (1.16)."""

    async def play(self, trial: Trial) -> None:
        served = trial.joins[0]
        path, hint = served.connection.path, f"bucket={bucket_of(ROOM)}"
        if len(trial.handshakes) > 1 and hint not in path.partition("?")[2].split("&"):
            raise Breach("1.16", "goes elsewhere without the room's hint", f"/ws?{hint}", path)
        if len(trial.handshakes) > 2:
            raise Breach("1.16", "goes elsewhere more than once", 2, len(trial.handshakes))


@dataclass(frozen=True, slots=True)
class Returns:
    """The client has lost its connection in the step before. It connects again, maybe after several
    tries, and joins from the place that it knows."""

    section: str = "7"

    async def play(self, trial: Trial) -> None:
        await trial.until(
            lambda: len(trial.handshakes) > trial.tried, RETURN, self.section,
            "another connection (has the client noticed that the last one is dead?)",
        )  # fmt: skip
        await _join_follows(trial, True, self.section, RETURN)


async def _join_follows(trial: Trial, since: bool, section: str, seconds: float) -> None:
    known = trial.judge.last
    what = "a join with since = the place it knows" if since else "a join without since"
    seen = trial.seen
    await trial.until(lambda: len(trial.joins) > seen, seconds + 4 * trial.lag, section, what)
    join = trial.joins[seen].message
    trial.seen = seen + 1
    place = join.since and (join.since.epoch, join.since.seq)
    if place != (known if since else None):
        raise Breach(
            section, "joins again, but with another `since`", what, join.since, trial.last_sent
        )


@dataclass(frozen=True, slots=True)
class Stays:
    """Nothing comes for a while, but the server is there: the client has no reason to open another
    connection."""

    seconds: float

    async def play(self, trial: Trial) -> None:
        before = len(trial.handshakes)
        await trial.quiet(self.seconds)
        if len(trial.handshakes) > before:
            why = "opens another connection though the server answers and pings"
            raise Breach("1.4", why, 0, len(trial.handshakes) - before)


@dataclass(frozen=True, slots=True)
class Connected:
    """The client has opened at most this many connections so far."""

    times: int
    section: str

    async def play(self, trial: Trial) -> None:
        tries = len(trial.handshakes)
        if tries > self.times:
            why = "opens another connection without need"
            raise Breach(self.section, why, self.times, tries)


@dataclass(frozen=True, slots=True)
class Hesitates:
    """The client has waited before it connected again."""

    async def play(self, trial: Trial) -> None:
        longest = max(trial.delays)
        if longest < HASTE:
            why = f"connects again at once, each time within {longest:.3f} s"
            raise Breach(trial.section, why, "a random time of up to 0.5 s", trial.delays)


@dataclass(frozen=True, slots=True)
class Keeps:
    """The client had no reason to join again."""

    async def play(self, trial: Trial) -> None:
        await trial.quiet(0.1)
        if len(trial.joins) > trial.seen:
            why, join = "joins again without need", trial.joins[-1].message
            raise Breach(trial.section, why, "no join", join, trial.last_sent)


@dataclass(frozen=True, slots=True)
class Waits:
    """The client may not act now, and does not."""

    async def play(self, trial: Trial) -> None:
        await trial.quiet(PAUSE)
        if trial.acts:
            why, act = "acts although the clocks are paused", trial.acts[-1].message
            raise Breach(trial.section, why, "no act before `resumed`", act, trial.last_sent)


@dataclass(frozen=True, slots=True)
class Trusts:
    """Everything that came fitted: the client had no reason to ask for a snapshot."""

    section: str

    async def play(self, trial: Trial) -> None:
        for join in trial.joins[1:]:
            if join.message.since is None:
                why = "joins without since, as after a fork, though every event fitted"
                raise Breach(self.section, why, "no such join", join.message, trial.last_sent)


@dataclass(frozen=True, slots=True)
class GivesUp:
    """The client reports a fault, ends with a status that is not 0, and does not come back."""

    section: str

    async def play(self, trial: Trial) -> None:
        before = len(trial.handshakes)
        trial.may_give_up = True
        await trial.until(
            lambda: bool(trial.acts) or len(trial.handshakes) > before
            or trial.exit_status is not None,
            SOON, self.section, "the client's end, with a fault",
        )  # fmt: skip
        if trial.acts:
            raise Breach(self.section, "sends again what was refused for good", None,
                         trial.acts[-1].message, trial.last_sent)  # fmt: skip
        if len(trial.handshakes) > before:
            raise Breach(self.section, "connects again though nothing is left to try")
        if trial.fault is None or trial.exit_status == 0:
            wanted = "a line with `fault`, and a status that is not 0"
            raise Breach(self.section, "ends without reporting a fault", wanted,
                         trial.exit_status, trial.last_sent)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShutOut:
    """The client tries to connect once more, is refused for good, and gives up."""

    section: str

    async def play(self, trial: Trial) -> None:
        await trial.until(lambda: len(trial.handshakes) > trial.tried, RETURN, "7", "another try")
        await GivesUp(self.section).play(trial)


@dataclass(frozen=True, slots=True)
class Ends:
    """The room ends by resignation if it has not ended yet; the client reports that and ends with
    status 0."""

    async def play(self, trial: Trial) -> None:
        await Reported().play(trial)
        if trial.truth.state.status != "over":
            await trial.tell(trial.truth.resign(1))
        await Reported().play(trial)
        if trial.exit_status is None:
            await trial.until(lambda: trial.exit_status is not None, SOON, CONTRACT,
                              "the client's end after the end of the room")  # fmt: skip
        if trial.exit_status != 0:
            raise Breach(CONTRACT, "ends with another status than 0", 0, trial.exit_status)
        if trial.acts or trial.played < len(trial.task.actions):
            raise Breach("6.3", "acts without need, or leaves actions unplayed", None,
                         [asked.message for asked in trial.acts])  # fmt: skip
