"""Whether enough happened for a run to prove anything, and what it found, in words."""

from __future__ import annotations

from collections.abc import Mapping

from chaos.checker import Verdict
from social.crowd import Crowd
from social.run import Plan

LEAST = {
    "done: seek": 0.3, "done: cancel_seek": 0.01, "paired": 0.5, "done: challenge": 0.1,
    "done: answer_challenge": 0.01, "acted": 1.5, "taken_back": 0.1, "offered takeback": 0.4,
    "offered draw": 0.02, "offered pause": 0.1, "declined": 0.1, "withdrawn": 0.1,
    "paused": 0.05, "resumed": 0.02, "drawn": 0.01, "rematched": 0.02, "resigned": 0.1,
    "aborted": 0.1, "said": 0.5, "heard by players": 0.5, "heard by spectators": 0.1,
    "muted": 0.01, "done: block": 0.1, "seen with a delay": 0.05, "lobby": 0.2,
    "refused: not_now": 0.1, "refused: too_early": 0.05,
}  # fmt: skip
"""How often each kind of dealing must happen, for each person of a run: a third or less of the
usual number."""

CLAIMS = 3
"""Games that must be claimed, if there is time to wait for that."""


def lacking(plan: Plan, counts: Mapping[str, int]) -> list[str]:
    """The dealings that did not happen often enough: the run proves nothing about them."""
    least = {kind: max(1, round(share * plan.people)) for kind, share in LEAST.items()}
    least |= {"result left": CLAIMS} if plan.patient else {}
    return [
        f"{kind}: {counts.get(kind, 0)}, fewer than {number}"
        for kind, number in least.items()
        if counts.get(kind, 0) < number
    ]


def wrong_in(verdict: Verdict, crowd: Crowd) -> list[str]:
    """The broken promises, and what failed."""
    broken = [f"{each.promise}: {each.room} {each.text}" for each in verdict.violations]
    return broken + crowd.failures
