"""Checks a run every second, and notes what breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pierule_load.pace import Pace
from pierule_load.plan import Plan
from pierule_load.tally import Second, Tally, Trouble, quantile

FEW = 20
"""A second with fewer samples has no p99."""
LAG = 0.1
"""How many seconds late the event loop of this program may be. Beyond that, it measures itself."""
SHORT = 0.9
"""The part of the wanted rate that the server must reach."""


class Watch:
    """Notes when each kind of trouble began."""

    def __init__(self, plan: Plan, tally: Tally, pace: Pace) -> None:
        self._plan, self._tally, self._pace = plan, tally, pace
        self._kept = self._told = self._acted = self._missed = 0
        self._loss, self._refusals, self._errors = 0, 0, 0

    async def run(self, show: Callable[[Second], None]) -> None:
        """Check every second until this is cancelled. Calls `show` with each second."""
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            late = 0.0
            while (passed := clock() - began) < 1.0:
                nap = min(0.05, 1.0 - passed)
                before = clock()
                await asyncio.sleep(nap)
                late = max(late, clock() - before - nap)
            second = self.look(clock() - began, late)
            show(second)

    def look(self, lasted: float, late: float) -> Second:
        """Sum up the last second, and note what broke in it."""
        tally = self._tally
        kept, told = tally.kept[self._kept :], tally.told[self._told :]
        self._kept, self._told = len(tally.kept), len(tally.told)
        acted, self._acted = tally.acted - self._acted, tally.acted
        second = Second(
            self._pace.passed, round(acted / lasted), tally.connected,
            quantile(kept, 0.99) if len(kept) >= FEW else None,
            quantile(told, 0.99) if len(told) >= FEW else None,
            late,
        )  # fmt: skip
        if self._pace.passed and not self._pace.over:
            tally.seconds.append(second)
            for kind, text in self._broken(second):
                self._note(kind, text, second)
        return second

    def _broken(self, second: Second) -> list[tuple[str, str]]:
        tally, bound, found = self._tally, self._plan.bound, []
        kept, told = second.kept_p99, second.told_p99
        if second.lag > LAG:
            text = (
                f"this program was {second.lag * 1_000:.0f} ms late, so from here on it measures "
                "itself; use a faster machine, or several"
            )
            found.append(("load generator", text))
        if kept is not None and kept > bound:
            found.append(("slow acknowledgements", f"p99 {_ms(kept)}, more than {_ms(bound)}"))
        if told is not None and told > 2 * bound:
            found.append(("slow deliveries", f"p99 {_ms(told)}, more than {_ms(2 * bound)}"))
        lost, refused = tally.lost.total(), tally.refused.total()
        errors = tally.errors.total()
        if lost > self._loss:
            found.append(("lost connections", tally.lost.most_common(1)[0][0]))
        if refused > self._refusals:
            found.append(("refused connections", tally.refused.most_common(1)[0][0]))
        if errors > self._errors:
            (asked, code, text), _ = tally.errors.most_common(1)[0]
            found.append(("refused requests", f"{asked}: {code}{text and f', {text}'}"))
        wanted = self._plan.rate_at(second.at) or 0
        if tally.missed > self._missed and second.acted < SHORT * wanted:
            found.append(("rate not reached", f"{second.acted} actions/s instead of {wanted:.0f}"))
        self._loss, self._refusals, self._errors = lost, refused, errors
        self._missed = tally.missed
        return found

    def _note(self, kind: str, text: str, second: Second) -> None:
        if all(trouble.kind != kind for trouble in self._tally.troubles):
            self._tally.troubles.append(Trouble(second.at, second.acted, kind, text))


def _ms(seconds: float) -> str:
    return f"{seconds * 1_000:.0f} ms"
