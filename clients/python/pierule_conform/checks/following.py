"""SPEC 6.1, 6.2 and 6.5: joining, resuming at every point, spectators, presence."""

from __future__ import annotations

import asyncio
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.inbound import Message
from pierule_conform.checks.mirror import place_of
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect
from pierule_conform.checks.watch import completed_value


def order_after(peer: Peer, mark: int, room: str) -> list[Message]:
    """The messages about a room and the answer to its join, in order."""
    return [m for m in peer.inbox[mark:] if m["type"] == "ok" or room in str(m)]


@check("6.1", "after the ok of join comes a snapshot, at the place in the ok")
async def join_then_snapshot(context: CheckContext) -> None:
    table = await context.table(turns=3)
    peer = await context.peer()
    mark = len(peer.inbox)
    answer = await peer.join(table.room)
    came = [message["type"] for message in order_after(peer, mark, table.room)]
    expect(came[:2] == ["ok", "snapshot"], "ok, then snapshot", came, peer.last_sent)
    expect(answer.get("resumed") is False or answer.get("resumed") is None, "not resumed", answer)
    state = peer.state(table.room)
    expect(place_of(state) == place_of(answer["place"]), f"a snapshot of {answer['place']}", state)


@check("6.1", "a client that resumes, at any event of the game, gets exactly the events after it")
async def resume_everywhere(context: CheckContext) -> None:
    table = await context.table(turns=table_turns(context))
    guide = table.players[0]
    states = guide.states[table.room]
    end = states[-1]
    for state in states:
        peer = await context.peer(context.codec if state["seq"] % 2 else context.other_codec)
        peer.know(table.room, state)
        await resume(peer, table.room, state, end)
        await peer.close()


def table_turns(context: CheckContext) -> int:
    """Turns to play before resuming: the whole game, or as many as any rate allows."""
    return min(24, context.script().longest)


async def resume(peer: Peer, room: str, state: dict[str, Any], end: dict[str, Any]) -> None:
    """Join with `since` = the place of a state; what comes must lead to `end`."""
    mark = len(peer.inbox)
    answer = await peer.ok("join", room=room, since=place_of(state))
    expect(answer.get("resumed") is True, "resumed true", answer, peer.last_sent)
    expect(
        place_of(answer["place"]) == place_of(end),
        f"the place {place_of(end)}",
        answer,
        peer.last_sent,
    )
    await peer.settled()
    seqs = [event["seq"] for event in peer.of("event", after=mark, room=room)]
    missed = list(range(state["seq"] + 1, end["seq"] + 1))
    expect(seqs == missed, f"the events {missed}", seqs, peer.last_sent)
    snapshots = peer.of("snapshot", after=mark, room=room)
    expect(not snapshots, "no snapshot", snapshots, peer.last_sent)
    now = peer.state(room)
    differ = [name for name in end if completed_value(end[name]) != completed_value(now[name])]
    expect(not differ, f"the end's {', '.join(differ)}", now, peer.last_sent)


@check("6.1", "a client that resumes keeps following: new events come after the missed ones")
async def resume_goes_on(context: CheckContext) -> None:
    table = await context.table(turns=5)
    peer = await context.peer()
    await peer.join(table.room)
    known = peer.state(table.room)
    await peer.vanish()
    await table.play(2)
    back = await context.again(peer)
    back.know(table.room, known)
    await back.ok("join", room=table.room, since=place_of(known))
    await table.play(2)
    await back.until_turn(table.room, table.turn)
    expect(back.state(table.room)["turn"] == 9, "turn 9", back.state(table.room))


@check("6.1", "a client that resumes while others play misses nothing")
async def resume_while_playing(context: CheckContext) -> None:
    table = await context.table(turns=2)
    known = table.players[0].state(table.room)
    peers = [await context.peer() for _ in range(4)]

    async def come(number: int, peer: Peer) -> None:
        await asyncio.sleep(0.01 * number)
        peer.know(table.room, known)
        await peer.ok("join", room=table.room, since=place_of(known))

    await asyncio.gather(table.play(8), *(come(n, peer) for n, peer in enumerate(peers)))
    for peer in peers:
        await peer.until_turn(table.room, table.turn)


@check("6.1", "a place that the log does not know is answered with a snapshot")
async def resume_unknown_place(context: CheckContext) -> None:
    table = await context.table(turns=3)
    place = place_of(table.players[0].state(table.room))
    for name, change in (
        ("chain", {"chain": place["chain"] ^ 1}),
        ("seq beyond the end", {"seq": place["seq"] + 5}),
        ("seq 0", {"seq": 0, "chain": 0}),
        ("epoch", {"epoch": place["epoch"] + 1}),
        ("epoch 0", {"epoch": 0}),
    ):
        peer = await context.peer()
        answer = await peer.join(table.room, since={**place, **change})
        expect(not answer.get("resumed"), f"not resumed: another {name}", answer, peer.last_sent)
        expect(place_of(peer.state(table.room)) == place, f"a snapshot of {place}",
               peer.state(table.room), peer.last_sent)  # fmt: skip
        await peer.close()


@check(
    "6.13", "a player who invents a place begins no new epoch, whatever the proof", also=("16.9",)
)
async def forged_proof(context: CheckContext) -> None:
    table = await context.table(turns=3)
    player, room = table.mover, table.room
    now = place_of(player.state(room))
    told = [event for event in player.of("event", room=room) if "proof" in event]
    true = told[-1]["proof"] if told else "none"
    invented = {**now, "seq": now["seq"] + 1, "chain": now["chain"] ^ 1}
    for proof in (None, "", "1.forged", "x" * 64, true):
        since = invented if proof is None else {**invented, "proof": proof}
        answer = await player.join(room, since=since)
        expect(not answer.get("resumed"), "not resumed", answer, player.last_sent)
        expect(place_of(answer["place"]) == now, f"still {now}", answer, player.last_sent)
    await table.play(2)
    await table.seen()


