"""Where a node goes at the bidding of strangers, and where it does not."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_server.lobby import outbound_http
from pierule_server.lobby.outbound_http import OutboundHttp, Reach, Unfit, is_public, target_of
from support.certificates import certified
from support.receiver import Receiver

PRIVATE = (
    "192.0.0.0/24", "192.88.99.0/24", "3fff::/20",
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
    "::/128", "::1/128", "::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "2001::/32", "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)  # fmt: skip


@given(st.data())
@pytest.mark.parametrize("network", PRIVATE)
def test_addresses_of_private_networks_are_not_public(network: str, data: st.DataObject) -> None:
    kind = IPv6Network if ":" in network else IPv4Network
    found = kind(network)
    offset = data.draw(st.integers(0, found.num_addresses - 1))
    assert not is_public(str(found[offset]))


def test_addresses_with_a_zone_are_not_public() -> None:
    """A zone is an interface of the server's own machine."""
    assert not is_public("2606:4700::1111%lo")
    with pytest.raises(Unfit, match="public address"):
        target_of("https://[2606:4700::1111%25lo]/", "public")
    with pytest.raises(Unfit, match="public address"):
        target_of("https://[2606:4700::1111%lo]/", "public")


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450::1"])
def test_ordinary_addresses_are_public(address: str) -> None:
    assert is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_ipv6_addresses_that_embed_ipv4_are_not_public(inner: IPv4Address) -> None:
    for prefix in (0xFFFF << 32, 0x64FF9B << 96, 0, 0xFFFF0000 << 16):
        assert not is_public(str(IPv6Address(prefix | int(inner))))
    assert not is_public(str(IPv6Address((0x2002 << 112) | (int(inner) << 80))))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.org/", "https://"),
        ("ftp://example.org/", "https://"),
        ("//example.org/", "https://"),
        ("https:example.org", "name a host"),
        ("https:///x", "name a host"),
        ("https://exa mple.org/", "spaces"),
        ("https://example.org/\r\nX: y", "spaces"),
        ("https://example.org/ä", "ASCII"),
        ("https://" + "a" * 505, "512"),
        ("https://a" * 2 + "x" * 600, "512"),
        ("https://u@example.org/", "user"),
        ("https://u:p@example.org/", "user"),
        ("https://example.org\\@10.0.0.1/", "user"),
        ("https://example.org/#x", "fragment"),
        ("https://example.org:0/", "name a host"),
        ("https://example.org:99999/", "not a URL"),
        ("https://[::1", "not a URL"),
        ("https://[v1.x]/", "name a host"),
        ("https://[v1.8]/", "name a host"),
        ("https://[::1]x/", "URL"),
        ("https://[example.org]/", "URL"),
        ("https://[8.8.8.8]/", "URL"),
        ("https://.example.org/", "name a host"),
        ("https://a..b/", "name a host"),
        ("https://example.org\\evil/", "name a host"),
        ("https://%31%30.0.0.1/", "name a host"),
        ("https://127.0.0.1/", "public address"),
        ("https://10.1.2.3:8443/x", "public address"),
        ("https://[::1]/", "public address"),
        ("https://[fe80::1]/", "public address"),
        ("https://[::ffff:10.0.0.1]/", "public address"),
        ("https://169.254.169.254/latest/", "public address"),
        ("https://localhost/", "public address"),
        ("https://LocalHost:8443/", "public address"),
        ("https://a.localhost/", "public address"),
        ("https://printer.local/", "public address"),
        ("https://metadata.google.internal/", "public address"),
        ("https://intranet/", "public address"),
        ("https://example.256/", "public address"),
    ],
)
def test_unfit_urls_are_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        target_of(url, "public")


def spellings(address: IPv4Address) -> list[str]:
    """Ways to write an IPv4 address that the system understands."""
    a, b, c, d = address.packed
    low, lower = (b << 16) | (c << 8) | d, (c << 8) | d
    return [
        str(int(address)), hex(int(address)), f"0{int(address):o}", f"{a}.{low}",
        f"{a}.{b}.{lower}", f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"0{a:o}.{b}.{c}.0{d:o}", f"{a}.{b}.{c}.{d}",
    ]  # fmt: skip


@given(
    st.sampled_from([net for net in PRIVATE if ":" not in net]).flatmap(
        lambda network: st.ip_addresses(v=4, network=network)
    )
)
def test_a_private_address_is_unfit_however_it_is_spelled(address: IPv4Address) -> None:
    for host in spellings(address):
        with pytest.raises(Unfit, match="public address"):
            target_of(f"https://{host}/", "public")
        target_of(f"https://{host}/", "any")


