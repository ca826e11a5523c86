"""The port: who is let in, what is buffered, and what is given back when somebody goes. What
hostile peers make of it is shown in tests/e2e/test_hostile.py."""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, cast

import pytest
from websockets.frames import Opcode

from pierule_protocol.codes import Close
from pierule_protocol.messages import ClientMessage
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.gateway.arrivals import AT_ONCE
from pierule_server.gateway.page import SECURITY, Page
from pierule_server.gateway.peer_socket import PeerSocket
from pierule_server.gateway.request_queue import REST, RequestQueue
from pierule_server.identity.tokens import User
from support.raw import BINARY, PING, PONG, Ended, Raw, masked
from support.session import KEYS, Playground, listening

BOUND = 60.0


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - nobody tells of these things
            await asyncio.sleep(0.01)


async def raw(url: str, codec: str = "msgpack", headers: dict[str, str] | None = None) -> Raw:
    return await asyncio.to_thread(Raw, url, codec, None, headers)


def peers(playground: Playground) -> list[PeerSocket]:
    """The sockets of clients that are connected."""
    return [cast("PeerSocket", each._socket) for each in playground.listener._connections]


def sockets_of(playground: Playground) -> list[socket.socket]:
    return [each.transport.get_extra_info("socket") for each in peers(playground)]


def addresses(playground: Playground) -> dict[str, int]:
    return dict(playground.listener._door.arrivals._accepted._counts)


async def test_socket_buffers_of_connections_are_small() -> None:
    async with listening(buffer_bytes=20_000) as (playground, url):
        with await raw(url):
            (line,) = sockets_of(playground)
            for which in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                size = line.getsockopt(socket.SOL_SOCKET, which)
                assert 20_000 <= size <= 40_000  # Linux doubles it, for its own needs


async def test_a_crowd_that_comes_while_the_loop_is_busy_finds_its_places() -> None:
    """Whoever finds none is told nothing, and tries again after 1, 3, 7 and 15 s."""
    async with listening() as (_, url):
        host, port = url.removeprefix("ws://").removesuffix("/ws").split(":")
        with ExitStack() as crowd:
            for _ in range(min(400, socket.SOMAXCONN)):  # the loop has no turn meanwhile
                line = crowd.enter_context(socket.socket())
                line.setblocking(False)
                with suppress(BlockingIOError):
                    line.connect((host, int(port)))
                _, connected, _ = select.select([], [line], [], 0.5)
                assert connected


async def test_an_address_has_a_bounded_number_of_connections() -> None:
    async with listening(connections_per_address=2) as (playground, url):
        one, two = await raw(url), await raw(url)
        over = await raw(url)
        assert (one.status, two.status, over.status) == (101, 101, 429)
        over.socket.close()
        one.socket.close()
        await until(lambda: addresses(playground) == {"127.0.0.1": 1})
        again = await raw(url)
        assert again.status == 101
        for each in (two, again):
            each.socket.close()
        await until(lambda: addresses(playground) == {})


async def test_an_address_far_over_its_limit_gets_no_answer() -> None:
    async with listening(connections_per_address=1, handshake_seconds=60) as (playground, url):
        host, port = url.removeprefix("ws://").removesuffix("/ws").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(6)]
        ends = [asyncio.create_task(reader.read()) for reader, _ in silent]
        await until(lambda: sum(end.done() for end in ends) == 4)
        assert addresses(playground) == {"127.0.0.1": 1}
        for _, writer in silent:
            writer.close()
        await until(lambda: addresses(playground) == {})
        await asyncio.gather(*ends, return_exceptions=True)


async def test_a_failed_handshake_frees_its_place() -> None:
    async with listening() as (playground, url):
        with await raw(url, "xml") as refused:
            assert refused.status == 400
        with await raw(url, headers={"Origin": "http://elsewhere.example"}) as refused:
            assert refused.status == 403
        with await raw(f"{url}/nothing") as refused:
            assert refused.status == 404
        await until(lambda: addresses(playground) == {})


