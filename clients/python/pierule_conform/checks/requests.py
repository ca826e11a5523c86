"""SPEC 2: every request has one answer; what the requests do."""

from __future__ import annotations

import asyncio

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import Failed, Skipped, check, expect


@check("2.1", "an answer has the id of its request, from 0 to 2^32 - 1")
async def ids(context: CheckContext) -> None:
    peer = await context.peer()
    for id_ in (0, 1, 2**31, 2**32 - 1):
        answer = await peer.raw({"type": "ping", "id": id_})
        expect(answer["type"] == "ok" and answer.get("id") == id_, f"ok with id {id_}", answer,
               peer.last_sent)  # fmt: skip
    for bad in (2**32, -1, "1", None):
        answer = await peer.raw({"type": "ping", "id": bad})
        peer.expect_code(answer, "bad_field")
        expect(answer.get("id") is None, "no id, because the request had none", answer)


@check("1.2", "a field that may be left out may also be null")
async def nulls_taken(context: CheckContext) -> None:
    peer = await context.stranger()
    await peer.hello(token=None, name=None, agent=None)
    room = await context.room(peer, seat=None, clock=None)
    await peer.join(room, since=None, seat=None, nonce=None, invitation=None)


@check("2.1", "many requests at once are answered once each, in their order")
async def answers_in_order(context: CheckContext) -> None:
    peer = await context.peer()
    room = await context.room(peer)
    mark = len(peer.inbox)
    ids = []
    for number in range(12):
        match number % 4:
            case 0:
                ids.append(await peer.send("rooms", limit=100))
            case 1:
                ids.append(await peer.send("ping"))
            case 2:
                ids.append(await peer.send("leave", room="zzzzzzzzzz"))
            case _:
                ids.append(await peer.send("join", room=room))
    for id_ in ids:
        await peer.answer(id_)
    await peer.settled()
    got = [m.get("id") for m in peer.of("ok", "error", after=mark)][: len(ids)]
    expect(got == ids, f"answers to {ids}, in this order", got)


@check("2.1", "a request that waits does not hold up another connection")
async def connections_independent(context: CheckContext) -> None:
    peers = await asyncio.gather(*(context.peer() for _ in range(4)))
    answers = await asyncio.gather(*(peer.ok("ping") for peer in peers for _ in range(3)))
    expect(len(answers) == 12, "12 answers", len(answers))


@check("2.2", "after an error nothing has changed")
async def errors_change_nothing(context: CheckContext) -> None:
    table = await context.table(turns=3)
    before = await context.log(table.mover, table.room)
    await table.mover.refused("illegal", "act", room=table.room, turn=3, action="zz99")
    await table.mover.refused("stale", "act", room=table.room, turn=1, action=table.action)
    await table.other.refused("not_your_turn", "act", room=table.room, turn=3, action=table.action)
    await table.mover.refused("bad_field", "resign", room=table.room, nonce="a b")
    after = await context.log(table.mover, table.room)
    expect(after == before, f"a log of {len(before)} entries, as before", after[len(before) :])
    await table.play()


@check("2.3", "create makes the requested room, and does not follow it")
async def create_makes(context: CheckContext) -> None:
    of = context.script()
    peer = await context.peer(name="Maker")
    for seat in (None, 0, 1):
        made = await peer.ok("create", nonce=nonce(), game=of.game, size=of.size, seat=seat)
        held = [] if seat is None else [seat]
        expect(made.get("seats", []) == held, f"seats {held}", made, peer.last_sent)
        expect(made.get("turn") == 0, "turn 0", made)
        other = await context.peer()
        await other.join(made["room"])
        state = other.state(made["room"])
        holders = [holder and holder.get("name") for holder in state["seats"]]
        wanted = ["Maker" if seat == number else None for number in (0, 1)]
        expect(holders == wanted, f"seats of {wanted}", state)
        expect(state["status"] == "open", "status open", state)
        fits = (state["position"]["game"], state["position"]["size"]) == (of.game, of.size)
        expect(fits, f"{of.game} {of.size}", state)
        await other.close()
    await peer.settled()
    expect(not peer.of("snapshot", "event", "presence"), "nothing of rooms that are not followed",
           peer.of("snapshot", "event", "presence"))  # fmt: skip


@check("2.3", "an unknown game or size is refused")
async def create_refuses(context: CheckContext) -> None:
    of = context.script()
    sizes = next(game["sizes"] for game in context.welcome["games"] if game["game"] == of.game)
    peer = await context.peer()
    for size in {1, max(sizes) + 1, 99}.difference(sizes):
        answer = await peer.refused("bad_field", "create", nonce=nonce(), game=of.game, size=size)
        expect(answer.get("field") == "size", "field size", answer, peer.last_sent)


@check("2.3", "join without a seat takes none, join with one takes it")
async def join_takes(context: CheckContext) -> None:
    maker, guest = await context.peer(), await context.peer()
    room = await context.room(maker)
    looked = await guest.join(room)
    expect(looked.get("seats", []) == [], "no seats", looked)
    sat = await guest.ok("join", room=room, seat=1, nonce=nonce())
    expect(sat.get("seats") == [1], "seats [1]", sat, guest.last_sent)
    again = await guest.ok("join", room=room, seat="any", nonce=nonce())
    expect(again.get("seats") == [1], "the seat that the user holds, [1]", again, guest.last_sent)


@check("2.3", "taking a seat needs a nonce")
async def seat_needs_nonce(context: CheckContext) -> None:
    peer = await context.peer()
    room = await context.room(peer)
    answer = await peer.refused("bad_field", "join", room=room, seat=0)
    expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)


