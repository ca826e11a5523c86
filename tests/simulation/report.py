"""The outcomes of many seeds. Each is a line of a file, so that a run can be interrupted and
continued."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from simulation.run import Outcome


@dataclass(frozen=True, slots=True)
class Told:
    """What one seed came to: `cpu` and `seconds` are of the processor, and simulated."""

    seed: int
    cpu: float
    seconds: float
    acknowledged: int
    answered: int
    looked: int
    met: dict[str, int]
    failures: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, outcome: Outcome, cpu: float) -> Told:
        verdict = outcome.verdict
        answered = sum(asked.good for each in verdict.accounts for asked in each.asked)
        return cls(
            outcome.plan.seed, round(cpu, 3), round(outcome.seconds, 3),
            verdict.counts["acknowledged"], answered, outcome.looked, dict(outcome.met),
            outcome.failures[:5],
        )  # fmt: skip


def kept(file: Path | None) -> dict[int, Told]:
    """The seeds in a file, by number; a line that was broken off is none."""
    found: dict[int, Told] = {}
    for line in file.read_text().splitlines() if file and file.exists() else ():
        if line.endswith("}"):
            told = Told(**json.loads(line))
            found[told.seed] = told
    return found


def keep(file: Path | None, told: Told) -> None:
    """Add a seed to a file."""
    if file is not None:
        with file.open("a") as out:
            out.write(json.dumps(asdict(told)) + "\n")


def summary(several: Iterable[Told]) -> str:
    """All of them in a few lines; the last is the verdict."""
    return "\n".join(_summary(list(several)))


def progress(several: Iterable[Told], wanted: int) -> str:
    """The same in one."""
    several = list(several)
    failed = sum(bool(told.failures) for told in several)
    acknowledged = sum(told.acknowledged for told in several)
    return f"{len(several)} of {wanted} seeds, {failed} failed, {acknowledged} acknowledged actions"


def _summary(several: list[Told]) -> Iterator[str]:
    cpu = sum(told.cpu for told in several)
    acknowledged = sum(told.acknowledged for told in several)
    answered = sum(told.answered for told in several)
    met: Counter[str] = Counter()
    for told in several:
        met.update(told.met)
    yield (
        f"{sum(told.seconds for told in several) / 3_600:.2f} simulated hours, "
        f"{acknowledged} acknowledged actions, {answered} requests done, {met.total()} faults "
        f"that met something, {sum(told.looked for told in several)} steps looked at"
    )
    if cpu:
        yield (
            f"{cpu:.1f} s of CPU: {acknowledged / cpu:.0f} actions and {answered / cpu:.0f} "
            "requests a second"
        )
    yield _spread("acknowledged actions of a seed", [told.acknowledged for told in several])
    yield _spread("faults of a seed that met something", [sum(t.met.values()) for t in several])
    yield _spread("simulated seconds of a seed", [round(told.seconds) for told in several])
    for kind, times in sorted(met.items()):
        yield f"    {kind}: {times}"
    failed = sorted(told.seed for told in several if told.failures)
    yield f"{len(several)} seeds, {len(failed)} failed{': ' if failed else ''}{failed or ''}"


def _spread(name: str, values: list[int]) -> str:
    values.sort()
    if not values:
        return f"{name}: none"
    parts = [values[round(part * (len(values) - 1))] for part in (0, 0.1, 0.5, 0.9, 1)]
    mean = sum(values) / len(values)
    return f"{name}: mean {mean:.0f}; least, 10 %, half, 90 %, most {parts}"
