"""Hello, requests and answers, lost connections, close codes, shutdown."""

import asyncio
import logging
from http import HTTPStatus

import msgspec
import pytest
from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.http11 import Response

import pierule
from client.conftest import Connect
from pierule import session
from pierule.connection import _busy
from pierule_protocol.buckets import bucket_of
from pierule_protocol.codes import CLOSE_MEANINGS, Close, Code
from pierule_protocol.messages import (
    Card,
    Create,
    Error,
    Hello,
    Join,
    Ok,
    Ping,
    RoomsQuery,
)
from support.scripted import Scripted, ScriptedConnection, scripted, soon

CODECS = pytest.mark.parametrize("codec", ["msgpack", "json"])
CARD = Card(room="kobadimu", game="loose", size=9, status="open", names=("Ada", None), turn=0, at=1)


@CODECS
async def test_hello_sends_the_identity(peer: Scripted, codec: str) -> None:
    greeting = asyncio.create_task(peer.accept())
    connecting = pierule.connect(peer.url, name="Ada", token="t0", codec=codec)  # type: ignore[arg-type]
    entering = asyncio.create_task(connecting.__aenter__())
    line = await greeting
    assert line.socket.subprotocol == f"pierule.1.{codec}"
    hello = await line.greet(token="t1", name="Ada L")
    client = await soon(entering)
    assert (hello.name, hello.token) == ("Ada", "t0")
    assert (hello.agent or "").startswith("pierule-python/")
    assert (client.user, client.name, client.token) == ("ada", "Ada L", "t1")
    assert client.welcome.server == "scripted"
    await connecting.__aexit__(None, None, None)
    await soon(line.socket.wait_closed())
    assert line.socket.close_code == 1000


async def test_a_refused_hello_is_raised(peer: Scripted) -> None:
    async def refuse() -> None:
        line = await peer.accept()
        hello = await line.expect(Hello)
        await line.send(Error(id=hello.id, code=Code.BAD_TOKEN, text="no"))

    refusing = asyncio.create_task(refuse())
    with pytest.raises(pierule.Refused) as refused:
        async with pierule.connect(peer.url, token="bad"):
            pass
    await refusing
    assert refused.value.code == Code.BAD_TOKEN


async def test_a_hello_refused_until_the_server_closes_raises_the_refusal(peer: Scripted) -> None:
    """The server closes in the end. Why it took no hello tells more."""

    async def refuse() -> None:
        line = await peer.accept()
        hello = await line.expect(Hello)
        await line.send(Error(id=hello.id, code=Code.UNAVAILABLE, text="the store is away"))
        await line.expect(Hello)
        await line.close(Close.HELLO_TIMEOUT)

    refusing = asyncio.create_task(refuse())
    with pytest.raises(pierule.Refused, match="the store is away"):
        async with pierule.connect(peer.url, timeout=60):
            pass
    await refusing


async def test_a_connection_closed_before_the_welcome_is_lost(peer: Scripted) -> None:
    async def close() -> None:
        await (await peer.accept()).close(Close.INTERNAL)

    closing = asyncio.create_task(close())
    with pytest.raises(pierule.ConnectionLost) as lost:
        async with pierule.connect(peer.url):
            pass
    await closing
    assert lost.value.close_code == Close.INTERNAL


@pytest.mark.parametrize("status", [HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE])
async def test_a_busy_server_is_tried_again(peer: Scripted, status: HTTPStatus) -> None:
    peer.refusals = [(status, "You have\ttoo many.\n", "0")] * 2
    told: list[str] = []
    greeting = asyncio.create_task(peer.greet(token="t1"))
    async with pierule.connect(peer.url, on_connection=lambda news: told.append(news.text)):
        await greeting
    said = f"{peer.url}: You have too many. (HTTP {status.value}) Trying again in 1 s."
    assert told == [said, said]


@pytest.mark.parametrize(
    ("status", "after", "seconds"),
    [
        (429, "7", 7.0),
        (503, "7", 7.0),
        (503, None, 1.0),
        (503, "Wed, 21 Oct 2026 07:28:00 GMT", 1.0),
        (429, "999999", 30.0),
        (403, "7", None),
        (500, "7", None),
    ],
)
def test_a_busy_server_decides_how_long_the_client_waits(
    status: int, after: str | None, seconds: float | None
) -> None:
    headers = Headers({} if after is None else {"Retry-After": after})
    assert _busy(Response(status, "", headers)) == seconds


async def test_a_server_that_stays_busy_is_given_up_with_its_text(peer: Scripted) -> None:
    peer.refusals = [(HTTPStatus.SERVICE_UNAVAILABLE, "This node drains.\n", "30")] * 9
    with pytest.raises(pierule.ConnectionLost, match=r"This node drains. \(HTTP 503\)"):
        async with pierule.connect(peer.url, patience=0.0):
            pass
    assert len(peer.refusals) == 8