async def test_every_refused_handshake_is_counted_by_its_reason() -> None:
    def counted() -> dict[str, float]:
        name = "pierule_handshakes_refused_total"
        return {
            reason: metrics.REGISTRY.get_sample_value(name, {"reason": reason}) or 0
            for reason in metrics.HANDSHAKE_REASONS
        }

    before = counted()
    async with listening(connections_per_address=1) as (playground, url):
        for how in (
            {"codec": "xml"},
            {"headers": {"Origin": "http://elsewhere.example"}},
            {"headers": {"Sec-WebSocket-Version": "7"}},
            {"url": f"{url}/nothing"},
            {"url": url.removesuffix("ws")},
        ):
            with await raw(**{"url": url, **how}):  # type: ignore[arg-type]
                pass
            await until(lambda: addresses(playground) == {})
        with await raw(url), await raw(url) as crowded:
            assert crowded.status == 429
        await until(lambda: addresses(playground) == {})
        playground.listener._connections.draining = True
        with await raw(url) as away:
            assert away.status == 503
        await get(url)  # That was no handshake.
    after = counted()
    rose = {reason: after[reason] - before[reason] for reason in after}
    assert rose == dict.fromkeys(rose, 1) | {"path": 2, "banned": 0, "full": 0, "unanswered": 0}


async def test_a_get_that_offers_http_2_is_no_handshake() -> None:
    def counted() -> list[float | None]:
        name = "pierule_handshakes_refused_total"
        return [
            metrics.REGISTRY.get_sample_value(name, {"reason": reason})
            for reason in metrics.HANDSHAKE_REASONS
        ]

    before = counted()
    offer = "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABk\n"
    async with listening() as (playground, url):
        playground.listener._api_port = 7
        for path, expected in (("/api/v1/games", 307), ("/", 200), ("/ws", 426)):
            status, _, _ = await answered(url, f"GET {path} HTTP/1.1\nHost: a.example\n{offer}")
            assert status == expected
    assert counted() == before


async def test_clients_leave_some_file_descriptors_to_the_rest() -> None:
    name = "pierule_handshakes_refused_total"
    before = metrics.REGISTRY.get_sample_value(name, {"reason": "full"}) or 0
    async with listening() as (playground, url):
        with await raw(url) as early:
            playground.listener._door.arrivals._last = 3  # the next one has a higher number
            host, port = url.removeprefix("ws://").removesuffix("/ws").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            await asyncio.to_thread(early.hello)
    assert metrics.REGISTRY.get_sample_value(name, {"reason": "full"}) == before + 1


