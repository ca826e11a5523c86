"""SPEC 20.5 and 25: spectators who are behind, players who are gone."""

from __future__ import annotations

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect

BOUND = 30_000
"""Milliseconds for which a short game waits for a player who is gone."""

CLOCK = {"kind": "fischer", "main": 60, "increment": 2}


@check("20.5", "users without a seat see nothing of the latest actions until the game is over")
async def spectators_behind(context: CheckContext) -> None:
    context.feature("delay")
    table = await context.table(turns=2, delay=3)
    watcher = await context.peer()
    await watcher.join(table.room)
    await _behind(table, watcher, 0)
    await table.play(3)
    await table.seen()
    await watcher.until_turn(table.room, 2)
    late = await context.peer()
    await late.join(table.room)
    for peer in (watcher, late):
        await _behind(table, peer, 2)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for peer in (watcher, late):
        state = await peer.until_status(table.room, "over")
        expect(state["ply"] == 5, "all of the game, when it is over", state)


async def _behind(table: Table, watcher: Peer, turn: int) -> None:
    """Every request shows this turn, and nothing later."""
    state, room = watcher.state(table.room), table.room
    expect(state["turn"] == turn, f"a state at turn {turn}", state)
    legal = (await watcher.ok("legal", room=room))["legal"]
    expect(legal["turn"] == turn, f"legal actions of turn {turn}", legal, watcher.last_sent)
    log = (await watcher.ok("log", room=room))["log"]
    expect(log[-1]["seq"] == state["seq"], f"a log up to event {state['seq']}", log[-1])
    if "receipts" in watcher.welcome["features"]:
        receipt = (await watcher.ok("receipt", room=room))["receipt"]
        expect(receipt["seq"] == state["seq"], f"a receipt up to event {state['seq']}", receipt)
        await watcher.refused("bad_field", "receipt", room=room, seq=state["seq"] + 1)
    player = table.players[0].state(room)
    since = {name: player[name] for name in ("epoch", "seq", "chain")}
    answer = await watcher.ok("join", room=room, since=since)
    expect(
        answer["resumed"] is False,
        "resumed false, for a place beyond what the user may see",
        answer,
    )
    expect(answer["turn"] == turn, f"turn {turn}", answer, watcher.last_sent)


@check("25.1", "presence shows since when a player is gone; a claim that comes early is refused",
       also=("25.2", "25.3"), codes=("too_early",))  # fmt: skip
async def gone_shown(context: CheckContext) -> None:
    context.feature("claim")
    table = await context.table(turns=2, clock=CLOCK)
    first, second = table.players
    claim = {"room": table.room, "outcome": "win"}
    here = await first.refused("too_early", "claim", **claim, nonce=nonce())
    expect(0 < here.get("left", 0) <= BOUND, f"up to {BOUND} ms left", here, first.last_sent)
    await second.close()

    def gone() -> bool:
        told = first.of("presence", room=table.room)
        return bool(told) and (told[-1].get("gone") or [None, None])[1] is not None

    await first.until(gone, "presence that says since when seat 1 is gone", context.seconds + 2)
    told = first.of("presence", room=table.room)[-1]
    now = (await first.ok("ping"))["now"]
    expect(now - 60_000 < told["gone"][1] <= now, "a time just past", told)
    expect(told["claim"][1] == told["gone"][1] + BOUND, f"{BOUND} ms more to claim", told)
    early = await first.refused("too_early", "claim", **claim, nonce=nonce())
    expect(0 < early.get("left", 0) <= BOUND, f"up to {BOUND} ms left", early, first.last_sent)
    back = await context.again(second)
    await back.join(table.room)
    await first.until(lambda: not gone(), "presence of the player who is back", context.seconds + 2)
