"""SPEC 2.3: a retry is safe: it is answered as the first time, and done once."""

from __future__ import annotations

import asyncio

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.inbound import Message
from pierule_conform.checks.mirror import place_of
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect


def same(first: Message, second: Message, sent: object) -> None:
    """Check that two answers name the same effect."""
    fields = ("room", "place", "turn")
    was = {name: first.get(name) for name in fields}
    now = {name: second.get(name) for name in fields}
    expect(was == now, f"the first answer again, {was}", second, sent)


async def kinds(context: CheckContext, peer: Peer, table: Table) -> list[str]:
    """The records of the room's log."""
    return [entry["record"] for entry in await context.log(peer, table.room)]


@check("2.3", "a repeated act gets the same answer and is played once")
async def act_repeated(context: CheckContext) -> None:
    table = await context.table(turns=2)
    mover, turn, action = table.mover, table.turn, table.action
    first = await table.play()
    second = await mover.ok("act", room=table.room, turn=turn, action=action)
    same(first, second, mover.last_sent)
    log = await kinds(context, mover, table)
    count = sum('"acted"' in record for record in log)
    expect(count == 3, "3 actions in the log", log, mover.last_sent)


@check("2.3", "an act repeated later, when the game has gone on, gets the same answer",
       also=("6.8",))  # fmt: skip
async def act_repeated_late(context: CheckContext) -> None:
    table = await context.table(turns=2)
    mover, turn, action = table.mover, table.turn, table.action
    first = await table.play()
    await table.play(3)
    same(first, await mover.ok("act", room=table.room, turn=turn, action=action), mover.last_sent)


@check("2.3", "an act repeated over another connection, after a cut, is played once")
async def act_after_cut(context: CheckContext) -> None:
    table = await context.table(turns=2)
    mover, room, turn, action = table.mover, table.room, table.turn, table.action
    await mover.send("act", room=room, turn=turn, action=action)
    await mover.vanish()
    back = await context.again(mover)
    answer = await back.ok("act", room=room, turn=turn, action=action)
    expect(answer.get("turn") == turn + 1, f"turn {turn + 1}", answer, back.last_sent)
    log = await context.log(back, room)
    acted = [entry for entry in log if '"acted"' in entry["record"]]
    expect(len(acted) == turn + 1, f"{turn + 1} actions in the log", log, back.last_sent)
    place = place_of(acted[-1])
    expect(place_of(answer["place"]) == place, f"the place of its event, {place}", answer)


@check("2.3", "an act sent twice at once is answered twice and played once")
async def act_twice_at_once(context: CheckContext) -> None:
    table = await context.table(turns=2)
    again = await context.again(table.mover)
    ask = {"room": table.room, "turn": table.turn, "action": table.action}
    answers = await asyncio.gather(
        *(peer.ok("act", **ask) for peer in (table.mover, again, table.mover, again))
    )
    for answer in answers[1:]:
        same(answers[0], answer, ask)
    log = await kinds(context, again, table)
    expect(sum('"acted"' in record for record in log) == 3, "3 actions in the log", log, ask)


@check("2.3", "a create repeated with its nonce finds the same room")
async def create_repeated(context: CheckContext) -> None:
    peer, of = await context.peer(), context.script()
    ask = {"nonce": nonce(), "game": of.game, "size": of.size, "seat": 0}
    first = await peer.ok("create", **ask)
    same(first, await peer.ok("create", **ask), ask)
    back = await context.again(peer, context.other_codec)
    same(first, await back.ok("create", **ask), ask)
    fresh = await peer.ok("create", **{**ask, "nonce": nonce()})
    expect(fresh["room"] != first["room"], "another room for another nonce", fresh, ask)
    other = await (await context.peer()).ok("create", **ask)
    expect(other["room"] != first["room"], "another room for another user", other, ask)


@check("2.7", "a repeated create gets its first answer, however far the room has come")
async def create_repeated_late(context: CheckContext) -> None:
    of = context.script()
    peer, other = await context.peer(), await context.peer()
    ask = {"nonce": nonce(), "game": of.game, "size": of.size, "seat": 0}
    first = await peer.ok("create", **ask)
    await peer.join(first["room"])
    await other.join(first["room"], seat=1, nonce=nonce())
    await peer.until_status(first["room"], "running")
    await peer.ok("act", room=first["room"], turn=0, action=of.actions[0])
    again = await peer.ok("create", **ask)
    same(first, again, ask)
    expect(again.get("seats") == first.get("seats"), f"seats {first.get('seats')}", again, ask)


@check("2.7", "a nonce belongs to its user: another user may use the same")
async def nonces_of_users(context: CheckContext) -> None:
    maker, *others = [await context.peer() for _ in range(3)]
    room, used = await context.room(maker), nonce()
    for other in others:
        await other.join(room, seat="any", nonce=used)
    held = [holder and holder.get("user") for holder in others[1].state(room)["seats"]]
    users = [other.welcome.get("user") for other in others]
    expect(sorted(map(str, held)) == sorted(map(str, users)), f"seats of {users}", held)


@check("2.3", "a create sent twice at once makes one room")
async def create_twice_at_once(context: CheckContext) -> None:
    peer, of = await context.peer(), context.script()
    again = await context.again(peer)
    ask = {"nonce": nonce(), "game": of.game, "size": of.size}
    first, second = await asyncio.gather(peer.ok("create", **ask), again.ok("create", **ask))
    same(first, second, ask)


@check("2.3", "taking a seat, repeated with its nonce, happens once")
async def seat_repeated(context: CheckContext) -> None:
    maker, guest = await context.peer(), await context.peer()
    room = await context.room(maker)
    ask = {"room": room, "seat": "any", "nonce": nonce()}
    first = await guest.join(room, seat="any", nonce=ask["nonce"])
    for peer in (guest, await context.again(guest)):
        answer = await peer.ok("join", **ask)
        seats = [answer.get("seats"), first.get("seats")]
        expect(seats[0] == seats[1], f"seats {seats[1]}", answer, ask)
    log = await context.log(guest, room)
    seated = [entry for entry in log if '"seated"' in entry["record"]]
    expect(len(seated) == 1, "one seated event", log, ask)


@check("2.3", "resigning, repeated with its nonce, happens once")
async def resign_repeated(context: CheckContext) -> None:
    table = await context.table(turns=1)
    ask = {"room": table.room, "nonce": nonce()}
    first = await table.mover.ok("resign", **ask)
    same(first, await table.mover.ok("resign", **ask), ask)
    back = await context.again(table.mover)
    same(first, await back.ok("resign", **ask), ask)
    log = await kinds(context, back, table)
    expect(sum('"resigned"' in record for record in log) == 1, "one resigned event", log, ask)


@check("2.3", "a nonce that was used for something else is refused", codes=("bad_field",))
async def nonce_reused(context: CheckContext) -> None:
    table = await context.table(alone=True, turns=1)
    peer, of = table.mover, table.script
    used = nonce()
    await peer.ok("create", nonce=used, game=of.game, size=of.size)
    sizes = next(g["sizes"] for g in context.welcome["games"] if g["game"] == of.game)
    if len(sizes) > 1:
        other = next(size for size in sizes if size != of.size)
        answer = await peer.refused("bad_field", "create", nonce=used, game=of.game, size=other)
        expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)
    room = await context.room(peer)
    await peer.join(room, seat=0, nonce=used)
    answer = await peer.refused("bad_field", "join", room=room, seat=1, nonce=used)
    expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)
    await peer.ok("join", room=room, seat=1, nonce=nonce())
    answer = await peer.refused("bad_field", "resign", room=room, nonce=used)
    expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)
