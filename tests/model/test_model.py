"""The models keep their laws within small bounds, and the checker finds what is broken on purpose.
`make model` has wider bounds, and more breaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from model.checker import check
from model.runs import BREAKS, SMALL, Bounds, Break, model_of


@pytest.mark.parametrize("bounds", SMALL, ids=lambda bounds: type(bounds).__module__)
def test_the_models_keep_their_laws_within_small_bounds(bounds: Bounds) -> None:
    outcome = check(model_of(bounds))
    assert outcome.found is None
    assert outcome.whole
    assert outcome.states > 3_000


@pytest.mark.parametrize("each", [each for each in BREAKS if each.quick], ids=lambda each: each.how)
def test_a_deliberate_break_is_found(each: Break) -> None:
    found = check(model_of(each.bounds, each.how)).found
    assert found is not None
    assert found.why.startswith(each.law)
    assert len(found.story) > 2


class Counter:
    """Counts to three, if nobody interferes."""

    def initial(self) -> int:
        return 0

    def steps(self, state: int) -> Iterator[tuple[str, int]]:
        if state < 3:
            yield "one more", state + 1
        yield "!back to one", 1

    def wrong(self, state: int) -> str | None:
        return "beyond three" if state > 3 else None

    def wrong_at_rest(self, state: int) -> str | None:
        return None if state == 3 else f"rests at {state}"


def test_the_checker_visits_every_state_and_rests_where_only_faults_are_left() -> None:
    outcome = check(Counter())
    assert (outcome.states, outcome.depth, outcome.whole, outcome.found) == (4, 3, True, None)


def test_the_checker_tells_a_shortest_story() -> None:
    class Stops(Counter):
        def steps(self, state: int) -> Iterator[tuple[str, int]]:
            if state < 2:
                yield "one more", state + 1
            yield "!jump", 9

    found = check(Stops()).found
    assert found is not None
    assert (found.why, found.story) == ("beyond three", ["!jump"])
