"""Buckets and counters: the time is ours."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_server.connections.limits import (
    WIDE,
    AddressCounts,
    Allowance,
    Budget,
    ConnectionCounts,
    TokenBucket,
    TokenBuckets,
    Users,
)
from pierule_server.identity.addresses import group

NONE = Users(0, 0, 0)


def test_a_bucket_holds_its_burst_and_then_its_rate() -> None:
    bucket = TokenBucket(rate=2, burst=3)
    for _ in range(3):
        assert bucket.wait(100.0) == 0
        bucket.take()
    assert bucket.wait(100.0) == 0.5
    assert bucket.wait(100.25) == 0.25
    assert bucket.wait(100.5) == 0
    bucket.take()
    assert bucket.wait(100.5) == 0.5


def test_a_bucket_is_full_at_first_and_never_fuller() -> None:
    bucket = TokenBucket(rate=1, burst=2)
    assert bucket.wait(1e9) == 0
    assert bucket.tokens == 2


def test_a_rate_of_zero_is_no_limit_and_a_burst_of_zero_allows_one() -> None:
    assert TokenBucket(rate=0, burst=0).wait(0) == 0
    single = TokenBucket(rate=1, burst=0)
    assert single.wait(5) == 0
    single.take()
    assert single.wait(5) == 1


@settings(database=None, deadline=None)
@given(
    st.integers(1, 50), st.integers(1, 100),
    st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=200),
)  # fmt: skip
def test_a_bucket_never_gives_more_than_burst_and_rate_in_any_interval(
    rate: int, burst: int, pauses: list[float]
) -> None:
    bucket = TokenBucket(rate, burst)
    now, taken = 1_000.0, []
    for pause in pauses:
        now += pause
        if bucket.wait(now) == 0:
            bucket.take()
            taken.append(now)
    for first in range(len(taken)):
        for last in range(first, len(taken)):
            assert last - first + 1 <= burst + rate * (taken[last] - taken[first]) + 1e-6


def test_connection_counts_are_kept_and_forgotten() -> None:
    counts = ConnectionCounts(2)
    assert [counts.over(counts.enter("a")) for _ in range(3)] == [False, False, True]
    assert not counts.over(counts.enter("b"))
    assert [counts.leave("a") for _ in range(3)] == [2, 1, 0]
    assert len(counts) == 1
    assert not ConnectionCounts(0).over(10**9)


def name_of(address: str) -> str:
    return group(ip_address(address))


def test_a_wide_network_has_a_bounded_number_of_connections() -> None:
    counts = AddressCounts(3)
    names = [name_of(f"2001:db8:1:{network:x}::1") for network in range(100) for _ in range(4)]
    entered = [name for name in names if counts.enter(name)]
    assert len(entered) == 3 * WIDE
    assert max(entered.count(name) for name in entered) == 3
    assert counts.enter(name_of("2001:db8:2::1")), "another network"
    assert counts.enter("203.0.113.1")
    counts.leave(entered[0])
    assert counts.enter(names[-1])


@settings(database=None, deadline=None)
@given(
    st.integers(0, 3),
    st.lists(
        st.tuples(
            st.booleans(), st.sampled_from(["", "10.0.0.1", "2001:db8::1", "2001:db8:0:1::1"])
        ),
        max_size=60,
    ),
)  # fmt: skip
def test_connections_of_addresses_are_bounded_and_leave_nothing(
    most: int, steps: list[tuple[bool, str]]
) -> None:
    counts = AddressCounts(most)
    here: list[str] = []
    for comes, address in steps:
        name = name_of(address) if address else ""
        if not comes and name in here:
            here.remove(name)
            counts.leave(name)
        elif comes:
            full = 0 < most <= here.count(name)
            assert counts.enter(name) != full
            here += [] if full else [name]
        assert counts.of(name) == here.count(name)
    for name in here:
        counts.leave(name)
    assert len(counts) == 0


def test_the_connections_of_a_user_share_a_bucket() -> None:
    users = Users(most=2, rate=1, burst=5)
    assert users.enter("a", 0) is users.enter("a", 0)
    assert users.enter("a", 0) is None
    assert users.enter("b", 0) is not None
    users.leave("a", 1)
    assert users.enter("a", 1) is not None


def test_a_returning_user_finds_the_same_token_bucket() -> None:
    users = Users(most=1, rate=1, burst=5)
    bucket = users.enter("a", 10)
    assert bucket is not None
    assert bucket.wait(10) == 0
    bucket.take()
    users.leave("a", 10)
    assert users.enter("a", 14) is bucket
    users.leave("a", 14)
    assert users.enter("b", 19) is not None
    assert len(users) == 1, "a's bucket is full again, and forgotten"
    assert users.enter("a", 19) is not bucket


def test_debts_outlive_the_time_in_which_an_empty_bucket_fills() -> None:
    buckets = TokenBuckets(1, 60)
    for _ in range(4):  # all of it, at as many workers
        buckets.spent("a", 1, 60, 0)
    assert buckets.bucket("b", 1, 61) is not None
    assert buckets.bucket("a", 1, 61).wait(61, 1) == 120
    assert buckets.bucket("a", 1, 181).wait(181, 1) == 0

    users = Users(most=1, rate=1, burst=5)
    bucket = users.enter("a", 10)
    assert bucket is not None
    users.requested("a", 20, 10)
    users.leave("a", 10)
    assert users.enter("a", 20) is bucket


def test_a_million_guests_leave_nothing() -> None:
    users = Users(most=1, rate=40, burst=120)
    for number in range(10_000):
        users.enter(str(number), number)
        users.leave(str(number), number)
    assert len(users) <= 4


def test_an_allowance_takes_from_both_buckets_or_from_neither() -> None:
    users = Users(most=0, rate=1, burst=3)
    first, second = (Allowance(10, 10, 0, users) for _ in range(2))
    assert first.enter("a", 0)
    assert second.enter("a", 0)
    assert [first.wait(0), first.wait(0), second.wait(0)] == [0, 0, 0]
    assert second.wait(0) == 1
    assert second.wait(0.5) == 0.5
    assert second.wait(1) == 0


def test_a_connection_has_a_rate_before_hello() -> None:
    allowance = Allowance(1, 2, 0, NONE)
    assert [allowance.wait(0) for _ in range(3)] == [0, 0, 1]


def test_a_client_floods_after_several_refusals_in_a_row() -> None:
    allowance = Allowance(1, 1, 3, NONE)
    assert allowance.wait(0) == 0
    for now in (0.1, 0.2):
        assert allowance.wait(now) > 0
        assert not allowance.flooding
    assert allowance.wait(1.5) == 0
    for now in (1.6, 1.7):
        assert allowance.wait(now) > 0
    assert not allowance.flooding
    assert allowance.wait(1.8) > 0
    assert allowance.flooding


@pytest.mark.parametrize("refusals", [0, 10_000])
def test_a_client_is_not_flooding_below_the_limit_or_without_one(refusals: int) -> None:
    allowance = Allowance(1, 1, refusals, NONE)
    for _ in range(5_000):
        allowance.wait(0)
    assert not allowance.flooding


def test_the_connections_of_an_address_share_its_patience() -> None:
    patience = TokenBuckets(10, 5)
    first, second = (
        Allowance(1, 1, 0, NONE, patience=Budget("refusals", [("192.0.2.1", 1)], patience))
        for _ in range(2)
    )
    assert [each.tires(0, 2) for each in (first, second, first)] == [False, False, True]
    assert not second.tires(0, 1), "what did not suffice was not taken"
    assert second.tires(0.05, 1)
    assert not second.tires(0.1, 1)
    other = Allowance(1, 1, 0, NONE, patience=Budget("refusals", [("192.0.2.2", 1)], patience))
    assert not other.tires(0.1, 5)


def test_an_allowance_that_leaves_twice_is_counted_once() -> None:
    users = Users(most=1, rate=0, burst=0)
    allowance = Allowance(1, 1, 0, users)
    assert allowance.enter("a", 0)
    assert not Allowance(1, 1, 0, users).enter("a", 0)
    allowance.leave(1)
    allowance.leave(1)
    assert Allowance(1, 1, 0, users).enter("a", 2)