def test_a_public_address_is_fit_however_it_is_spelled() -> None:
    for host in spellings(IPv4Address("8.8.8.8")):
        target_of(f"https://{host}/", "public")


def test_a_url_is_split_into_host_port_and_path() -> None:
    found = target_of("https://Example.org:8443/a/b?c=d", "public")
    assert found == outbound_http.Target(True, "example.org", 8443, "Example.org:8443", "/a/b?c=d")
    assert target_of("https://example.org?x", "public").path == "/?x"
    assert target_of("http://127.0.0.1/", "any").port == 80


def leading_to(*addresses: str) -> Any:
    """As `socket.getaddrinfo`: every name leads to these addresses."""
    return lambda _host, port, **_: [(2, 1, 6, "", (address, port)) for address in addresses]


async def posted(reach: Reach, url: str, resolve: Any = None, trust: Any = None) -> str:
    sender = OutboundHttp(reach, trust, **({} if resolve is None else {"resolve": resolve}))
    try:
        return await sender.post(url, {"X-Test": "1"}, b"{}")
    finally:
        sender.close()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"]
)
async def test_a_name_that_resolves_to_a_private_address_is_forbidden(address: str) -> None:
    """Also one of numbers that only the system understands, such as 2130706433."""
    assert await posted("public", "https://example.org/", leading_to(address)) == "forbidden"


async def test_numbers_that_are_addresses_in_disguise_are_forbidden() -> None:
    for host in ("2130706433", "0x7f000001", "127.1", "localhost"):
        assert await posted("public", f"https://{host}/") == "forbidden"


async def test_a_call_is_posted_with_its_body_and_headers() -> None:
    receiver = Receiver()
    with receiver.serving() as url:
        for status, outcome in ((200, "delivered"), (204, "delivered"), (500, "refused"),
                                (302, "refused"), (199, "refused")):  # fmt: skip
            receiver.status = status
            assert await posted("any", f"{url}?a=b") == outcome
            call = receiver.calls.get(timeout=60)
            assert (call.path, call.body, call.headers["X-Test"]) == ("/turn?a=b", b"{}", "1")
    assert await posted("any", url) == "unreachable"


async def test_redirects_are_not_followed() -> None:
    receiver, inside = Receiver(), Receiver()
    with receiver.serving() as url, inside.serving() as secret:
        receiver.status, receiver.location = 307, secret
        assert await posted("any", url) == "refused"
        assert inside.calls.empty()


async def test_a_call_is_given_up_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound_http, "SECONDS", 0.3)
    receiver = Receiver()
    receiver.silent = threading.Event()
    with receiver.serving() as url:
        assert await posted("any", url) == "unreachable"
    waiting = threading.Event()
    slow = partial(waiting.wait, 30)
    try:
        sent = posted("any", "http://example.org/", lambda *_, **__: [slow()])
        assert await sent == "unreachable"
    finally:
        waiting.set()


async def test_a_hanging_name_lookup_delays_no_other_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound_http, "RESOLVING", 1)
    receiver, begun, waiting = Receiver(), threading.Event(), threading.Event()

    def resolve(host: str, port: int, **_: Any) -> list[Any]:
        if host == "hangs.example.org":
            begun.set()
            waiting.wait(30)
        found: list[Any] = leading_to("127.0.0.1")(host, port)
        return found

    with receiver.serving() as url:
        here = OutboundHttp("any", resolve=resolve)
        apart = here.apart()
        hanging = asyncio.create_task(here.post("http://hangs.example.org/", {}, b"{}"))
        try:
            assert await asyncio.to_thread(begun.wait, 10)
            assert await apart.post(url, {}, b"{}") == "delivered"
            assert not hanging.done()
        finally:
            waiting.set()
            await hanging
            here.close()
            apart.close()


async def test_the_checked_address_shows_a_certificate_of_the_name(tmp_path: Path) -> None:
    """The name is in no DNS: the connection is made to the address that was looked at."""
    receiver = Receiver()
    shows, trusts = certified(tmp_path, "hook.example")
    with receiver.serving(shows):
        here = leading_to("127.0.0.1")
        url = f"https://hook.example:{receiver.port}/"
        assert await posted("any", url, here, trusts) == "delivered"
        other = f"https://other.example:{receiver.port}/"
        assert await posted("any", other, here, trusts) == "unreachable"
        assert await posted("any", url, here) == "unreachable"  # nobody trusts it
        assert receiver.calls.qsize() == 1
