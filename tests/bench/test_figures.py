"""Medians, paired ratios and verdicts, of rounds whose figures are known beforehand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bench.figures import (
    Case,
    Fact,
    Measured,
    Result,
    Round,
    Spread,
    actions,
    cases,
    deliveries,
    delivery_cost,
    load,
    server,
    server_cost,
)  # fmt: skip
from bench.targets import EARLY, FEW, LATE, MANY, verdicts


def one(
    contender: str, number: int = 0, *, case: str = "fan-out 1000", per_second: int = 1_000,
    p50: int = 100, busy: float = 0.5, store_with_load: bool = False, dry: bool = False,
    late: int = 0,
) -> Measured:  # fmt: skip
    """A round of two seconds, to an audience of ten."""
    found = Round(
        seconds=2, actions=per_second * 2, deliveries=per_second * 20, processor=2 * busy,
        late=late, dry=dry, p50=p50, p99=2 * p50, worst=3 * p50,
    )  # fmt: skip
    return Measured(case, contender, number, found, 1.5, 0.3, store_with_load)


def result(measured: list[Measured], facts: list[Fact]) -> Result:
    names = {each.contender for each in measured}
    settings = {name: f"settings of {name}" for name in names}
    titles = {name: name.title() for name in names}
    return Result(
        "2026-11-20", "abc", 600, {"processor": "some"}, titles, settings, measured, facts
    )


@given(st.lists(st.floats(0.1, 1e6), min_size=1))
def test_a_spread_encloses_its_median(values: list[float]) -> None:
    spread = Spread.of(values)
    assert spread.low == min(values) <= spread.median <= spread.high == max(values)


def test_the_figures_of_a_round_follow_from_its_counts() -> None:
    found = one("pierule")
    assert (actions(found), deliveries(found)) == (1_000, 10_000)
    assert delivery_cost(found) == 1.8e6 / 20_000
    assert server_cost(found) == 1.5e6 / 2_000


def test_the_store_counts_towards_the_core_on_which_it_runs() -> None:
    assert (server(one("pierule")), load(one("pierule"))) == (0.9, 0.5)
    beside = one("pierule", store_with_load=True)
    assert (server(beside), load(beside)) == (0.75, 0.65)


def test_ratios_are_those_of_paired_rounds() -> None:
    ours = [one("pierule", number, per_second=rate) for number, rate in enumerate((10, 200, 3_000))]
    theirs = [one("ws", number, per_second=rate) for number, rate in enumerate((5, 100, 1_000))]
    case = Case("fan-out 1000", [*theirs, *ours])
    assert case.ratio("pierule", "ws", actions) == Spread(2, 2, 3)
    assert case.ratio("pierule", "colyseus", actions) is None


def test_a_round_without_its_pair_is_left_out_of_a_ratio() -> None:
    """One of the two failed after its first round."""
    ours = [one("pierule", number, per_second=rate) for number, rate in enumerate((10, 999))]
    case = Case("fan-out 1000", [*ours, one("ws", 0, per_second=5)])
    assert case.ratio("pierule", "ws", actions) == Spread(2, 2, 2)


def test_a_saturated_load_client_is_reported() -> None:
    case = Case("c", [one("slow", case="c", busy=0.84), one("quick", case="c", busy=0.86)])
    assert not case.saturated("slow")
    assert case.saturated("quick")


def test_rounds_that_ran_out_of_games_are_reported() -> None:
    case = Case(
        "c", [one("slow", case="c"), one("quick", case="c"), one("quick", case="c", dry=True)]
    )
    assert not case.dry("slow")
    assert case.dry("quick")


def test_cases_keep_the_order_of_the_rounds() -> None:
    names = ["rooms", "alone", "rooms", "fan-out 100"]
    found = cases([one("pierule", case=name) for name in names])
    assert list(found) == ["rooms", "alone", "fan-out 100"]


def test_verdicts_say_which_targets_were_met_and_by_how_much_others_were_missed() -> None:
    measured = [
        one("pierule", per_second=1_300), one("colyseus", per_second=1_000),
        one("loop", per_second=4_000),
        one("pierule", case="alone", p50=600), one("loop", case="alone"),
        one(MANY, case="number of rooms, 10 in flight", per_second=1_000),
        one(FEW, case="number of rooms, 10 in flight", per_second=2_000),
    ]  # fmt: skip
    facts = [
        Fact("floor", "fsync", 100, "µs"), Fact("floor", "round trip", 50, "µs"),
        Fact("idle spectator", "pierule", 9, "kB"), Fact("idle spectator", "loop", 99, "kB"),
        Fact("length", EARLY, 100, "µs"), Fact("length", LATE, 120, "µs"),
    ]  # fmt: skip
    told = [(each.found.median, each.text) for each in verdicts(result(measured, facts))]
    assert told == [
        (1.3, "met"), (0.325, "missed by 50%"), (2, "missed by 60%"),
        (4, "missed by 33%"), (9, "met"), (1.2, "met"),
    ]  # fmt: skip
