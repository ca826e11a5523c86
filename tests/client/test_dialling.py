"""Addresses and proxies with which no connection can be made."""

import asyncio
from http import HTTPStatus

import pytest

import pierule
from support.scripted import Scripted


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "http://127.0.0.1/",
        "ws://127.0.0.1:99999/ws",
        "ws://[::1/ws",
        "ws://a..b/ws",
    ],
)
async def test_what_is_no_address_is_reported_with_an_example(url: str) -> None:
    with pytest.raises(pierule.ConnectionLost, match=r"is not the address .* ws://HOST:PORT/ws"):
        async with pierule.connect(url):
            pass


@pytest.mark.parametrize("proxy", ["ftp://127.0.0.1:1", "nonsense", "socks5h://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_reported(
    peer: Scripted, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    for name in ("http_proxy", "https_proxy", "socks_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(pierule.ConnectionLost, match=r"proxy|SOCKS"):
        async with pierule.connect(peer.url):
            pass


async def test_a_page_or_a_server_without_tls_is_reported_as_such(peer: Scripted) -> None:
    peer.refusals = [(HTTPStatus.OK, "<html>", "1")]
    with pytest.raises(pierule.ConnectionLost, match=r"ends in /ws \(HTTP 200\)"):
        async with pierule.connect(peer.url):
            pass
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as mute:
        port = mute.sockets[0].getsockname()[1]
        with pytest.raises(pierule.ConnectionLost, match=r"/ws: \S"):
            async with pierule.connect(f"wss://127.0.0.1:{port}/ws"):
                pass
