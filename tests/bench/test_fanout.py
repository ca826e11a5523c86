"""The simulation of many spectators: what it must show, whatever its figures."""

from __future__ import annotations

from random import Random

import pytest

from bench.fanout import People, crowds, fanouts, storm, watched


def test_more_nodes_reach_the_last_spectator_sooner() -> None:
    slow, fast = (watched(100_000, nodes, Random(1), events=100) for nodes in (2, 20))
    assert fast.p50 < slow.p50
    assert fast.busy < slow.busy


def test_fan_out_takes_at_least_the_time_of_the_writes_of_one_node() -> None:
    one = watched(4_000, 1, Random(1), events=100, other=0)
    assert one.p50 >= 0.9 * 4_000 * 3.1e-6


def test_a_node_that_gets_more_than_it_can_send_falls_ever_further_behind() -> None:
    one = watched(1_000_000, 1, Random(1), events=100)
    assert one.busy > 1
    assert one.p99 > 10


def test_simulated_figures_match_the_measured_ones() -> None:
    """A thousand spectators of a quiet node: `gentle 1000` has a p99 of 13.9 ms."""
    one = watched(1_000, 1, Random(1), every=0.2, other=0)
    assert 0.002 < one.p99 < 0.0139


def test_all_clients_of_a_dead_node_reconnect() -> None:
    half, last = storm(20_000, 10, Random(1))
    assert 0 < half < last
    # So many at once that some give up and come again.
    assert storm(60_000, 2, Random(1))[1] > storm(10_000, 2, Random(1))[1]


def test_a_room_costs_more_the_more_nodes_its_followers_are_on() -> None:
    crowd = People(100_000)
    apart, together = crowd.cores(together=False), crowd.cores(together=True)
    assert crowd.spread(together=True) == 1
    assert 1 < crowd.spread(together=False) <= crowd.nodes
    assert together["further nodes"] == 0 < apart["further nodes"]
    assert crowd.gigabytes == pytest.approx(0.809, abs=0.01)


def test_both_tables_of_the_fan_out_have_all_rows() -> None:
    assert len([*crowds()]) == 5
    assert len([*fanouts(10_000, Random(1))]) == 9
