"""The limits that the welcome states (SPEC 1.6): each is tested here, and other checks stay within
it."""

from __future__ import annotations

import asyncio
from functools import partial
from socket import SO_RCVBUF, SOL_SOCKET

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import Failed, Skipped, check, expect

MOST = 200
"""The most rooms, connections or requests that a check spends on one limit."""

FLOOD = 1_000
"""Refused requests after which a server may close the connection."""


def affordable(context: CheckContext, name: str) -> int:
    """A limit that can be reached without burdening the server. Raises Skipped."""
    value = context.limit(name)
    if value > MOST:
        raise Skipped(f"{name} is {value}; more than {MOST} would be a burden")
    return value


@check("1.6", "a connection follows rooms_followed rooms, and not one more", codes=("limit",))
async def rooms_followed(context: CheckContext) -> None:
    most = affordable(context, "rooms_followed")
    follower = await context.peer()
    each = min(20, context.welcome["limits"].get("rooms_per_user") or 20)
    rooms: list[str] = []
    while len(rooms) <= most:
        maker = await context.peer()
        rooms += [await context.room(maker) for _ in range(min(each, most + 1 - len(rooms)))]
        await maker.close()
    for room in rooms[:most]:
        await follower.ok("join", room=room)
    await follower.refused("limit", "join", room=rooms[most])
    await follower.ok("join", room=rooms[0])
    await follower.ok("leave", room=rooms[0])
    await follower.ok("join", room=rooms[most])


@check("1.6", "requests beyond the rate are refused, and done after retry_ms", codes=("rate",))
async def rate_bounded(context: CheckContext) -> None:
    context.limit("connection_rate")
    burst = affordable(context, "connection_burst")
    peer = await context.peer()
    ids = [await peer.send("ping") for _ in range(burst + 50)]
    answers = [await peer.answer(id_) for id_ in ids]
    refused = [answer for answer in answers if answer["type"] == "error"]
    expect(bool(refused), f"some of {len(ids)} requests at once refused", answers[-1])
    expect(len(refused) <= len(ids) - burst + 1, f"a burst of {burst} done", len(refused))
    for answer in refused:
        peer.expect_code(answer, "rate")
        wait = answer.get("retry_ms")
        expect(type(wait) is int and wait > 0, "retry_ms above 0", answer)
    await peer.ok("ping")


@check("1.6", "requests beyond the user's rate are refused, whatever the connection",
       codecs=1, codes=("rate",))  # fmt: skip
async def user_rate_bounded(context: CheckContext) -> None:
    context.limit("user_rate")
    most = affordable(context, "user_burst")
    each = context.welcome["limits"].get("connection_burst") or most
    peer = await context.peer()
    token = peer.welcome.get("token")
    peers = [peer, *[await context.peer(token=token) for _ in range(-(-most // each) + 1)]]
    asked = [(one, await one.send("ping")) for _ in range(each - 2) for one in peers]
    answers = [await one.answer(id_) for one, id_ in asked]
    refused = [answer for answer in answers if answer.get("code") == "rate"]
    expect(bool(refused), f"some of {len(asked)} requests at once refused", answers[-1])


@check("1.6", "a client that goes on and on after `rate` is closed",
       codecs=1, codes=("4004",))  # fmt: skip
async def flood_ended(context: CheckContext) -> None:
    context.limit("connection_rate")
    peer = await context.peer()
    most = context.limit("connection_burst") + FLOOD
    try:
        for _ in range(most):
            await peer.send("ping")
        await peer.until(lambda: peer.closed, "the connection's end")
    except Failed:
        if not peer.closed:
            raise Skipped(f"the server has borne {FLOOD} requests too many") from None
    await peer.until_closed(4004)


@check("1.6", "a client that does not read is closed as slow", codecs=1, codes=("4001",))
async def slow_closed(context: CheckContext) -> None:
    """The client stays within the rates. It sends more requests each time, so that it reads again
    before the server stops waiting for the answer to its close frame."""
    table = await context.table(game="veletas", turns=3)  # where `legal` has much to tell
    peer, limits = table.mover, context.welcome["limits"]
    transport = peer.connection.socket.transport
    transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_RCVBUF, 1 << 16)
    rates = [limits.get("connection_rate"), limits.get("user_rate")]
    rate = min([rate for rate in rates if rate], default=0)
    burst = min(limits.get("connection_burst") or MOST, limits.get("user_burst") or MOST)
    for seconds in (2, 5, 8, 11):
        if seconds >= context.limit("ping_seconds"):
            break  # it would be dropped for its silence
        transport.pause_reading()
        for number in range(burst + seconds * (rate or MOST)):
            if number >= burst and rate:
                await asyncio.sleep(1 / rate)
            last = await peer.send("legal", room=table.room)
        transport.resume_reading()
        await peer.until(partial(_ended, peer, last), "all answers")
        if peer.closed:
            await peer.until_closed(4001)
            return
        await asyncio.sleep(burst / rate if rate else 0)
    raise Skipped(
        "all that the client could request in time was not too much for the server to keep"
    )


def _ended(peer: Peer, id_: int) -> bool:
    """Whether a request was answered, or the connection is at its end."""
    return peer.closed or id_ in peer.inbound.answers


@check("1.6", "a user has connections_per_user connections, and not one more",
       codecs=1, codes=("limit",))  # fmt: skip
async def connections_bounded(context: CheckContext) -> None:
    most = affordable(context, "connections_per_user")
    if most > 40:
        raise Skipped(f"{most} connections would be a burden")
    peer = await context.peer()
    token = peer.welcome.get("token")
    others = [await context.peer(token=token) for _ in range(most - 1)]
    extra = await context.stranger()
    await extra.refused("limit", "hello", token=token)
    for other in others:
        await other.close()
    for _ in range(50):
        answer = await extra.ask("hello", token=token)
        if answer["type"] == "ok":
            return
    raise Failed("a hello once the others have gone", answer, extra.last_sent)


@check("1.6", "a user has rooms_per_user rooms open or running, and not one more",
       codecs=1, codes=("limit",))  # fmt: skip
async def rooms_bounded(context: CheckContext) -> None:
    most = affordable(context, "rooms_per_user")
    of = context.script()
    peer = await context.peer()
    for _ in range(most):
        await context.room(peer)
    await peer.refused("limit", "create", nonce=nonce(), game=of.game, size=of.size)
