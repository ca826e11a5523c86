"""Who may come in, by address and by wider network."""

from __future__ import annotations

import resource

import pytest

from pierule_server.connections.limits import WIDE
from pierule_server.gateway.arrivals import AT_ONCE, SPARE, Arrival, Arrivals
from pierule_server.settings import Settings


def come(arrivals: Arrivals, networks: int, each: int) -> list[Arrival]:
    """Those who are let in, out of so many addresses of one /48."""
    names = [f"2001:db8:1:{number:x}::/64" for number in range(networks) for _ in range(each)]
    came = [arrivals.enter(name, 0.0) for name in names]
    return [arrival for arrival in came if arrival is not None and not arrival.crowded]


@pytest.mark.parametrize("most", [1, 4])
async def test_a_wide_network_has_eight_times_the_connections_of_an_address(most: int) -> None:
    arrivals = Arrivals(Settings(connections_per_address=most, handshakes_per_address=0))
    here = come(arrivals, 100, 5)
    assert len(here) == most * WIDE
    other = arrivals.enter("2001:db8:2::/64", 0.0)
    assert other is not None
    assert not other.crowded, "another network is as free as before"
    for arrival in here:
        arrival.leave()
    assert len(come(arrivals, 100, 5)) == most * WIDE


async def test_a_wide_network_makes_eight_times_the_handshakes_of_an_address() -> None:
    arrivals = Arrivals(Settings(connections_per_address=0, handshakes_per_address=10))
    assert len(come(arrivals, 1, AT_ONCE + 50)) == AT_ONCE
    assert len(come(arrivals, 200, AT_ONCE)) == AT_ONCE * (WIDE - 1)


@pytest.mark.parametrize(
    ("limit", "last"), [(65_536, 65_536 - SPARE), (100, 50), (resource.RLIM_INFINITY, None)]
)
async def test_the_limit_of_open_files_bounds_all_connections_together(
    monkeypatch: pytest.MonkeyPatch, limit: int, last: int | None
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    arrivals = Arrivals(Settings())
    if last is None:
        assert not arrivals.full(10**9)
    else:
        assert [arrivals.full(number) for number in (last - 1, last)] == [False, True]
