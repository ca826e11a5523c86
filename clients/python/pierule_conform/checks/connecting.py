"""SPEC 1: handshakes, hello, identity, pings."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.raw_connection import dial
from pierule_conform.checks.registry import Failed, Skipped, check, expect
from pierule_protocol.messages import PROTOCOL

FEATURES = {"clocks", "legal", "log", "presence", "replay", "rooms"}
MSGPACK, JSON = f"{PROTOCOL}.msgpack", f"{PROTOCOL}.json"


@check("1.1", "if a client offers both subprotocols, the server chooses msgpack", codecs=1)
async def subprotocol_chosen(context: CheckContext) -> None:
    for offered, chosen in (
        ([MSGPACK], MSGPACK),
        ([JSON], JSON),
        ([JSON, MSGPACK], MSGPACK),
        (["unheard.of", JSON], JSON),
    ):
        try:
            socket = await dial(context.url, context.seconds, offered)
        except (InvalidHandshake, ConnectionClosed, OSError) as error:
            raise Failed(f"a handshake that takes {chosen}", str(error), offered) from None
        got = socket.subprotocol
        await socket.close()
        expect(got == chosen, f"subprotocol {chosen}", got, offered)


@check("1.1", "a handshake that offers neither subprotocol is refused with HTTP 400", codecs=1)
async def subprotocol_missing(context: CheckContext) -> None:
    for offered in (None, ["unheard.of"], [f"{PROTOCOL[:-1]}0.msgpack"]):
        try:
            socket = await dial(context.url, context.seconds, offered)
        except InvalidStatus as error:
            status = error.response.status_code
            expect(status == 400, "HTTP 400", f"HTTP {status}", offered)
        except (InvalidHandshake, ConnectionClosed, OSError) as error:
            raise Failed("HTTP 400", f"{type(error).__name__}: {error}", offered) from None
        else:
            await socket.close()
            raise Failed("HTTP 400", f"an open connection, {socket.subprotocol}", offered)


@check("1.1", "the page of another host may not connect: HTTP 403", codecs=1)
async def origin_foreign(context: CheckContext) -> None:
    origin = "https://elsewhere.invalid"
    try:
        socket = await dial(context.url, context.seconds, [JSON], origin)
    except InvalidStatus as error:
        status = error.response.status_code
        expect(status == 403, "HTTP 403", f"HTTP {status}", f"Origin: {origin}")
    except (InvalidHandshake, ConnectionClosed, OSError) as error:
        raise Failed("HTTP 403", f"{type(error).__name__}: {error}", origin) from None
    else:
        await socket.close()
        raise Skipped("the operator lets the pages of every host connect")


@check("1.1", "the page of the same host may connect", codecs=1)
async def origin_own(context: CheckContext) -> None:
    scheme, _, rest = context.url.partition("://")
    origin = f"{scheme.replace('ws', 'http')}://{rest.partition('/')[0]}"
    try:
        socket = await dial(context.url, context.seconds, [JSON], origin)
    except (InvalidHandshake, ConnectionClosed, OSError) as error:
        raise Failed("a handshake that succeeds", str(error), f"Origin: {origin}") from None
    await socket.close()


@check("1.1", "no compression is agreed on, even if a client offers it", codecs=1)
async def no_compression(context: CheckContext) -> None:
    peer = await context.stranger()
    response = peer.connection.socket.response
    assert response is not None
    agreed = response.headers.get("Sec-WebSocket-Extensions")
    expect(not agreed, "no Sec-WebSocket-Extensions", agreed)


@check("1.3", "before hello every other request is refused", codes=("hello_first",))
async def hello_first(context: CheckContext) -> None:
    peer = await context.stranger()
    for type_, fields in (("ping", {}), ("rooms", {}), ("join", {"room": "abc"})):
        await peer.refused("hello_first", type_, **fields)
    welcome = await peer.hello(name="Late")
    expect(welcome.get("name") == "Late", "a welcome all the same", welcome)


@check("1.3", "a second hello is refused", codes=("hello_again",))
async def hello_again(context: CheckContext) -> None:
    peer = await context.peer(name="Once")
    await peer.refused("hello_again", "hello", name="Twice")
    await peer.ok("ping")


@check("1.3", "without a token, each hello makes a new guest")
async def guests(context: CheckContext) -> None:
    first, second = await context.peer(name="Ann"), await context.peer()
    expect(first.welcome.get("name") == "Ann", "the name Ann", first.welcome)
    users = [first.welcome.get("user"), second.welcome.get("user")]
    expect(users[0] != users[1], "two users", users)
    expect(bool(second.welcome.get("name")), "a name of the server's choice", second.welcome)


@check("1.3", "the token makes you the same user, in either codec")
async def token_returns(context: CheckContext) -> None:
    peer = await context.peer(name="Cat")
    again = await context.again(peer, context.other_codec)
    for field in ("user", "name"):
        was, now = peer.welcome.get(field), again.welcome.get(field)
        expect(was == now, f"{field} {was}", again.welcome, again.last_sent)


@check("1.3", "a name in a hello with a token renames the user from then on")
async def renamed(context: CheckContext) -> None:
    peer = await context.peer(name="Before")
    renamed = await context.peer(token=peer.welcome.get("token"), name="After")
    later = await context.again(renamed)
    for which in (renamed, later):
        got = {field: which.welcome.get(field) for field in ("user", "name")}
        wanted = {"user": peer.welcome.get("user"), "name": "After"}
        expect(got == wanted, str(wanted), got, which.last_sent)


@check("1.3", "names have 1 to 24 visible characters and no spaces around them")
async def names(context: CheckContext) -> None:
    for bad in (
        "",
        "x" * 25,
        " Ann",
        "Ann ",
        "A\u200bnn",
        "A\nnn",
        "\u2800",
        "A\u202ennA",
        "l0rd\u17b4",
        "l0rd\u034f",
        "l0rd\ufe0f",
        "\u0301",
    ):
        peer = await context.stranger()
        answer = await peer.refused("bad_field", "hello", name=bad)
        expect(answer.get("field") == "name", "field name", answer, peer.last_sent)
        await peer.close()
    for good in ("x", "x" * 24, "Zoë Łuk", "名前" * 12):
        peer = await context.peer(name=good)
        expect(peer.welcome.get("name") == good, f"the name {good}", peer.welcome)
        await peer.close()


@check("1.3", "a token that is not the server's own is refused", codes=("bad_token",))
async def tokens_checked(context: CheckContext) -> None:
    token = (await context.peer()).welcome.get("token", "")
    middle = len(token) // 2
    changed = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
    peer = await context.stranger()
    for bad in ("", "nonsense", changed, token[:-4], "\u20ac" * 20):
        await peer.refused("bad_token", "hello", token=bad)
    await peer.hello()


@check("1.3", "a connection that says no hello in time is closed", codecs=1, codes=("4002",))
async def hello_in_time(context: CheckContext) -> None:
    seconds = context.timer("hello_seconds")
    begun = time.monotonic()
    silent, told = await asyncio.gather(context.stranger(), context.peer())
    await silent.until_closed(4002, seconds + context.seconds)
    took = time.monotonic() - begun
    expect(
        took > 0.8 * seconds - 0.5, f"no close before {seconds:g} s", f"a close after {took:.1f} s"
    )
    await told.ok("ping")


@check("1.4", "the server pings at least every ping_seconds", codecs=1)
async def server_pings(context: CheckContext) -> None:
    seconds = context.timer("ping_seconds")
    peer = await context.peer()
    try:
        await asyncio.wait_for(peer.connection.socket.pinged.wait(), seconds + context.seconds)
    except TimeoutError:
        raise Failed(f"a WebSocket ping within {seconds:g} s", "none") from None


@check("1.4", "a client that does not answer pings is dropped, and one that does is not", codecs=1)
async def pings_to_be_answered(context: CheckContext) -> None:
    seconds = context.timer("ping_seconds", 2)
    deaf, well = await asyncio.gather(context.peer(), context.peer())
    deaf.connection.socket.transport.pause_reading()
    await asyncio.sleep(seconds + min(context.seconds, 2.0))
    deaf.connection.socket.transport.resume_reading()
    await deaf.until(lambda: deaf.closed, "the end of a connection that answers no pings")
    await well.ok("ping")


@check("1.4", "a WebSocket ping of the client is answered", codecs=1)
async def pongs(context: CheckContext) -> None:
    peer = await context.peer()
    answered = await peer.connection.socket.ping(b"conform")
    try:
        await asyncio.wait_for(answered, context.seconds)
    except TimeoutError:
        raise Failed("a pong", f"none within {context.seconds:g} s", "a ping") from None


@check("7", "a client's close with 1000 is answered with 1000", codecs=1, codes=("1000",))
async def close_answered(context: CheckContext) -> None:
    peer = await context.peer()
    peer.last_sent = "a close with 1000"
    await peer.close()
    code = peer.connection.socket.close_code
    expect(code == 1000, "a close with 1000", code, peer.last_sent)


@check("15.4", "the welcome announces all features of version 1", codecs=1)
async def features_announced(context: CheckContext) -> None:
    lacking = FEATURES.difference(context.welcome.get("features", []))
    expect(not lacking, f"the features {', '.join(sorted(lacking))}", context.welcome)


@check("1.3", "the welcome's limits and games make sense", codecs=1, also=("15.1",))
async def welcome_makes_sense(context: CheckContext) -> None:
    welcome: dict[str, Any] = (await context.peer()).welcome
    for name in ("frame_bytes", "rooms_followed", "errors", "hello_seconds", "ping_seconds"):
        value = welcome.get("limits", {}).get(name)
        expect(isinstance(value, int) and value > 0, f"{name} above 0", welcome)
    for game in welcome.get("games", []):
        fits = game["default_size"] in game["sizes"]
        expect(fits, "a default_size that is one of the sizes", game)


@check("1.15", "a hint of where to connect is accepted, and a hint without sense ignored", codecs=1)
async def hints(context: CheckContext) -> None:
    for hint in ("bucket=17", "bucket=64", "bucket=x", "bucket=1&bucket=2"):
        url = f"{context.url}{'&' if '?' in context.url else '?'}{hint}"
        try:
            socket = await dial(url, context.seconds, [JSON])
        except (InvalidHandshake, ConnectionClosed, OSError) as error:
            raise Failed("a handshake that succeeds", str(error), hint) from None
        await socket.close()


@check("1.16", "a client that may be moved is sent elsewhere at most once, then served", codecs=1,
       codes=("goto",))  # fmt: skip
async def sent_elsewhere(context: CheckContext) -> None:
    context.feature("goto")
    table = await context.table(turns=1)
    peer = await context.peer()
    answer = await peer.ask("join", room=table.room, goto=True)
    if answer["type"] != "ok":
        peer.expect_code(answer, "goto")
        await peer.ok("join", room=table.room, goto=True)
    other = await context.table()
    await peer.ok("join", room=other.room, goto=True)  # because it follows a room
    for room in (table.room, other.room):
        there = await context.peer(hint=room)
        await there.ok("join", room=room, goto=True)
