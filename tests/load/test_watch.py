"""What counts as broken, and what broke first."""

from __future__ import annotations

import asyncio

import pytest

from pierule_load.pace import Pace
from pierule_load.plan import Plan
from pierule_load.tally import Tally
from pierule_load.watch import FEW, LAG, Watch


class Running(Pace):
    """Time that is set by hand."""

    now = 1.0

    @property
    def passed(self) -> float:
        return self.now


class Case:
    """A run that is looked at every second."""

    def __init__(self, rate: float | None = 100.0) -> None:
        plan = Plan(("ws://a/ws",), rate=rate, bound=0.2)
        self.tally = Tally()
        self.pace = Running(plan, self.tally)
        self.watch = Watch(plan, self.tally, self.pace)

    def second(
        self, kept: float = 0.01, told: float = 0.01, actions: int = 100, late: float = 0
    ) -> None:
        self.tally.kept.extend([kept] * actions)
        self.tally.told.extend([told] * actions)
        self.tally.acted += actions
        self.watch.look(1.0, late)
        self.pace.now += 1

    @property
    def broke(self) -> list[tuple[str, float]]:
        return [(each.kind, each.at) for each in self.tally.troubles]


@pytest.fixture
async def case() -> Case:
    return Case()


async def test_a_good_run_has_no_troubles(case: Case) -> None:
    case.second()
    case.second()
    assert case.broke == []
    assert [each.acted for each in case.tally.seconds] == [100, 100]
    assert case.tally.seconds[0].kept_p99 == 0.01


async def test_each_trouble_is_noted_once_with_its_first_second(case: Case) -> None:
    case.second()
    case.second(kept=0.3)
    case.second(kept=0.3, told=0.5)
    case.tally.lost["closed with 1012: restart"] += 1
    case.second()
    assert case.broke == [
        ("slow acknowledgements", 2), ("slow deliveries", 3), ("lost connections", 4)
    ]  # fmt: skip


async def test_few_samples_make_no_quantile(case: Case) -> None:
    case.second(kept=9, told=9, actions=FEW - 1)
    assert case.broke == []


async def test_refusals_are_noted_in_the_servers_words(case: Case) -> None:
    case.tally.refused["Your address has too many connections here. (HTTP 429)"] += 3
    case.tally.errors["act", "rate", "too many requests in a short time; wait retry_ms"] += 1
    case.second()
    texts = {each.kind: each.text for each in case.tally.troubles}
    assert texts["refused connections"].startswith("Your address")
    assert texts["refused requests"].startswith("act: rate, too many")


async def test_a_generator_at_its_limit_is_reported_first(case: Case) -> None:
    case.second(kept=0.3, late=LAG * 2)
    assert [kind for kind, _ in case.broke] == ["load generator", "slow acknowledgements"]


async def test_a_rate_that_is_not_reached_is_noted(case: Case) -> None:
    case.tally.missed += 50
    case.second(actions=50)
    assert case.broke == [("rate not reached", 1)]
    assert case.tally.troubles[0].text == "50 actions/s instead of 100"


async def test_nothing_counts_as_broken_after_the_end(case: Case) -> None:
    case.pace.stop()
    case.second(kept=9)
    assert (case.broke, case.tally.seconds) == ([], [])


async def test_each_second_is_shown() -> None:
    case = Case()
    shown: asyncio.Queue[int] = asyncio.Queue()
    task = asyncio.create_task(case.watch.run(lambda second: shown.put_nowait(second.acted)))
    assert await shown.get() == 0
    task.cancel()
