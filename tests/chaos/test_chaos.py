"""A short `make chaos`: a little of everything, over all three stores at once."""

from __future__ import annotations

import pytest

from chaos.__main__ import run_all
from chaos.report import report, text
from chaos.run import Phase
from chaos.schedule import KINDS, Store, schedule
from chaos.world import FAKETIME

SECONDS = 16.0
EACH: dict[Store, dict[str, int]] = {
    "single": dict.fromkeys(KINDS["single"], 1),
    "sentinel": {"store fail-over": 2, "node kill": 1, "store link cut": 1, "store link delay": 1},
    "cluster": {"slot migration": 4, "client cut": 2, "store link cut": 1, "lost message": 1},
}


@pytest.mark.long(48)
@pytest.mark.timeout(400)
def test_promises_hold_under_chaos() -> None:
    phases = [
        Phase(store, schedule(4, counts, store, SECONDS), 50, 3 * SECONDS, 10, 2, quiet=12)
        for store, counts in EACH.items()
    ]
    outcomes = run_all(phases, 4)
    found = report(4, outcomes)
    assert found["holds"], text(found)
    assert found["acknowledged"] > 300
    done = {outcome.phase.store: len(outcome.happened) for outcome in outcomes}
    jumps = FAKETIME is None
    assert done == {store: sum(counts.values()) - (jumps and store == "single")
                    for store, counts in EACH.items()}  # fmt: skip
