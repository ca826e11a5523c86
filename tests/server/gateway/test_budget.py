"""What requests cost, and what an address pays from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from pierule_protocol import messages as m
from pierule_server.connections.limits import KNOWN, Allowance, Budget, TokenBuckets, Users, draw
from pierule_server.gateway.budget import (
    GAMES,
    PRICES,
    buckets_of_games,
    budget_of,
    budget_of_games,
    games_in,
    price_of,
)
from pierule_server.identity.tokens import Standing
from pierule_server.settings import Settings

SPEC = Path(__file__).parents[3] / "protocol" / "SPEC.md"


def paid(budget: Budget, price: float, now: float) -> float:
    """The seconds until it can pay, or 0."""
    return draw([(budget, price)], now)[0]


def test_playing_and_resuming_are_free() -> None:
    free: list[m.ClientMessage] = [
        m.Hello(id=1, token="t"),
        m.Join(id=1, room="dada", since=m.Since(1, 1, 1)),
        m.Act(id=1, room="dada", turn=0, action="a1"),
        m.Resign(id=1, room="dada", nonce="n"),
        m.Offer(id=1, room="dada", nonce="n", what="draw"),
        m.Ping(id=1),
    ]
    assert [price_of(request) for request in free] == [0] * len(free)


def test_requests_that_create_or_compute_cost_more() -> None:
    assert price_of(m.Hello(id=1)) == 10
    assert price_of(m.Hello(id=1, token="t", name="A", recovery="r" * 20)) == 30
    assert price_of(m.Join(id=1, room="dada")) == 1
    assert price_of(m.Offer(id=1, room="dada", nonce="n", what="rematch")) == 20
    assert price_of(m.Create(id=1, nonce="n", game="loose")) == 20
    assert price_of(m.RoomsQuery(id=1)) == 10
    assert price_of(m.ReplayQuery(id=1, game="loose", actions=["a1"] * 30)) == 8
    assert price_of(m.Say(id=1, nonce="n", room="dada", text="hello")) == 2
    assert price_of(m.Say(id=1, nonce="n", room="dada", text="😀" * 300)) == 14
    assert price_of(m.DownloadAccount(id=1)) == 60
    assert price_of(m.DownloadAccount(id=1, after="room-a-0-0")) == 20


def test_the_specification_names_the_prices() -> None:
    """Those of the plain rows of 1.11; the others stand above."""
    (table,) = re.findall(r"1\.11\. .*?\n\n(\|.*?)\n\n", SPEC.read_text(), re.DOTALL)
    told = {
        name: int(price)
        for names, price in re.findall(r"^\| (.*) \| (\d+) \|$", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`(?=,| \||$)", names)
    }
    priced = {
        kind.__struct_config__.tag: PRICES.get(kind, 1)
        for kind in get_args(m.ClientMessage)
        if kind not in (m.Hello, m.Say, m.ReplayQuery, m.DownloadAccount)
    }
    assert {name: price for name, price in priced.items() if price != 1} == {
        name: price for name, price in told.items() if name in priced
    }


def test_an_address_has_one_budget() -> None:
    token_buckets = TokenBuckets(rate=10, burst=30)
    first, second = (budget_of("192.0.2.1", token_buckets) for _ in range(2))
    assert paid(first, 20, 0) == 0
    assert paid(second, 20, 0) == 1
    assert paid(second, 0, 0) == 0
    assert paid(budget_of("192.0.2.2", token_buckets), 20, 0) == 0
    assert paid(second, 20, 1) == 0


def test_a_wide_network_has_eight_times_as_much() -> None:
    token_buckets = TokenBuckets(rate=1, burst=10)
    each = [budget_of(f"2001:db8:0:{number:x}::/64", token_buckets) for number in range(9)]
    assert [paid(budget, 10, 0) for budget in each] == [0] * 8 + [pytest.approx(10 / 8)]
    assert paid(each[0], 1, 0) > 0
    assert paid(budget_of("2001:db8:1::/64", token_buckets), 10, 0) == 0


def test_a_refused_request_costs_nothing() -> None:
    token_buckets = TokenBuckets(rate=1, burst=10)
    wide = budget_of("2001:db8::/64", token_buckets)
    assert [paid(wide, 10, 0) for _ in range(5)] == [0, 10, 10, 10, 10]
    assert token_buckets.bucket("2001:db8::/48", 8, 0).tokens == 70


def test_the_dearest_request_is_affordable_with_any_burst() -> None:
    assert paid(budget_of("a", TokenBuckets(rate=1, burst=5)), 60, 0) == 0


def test_an_address_with_a_full_budget_is_forgotten() -> None:
    token_buckets = TokenBuckets(rate=1, burst=100)
    for number in range(10_000):
        assert paid(budget_of(str(number), token_buckets), 1, number) == 0
    assert len(token_buckets) <= 101
    poor = budget_of("poor", token_buckets)
    assert paid(poor, 100, 10_000) == 0
    assert paid(poor, 100, 10_050) == 50


def allowance(token_buckets: TokenBuckets, own: TokenBuckets) -> Allowance:
    users = Users(0, 0, 0, own)
    return Allowance(0, 0, 0, users, Budget("address", [("192.0.2.1", 1)], token_buckets))


def test_new_guests_pay_from_their_address_and_vouched_users_from_their_own() -> None:
    token_buckets, own = TokenBuckets(rate=1, burst=20), TokenBuckets(rate=2, burst=20)
    young, vouched = allowance(token_buckets, own), allowance(token_buckets, own)
    assert young.wait(0, 10) == 0
    assert young.enter("new", 0, "young")
    assert vouched.enter("known", 0, "vouched")
    assert young.wait(0, 10) == 0
    assert (young.wait(0, 10), young.spent) == (10, "address")
    assert vouched.wait(0, 20) == 0
    assert (vouched.wait(0, 20), vouched.spent) == (10, "user")
    assert (young.wait(0, 0), young.spent) == (0, None)


def test_a_thousand_guests_who_waited_a_day_have_no_more_than_their_address() -> None:
    token_buckets, own = TokenBuckets(rate=1, burst=20), TokenBuckets(rate=2, burst=20)
    spent = 0
    for number in range(1_000):
        aged = allowance(token_buckets, own)
        assert aged.enter(str(number), 0, "known")
        spent += aged.wait(0, 20) == 0
    assert spent == KNOWN
    young = allowance(token_buckets, own)
    assert young.wait(0, 20) == 0, "what they spend is not what the young have"


def test_a_known_user_has_no_more_than_their_own_budget() -> None:
    one = allowance(TokenBuckets(rate=10, burst=200), TokenBuckets(rate=2, burst=20))
    assert one.enter("a", 0, "known")
    assert one.wait(0, 20) == 0
    assert (one.wait(0, 20), one.spent) == (10, "user")


BEGINS: list[m.ClientMessage] = [
    m.Create(id=1, nonce="n", game="loose"),
    m.Challenge(id=1, nonce="n", to="u", game="loose"),
    m.Offer(id=1, room="dada", nonce="n", what="rematch"),
    m.Seek(id=1, nonce="n", game="loose"),
    m.Seek(id=1, nonce="n", game="loose"),
]
"""Four games: the two seeks lead to one."""


def test_requests_that_begin_games_are_priced() -> None:
    assert sum(map(games_in, BEGINS)) == 4
    assert all(price_of(request) for request in BEGINS)
    assert set(map(type, BEGINS)) == set(GAMES)


def player(games: TokenBuckets, standing: Standing = "young") -> Allowance:
    """The allowance of somebody at an address with the default budgets."""
    chosen = Settings()
    budget = budget_of(
        "192.0.2.1", TokenBuckets(chosen.address_budget, chosen.address_budget_burst)
    )
    users = Users(0, 0, 0, TokenBuckets(chosen.user_budget, chosen.user_budget_burst))
    found = Allowance(0, 0, 0, users, budget, budget_of_games("192.0.2.1", games))
    assert found.enter("user", 0, standing)
    return found


def begun(one: Allowance, every: float, hours: float, games: float) -> tuple[int, int]:
    """Ask for `games` every so many seconds; how often that worked, and how often not."""
    answers = [
        one.wait(number * every, 20 * games, games) == 0
        for number in range(round(hours * 3_600 / every))
    ]
    return sum(answers), len(answers) - sum(answers)


@pytest.mark.parametrize(("standing", "times"), [("young", 1), ("known", KNOWN)])
def test_an_address_does_not_begin_games_for_hours_as_fast_as_it_can(
    standing: Standing, times: int
) -> None:
    chosen = Settings()
    one = player(buckets_of_games(chosen.address_budget, chosen.address_budget_burst), standing)
    assert begun(one, 1, 5, 1)[0] == pytest.approx(times * (300 + 5 * 120), abs=2)
    assert one.spent == "games"
    assert one.wait(5 * 3_600, 20) == 0, "other requests go on"
    assert one.wait(5 * 3_600) == 0, "and so do games"


@pytest.mark.parametrize(("minutes", "hours"), [(10, 12), (5, 4)])
def test_thirty_pupils_who_play_each_other_all_day_are_never_refused(
    minutes: int, hours: int
) -> None:
    chosen = Settings()
    one = player(buckets_of_games(chosen.address_budget, chosen.address_budget_burst))
    assert begun(one, 60 * minutes / 30, hours, games_in(BEGINS[-1]))[1] == 0


def test_without_a_budget_nothing_bounds_new_games() -> None:
    assert begun(player(buckets_of_games(0, 1)), 1, 1, 1)[1] == 0
