"""The independent checker: do the clients' journals and the exported rooms agree?

It sees frames and logs, and uses the protocol's codec, chain and mirror, but neither the server nor
the client library. Each broken promise is a `Violation`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chaos.account import Account, Acknowledged, Follow, RefusedRetry
from chaos.journal import Journal
from chaos.reading import LATE, take_account
from chaos.storage import Outage
from chaos.truth import Truth, Violation, read
from chaos.world import Happened
from pierule_protocol.messages import LogEntry


@dataclass
class Verdict:
    """The findings of the checker. `counts` are for the report."""

    violations: list[Violation] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    truths: dict[str, Truth] = field(default_factory=dict)
    accounts: list[Account] = field(default_factory=list)
    latest: float = 0.0
    """The longest wait for an event of a client that was connected all the time."""


def fail_overs(happened: Sequence[Happened]) -> list[float]:
    """When fail-overs ended, which may lose events, by the latest time that the store may have
    given an event before: its clock may have been set forward, and its logs never go back."""
    return [
        each.ended + sum(max(clock.ahead, 0) for clock in happened if clock.began < each.ended)
        for each in happened
        if each.kind == "store fail-over"
    ]


def outages(happened: Sequence[Happened]) -> list[Outage]:
    """When the store was away, by its own clock: one that is set back meanwhile hides as much of it
    (SPEC 9.6)."""
    found = []
    for began, ended in (each.outage for each in happened if each.outage):
        set_back = [
            abs(clock.ahead)
            for clock in happened
            if began <= (clock.ended if clock.ahead > 0 else clock.began) <= ended
        ]
        found.append((min(began + sum(set_back), ended), ended))
    return found


def check(
    journals: Sequence[Journal],
    logs: Mapping[str, list[LogEntry]],
    happened: Iterable[Happened],
    calm: float,
    forgotten: Sequence[tuple[float, float]] = (),
    noticed: float | None = None,
) -> Verdict:
    """`calm` is the time (seconds since 1970) after which nothing went wrong any more and every
    client sent a last request. Actions acknowledged in the `forgotten` times may be lost, because
    the store promises no more. If `noticed` is given, by `calm` every event of that age in seconds
    must have reached everybody who follows its room."""
    happened = list(happened)
    verdict = Verdict()
    away = outages(happened)
    taken_back = fail_overs(happened)
    taken_back += [until for _, until in forgotten]
    for room, entries in logs.items():
        if forgotten and not entries:
            verdict.truths[room] = Truth(room, [])  # whether it may be lost is checked below
            continue
        verdict.truths[room], wrong = read(room, entries, away)
        verdict.violations += wrong
    verdict.accounts = [take_account(each, verdict.truths, taken_back) for each in journals]
    judge(verdict, forgotten=forgotten)
    for account in verdict.accounts:
        _check_last_word(verdict, account, calm)
        if noticed is not None:
            _check_noticed(verdict, account, calm, calm - noticed)
    return verdict


def judge(
    verdict: Verdict, late: float = LATE, forgotten: Sequence[tuple[float, float]] = ()
) -> None:
    """Compare the accounts with the truths: acknowledged actions are kept, everything in a log was
    requested, and followers of a room heard of it within `late` seconds."""
    intended: set[tuple[str, str, int, str]] = set()
    for account in verdict.accounts:
        verdict.violations += account.violations
        verdict.counts += account.counts
        intended |= {(account.user, *each) for each in account.intended}
        _check_acknowledged(verdict, account, forgotten)
        _check_follows(verdict, account, late)
        _check_refused(verdict, account)
    for truth in verdict.truths.values():
        _check_asked_for(verdict, truth, intended)


def _check_acknowledged(
    verdict: Verdict, account: Account, forgotten: Sequence[tuple[float, float]]
) -> None:
    """Every acknowledged action is in the final log, at its place."""

    def may_go(at: float) -> bool:
        return any(since <= at <= until for since, until in forgotten)

    gone = {(a.room, a.turn, a.action) for a in account.acknowledged if may_go(a.at)}
    places: dict[tuple[str, int, str], object] = {}
    for each in account.acknowledged:
        verdict.counts["answers to actions"] += 1
        key = each.room, each.turn, each.action
        if places.setdefault(key, each.place) != each.place and key not in gone:
            verdict.violations.append(
                Violation(
                    "a retry is answered as at first",
                    each.room,
                    f"{account.name}: {each}",
                    account.name,
                )
            )
    for each in {(a.room, a.turn, a.action): a for a in account.acknowledged}.values():
        verdict.counts["acknowledged"] += 1
        problem = _lost(verdict.truths.get(each.room), account.user, each)
        if problem and may_go(each.at):
            verdict.counts["forgotten, as promised"] += 1
        elif problem:
            verdict.counts[problem] += 1
            text = f"{problem}: {account.name}: {each}"
            verdict.violations.append(
                Violation("what is acknowledged is kept", each.room, text, account.name)
            )
    made = {room for room, at in account.made.items() if not may_go(at)}
    for room in sorted(made - {room for room, it in verdict.truths.items() if it.entries}):
        verdict.counts["lost"] += 1
        verdict.violations.append(Violation("what is acknowledged is kept", room, "lost: the room"))
    for (room, user), at in account.seated.items():
        truth = verdict.truths.get(room)
        if truth is not None and user not in truth.seats and not may_go(at):
            verdict.counts["lost"] += 1
            verdict.violations.append(
                Violation(
                    "what is acknowledged is kept", room, f"lost: the seat of {user}", account.name
                )
            )


def _check_refused(verdict: Verdict, account: Account) -> None:
    """No action was refused that was in the log by then: somebody had heard of it. The log's times
    do not show that, because the store's clock may be behind."""
    for each in account.refused:
        if any(_had_heard(other, each) for other in verdict.accounts):
            text = f"{account.name}: {each.text}"
            verdict.violations.append(
                Violation(
                    "a retry is answered as at first", each.room, text, account.name, each.sent
                )
            )