@check("6.13", "a place's proof may come back with the place, and a wrong proof does no harm")
async def proof_comes_back(context: CheckContext) -> None:
    table = await context.table(turns=3)
    event = table.players[0].of("event", room=table.room)[-2]
    proofs = [event["proof"]] if "proof" in event else []
    for proof in (*proofs, "1.forged"):
        peer = await context.peer()
        peer.know(table.room, table.players[0].states[table.room][-2])
        answer = await peer.ok("join", room=table.room, since={**place_of(event), "proof": proof})
        expect(answer.get("resumed") is True, "resumed true", answer, peer.last_sent)
        await peer.until_turn(table.room, table.turn)
        await peer.close()


@check("6.1", "a followed room may be joined again, to catch up")
async def join_again(context: CheckContext) -> None:
    table = await context.table(turns=4)
    peer, room = table.mover, table.room
    now = peer.state(room)
    await peer.join(room)
    await resume(peer, room, now, now)
    early = peer.states[room][0]
    mark = len(peer.inbox)
    await peer.ok("join", room=room, since=place_of(early))
    await peer.settled()
    seqs = [event["seq"] for event in peer.of("event", after=mark, room=room)]
    expect(seqs == list(range(early["seq"] + 1, now["seq"] + 1)), "the events after it", seqs,
           peer.last_sent)  # fmt: skip
    mark = len(peer.inbox)
    await table.play(2)
    await table.seen()
    await peer.settled()
    seqs = [event["seq"] for event in peer.of("event", after=mark, room=room)]
    expect(seqs == [now["seq"] + 1, now["seq"] + 2], "each new event once", seqs)


@check("6.1", "a user may follow a room on several connections, and leave it on one",
       also=("6.5",))  # fmt: skip
async def connections_follow(context: CheckContext) -> None:
    table = await context.table(turns=2)
    first, room = table.players[0], table.room
    second = await context.again(first, context.other_codec)
    await second.join(room)
    await table.play(2)
    for peer in (first, second):
        await peer.until_turn(room, table.turn)
    await second.ok("leave", room=room)
    watcher = await context.peer()
    await watcher.join(room)
    await table.play(2)
    await table.seen()

    def is_there() -> bool:
        told = watcher.of("presence", room=room)
        return bool(told) and told[-1]["players"] == [True, True]

    if "presence" in context.welcome["features"]:
        await watcher.until(is_there, "presence of both players", context.seconds)


@check("6.1", "spectators of either codec see every event of a game, and may not play",
       also=("16.4",))  # fmt: skip
async def spectators_see(context: CheckContext) -> None:
    table = await context.table()
    watchers = [await context.peer(codec) for codec in (context.codec, context.other_codec)]
    for watcher in watchers:
        await watcher.join(table.room)
    await table.play(6)
    await table.seen()
    wanted = [state["digest"] for state in table.players[0].states[table.room]][-7:]
    for watcher in watchers:
        await watcher.until_turn(table.room, 6)
        seen = [state["digest"] for state in watcher.states[table.room]]
        expect(seen == wanted, "every state of the game", seen)
        await watcher.refused("not_seated", "act", room=table.room, turn=6, action=table.action)


@check("6.1", "a room that does not exist cannot be joined", codes=("unknown_room",))
async def join_unknown(context: CheckContext) -> None:
    peer = await context.peer()
    room = nonce_room()
    await peer.refused("unknown_room", "join", room=room)
    await peer.refused("unknown_room", "join", room=room, since={"epoch": 1, "seq": 1, "chain": 1})
    await peer.refused("unknown_room", "join", room=room, seat=0, nonce=nonce())


def nonce_room() -> str:
    """An id that no room has: letters, but made by chance and long."""
    return "x" + nonce().translate(str.maketrans("0123456789", "ghijklmnop"))[:30]


@check("6.2", "two followers get the same events in the same order, in both codecs")
async def followers_agree(context: CheckContext) -> None:
    table = await context.table(turns=6)
    first, second = (
        [completed_value(event) for event in player.of("event", room=table.room)]
        for player in table.players
    )
    common = {event["seq"] for event in first} & {event["seq"] for event in second}
    one = [event for event in first if event["seq"] in common]
    two = [event for event in second if event["seq"] in common]
    expect(one == two and len(one) >= 6, f"the same events: {one}", two)


@check("6.5", "presence comes after joining, and again when it changes")
async def presence_told(context: CheckContext) -> None:
    context.feature("presence")
    table = await context.table()
    first, second = table.players

    async def hears(peer: Peer, players: list[bool], spectators: int, why: str) -> None:
        def heard() -> bool:
            told = peer.of("presence", room=table.room)
            return bool(told) and (told[-1]["players"], told[-1]["spectators"]) == (
                players,
                spectators,
            )

        what = f"presence of {players} and {spectators} spectators: {why}"
        await peer.until(heard, what, context.seconds + 2)

    await hears(first, [True, True], 0, "both players follow")
    watcher = await context.peer()
    await watcher.join(table.room)
    await hears(watcher, [True, True], 1, "a client that joins is told")
    await hears(first, [True, True], 1, "a spectator came")
    await second.close()
    await hears(first, [True, False], 1, "a player left")
    await watcher.ok("leave", room=table.room)
    await hears(first, [True, False], 0, "the spectator left")
