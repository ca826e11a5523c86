"""What all workers have counted, also those that drain, and those that end as they are asked."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from pierule_server.settings import Settings
from pierule_server.workers.crew import Crew
from pierule_server.workers.ledger import Ledger
from pierule_server.workers.life import Life
from pierule_server.workers.messages import Family, Sample
from pierule_server.workers.report import Report


def life(requests: float, measured: Callable[[], None] = lambda: None) -> Life:
    """The worker 1 with so many requests."""

    async def measure() -> None:
        measured()

    families = [
        Family("wk_requests", "", "counter", [Sample("wk_requests_total", {}, requests)]),
        Family("wk_age", "", "gauge", [Sample("wk_age", {}, requests)]),
        Family("pierule_connections", "", "gauge", [Sample("pierule_connections", {}, requests)]),
    ]
    known: Any = {"number": 1, "families": families, "measure": measure, "well": True}
    return cast("Life", _Life(**known))


class _Life(SimpleNamespace):
    """One among others, as a `Life` is."""

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


def crew_of(seated: Life, *apart: Life) -> Crew:
    crew = Crew(1, {}, 3, 60, Ledger(Settings()), lambda: None)
    crew.posts[0].life = seated
    crew._apart.update(apart)
    return crew


async def told(crew: Crew) -> dict[str, list[tuple[dict[str, str], float]]]:
    """The samples of each metric that workers have."""
    return {
        family.name: [(sample.labels, sample.value) for sample in family.samples]
        for family in await Report(crew)._families()
        if family.name in ("wk_requests", "wk_age", "pierule_connections")
    }


async def test_counts_of_draining_workers_are_in_the_sums() -> None:
    assert await told(crew_of(life(3), life(40))) == {
        "wk_requests": [({}, 43)],
        "wk_age": [({"worker": "1"}, 3)],
        "pierule_connections": [({}, 43)],
    }


async def test_a_worker_that_ends_while_it_is_asked_is_counted_once() -> None:
    def end() -> None:
        crew.retired.add(leaving.families)
        crew._apart.discard(leaving)

    leaving = life(40, end)
    crew = crew_of(life(3), leaving)
    assert (await told(crew))["wk_requests"] == [({}, 43)]
    assert (await told(crew))["pierule_connections"] == [({}, 3)]