def _had_heard(account: Account, of: RefusedRetry) -> bool:
    """Whether a client knew that an action was kept, before it was sent again."""
    if any((it.room, it.place) == (of.room, of.place) and it.at < of.sent
           for it in account.acknowledged):  # fmt: skip
        return True
    for follow in account.follows:
        reached = bisect_left(follow.reached, (of.place.epoch, of.place.seq))
        if follow.room == of.room and any(at < of.sent for at in follow.times[reached:]):
            return True
    return False


def _lost(truth: Truth | None, user: str, acknowledged: Acknowledged) -> str:
    played = truth and truth.played.get(acknowledged.turn)
    if not played or (played.user, played.action) != (user, acknowledged.action):
        return "lost"
    return "" if played.place == acknowledged.place else "misplaced"


def _check_asked_for(
    verdict: Verdict, truth: Truth, intended: set[tuple[str, str, int, str]]
) -> None:
    """Every action in the log was requested for its turn, and none is there twice."""
    for played in truth.played.values():
        if (played.user, truth.room, played.turn, played.action) not in intended:
            verdict.counts["doubled"] += 1
            verdict.violations.append(
                Violation("an action happens once", truth.room, f"nobody asked for {played}")
            )


def _check_follows(verdict: Verdict, account: Account, late: float) -> None:
    """Followers of a room heard of all its events in time; delayed spectators, once the game was
    over."""
    for follow in account.follows:
        truth = verdict.truths.get(follow.room)
        if truth is None:
            continue
        if follow.left is None and follow.place != truth.end:
            text = f"the log ends at {truth.end}"
            at = truth.entries[-1].at / 1_000 if truth.entries else 0.0
            verdict.violations.append(_behind(account, follow, text, at))
            verdict.counts["undetected desyncs"] += 1
            continue
        until = (follow.left or account.end) - late
        behind = truth.ended if truth.delay and account.user not in truth.seats else None
        for entry in truth.entries:
            at = max(entry.at, behind or 0) / 1_000
            if at < follow.since or (entry.epoch, entry.seq) <= follow.first:
                continue
            reached = bisect_left(follow.reached, (entry.epoch, entry.seq))
            if reached < len(follow.times):
                took = follow.times[reached] - at
                verdict.latest = max(verdict.latest, took)
            elif at > until:
                break
            else:
                took = late
            if took >= late:
                text = f"{entry.epoch, entry.seq} did not come within {late} s"
                verdict.violations.append(_behind(account, follow, text, at))
                verdict.counts["undetected desyncs"] += 1
                break


def _check_noticed(verdict: Verdict, account: Account, calm: float, before: float) -> None:
    """Clients that follow a room when all is calm have heard of everything before."""
    for follow in account.follows:
        truth = verdict.truths.get(follow.room)
        if truth is None or follow.since > calm or (follow.left or calm) < calm:
            continue
        last = follow.reached[-1] if follow.reached else follow.first
        missed = [each for each in truth.entries if each.at / 1_000 < before
                  and (each.epoch, each.seq) > max(last, follow.first)]  # fmt: skip
        if missed:
            text = f"{missed[0].epoch, missed[0].seq} has not come when all is calm"
            violation = _behind(account, follow, text, missed[0].at / 1_000)
            verdict.violations.append(violation)


def _behind(account: Account, follow: Follow, text: str, at: float) -> Violation:
    text = f"{account.name} at {follow.place}: {text}"
    return Violation("nobody is left behind", follow.room, text, account.name, at)


def _check_last_word(verdict: Verdict, account: Account, calm: float) -> None:
    if not any(at > calm for at in account.pongs):
        verdict.counts["did not come back"] += 1
        verdict.violations.append(
            Violation(
                "everybody comes back",
                "",
                f"{account.name} was not heard of at the end",
                account.name,
                calm,
            )
        )
