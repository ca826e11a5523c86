"""How many pages the archive's API gives to an address."""

from __future__ import annotations

import pytest

from pierule_protocol import world
from pierule_server.connections.limits import WIDE
from pierule_server.operations.api import Addresses
from pierule_server.settings import Settings


def test_a_wide_network_gets_eight_times_the_pages_of_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(world, "monotonic", lambda: 100.0)
    addresses = Addresses(Settings(api_rate=1, api_burst=10))
    peers = [f"2001:db8:1:{network:x}::1" for network in range(100) for _ in range(11)]
    names = [addresses.name(peer, {}) for peer in peers]
    given = [name for name in names if addresses.wait(name) == 0]
    assert len(given) == 10 * WIDE
    assert given.count(names[0]) == 10
    assert addresses.wait(addresses.name("2001:db8:2::1", {})) == 0
