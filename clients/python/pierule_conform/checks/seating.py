"""SPEC 2.4 and 2.5: seats belong to users; a refusal gives the first reason that holds."""

from __future__ import annotations

from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.following import nonce_room
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect


@check("2.4", "one user may hold both seats and play for both")
async def both_seats(context: CheckContext) -> None:
    table = await context.table(alone=True, turns=5)
    peer = table.mover
    joined = await peer.join(table.room)
    expect(joined.get("seats") == [0, 1], "seats [0, 1]", joined)


@check("2.4", "a seat belongs to the user, whatever the connection")
async def seats_of_users(context: CheckContext) -> None:
    table = await context.table(turns=2)
    mover = table.mover
    back = await context.again(mover, context.other_codec)
    await mover.close()
    answer = await back.ok("act", room=table.room, turn=2, action=table.action)
    expect(answer.get("turn") == 3, "turn 3", answer, back.last_sent)


@check("2.4", "the game starts when both seats are taken")
async def starts_when_full(context: CheckContext) -> None:
    first, second = await context.peer(), await context.peer()
    room = await context.room(first)
    await first.join(room)
    expect(first.state(room)["status"] == "open", "status open", first.state(room))
    await first.join(room, seat=0, nonce=nonce())
    expect(first.state(room)["status"] == "open", "status open", first.state(room))
    await second.join(room, seat="any", nonce=nonce())
    state = await first.until_status(room, "running")
    expect(None not in state["seats"], "both seats taken", state)


@check("2.4", "a user with both seats resigns for the named seat, or for the seat to act")
async def resign_of_both(context: CheckContext) -> None:
    for seat in (0, 1, None):
        table = await context.table(alone=True, turns=2)
        loser = table.script.seat(2) if seat is None else seat
        await table.mover.ok("resign", room=table.room, nonce=nonce(), seat=seat)
        state = await table.mover.until_status(table.room, "over")
        result = {"winner": 1 - loser, "reason": "resigned"}
        expect(state["result"] == result, f"{result}", state, table.mover.last_sent)
        await table.mover.close()


@check("2.5", "unknown_room comes before everything else", codes=("unknown_room",))
async def unknown_rooms(context: CheckContext) -> None:
    peer, room = await context.peer(), nonce_room()
    requests: list[tuple[str, dict[str, Any]]] = [
        ("act", {"turn": 0, "action": "e5"}),
        ("resign", {"nonce": nonce()}),
        ("legal", {}),
        ("log", {}),
        ("join", {}),
    ]
    for type_, fields in requests:
        await peer.refused("unknown_room", type_, room=room, **fields)


@check("2.5", "not_seated comes before stale, finished, not_started and illegal",
       codes=("not_seated",))  # fmt: skip
async def not_seated_first(context: CheckContext) -> None:
    table = await context.table(turns=2)
    peer = await context.peer()
    for turn, action in ((2, table.action), (0, table.action), (2, "zz99"), (9, "zz99")):
        await peer.refused("not_seated", "act", room=table.room, turn=turn, action=action)
    await peer.refused("not_seated", "resign", room=table.room, nonce=nonce())
    seat = table.players.index(table.other)
    await table.mover.refused("not_seated", "resign", room=table.room, nonce=nonce(), seat=seat)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    await peer.refused("not_seated", "act", room=table.room, turn=2, action=table.action)


@check("2.5", "stale comes before finished and not_your_turn", codes=("stale",))
async def stale_first(context: CheckContext) -> None:
    table = await context.table(turns=3)
    await table.other.refused("stale", "act", room=table.room, turn=7, action=table.action)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    await table.other.refused("stale", "act", room=table.room, turn=7, action="zz99")


@check("2.5", "when the game is over, nobody can act or resign",
       codes=("finished",))  # fmt: skip
async def finished_told(context: CheckContext) -> None:
    table = await context.table(turns=3)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for peer in table.players:
        for action in (table.action, "zz99"):
            await peer.refused("finished", "act", room=table.room, turn=3, action=action)
        await peer.refused("finished", "resign", room=table.room, nonce=nonce())


@check("2.5", "while a seat is free nothing can be played", codes=("not_started",))
async def not_started_told(context: CheckContext) -> None:
    peer = await context.peer()
    room = await context.room(peer, seat=0)
    for action in (context.script().actions[0], "zz99"):
        await peer.refused("not_started", "act", room=room, turn=0, action=action)
    await peer.refused("not_started", "resign", room=room, nonce=nonce())


@check("2.5", "not_your_turn comes before illegal", codes=("not_your_turn",))
async def turns_kept(context: CheckContext) -> None:
    table = await context.table(turns=2)
    for action in (table.action, "zz99"):
        await table.other.refused("not_your_turn", "act", room=table.room, turn=2, action=action)


@check("2.5", "a seat that someone holds cannot be taken, nor any seat of a full room",
       codes=("seat_taken",))  # fmt: skip
async def seats_taken(context: CheckContext) -> None:
    table = await context.table()
    peer = await context.peer()
    for seat in (0, 1, "any"):
        answer = await peer.refused("seat_taken", "join", room=table.room, seat=seat, nonce=nonce())
        expect(answer.get("field") in ("seat", None), "field seat", answer, peer.last_sent)
    looked = await peer.join(table.room)
    expect(looked.get("seats", []) == [], "no seats", looked)


@check("16.8", "a bot is shown as a bot wherever it sits, and its token keeps that", codecs=1)
async def bots_show(context: CheckContext) -> None:
    first = await context.peer(bot=True)
    bot, person = await context.again(first), await context.peer()
    room = await context.room(bot, seat=0)
    await person.join(room, seat=1, nonce=nonce())
    await bot.join(room)
    told = [bool(holder.get("bot")) for holder in bot.state(room)["seats"]]
    expect(told == [True, False], "bot true for seat 0 alone", bot.state(room)["seats"])
    (card,) = [each for each in (await person.ok("rooms"))["rooms"] if each["room"] == room]
    expect(card.get("bots") == [True, False], "bots [true, false]", card)