async def get(url: str) -> str:
    """The answer to a plain GET."""
    host, _, path = url.removeprefix("ws://").partition("/")
    name, port = host.split(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.decode()


async def test_a_refusal_can_be_read_by_http() -> None:
    """As a browser's pages do (SPEC 1.13)."""
    async with listening(connections_per_address=2) as (_, url):
        assert " 426 " in (await get(url)).splitlines()[0]
        with await raw(url), await raw(url):
            answer = await get(url)
    assert " 429 " in answer.splitlines()[0]
    assert "Retry-After: 5" in answer
    assert answer.endswith("Your address has too many connections here.\n")


async def test_behind_a_proxy_the_clients_are_counted() -> None:
    async with listening(
        connections_per_address=1, trusted_proxies="127.0.0.1", proxy_header="X-Client"
    ) as (playground, url):
        first, second, third = [
            await raw(url, headers={"X-Client": client})
            for client in ("6.6.6.6, 203.0.113.1", "203.0.113.2", "7.7.7.7, 203.0.113.1")
        ]
        assert (first.status, second.status, third.status) == (101, 101, 429)
        assert addresses(playground)["203.0.113.2"] == 1
        for each in (first, second, third):
            each.socket.close()
        await until(lambda: addresses(playground) == {})


async def test_connections_before_hello_do_not_count_for_a_user() -> None:
    async with listening(connections_per_user=1) as (_, url):
        with await raw(url) as one, await raw(url) as two:
            token = (await asyncio.to_thread(one.hello))["token"]
            answer = await asyncio.to_thread(two.ask, id=1, type="hello", token=token)
            assert answer["code"] == "limit"
            await asyncio.to_thread(two.hello)


async def test_only_a_bounded_number_of_requests_is_read_ahead() -> None:
    """While a request waits for the store, the next ones stay where they are: in the system's
    buffers, and then with the client."""
    async with listening(requests_queued=4, buffer_bytes=8_192) as (playground, url):
        with await raw(url) as line:
            await asyncio.to_thread(line.hello)
            gate = asyncio.Event()
            dispatch = playground.listener._dispatch
            answer = dispatch.answer

            async def slowly(connection: Connection, request: ClientMessage) -> None:
                await gate.wait()
                await answer(connection, request)

            dispatch.answer = slowly  # type: ignore[method-assign]
            line.socket.settimeout(0.2)
            data = masked(BINARY, b"\x83\xa4type\xa4ping\xa2id\x01\xa1x\xda\x0f\xa0" + b"x" * 4_000)
            ping = masked(BINARY, b"\x82\xa4type\xa4ping\xa2id\x01")
            line.write(ping)
            with pytest.raises(TimeoutError):
                await asyncio.to_thread(line.write, data * 1_000)
            (connection,) = peers(playground)
            assert isinstance(connection, PeerSocket)
            session = connection._receiver
            assert isinstance(session, RequestQueue)
            assert len(session._waiting) < 40
            gate.set()


async def test_pongs_to_our_pings_do_not_count_as_a_flood() -> None:
    async with listening() as (playground, url):
        with await raw(url) as line:
            (connection,) = peers(playground)
            for _ in range(300):
                answered = await connection.ping()
                opcode, payload = await asyncio.to_thread(line.frame)
                assert opcode == PING
                line.write(masked(PONG, payload))
                await answered
            assert (await asyncio.to_thread(line.hello))["user"]


async def test_a_client_that_does_not_answer_a_ping_is_closed() -> None:
    async with listening(ping_seconds=600) as (playground, url):
        with await raw(url) as line:
            (peer,) = peers(playground)
            peer.keep_alive()
            opcode, payload = await asyncio.to_thread(line.frame)
            assert opcode == PING
            line.write(masked(PONG, payload))
            await until(lambda: not peer.pending_pings)
            for _ in range(2):  # The second one finds the first unanswered.
                peer.keep_alive()
            opcode, _ = await asyncio.to_thread(line.frame)
            assert opcode == PING
            opcode, payload = await asyncio.to_thread(line.frame)
            assert (opcode, payload[:2]) == (Opcode.CLOSE, Close.INTERNAL.to_bytes(2))
        await until(lambda: not peers(playground))


async def test_unread_answers_of_the_library_are_bounded() -> None:
    async with listening(outbox_bytes=4_096, buffer_bytes=4_096) as (playground, url):
        with await asyncio.to_thread(Raw, url, "msgpack", 4_096) as line:
            (connection,) = peers(playground)
            assert isinstance(connection, PeerSocket)
            connection._control.rate = 0
            with suppress(Ended):
                await asyncio.to_thread(line.write, masked(PING, b"x" * 125) * 20_000)
            await until(lambda: connection.protocol.close_sent is not None)
            assert connection.protocol.close_sent is not None
            assert connection.protocol.close_sent.code == Close.SLOW
            await until(lambda: not peers(playground))


async def answered(url: str, request: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of what is answered to a request of one's own making."""
    host, port = url.removeprefix("ws://").removesuffix("/ws").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request.replace("\n", "\r\n").encode() + b"\r\n")
    async with asyncio.timeout(BOUND):
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    status, *lines = head.split("\r\n")
    headers = {name.lower(): text for name, text in (line.split(": ", 1) for line in lines)}
    assert len(headers) == len(lines)
    return int(status.split()[1]), headers, body


@pytest.mark.parametrize(
    ("line", "headers", "status"),
    [
        ("GET /", "", 200),
        ("GET /nothing", "", 404),
        ("HEAD /nothing", "", 404),
        ("POST /", "", 405),
        ("GET /ws", "", 426),
        ("GET /ws", "Upgrade: websocket\nConnection: Upgrade\n", 400),
        ("GET /ws", "Origin: https://elsewhere.example\n", 403),
        (f"GET /{'x' * 9_000}", "", 414),
        ("GET /", f"X: {'x' * 9_000}\n", 431),
    ],
)
async def test_every_http_answer_has_the_security_headers(
    line: str, headers: str, status: int
) -> None:
    async with listening() as (playground, url):
        request = f"{line} HTTP/1.1\nHost: a.example\n{headers}"
        found, answer, _ = await answered(url, request)
        assert (found, {name: answer.get(name.lower()) for name in SECURITY}) == (status, SECURITY)
        playground.listener._connections.draining = True
        found, answer, _ = await answered(url, "GET /ws HTTP/1.1\nHost: a.example\n")
        assert (found, answer["x-content-type-options"]) == (503, "nosniff")


@pytest.mark.parametrize(
    ("host", "there"),
    [
        ("a.example:8000", "//a.example:7"),
        ("a.example", "//a.example:7"),
        ("[::1]:8000", "//[::1]:7"),
    ],
)
async def test_requests_for_the_archive_are_redirected_to_its_port(host: str, there: str) -> None:
    async with listening() as (playground, url):
        playground.listener._api_port = 7
        path = "/api/v1/games?format=ndjson"
        status, answer, _ = await answered(url, f"GET {path} HTTP/1.1\nHost: {host}\n")
        assert (status, answer["location"]) == (307, f"{there}{path}")
        assert answer["access-control-allow-origin"] == "*"
        _, answer, _ = await answered(url, f"GET / HTTP/1.1\nHost: {host}\n")
        assert "connect-src 'self' *:7;" in answer["content-security-policy"]


@pytest.mark.parametrize(
    ("settings", "headers", "pinned"),
    [
        ({}, "X-Forwarded-Proto: https\n", "max-age=31536000"),
        ({"hsts": 60}, "X-Forwarded-Proto: https\n", "max-age=60"),
        ({"hsts": 0}, "X-Forwarded-Proto: https\n", None),
        ({}, "X-Forwarded-Proto: http\n", None),
        ({}, "", None),
        ({"trusted_proxies": ""}, "X-Forwarded-Proto: https\n", None),
    ],
)
@pytest.mark.parametrize("path", ["/", "/nothing"])
async def test_hsts_is_sent_behind_tls(
    settings: dict[str, object], headers: str, pinned: str | None, path: str
) -> None:
    async with listening(**{"trusted_proxies": "127.0.0.1", **settings}) as (_, url):
        for host in ("play.example.org", "play.example.org:8443"):
            _, answer, _ = await answered(url, f"GET {path} HTTP/1.1\nHost: {host}\n{headers}")
            assert answer.get("strict-transport-security") == pinned
        for host in ("localhost", "a.localhost:8443", "[", ""):
            _, answer, _ = await answered(url, f"GET {path} HTTP/1.1\nHost: {host}\n{headers}")
            assert "strict-transport-security" not in answer


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [
        ("GET", "/?from=mail", 200, "<title>Pierule</title>"),
        ("HEAD", "/", 200, ""),
        ("POST", "/", 405, ""),
        ("GET", "/../pyproject.toml", 404, "This server has nothing at this path."),
        ("GET", "/assets/%2e%2e/index.html", 404, "This server has nothing at this path."),
        ("HEAD", "/nothing", 404, ""),
    ],
)
async def test_the_page_answers_only_get_and_head(
    method: str, path: str, status: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("<title>Pierule</title>")
    monkeypatch.setattr("pierule_server.gateway.listener.Page", lambda more: Page(tmp_path, more))
    async with listening() as (_, url):
        found, _, body = await answered(url, f"{method} {path} HTTP/1.1\nHost: a.example\n")
        assert found == status
        assert told in body
        assert bool(body) is (method != "HEAD")


async def test_new_guests_of_an_address_share_a_budget_and_players_do_not_need_it() -> None:
    async with listening(address_budget=1, address_budget_burst=50) as (_, url):
        one, two, known = await raw(url), await raw(url), await raw(url)
        for each in (one, two):
            await asyncio.to_thread(each.hello)  # 10 each
        assert (await asked(one, type="create", nonce="n1", game="loose"))["type"] == "ok"  # 20
        refused = await asked(two, type="create", nonce="n1", game="loose")
        assert refused["code"] == "rate"
        assert 8_000 < refused["retry_ms"] <= 10_000
        assert "network" in refused["text"]
        played = await asked(two, type="act", room="dada", turn=0, action="a1")
        assert played["code"] == "unknown_room"
        token = KEYS.sign(User("old", "Old"))
        assert (await asked(known, type="hello", token=token))["type"] == "ok"
        for number in range(3):
            made = await asked(known, type="create", nonce=f"n{number}", game="loose")
            assert made["type"] == "ok"
        for each in (one, two, known):
            each.socket.close()


async def test_refusals_over_budget_are_delayed() -> None:
    async with listening(address_budget=1, address_budget_burst=30) as (_, url):
        with await raw(url) as line:
            await asyncio.to_thread(line.hello)
            for number in range(5):
                line.send(id=number, type="create", nonce=f"n{number}", game="loose")
            began = asyncio.get_running_loop().time()
            answers = [await asyncio.to_thread(line.answer) for _ in range(5)]
            assert [each.get("code") for each in answers] == [None, *["rate"] * 4]
            assert asyncio.get_running_loop().time() - began > 2.5 * REST


async def test_handshakes_of_an_address_are_bounded_and_then_not_even_refused() -> None:
    async with listening(handshakes_per_address=1, connections_per_address=0) as (_, url):
        told: list[int] = []
        while len(told) < 20 * AT_ONCE and 0 not in told:
            line = await raw(url)
            told.append(line.status)
            line.socket.close()
        assert set(told[:AT_ONCE]) == {101}
        assert told.count(429) >= AT_ONCE
        assert told[-1] == 0, "no answer"


async def asked(line: Raw, **request: Any) -> dict[str, Any]:
    return await asyncio.to_thread(lambda: line.ask(id=1, **request))
