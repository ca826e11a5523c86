"""SPEC 19 and 20: what players agree on, and who finds a room."""

from __future__ import annotations

import asyncio
from typing import Any

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect

CLOCK = {"kind": "fischer", "main": 600, "increment": 2}


async def _offer(peer: Peer, room: str, what: str) -> dict[str, Any]:
    """Offer, and wait until the offer stands. Returns the room's state."""
    answer = await peer.ok("offer", room=room, what=what, nonce=nonce())
    return await _reach(peer, room, answer)


async def _reach(peer: Peer, room: str, answer: Any) -> dict[str, Any]:
    """Wait for the event that an answer names. Returns the room's state."""
    seq = answer["place"]["seq"]
    await peer.until(lambda: peer.state(room)["seq"] >= seq, f"the event {seq}")
    return peer.state(room)


async def _agree(table: Table, asker: int, what: str) -> dict[str, Any]:
    """One player offers, the other accepts. Returns the room's state when both have seen that."""
    one, other = table.players[asker], table.players[1 - asker]
    seen = await _offer(one, table.room, what)
    answer = await other.ok("accept", room=table.room, what=what, turn=seen["turn"], nonce=nonce())
    await _reach(other, table.room, answer)
    return await _reach(one, table.room, answer)


@check("19.1", "an offer stands in the state, once for each seat and kind", codes=("not_now",))
async def offers_stand(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=3)
    peer, other, room = table.players[0], table.players[1], table.room
    again = nonce()
    first = await peer.ok("offer", room=room, what="takeback", nonce=again)
    state = await _reach(other, room, first)
    expect(state.get("offers") == ["takeback", None], "offers takeback and null", state)
    second = await peer.ok("offer", room=room, what="takeback", nonce=again)
    expect(second["place"] == first["place"], f"{first['place']}", second, peer.last_sent)
    await peer.refused("not_now", "offer", room=room, what="takeback", nonce=nonce())
    await other.ok("decline", room=room, what="takeback", nonce=nonce())
    await peer.refused("not_now", "offer", room=room, what="takeback", nonce=nonce())
    await table.play(2)
    await _offer(peer, room, "takeback")


@check("19.1", "an offer that a room cannot have is refused as bad_field")
async def offers_unfit(context: CheckContext) -> None:
    context.feature("agreements")
    knows = {game["game"]: game.get("draws", False) for game in context.welcome["games"]}
    table = await context.table()
    wrong = ["pause", "resume"] + ([] if knows[table.script.game] else ["draw"])
    for what in wrong:
        answer = await table.mover.refused(
            "bad_field", "offer", room=table.room, what=what, nonce=nonce()
        )
        expect(answer.get("field") == "what", "field what", answer, table.mover.last_sent)
    await table.mover.refused("not_now", "offer", room=table.room, what="rematch", nonce=nonce())


@check("19.2", "decline, withdraw and actions end an offer, and accept needs its turn",
       codes=("no_offer",))  # fmt: skip
async def offers_end(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=2)
    await table.play()
    await table.seen()
    asker, other, room = table.other, table.mover, table.room
    for type_ in ("decline", "withdraw"):
        await other.refused("no_offer", type_, room=room, what="takeback", nonce=nonce())
    seat = table.players.index(asker)
    await _offer(asker, room, "takeback")
    turn = {"turn": table.turn}
    await asker.refused("no_offer", "accept", room=room, what="takeback", nonce=nonce(), **turn)
    await other.refused("stale", "accept", room=room, what="takeback", turn=0, nonce=nonce())
    done = await asker.ok("withdraw", room=room, what="takeback", nonce=nonce())
    state = await _reach(other, room, done)
    expect(state["offers"] == [None, None], "no offers", state)
    await other.refused("no_offer", "accept", room=room, what="takeback", nonce=nonce(), **turn)
    await table.play(2)
    await table.seen()
    await _offer(table.players[seat], room, "takeback")
    await table.play()
    await table.seen()
    expect(asker.state(room)["offers"] == [None, None], "no offers", asker.state(room))


@check("4.4", "a resignation ends the game, its clocks and its offers", also=("19.2",))
async def resigning_ends(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=3, clock=CLOCK)
    await _offer(table.other, table.room, "takeback")
    answer = await table.mover.ok("resign", room=table.room, nonce=nonce())
    state = await _reach(table.other, table.room, answer)
    expect(state["status"] == "over", "status over", state)
    expect(state["clock"].get("running") is None, "no running clock", state["clock"])
    expect(state["offers"] == [None, None], "no offers", state)


@check("19.3", "a player may abort before acting, and not after")
async def abort_early(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=1)
    first, second = table.players
    await first.refused("not_now", "abort", room=table.room, nonce=nonce())
    again = nonce()
    places = [(await second.ok("abort", room=table.room, nonce=again))["place"] for _ in range(2)]
    expect(places[0] == places[1], "the same place twice", places)
    state = await first.until_status(table.room, "over")
    result = state["result"]
    expect((result.get("winner"), result["reason"]) == (None, "aborted"), "aborted", state)
    alone = await context.peer()
    room = await context.room(alone, seat=0)
    await alone.ok("abort", room=room, nonce=nonce())