@check("2.3", "leave ends the room's messages and keeps the seat")
async def leave_stops(context: CheckContext) -> None:
    table = await context.table(turns=2)
    leaver, room = table.other, table.room
    await leaver.ok("leave", room=room)
    mark = len(leaver.inbox)
    await table.play()
    await leaver.settled()
    if table.mover is leaver:
        await leaver.ok("act", room=room, turn=table.turn, action=table.action)
        table.turn += 1
    await leaver.settled()
    late = leaver.of("event", "snapshot", after=mark, room=room)
    expect(not late, "no more events", late, leaver.last_sent)
    joined = await leaver.join(room)
    seat = table.players.index(leaver)
    expect(joined.get("seats") == [seat], f"seats [{seat}]", joined)
    await leaver.ok("leave", room="zzzzzzzzzz")


@check("2.3", "rooms lists open and running rooms, no more than the limit")
async def rooms_listed(context: CheckContext) -> None:
    context.feature("rooms")
    table = await context.table()
    made = await context.room(table.mover)
    cards = (await table.mover.ok("rooms", limit=100))["rooms"]
    found = {card.get("room"): card for card in cards}
    if made not in found and len(cards) == 100:
        return  # a busy server: a hundred rooms were made since
    for room, status in ((made, "open"), (table.room, "running")):
        card = found.get(room, {})
        expect(card.get("status") == status, f"{room}, {status}", card or "not listed")
    if "filters" not in context.welcome["features"]:
        times = [card["at"] for card in cards]
        expect(times == sorted(times, reverse=True), "the latest first", times)
    one = (await table.mover.ok("rooms", limit=1))["rooms"]
    expect(len(one) == 1, "one room", one, table.mover.last_sent)


@check("2.3", "a room that is over is no longer listed")
async def rooms_over_unlisted(context: CheckContext) -> None:
    context.feature("rooms")
    table = await context.table()
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    cards = (await table.mover.ok("rooms", limit=100))["rooms"]
    listed = [card for card in cards if card.get("room") == table.room]
    expect(not listed, f"no {table.room}", listed)


@check("2.3", "ping gives the store's time, which never falls")
async def ping_tells_time(context: CheckContext) -> None:
    peer = await context.peer()
    times = [(await peer.ok("ping"))["now"] for _ in range(3)]
    expect(times == sorted(times), "times that do not fall", times)
    room = await context.room(peer)
    await peer.join(room)
    at, now = peer.state(room)["at"], (await peer.ok("ping"))["now"]
    expect(abs(now - at) < 60_000, f"a time near that of the event, {at}", now)


@check("2.3", "log gives entries from `first` on")
async def log_from(context: CheckContext) -> None:
    table = await context.table(turns=3)
    whole = await context.log(table.mover, table.room)
    await table.seen()
    seqs, last = [entry["seq"] for entry in whole], table.mover.state(table.room)["seq"]
    expect(seqs == list(range(1, last + 1)), f"entries 1 to {last}", seqs, table.mover.last_sent)
    for first in (1, 2, len(whole), len(whole) + 1):
        part = (await table.mover.ok("log", room=table.room, first=first)).get("log", [])
        expect(part == whole[first - 1 :], f"entries {first} to {len(whole)}", part,
               table.mover.last_sent)  # fmt: skip


@check("2.3", "board_mismatch is answered, and changes nothing")
async def board_mismatch_heard(context: CheckContext) -> None:
    table = await context.table(turns=1)
    place = table.players[0].state(table.room)
    answer = await table.mover.ask(
        "board_mismatch",
        room=table.room,
        epoch=place["epoch"],
        seq=place["seq"],
        problem="mismatch",
    )
    if answer.get("code") == "unknown_type":
        raise Skipped("the server does not know board_mismatch")
    if answer["type"] != "ok":
        raise Failed("ok", answer, table.mover.last_sent)
    await table.play()


@check("6.14", "a board_mismatch about an event that the client did not get is refused")
async def false_board_mismatches(context: CheckContext) -> None:
    table = await context.table(turns=1)
    place = table.players[0].state(table.room)
    report = {"room": table.room, "epoch": place["epoch"], "seq": place["seq"], "problem": "desync"}
    stranger = await context.peer()
    await stranger.refused("not_following", "board_mismatch", **report)
    await stranger.refused("not_following", "board_mismatch", **{**report, "room": "x" * 32})
    await table.mover.refused("bad_field", "board_mismatch", **{**report, "seq": place["seq"] + 1})
    await table.play()


@check("2.6", "an id may be used again after its answer, and on every new connection")
async def ids_again(context: CheckContext) -> None:
    first, second = await context.peer(), await context.peer()
    for _ in range(2):
        for peer in (first, second):
            answer = await peer.raw({"type": "ping", "id": 7})
            expect(answer["type"] == "ok" and answer.get("id") == 7, "ok with id 7", answer)


@check(
    "2.9", "taking a seat that the user holds, and leaving a room that they do not follow, succeeds"
)
async def nothing_to_do(context: CheckContext) -> None:
    table = await context.table(turns=1)
    peer, room = table.players[0], table.room
    before = await context.log(peer, room)
    for seat in (0, "any"):
        answer = await peer.ok("join", room=room, seat=seat, nonce=nonce())
        expect(answer.get("seats") == [0], "seats [0]", answer, peer.last_sent)
    await peer.ok("leave", room=room)
    await peer.ok("leave", room=room)
    after = await context.log(peer, room)
    expect(after == before, f"the same log of {len(before)} entries", after)
