"""SPEC 3 and 5: the log as it is kept, its numbers, chain and digests."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.mirror import chained, place_of
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect
from pierule_conform.checks.shapes import ROOM
from pierule_protocol.state.position import digest, position_text


@check("3.1", "a room's id is 1 to 32 letters a to z, different for each room")
async def room_ids(context: CheckContext) -> None:
    peer = await context.peer()
    rooms = [await context.room(peer) for _ in range(4)]
    for room in rooms:
        expect(ROOM.fullmatch(room) is not None, "1 to 32 letters a to z", room, peer.last_sent)
    expect(len(set(rooms)) == 4, "four rooms", rooms)


@check("3.2", "the log counts 1, 2, 3, … in one epoch, and its times never fall")
async def log_numbered(context: CheckContext) -> None:
    table = await context.table(turns=6)
    log = await context.log(table.mover, table.room)
    seqs = [entry["seq"] for entry in log]
    expect(seqs == list(range(1, len(log) + 1)), "1, 2, 3, …", seqs)
    expect({entry["epoch"] for entry in log} == {1}, "epoch 1", log)
    times = [entry["at"] for entry in log]
    expect(times == sorted(times), "times that do not fall", times)


@check("3.2", "an acknowledged event is in the log when the ok comes, at the place in the ok")
async def acknowledged_is_kept(context: CheckContext) -> None:
    table = await context.table()
    reader = await context.peer()
    for _ in range(6):
        mover = table.mover
        await mover.until_turn(table.room, table.turn)
        action = table.action
        answer = await table.play()
        log = await context.log(reader, table.room)
        places = [place_of(entry) for entry in log]
        sent = mover.last_sent
        place = place_of(answer["place"])
        expect(place in places, f"an entry at {place}", log[-1:], sent)
        record = json.loads(log[places.index(place)]["record"])
        expect(record.get("action") == action, f"the action {action} there", record, sent)


@check("3.3", "the records say what happened: created, seated, acted, resigned")
async def records_told(context: CheckContext) -> None:
    table = await context.table(turns=2)
    given = nonce()
    await table.other.ok("resign", room=table.room, nonce=given)
    seat = table.players.index(table.other)
    log = [json.loads(entry["record"]) for entry in await context.log(table.mover, table.room)]
    of, users = table.script, [player.welcome.get("user") for player in table.players]
    wanted = [
        {"kind": "created", "game": of.game, "size": of.size, "user": users[0], "seat": 0},
        {"kind": "seated", "user": users[1], "seat": 1},
        {"kind": "acted", "seat": of.seat(0), "action": of.actions[0]},
        {"kind": "acted", "seat": of.seat(1), "action": of.actions[1]},
        {"kind": "resigned", "seat": seat, "nonce": given},
    ]
    expect(len(log) == len(wanted), f"{len(wanted)} records", log)
    for record, fields in zip(log, wanted, strict=True):
        got = {name: record.get(name) for name in fields}
        expect(got == fields, str(fields), record)


@check("3.4", "the log's chain is the CRC-32 over its entries, from 0 on")
async def log_chained(context: CheckContext) -> None:
    table = await context.table(turns=6)
    chain = 0
    for entry in await context.log(table.mover, table.room):
        chain = chained(chain, entry)
        expect(entry["chain"] == chain, f"chain {chain}", entry)


@check("3.4", "events carry exactly the text, place and time that the log keeps")
async def events_as_kept(context: CheckContext) -> None:
    table = await context.table(turns=5)
    fields = ("epoch", "seq", "chain", "at", "record", "digest")
    log = await context.log(table.mover, table.room)
    kept = {entry["seq"]: {name: entry.get(name) for name in fields} for entry in log}
    for player in table.players:
        for event in player.of("event", room=table.room):
            told = {name: event.get(name) for name in fields}
            expect(told == kept.get(event["seq"]), f"{kept.get(event['seq'])}", told)


@check("3.5", "turn counts the actions, and ok, events and snapshots agree on it")
async def turns_counted(context: CheckContext) -> None:
    table = await context.table()
    for turn in range(5):
        answer = await table.play()
        expect(answer.get("turn") == turn + 1, f"turn {turn + 1}", answer)
    await table.seen()
    late = await context.peer()
    joined = await late.join(table.room)
    state = late.state(table.room)
    got = (joined.get("turn"), state["turn"], state["ply"], state["actions"])
    expect(got == (5, 5, 5, table.script.actions[:5]), "turn 5, ply 5 and five actions", got)


@check("3.6", "a finished room can be joined, and its log read, as before")
async def over_and_kept(context: CheckContext) -> None:
    table = await context.table(turns=3)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    end = await table.other.until_status(table.room, "over")
    log = await context.log(table.other, table.room)
    late = await context.peer()
    await late.join(table.room)
    differ = [name for name in end if end[name] != late.state(table.room).get(name)]
    expect(not differ, f"the same {', '.join(differ)}", late.state(table.room))
    again = await context.log(late, table.room)
    expect(again == log, f"the same log of {len(log)} entries", again)
    back = await context.peer()
    back.know(table.room, table.other.states[table.room][-2])
    answer = await back.ok("join", room=table.room, since=place_of(back.state(table.room)))
    expect(answer.get("resumed") is True, "resumed true", answer, back.last_sent)
    await back.until_status(table.room, "over")


@check("4.1", "the state has status, seats, actions and result")
async def state_told(context: CheckContext) -> None:
    table = await context.table(turns=3)
    late = await context.peer()
    await late.join(table.room)
    state = late.state(table.room)
    users = [holder and holder.get("user") for holder in state["seats"]]
    wanted = [player.welcome.get("user") for player in table.players]
    expect(users == wanted, f"seats of {wanted}", state)
    expect(state["status"] == "running" and state["result"] is None, "running, no result", state)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    winner = table.players.index(table.other)
    for peer in (late, *table.players):
        over = await peer.until_status(table.room, "over")
        result = {"winner": winner, "reason": "resigned"}
        expect(over["result"] == result, f"{result}", over)


@check("4.4", "what seated, acted and resigned change is in their diffs; created is no event")
async def diffs_of_kinds(context: CheckContext) -> None:
    table = await context.table(turns=2)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    peer = table.players[0]
    await peer.until_status(table.room, "over")
    wanted = {
        "seated": {"seats", "status"},
        "acted": {"turn", "ply", "actions", "position"},
        "resigned": {"status", "result"},
    }
    kinds = []
    for event in peer.of("event", room=table.room):
        kinds.append(json.loads(event["record"])["kind"])
        lacking = wanted.get(kinds[-1], set()).difference(event["diff"])
        expect(not lacking, f"{', '.join(lacking)} in the diff of {kinds[-1]}", event)
    expect(kinds == ["seated", "acted", "acted", "resigned"], "those events, no created", kinds)


@check("4.2", "diffs lead to the state that a fresh snapshot shows")
async def diffs_lead_there(context: CheckContext) -> None:
    table = await context.table()
    for _ in range(6):
        await table.play()
        await table.seen()
        fresh = await context.peer()
        await fresh.join(table.room)
        shown = fresh.state(table.room)
        for player in table.players:
            state = player.state(table.room)
            differ = [name for name in shown if shown[name] != state[name]]
            expect(not differ, f"the same {', '.join(differ)}", (shown, state))
        await fresh.close()


@check("5.3", "position, text and digest are those of the rules after every action")
async def positions_right(context: CheckContext) -> None:
    table = await context.table(turns=8)
    for player in table.players:
        for state in player.states[table.room]:
            expected = position_text(table.script.positions[state["turn"]])
            expect(state["digest"] == digest(expected), expected, state["position"])
    log = await context.log(table.mover, table.room)
    acted = [entry for entry in log if '"acted"' in entry["record"]]
    for entry, position in zip(acted, table.script.positions[1:], strict=False):
        text = position_text(position)
        expect(entry["digest"] == digest(text), f"digest {digest(text)} of {text}", entry)


@check("28.10", "a receipt names the place and the hash of the log, the same each time",
       codes=("bad_field",))  # fmt: skip
async def receipts_signed(context: CheckContext) -> None:
    context.feature("receipts")
    table = await context.table(turns=3)
    log = await context.log(table.mover, table.room)
    for seq in (1, len(log) - 1, len(log)):
        for reader in (table.mover, await context.peer()):
            answer = await reader.ok("receipt", room=table.room, seq=seq)
            receipt, sent = answer.get("receipt", {}), reader.last_sent
            place = place_of(receipt)
            expect(place == place_of(log[seq - 1]), f"the place of event {seq}", receipt, sent)
            expect(receipt["log"] == _hash(log[:seq]), f"the hash of {seq} events", receipt, sent)
            for name, digits in (("key", 16), ("signature", 128)):
                hexadecimal = re.fullmatch(f"[0-9a-f]{{{digits}}}", receipt[name])
                expect(hexadecimal is not None, f"{digits} hexadecimal digits", receipt, sent)
            again = await reader.ok("receipt", room=table.room, seq=seq)
            expect(again["receipt"] == receipt, "the same receipt again", again, sent)
    whole = await table.mover.ok("receipt", room=table.room)
    expect(whole["receipt"] == receipt, "the receipt of all events", whole, table.mover.last_sent)
    refused = await table.mover.refused("bad_field", "receipt", room=table.room, seq=len(log) + 1)
    expect(refused.get("field") == "seq", "the field `seq`", refused, table.mover.last_sent)


def _hash(log: list[dict[str, Any]]) -> str:
    """By SPEC 28.1; none of these events is `closed`."""
    lines = (f"{each['epoch']} {each['seq']} {each['record']} {each['at']}" for each in log)
    return sha256(b"".join(sha256(line.encode()).digest() for line in lines)).hexdigest()
