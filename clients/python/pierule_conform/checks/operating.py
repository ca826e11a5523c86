"""What only an operator can cause (SPEC 1.5, 7, 9.6): a restart, a store that is away.

The operator gives a shell command for each operation (`--with`). These checks run one after the
other when all others are done, because they disturb every connection.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import Peer
from pierule_conform.checks.registry import Failed, check, expect
from pierule_conform.report import Finding

OPERATIONS = {
    "restart": "ends a node in good order and starts it again at the same address",
    "store-away": "makes the store unreachable",
    "store-back": "undoes store-away",
}
"""The operations of `--with`."""

OUTAGE = 4.0
"""Seconds for which the store is away: longer than 9.6 ignores."""
RECOVERY = 60.0
"""Seconds within which a server has to be back."""

_FAULT = "needs a faulty server: neither a request nor an operator can cause it"
_BEYOND = (
    ("6.6", "never-lost", "a lost event is noticed", "needs a loss between store and node"),
    ("7", "never-internal", "the error `internal`", _FAULT),
    ("7", "never-1011", "the close code 1011", _FAULT),
    ("7", "never-chat-off", "the error `chat_off`", "needs a server without chat"),
    ("7", "never-no-guests", "the error `no_guests`", "needs a server without guests"),
    ("7", "never-no-game", "the error `no_game`", "needs a room whose rules are missing"),
    ("7", "never-damaged", "the error `damaged`", "needs a damaged log"),
    ("7", "never-full", "the error `full`", "needs a store that is nearly full"),
    ("7", "never-banned", "the error `banned`", "needs a ban by an operator"),
    ("7", "never-4005", "the close code 4005", "needs a ban by an operator"),
    ("7", "never-1001", "the close code 1001", "needs a server that stops without draining"),
)


def never() -> list[Finding]:
    """What no check can test; the report names it anyway."""
    return [Finding(section, name, title, "skipped", reason)
            for section, name, title, reason in _BEYOND]  # fmt: skip


@check("7", "a node that restarts says so, closes with 1012, and knows its users afterwards",
       codecs=1, codes=("1012",), also=("1.5",), alone=True)  # fmt: skip
async def restart_told(context: CheckContext) -> None:
    context.needs("restart")
    peer = await context.peer(name="Stayer")
    mark = len(peer.inbox)
    restarting = asyncio.create_task(context.operate("restart"))
    try:
        notice = await peer.next("notice", after=mark)
        expect(notice.get("kind") == "draining", "a notice `draining`", notice, "a restart")
        await peer.until_closed(1012, RECOVERY)
    finally:
        await restarting
    again = await _return(context, peer)
    was, now = peer.welcome.get("user"), again.welcome.get("user")
    expect(was == now, f"user {was}", again.welcome, again.last_sent)


@check("7", "while the store is away requests are `unavailable`, and no clock loses time",
       codecs=1, codes=("unavailable",), also=("9.6", "1.5", "24.5"), alone=True)  # fmt: skip
async def store_away(context: CheckContext) -> None:
    context.needs("store-away", "store-back")
    table = await context.table(turns=3, clock={"kind": "fischer", "main": 60, "increment": 0})
    player, mark = table.mover, len(table.mover.inbox)
    await context.operate("store-away")
    try:
        began = time.monotonic()
        act = {"room": table.room, "turn": table.turn, "action": table.action}
        answer = await player.answer(await player.send("act", **act), RECOVERY)
        player.expect_code(answer, "unavailable", act)
        await player.next("notice", after=mark)
        await _nobody_believed(context, player)
        await asyncio.sleep(max(0, OUTAGE + began - time.monotonic()))
    finally:
        await context.operate("store-back")
    await _repeated(player, act)
    news = [notice.get("kind") for notice in player.of("notice", after=mark)]
    expect(news == ["store_away", "store_back"], "store_away, then store_back", news)
    records = [str(entry.get("record")) for entry in await context.log(player, table.room)]
    credited = [record for record in records if '"credited"' in record]
    expect(bool(credited), f"a `credited` event for {OUTAGE:g} s without store", records[-2:])


async def _nobody_believed(context: CheckContext, player: Peer) -> None:
    """While the accounts cannot be read, only new guests come in."""
    if "accounts" in player.welcome["features"]:
        for who in ({"token": player.welcome["token"]}, {"name": "Guest"}):
            await (await context.stranger()).refused("unavailable", "hello", **who)
    await (await context.stranger()).ok("hello")


async def _return(context: CheckContext, peer: Peer) -> Peer:
    """The same user again, as soon as the node takes connections."""
    end = time.monotonic() + RECOVERY
    while True:
        try:
            return await context.again(peer)
        except Failed:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.3)


async def _repeated(player: Peer, act: dict[str, Any]) -> None:
    """Send an act again until it is done."""
    end = time.monotonic() + RECOVERY
    while (answer := await player.ask("act", **act))["type"] != "ok":
        player.expect_code(answer, "unavailable", act)
        if time.monotonic() > end:
            raise Failed("ok once the store is back", answer, act)
