"""Whose a connection is, and from which page it may come."""

from __future__ import annotations

import pytest
from websockets.datastructures import Headers

from pierule_server.gateway.admission import Admission
from pierule_server.settings import Settings

PROXIES = "10.0.0.0/8, 192.0.2.1,fd00::/8"


def client(peer: str, *headers: str, proxies: str = PROXIES, name: str = "X-Forwarded-For") -> str:
    admission = Admission(Settings(trusted_proxies=proxies, proxy_header=name))
    return admission.origin_of(peer, Headers([("X-Forwarded-For", value) for value in headers]))


@pytest.mark.parametrize(
    ("peer", "headers", "whose"),
    [
        ("198.51.100.9", [], "198.51.100.9"),
        ("198.51.100.9", ["203.0.113.7"], "198.51.100.9"),
        ("10.1.2.3", ["203.0.113.7"], "203.0.113.7"),
        ("10.1.2.3", ["6.6.6.6, 203.0.113.7"], "203.0.113.7"),
        ("10.1.2.3", ["6.6.6.6", "203.0.113.7"], "203.0.113.7"),
        ("10.1.2.3", ["6.6.6.6, 203.0.113.7, 192.0.2.1"], "203.0.113.7"),
        ("10.1.2.3", ["10.9.9.9, 10.8.8.8"], "10.9.9.9"),
        ("10.1.2.3", [], "10.1.2.3"),
        ("10.1.2.3", ["unknown"], "10.1.2.3"),
        ("10.1.2.3", ["6.6.6.6, nonsense, 10.4.4.4"], "10.4.4.4"),
        ("10.1.2.3", [""], "10.1.2.3"),
        ("10.1.2.3", ["," * 5_000], "10.1.2.3"),
        ("::ffff:10.1.2.3", ["203.0.113.7"], "203.0.113.7"),
        ("fd00::1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:aaaa::1", [], "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("", [], ""),
    ],
)
def test_the_client_address_is_found_behind_proxies(
    peer: str, headers: list[str], whose: str
) -> None:
    assert client(peer, *headers) == whose


def test_proxies_are_not_trusted_by_default() -> None:
    assert client("127.0.0.1", "203.0.113.7", proxies="") == "127.0.0.1"


def test_only_the_configured_proxy_header_counts() -> None:
    assert client("10.1.2.3", "203.0.113.7", name="X-Real-IP") == "10.1.2.3"


@pytest.mark.parametrize("wrong", ["10.0.0.0/33", "proxy.example", "10.0.0.0/8,x"])
def test_an_invalid_proxy_setting_is_named(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"trusted-proxies: '.*' is neither an address"):
        Admission(Settings(trusted_proxies=wrong))


@pytest.mark.parametrize(
    ("origins", "origin", "host", "allowed"),
    [
        ("", "http://play.example", "play.example", True),
        ("", "https://play.example", "play.example", True),
        ("", "https://play.example", "play.example:443", True),
        ("", "https://play.example:443", "play.example", True),
        ("", "https://Play.Example", "play.EXAMPLE", True),
        ("", "http://[::1]:8000", "[::1]:8000", True),
        ("", "http://play.example:8000", "play.example", False),
        ("", "http://evil.example", "play.example", False),
        ("", "http://play.example.evil.example", "play.example", False),
        ("", "http://play.example@evil.example", "play.example", False),
        ("", "null", "play.example", False),
        ("", "", "play.example", False),
        ("", "http://[", "[", False),
        ("", "http://a:b", "a:b", False),
        ("", "http://play.example", None, False),
        ("*", "http://evil.example", "play.example", True),
        ("*", "null", None, True),
        ("https://a.example, https://b.example/", "https://b.example", "x", True),
        ("https://a.example", "http://a.example", "a.example", False),
        ("https://a.example", "https://x", "x", False),
    ],
)
def test_only_allowed_origins_are_admitted(
    origins: str, origin: str, host: str | None, allowed: bool
) -> None:
    assert Admission(Settings(origins=origins)).allows(origin, host) is allowed


def test_repeated_headers_do_not_break_hsts() -> None:
    admission = Admission(Settings(trusted_proxies="10.0.0.1", hsts=60))
    twice = Headers([("Host", "a.example"), ("Host", "b.example"), ("X-Forwarded-Proto", "https")])
    assert admission.pinned("10.0.0.1", twice) == {}
    twice = Headers([("Host", "a.example"), *[("X-Forwarded-Proto", "https")] * 2])
    assert admission.pinned("10.0.0.1", twice)