async def test_a_permanent_refusal_is_not_retried(peer: Scripted) -> None:
    for text, shown in (
        ("Sorry, you are banned.\n", "Sorry, you are banned. (HTTP 403)"),
        ("\x1b[2J\n", "refuses the connection (HTTP 403)"),
        ("x" * 2_000, "refuses the connection (HTTP 403)"),
    ):
        peer.refusals = [(HTTPStatus.FORBIDDEN, text, "1")] * 2
        with pytest.raises(pierule.ConnectionLost) as lost:
            async with pierule.connect(peer.url):
                pass
        assert str(lost.value).endswith(shown)
        assert len(peer.refusals) == 1


async def test_an_unreachable_server_is_reported() -> None:
    async with scripted() as peer:
        url = peer.url
    with pytest.raises(pierule.ConnectionLost, match=r"ws://127\.0\.0\.1"):
        async with pierule.connect(url):
            pass


async def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(pierule.ConnectionLost):
        async with pierule.connect("no address"):
            pass


async def test_a_server_without_our_subprotocol_is_refused() -> None:
    async def handle(socket: object) -> None:
        pass

    async with serve(handle, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(pierule.ConnectionLost):
            async with pierule.connect(f"ws://127.0.0.1:{port}/"):
                pass


async def test_a_missing_welcome_is_given_up_in_time(peer: Scripted) -> None:
    with pytest.raises(pierule.ConnectionLost, match=r"0\.05 s"):
        async with pierule.connect(peer.url, timeout=0.05):
            pass


@CODECS
async def test_answers_come_in_any_order(connect: Connect, codec: str) -> None:
    async with connect(codec=codec) as (client, line):
        listing, pinging = asyncio.create_task(client.rooms(limit=7)), None
        rooms = await line.expect(RoomsQuery)
        pinging = asyncio.create_task(client.ping())
        ping = await line.expect(Ping)
        assert rooms.limit == 7
        await line.send(Ok(id=ping.id, now=10**12), Ok(id=rooms.id, rooms=[CARD]))
        assert await soon(pinging) > 0
        assert await soon(listing) == [CARD]
        assert 10**12 <= client.server_time() < 10**12 + 60_000


@CODECS
async def test_unknown_messages_and_fields_are_ignored(connect: Connect, codec: str) -> None:
    async with connect(codec=codec) as (client, line):
        listing = asyncio.create_task(client.rooms())
        rooms = await line.expect(RoomsQuery)
        await line.send_map({"type": "weather", "id": rooms.id, "sun": True})
        await line.send_map({"type": "ok", "id": 4_000_000, "rooms": []})
        await line.send_map({"type": "presence", "room": "kobadimu", "players": "all"})
        card = {**msgspec.to_builtins(CARD), "stars": 5}
        await line.send_map({"type": "ok", "id": rooms.id, "rooms": [card], "weather": "fine"})
        assert await soon(listing) == [CARD]


@CODECS
async def test_an_unreadable_answer_is_a_bad_reply(connect: Connect, codec: str) -> None:
    async with connect(codec=codec) as (client, line):
        listing = asyncio.create_task(client.rooms())
        rooms = await line.expect(RoomsQuery)
        await line.send_map({"type": "error", "id": rooms.id, "code": 7, "text": "new"})
        with pytest.raises(pierule.BadReply):
            await soon(listing)


@CODECS
async def test_an_error_with_an_unknown_code_is_a_refusal(connect: Connect, codec: str) -> None:
    async with connect(codec=codec) as (client, line):
        listing = asyncio.create_task(client.rooms())
        rooms = await line.expect(RoomsQuery)
        await line.send_map({"type": "error", "id": rooms.id, "code": "gone", "text": "new"})
        with pytest.raises(pierule.Refused, match="gone: new") as refused:
            await soon(listing)
        assert refused.value.code == "gone"


async def test_a_missing_answer_times_out(connect: Connect) -> None:
    async with connect(timeout=1.0) as (client, line):
        with pytest.raises(pierule.TimedOut, match=r"1\.0 s"):
            await client.rooms()
        late = await line.expect(RoomsQuery)
        await line.send(Ok(id=late.id, rooms=[]))


async def test_temporary_refusals_are_retried(connect: Connect) -> None:
    async with connect() as (client, line):
        creating = asyncio.create_task(client.create("loose", size=5, seat=1))
        first = await line.expect(Create)
        await line.send(Error(id=first.id, code=Code.UNAVAILABLE, text="later"))
        second = await line.expect(Create)
        assert second == msgspec.structs.replace(first, id=second.id)
        await line.send(Error(id=second.id, code=Code.BAD_FIELD, text="no", field="size"))
        with pytest.raises(pierule.Refused) as refused:
            await soon(creating)
        assert (refused.value.code, refused.value.field) == (Code.BAD_FIELD, "size")


async def test_a_temporary_refusal_that_lasts_is_raised(connect: Connect) -> None:
    async with connect(timeout=1.0) as (client, line):
        listing = asyncio.create_task(client.rooms())
        while not listing.done():
            receiving = asyncio.create_task(line.receive())
            await asyncio.wait({receiving, listing}, return_when=asyncio.FIRST_COMPLETED)
            if receiving.done():
                query = receiving.result()
                await line.send(Error(id=query.id, code=Code.UNAVAILABLE, text="later"))
            else:
                receiving.cancel()
        with pytest.raises(pierule.Refused, match="unavailable"):
            await listing


async def test_a_lost_connection_is_made_again(peer: Scripted, connect: Connect) -> None:
    async with connect() as (client, first_line):
        creating = asyncio.create_task(client.create("loose"))
        first = await first_line.expect(Create)
        first_line.cut()
        line = await peer.accept()
        hello = await line.greet(token="t2")
        assert (hello.token, hello.name) == ("t1", None)
        assert await line.expect(Create) == first
        await line.send(Error(id=first.id, code=Code.LIMIT, text="no more"))
        with pytest.raises(pierule.Refused):
            await soon(creating)
        assert client.token == "t2"


async def test_connection_changes_are_reported(peer: Scripted, connect: Connect) -> None:
    news: list[pierule.ConnectionStatus] = []
    async with connect(on_connection=news.append) as (client, first_line):
        await client_answers(client, first_line)
        assert news == []
        await first_line.close(Close.GOING_AWAY)
        line = await peer.greet()
        await client_answers(client, line)
    assert [each.connected for each in news] == [False, True]
    assert f"{peer.url}: closed with 1001" in news[0].text
    assert news[1].text == f"{peer.url}: connected again"


async def test_a_listener_that_fails_does_not_end_the_connection(
    peer: Scripted, connect: Connect
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: faults.append(what))

    def fail(_: pierule.ConnectionStatus) -> None:
        raise ZeroDivisionError

    async with connect(on_connection=fail) as (client, first_line):
        first_line.cut()
        await client_answers(client, await peer.greet())
    assert len(faults) == 2


async def client_answers(client: pierule.Client, line: ScriptedConnection) -> None:
    listing = asyncio.create_task(client.rooms())
    query = await line.expect(RoomsQuery)
    await line.send(Ok(id=query.id, rooms=[CARD]))
    assert await soon(listing) == [CARD]


async def test_time_without_a_connection_does_not_count(peer: Scripted, connect: Connect) -> None:
    async with connect(timeout=1.0) as (client, first_line):
        await first_line.close(Close.GOING_AWAY)
        await peer.accept()  # no welcome: the client tries again after its 0.5 s
        listing = asyncio.create_task(client.rooms())
        line = await peer.greet()
        query = await line.expect(RoomsQuery)
        await line.send(Ok(id=query.id, rooms=[CARD]))
        assert await soon(listing) == [CARD]


@pytest.mark.parametrize("code", [c for c in Close if CLOSE_MEANINGS[c].reconnect])
async def test_the_client_reconnects_after_these_close_codes(
    peer: Scripted, connect: Connect, code: Close
) -> None:
    async with connect() as (client, first_line):
        await first_line.close(code)
        line = await peer.greet()
        listing = asyncio.create_task(client.rooms())
        query = await line.expect(RoomsQuery)
        await line.send(Ok(id=query.id, rooms=[]))
        assert await soon(listing) == []


@pytest.mark.parametrize("code", [c for c in Close if not CLOSE_MEANINGS[c].reconnect])
async def test_the_client_ends_after_these_close_codes(
    peer: Scripted, connect: Connect, code: Close
) -> None:
    async with connect() as (client, line):
        listing = asyncio.create_task(client.rooms())
        await line.expect(RoomsQuery)
        await line.close(code)
        with pytest.raises(pierule.ConnectionLost) as lost:
            await soon(listing)
        assert lost.value.close_code == code
        with pytest.raises(pierule.ConnectionLost):
            await client.ping()
    assert peer.lines.empty()


async def test_the_client_gives_up_when_its_patience_ends() -> None:
    async with scripted() as peer:
        greeting = asyncio.create_task(peer.greet())
        connecting = pierule.connect(peer.url, patience=0.2)
        client = await connecting.__aenter__()
        await greeting
    with pytest.raises(pierule.ConnectionLost, match=r"0\.2 s"):
        await soon(client.ping())
    await connecting.__aexit__(None, None, None)


async def test_a_token_refused_on_reconnecting_ends_the_client(
    peer: Scripted, connect: Connect
) -> None:
    async with connect() as (client, first_line):
        first_line.cut()
        line = await peer.accept()
        hello = await line.expect(Hello)
        await line.send(Error(id=hello.id, code=Code.UNAVAILABLE, text="later"))
        hello = await line.expect(Hello)  # on the same connection (SPEC 7)
        await line.send(Error(id=hello.id, code=Code.BAD_TOKEN, text="expired"))
        with pytest.raises(pierule.ConnectionLost, match="bad_token"):
            await soon(client.ping())


async def test_leaving_the_context_cancels_pending_requests(connect: Connect) -> None:
    async with connect() as (client, line):
        listing = asyncio.create_task(client.rooms())
        await line.expect(RoomsQuery)
    with pytest.raises(pierule.ConnectionLost, match="closed"):
        await listing
    with pytest.raises(pierule.ConnectionLost, match="closed"):
        await client.rooms()


async def test_a_request_can_be_cancelled(connect: Connect) -> None:
    async with connect() as (client, line):
        joining = asyncio.create_task(client.join("kobadimu"))
        join = await line.expect(Join)
        joining.cancel()
        await asyncio.wait({joining})
        assert joining.cancelled()
        await line.send(Ok(id=join.id, room="kobadimu", resumed=False))
        listing = asyncio.create_task(client.rooms())
        query = await line.expect(RoomsQuery)
        await line.send(Ok(id=query.id, rooms=[]))
        assert await soon(listing) == []


async def test_connecting_can_be_cancelled(peer: Scripted) -> None:
    async def connect() -> None:
        async with pierule.connect(peer.url):
            pass

    connecting = asyncio.create_task(connect())
    line = await peer.accept()
    await line.expect(Hello)
    connecting.cancel()
    await asyncio.wait({connecting})
    assert connecting.cancelled()
    await soon(line.socket.wait_closed())


async def test_a_message_that_is_too_large_ends_the_client(
    peer: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pierule.connection.MAX_FRAME", 2000)
    async with connect() as (client, line):
        await line.send_map({"type": "weather", "long": "x" * 3000})
        with pytest.raises(pierule.ConnectionLost) as lost:
            await soon(client.ping())
        assert lost.value.close_code == Close.TOO_LARGE


async def test_a_silent_connection_is_made_again(
    peer: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pierule.connection.PING_SECONDS", 0.2)
    monkeypatch.setattr("pierule.connection.CLOSE_SECONDS", 0.1)
    greeting = asyncio.create_task(peer.greet())
    async with pierule.connect(peer.url) as client:
        silent = await greeting
        silent.socket.transport.pause_reading()
        listing = asyncio.create_task(client.rooms())
        line = await peer.greet()
        query = await line.expect(RoomsQuery)
        await line.send(Ok(id=query.id, rooms=[CARD]))
        assert await soon(listing) == [CARD]
        silent.cut()


async def test_a_bug_in_the_reader_is_reported(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(session.Session, "_handle", fail)
    async with connect() as (client, line):
        await line.send(Ok(id=1))
        with pytest.raises(pierule.ConnectionLost, match="bug"):
            await soon(client.ping())


async def test_tokens_are_never_logged(peer: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("websockets.server").setLevel(logging.INFO)
    greeting = asyncio.create_task(peer.greet(token="secret-new"))
    async with pierule.connect(peer.url, token="secret-old") as client:
        (await greeting).cut()
        line = await peer.greet(token="secret-newer")
        pinging = asyncio.create_task(client.ping())
        await line.send(Ok(id=(await line.expect(Ping)).id, now=0))
        await soon(pinging)
        assert client.token == "secret-newer"
    assert "connected again" in caplog.text
    assert "secret" not in caplog.text


async def test_a_client_says_for_which_room_it_connects(peer: Scripted) -> None:
    """By its bucket, never by its id: first the room that it is told, then the one it follows."""
    greeting = asyncio.create_task(peer.accept())
    connecting = pierule.connect(peer.url, room="kobadimutelosa", patience=60)
    entering = asyncio.create_task(connecting.__aenter__())
    line = await greeting
    await line.greet()
    client = await soon(entering)
    assert line.socket.request is not None
    assert line.socket.request.path == f"/ws?bucket={bucket_of('kobadimutelosa')}"
    joining = asyncio.create_task(client.join("fipobego"))
    await line.expect(Join)
    await line.close(Close.RESTART)
    line = await peer.accept()
    assert line.socket.request is not None
    assert line.socket.request.path == f"/ws?bucket={bucket_of('fipobego')}"
    joining.cancel()
    await asyncio.gather(joining, return_exceptions=True)
    await connecting.__aexit__(None, None, None)