@check("19.4", "a takeback restores board, ply and clocks; the turn rises", also=("19.2",))
async def takeback_restores(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=5, clock=CLOCK)
    for seat in (0, 1):
        asker, room = table.players[seat], table.room
        before = asker.state(room)
        acts = [s for s in asker.states[room] if s["ply"] < before["ply"]
                and s["status"] == "running" and s["position"]["to_act"] == seat]  # fmt: skip
        ply = max(s["ply"] for s in acts)
        then = next(s for s in reversed(acts) if s["ply"] == ply)
        state = await _agree(table, seat, "takeback")
        expect(state["turn"] == before["turn"] + 1, f"turn {before['turn'] + 1}", state)
        expect(state["actions"] == before["actions"][:ply], f"{ply} actions", state)
        expect(state["position"] == then["position"], f"{then['position']}", state)
        clock, was = state["clock"], then["clock"]
        expect(clock["hands"] == was["hands"], f"{was['hands']}", clock)
        expect(clock["running"] == seat, f"running {seat}", clock)
        spent = then["at"] - was["started"]
        expect(state["at"] - clock["started"] == spent, f"{spent} ms used", state)


@check("19.5", "if both want a draw, the game ends")
async def draw_agreed(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(game="taugo", turns=2)
    answers = await asyncio.gather(
        *(peer.ok("offer", room=table.room, what="draw", nonce=nonce()) for peer in table.players)
    )
    state = await table.players[0].until_status(table.room, "over")
    result = {"winner": "draw", "reason": "agreed"}
    expect(state["result"] == result, f"{result}", state, answers)


@check("19.6", "during a pause the clocks stand still and nobody acts, until both agree to go on")
async def pause_stops(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=1, clock=CLOCK)
    before = table.players[0].state(table.room)["clock"]
    state = await _agree(table, 0, "pause")
    clock = state["clock"]
    expect(clock.get("paused") == state["at"], f"paused {state['at']}", clock)
    expect(clock["deadline"] == state["at"] + 600_000, "a deadline in 600 s", clock)
    act = {"room": table.room, "turn": table.turn, "action": table.action}
    await table.mover.refused("not_now", "act", **act)
    after = await _agree(table, 1, "resume")
    expect(after["clock"].get("paused") is None, "not paused", after["clock"])
    moved = after["at"] - state["at"]
    started = before["started"] + moved
    expect(after["clock"]["started"] == started, f"started {started}", after["clock"])
    await table.play()


@check("19.7", "a rematch swaps the seats, and both rooms name each other")
async def rematch_made(context: CheckContext) -> None:
    context.feature("agreements")
    table = await context.table(turns=2)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for player in table.players:
        await player.until_status(table.room, "over")
    state = await _agree(table, 0, "rematch")
    new = state.get("rematch")
    expect(isinstance(new, str), "the id of a rematch", state)
    for player in table.players:
        await player.join(str(new))
        made = player.state(str(new))
        expect(made["seats"] == state["seats"][::-1], "swapped seats", made)
        expect(made.get("rematch_of") == table.room, f"rematch_of {table.room}", made)
        expect(made["status"] == "running", "status running", made)
    await table.mover.refused("not_now", "offer", room=table.room, what="rematch", nonce=nonce())


@check("20.1", "a room that is not public is not listed, and can be joined")
async def unlisted_rooms(context: CheckContext) -> None:
    context.feature("access")
    peer, other = await context.peer(), await context.peer()
    room = await context.room(peer, access="unlisted")
    await other.join(room)
    expect(other.state(room).get("access") == "unlisted", "access unlisted", other.state(room))
    cards = (await other.ok("rooms", limit=100))["rooms"]
    expect(room not in [card.get("room") for card in cards], f"no {room}", cards)


@check("20.2", "a retry gets the same random seat")
async def random_seats(context: CheckContext) -> None:
    context.feature("access")
    peer, of = await context.peer(), context.script()
    create = {"nonce": nonce(), "game": of.game, "size": of.size, "seat": "random"}
    seats = [(await peer.ok("create", **create)).get("seats") for _ in range(3)]
    expect(seats[0] in ([0], [1]), "one seat", seats)
    expect(seats == seats[:1] * 3, "the same seat", seats)


@check("20.3", "a private room needs its invitation, except from its players",
       codes=("private",))  # fmt: skip
async def private_rooms(context: CheckContext) -> None:
    context.feature("access")
    peer, other = await context.peer(), await context.peer()
    secret = nonce()
    room = await context.room(peer, seat=0, access="private", invitation=secret)
    await peer.join(room)
    for fields in ({}, {"invitation": nonce()}, {"seat": 1, "nonce": nonce()}):
        await other.refused("private", "join", room=room, **fields)
    signs = "receipts" in context.welcome["features"]
    for type_ in ("log", "legal", "receipt") if signs else ("log", "legal"):
        await other.refused("private", type_, room=room)
    cards = (await other.ok("rooms", limit=100))["rooms"]
    expect(room not in [card.get("room") for card in cards], f"no {room}", cards)
    await other.join(room, invitation=secret)
    log = await context.log(other, room)
    expect(secret not in str(log), "a log without the invitation", log)
    maker = await context.peer()
    of = context.script()
    create = {"nonce": nonce(), "game": of.game, "size": of.size}
    for wrong in ({"access": "private"}, {"invitation": secret}):
        await maker.refused("bad_field", "create", **create, **wrong)


@check("20.5", "the delay of a room is shown in its state")
async def delay_shown(context: CheckContext) -> None:
    context.feature("access")
    peer = await context.peer()
    room = await context.room(peer, delay=3)
    await peer.join(room)
    expect(peer.state(room).get("delay") == 3, "delay 3", peer.state(room))
