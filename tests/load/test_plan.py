"""What may be loaded, and how fast."""

from __future__ import annotations

from typing import Any

import pytest

from pierule_load.plan import Plan, Unwilling, check_url, is_near
from pierule_protocol import world


class Named(world.Machine):
    """A world in which every host has these addresses."""

    def __init__(self, *addresses: str) -> None:
        super().__init__()
        self.addresses = addresses

    def resolve(self, host: str, port: int) -> list[Any]:
        if not self.addresses:
            raise OSError(-2, "Name or service not known")
        return [(2, 1, 6, "", (address, port)) for address in self.addresses]


@pytest.mark.parametrize("url", ["ws://127.0.0.1:8000/ws", "wss://play.example.org/ws"])
def test_an_address_of_a_server_is_accepted(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/ws", "127.0.0.1:8000", "ws:///ws", "ws://host:nine/ws", ""]
)
def test_an_invalid_address_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(Unwilling, match="ws://HOST:PORT/ws"):
        check_url(url)


@pytest.mark.parametrize(
    ("addresses", "near"),
    [
        (("127.0.0.1",), True),
        (("::1", "127.0.0.1"), True),
        (("10.1.2.3",), True),
        (("192.168.0.9", "fe80::1%eth0"), True),
        (("203.0.114.7",), False),
        (("10.1.2.3", "203.0.114.7"), False),
        (("2a00::1",), False),
    ],
)
def test_only_this_machine_and_private_networks_are_near(
    addresses: tuple[str, ...], near: bool
) -> None:
    with world.entered(Named(*addresses)):
        assert is_near("wss://play.example.org/ws") is near


def test_a_host_without_an_address_is_named() -> None:
    with (
        world.entered(Named()),
        pytest.raises(Unwilling, match=r"no server at ws://nowhere:1/ws \(Name or service"),
    ):
        is_near("ws://nowhere:1/ws")


def test_a_ramp_rises_from_a_tenth_to_the_whole() -> None:
    plan = Plan(("ws://a/ws",), rate=100, ramp=True, seconds=10)
    assert [plan.rate_at(at) for at in (0, 5, 10, 11)] == pytest.approx([10, 55, 100, 100])
    assert Plan(("ws://a/ws",), rate=100).rate_at(0) == 100
    assert Plan(("ws://a/ws",), rate=None).rate_at(5) is None


def test_players_and_spectators_are_connections() -> None:
    assert Plan(("ws://a/ws",), tables=3, spectators=4).connections == 18


def test_connections_begin_with_the_nodes_in_turn() -> None:
    plan = Plan(("ws://a/ws", "ws://b/ws", "ws://c/ws"))
    assert [plan.urls_of(number)[0][5] for number in range(4)] == ["a", "b", "c", "a"]
    assert plan.urls_of(1) == ("ws://b/ws", "ws://c/ws", "ws://a/ws")
