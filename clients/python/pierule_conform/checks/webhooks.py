"""SPEC 23.13 and 23.14: webhooks of users who are not connected."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias
from urllib.parse import urlsplit

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.names import some_name
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import Failed, Skipped, check, expect

URL = "https://example.org/pierule"

CALLED = 5.0
"""Seconds in which a node may still tell the player."""

Call: TypeAlias = tuple[str, Mapping[str, str], bytes]
"""The first line, the headers by their names in lower case, the body."""


@check("23.13", "a registered user can set and remove a webhook", codecs=1)
async def webhook_set(context: CheckContext) -> None:
    owner = await registered(context, await context.peer())
    await (await context.peer()).refused("no_account", "set_webhook", nonce=nonce(), url=URL)
    mine = nonce()
    first, again, other = [
        (await owner.ok("set_webhook", nonce=each, url=URL)).get("secret")
        for each in (mine, mine, nonce())
    ]
    expect(bool(first) and again == first, "the same secret for the same nonce", again, first)
    expect(other not in (first, None), "another secret for another nonce", other, first)
    for bad in ("ftp://example.org/", "https://", "https://u:p@example.org/", f"{URL}#x", "x y"):
        answer = await owner.refused("bad_field", "set_webhook", nonce=nonce(), url=bad)
        expect(answer.get("field") == "url", "field url", answer, owner.last_sent)
    for _ in range(2):
        answer = await owner.ok("set_webhook", nonce=nonce())
        expect("secret" not in answer, "no secret without a url", answer)
    await owner.ok("delete_account")


@check("23.14", "a webhook is called while its user is away, and the call is signed", codecs=1,
       also=("23.13",))  # fmt: skip
async def webhook_called(context: CheckContext) -> None:
    context.feature("challenge")
    if urlsplit(context.url).hostname not in ("127.0.0.1", "::1", "localhost"):
        raise Skipped("needs a server on this machine")
    table = await context.table(clock={"kind": "correspondence", "days": 3})
    away = await registered(context, table.other)
    async with receiver() as (url, calls):
        answer = await away.ask("set_webhook", nonce=nonce(), url=url)
        if answer["type"] != "ok":
            raise Skipped("needs a server that calls webhooks on this machine (--webhooks any)")
        await away.close()
        await table.play(1)
        try:
            async with asyncio.timeout(CALLED + context.seconds + 5):
                line, headers, body = await calls.get()
        except TimeoutError:
            raise Failed("a call of the webhook", "none", answer) from None
    expect(line == "POST /turn HTTP/1.1", "POST /turn HTTP/1.1", line)
    told = json.loads(body)
    wanted = {"kind": "your_turn", "room": table.room, "turn": 1, "seat": 1}
    expect(wanted.items() <= told.items(), str(wanted), told)
    said = headers.get("pierule-timestamp", "").encode() + b"." + body
    mine = hmac.new(answer["secret"].encode(), said, hashlib.sha256).hexdigest()
    expect(headers.get("pierule-signature") == mine, f"the signature {mine}", headers)
    back = await context.again(away)
    await back.ok("delete_account")


async def registered(context: CheckContext, peer: Peer) -> Peer:
    """The peer as a registered user."""
    context.feature("webhooks")
    context.feature("accounts")
    await peer.ok("register", nonce=nonce(), name=some_name())
    return peer


@asynccontextmanager
async def receiver() -> AsyncIterator[tuple[str, asyncio.Queue[Call]]]:
    """Run a web server on this machine. Yields its URL and the calls that it gets."""
    calls: asyncio.Queue[Call] = asyncio.Queue()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        pairs = (each.partition(": ") for each in lines)
        headers = {name.lower(): text for name, _, text in pairs}
        body = await reader.readexactly(int(headers["content-length"]))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()
        calls.put_nowait((line, headers, body))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/turn", calls
