"""SPEC 9: controls, deadlines, settled hands, time-outs. Judged by the server's times."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import msgspec

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.peer import Peer
from pierule_conform.checks.registry import Skipped, check, expect
from pierule_games.clock import Clock
from pierule_protocol.log.controls import ClockOptions, control

FISCHER = {"kind": "fischer", "main": 60, "increment": 5}
BYOYOMI = {"kind": "byoyomi", "main": 1, "periods": 3, "period": 30}
TURNWISE = {"kind": "turnwise", "time": 2}
CORRESPONDENCE = {"kind": "correspondence", "days": 2}
ALL = (FISCHER, BYOYOMI, TURNWISE, CORRESPONDENCE)


def fresh(options: dict[str, Any]) -> Clock:
    """The clocks of a game that has not begun, by the arithmetic of the SPEC."""
    return Clock.fresh(control(msgspec.convert(options, ClockOptions)))


def shown(clock: Clock) -> dict[str, Any]:
    """A clock as `state.clock` has it."""
    return {
        "hands": [
            {"main": hand.main, "periods": hand.periods, "quota": hand.quota}
            for hand in clock.hands
        ],
        "running": clock.running,
        "started": clock.started,
        "deadline": clock.deadline,
        "paused": clock.paused,
    }


def judge(table: Table, peer: Peer, options: dict[str, Any]) -> None:
    """Fold the clocks from the events that a peer got, and compare each state with them."""
    clock = fresh(options)
    told = {event["seq"]: event for event in peer.of("event", room=table.room)}
    for state in peer.states[table.room]:
        event = told.get(state["seq"])
        if event is None:
            if state["status"] == "running":  # the snapshot of the peer that took the second seat
                clock = clock.begin(0, state["at"])
            continue
        record = json.loads(event["record"])
        position = table.script.positions[state["turn"]]
        if record["kind"] == "seated" and state["status"] == "running":
            clock = clock.begin(0, state["at"])
        elif record["kind"] == "acted":
            given = clock.compensation(record.get("lag", 0))
            got = record.get("given", 0)
            expect(got == given, f"given {given} of the lag", event)
            clock = clock.act(state["at"], given, position.to_act)
        elif record["kind"] == "credited":
            clock = clock.credit(record["lost_from"], record["lost_to"])
        elif state["status"] == "over":
            return
        expect(state["clock"] == shown(clock), f"{shown(clock)}", state["clock"], event)


@check("9.1", "a room is timed by the requested control, or not at all")
async def controls_kept(context: CheckContext) -> None:
    context.feature("clocks")
    peer = await context.peer()
    for options in ALL:
        room = await context.room(peer, seat=0, clock=options)
        await peer.join(room)
        state = peer.state(room)
        kept = {name: (state["control"] or {}).get(name) for name in options}
        expect(kept == options, f"control {options}", state, peer.last_sent)
        expect(state["clock"] is not None, "clocks", state, peer.last_sent)
    room = await context.room(peer)
    await peer.join(room)
    state = peer.state(room)
    none = state["control"] is None and state["clock"] is None
    expect(none, "neither control nor clock", state, peer.last_sent)


@check("9.1", "controls out of bounds are refused")
async def controls_bounded(context: CheckContext) -> None:
    context.feature("clocks")
    bad: list[dict[str, Any]] = [
        {"kind": "fischer", "main": 0, "increment": 0},
        {"kind": "fischer", "main": 10_801, "increment": 0},
        {"kind": "fischer", "main": 60, "increment": 181},
        {"kind": "fischer", "main": -1, "increment": 5},
        {"kind": "byoyomi", "main": 60, "periods": 0, "period": 30},
        {"kind": "byoyomi", "main": 60, "periods": 26, "period": 30},
        {"kind": "byoyomi", "main": 60, "periods": 3, "period": 601},
        {"kind": "turnwise", "time": 0},
        {"kind": "turnwise", "time": 3_601},
        {"kind": "correspondence", "days": 15},
        {"kind": "hourglass", "main": 60},
        {"kind": "turnwise", "time": 5, "bonus": 1},
        {},
    ]
    few = max(1, context.limit("errors") - 1)
    of = context.script()
    peer = await context.peer()
    for number, options in enumerate(bad):
        if number % few == few - 1:
            peer = await context.peer()
        await peer.refused("bad_field", "create", nonce=f"c{number}", game=of.game, clock=options)


@check("9.2", "the clock of seat 0 starts when the second seat is taken; two actions of one seat "
       "in a row are one turn, on one deadline")  # fmt: skip
async def turns_of_clocks(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=FISCHER)
    peer = table.players[0]
    first = peer.states[table.room][0]
    expect(first["clock"]["running"] is None, "no running clock in an open room", first)
    begun = peer.state(table.room)
    expect(begun["clock"]["running"] == 0, "the clock of seat 0", begun)
    expect(begun["clock"]["started"] == begun["at"], f"started {begun['at']}", begun)
    of = table.script
    twice = next((t for t in range(of.longest - 1) if of.seat(t) == of.seat(t + 1)), None)
    if twice is None:
        return
    await table.play(twice + 2)
    await peer.until_turn(table.room, twice + 1)
    states = {state["turn"]: state for state in peer.states[table.room]}
    before, between = states[twice]["clock"], states[twice + 1]["clock"]
    for name in ("running", "started", "deadline"):
        expect(before[name] == between[name], f"{name} {before[name]} as before", between)


@check("9.3", "the deadline of a turn is what its seat has left, and its quota, after the start")
async def deadlines_right(context: CheckContext) -> None:
    context.feature("clocks")
    for options in ALL:
        table = await context.table(clock=options)
        for peer in table.players:
            clock = peer.state(table.room)["clock"]
            wanted = fresh(options).begin(0, clock["started"]).deadline
            expect(clock["deadline"] == wanted, f"deadline {wanted} with {options}", clock)


@check("9.4", "when a turn ends its clock settles as the arithmetic says")
async def clocks_settle(context: CheckContext) -> None:
    context.feature("clocks")
    for options in (FISCHER, BYOYOMI):
        table = await context.table(clock=options)
        await table.play(2)
        await asyncio.sleep(1.2)  # into the periods of the byo-yomi
        await table.play(4)
        await table.seen()
        for peer in table.players:
            judge(table, peer, options)


@check("9.5", "the event that begins a turn comes with a ping, and its lag is compensated")
async def lag_measured(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=FISCHER)
    pings = [player.connection.socket.pings for player in table.players]
    await table.play(5)
    await table.seen()
    for player, before in zip(table.players, pings, strict=True):
        await player.settled()
        expect(player.connection.socket.pings > before, "a WebSocket ping with a turn", "none")
        judge(table, player, FISCHER)


@check("9.3", "an action after the deadline is refused, and the other seat has won",
       codes=("flagged",))  # fmt: skip
async def flagged_in_time(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=TURNWISE, turns=1)
    room, loser = table.room, table.script.seat(1)
    clock = table.players[0].state(room)["clock"]
    now = (await table.other.ok("ping"))["now"]
    await asyncio.sleep(max(0, clock["deadline"] - now) / 1_000 + 0.04)
    answer = await table.mover.ask("act", room=room, turn=1, action=table.action)
    expect(answer.get("code") in ("flagged", "finished"), "error flagged, or finished", answer,
           table.mover.last_sent)  # fmt: skip
    if answer.get("code") == "flagged":
        late = answer.get("late")
        expect(type(late) is int and late >= 0, "late, in ms", answer, table.mover.last_sent)
    for peer in table.players:
        over = await peer.until_status(room, "over")
        result = {"winner": 1 - loser, "reason": "flagged"}
        expect(over["result"] == result, f"{result}", over)
        after = over["at"] > clock["deadline"]
        expect(after, f"an event after the deadline {clock['deadline']}", over["at"])


@check("9.3", "a room whose time is up ends by itself, soon after the deadline")
async def flagged_by_itself(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=TURNWISE, turns=1)
    loser = table.script.seat(1)
    deadline = table.players[0].state(table.room)["clock"]["deadline"]
    over = await table.other.until_status(table.room, "over", 3 + context.seconds)
    result = {"winner": 1 - loser, "reason": "flagged"}
    expect(over["result"] == result, f"{result}", over)
    took = over["at"] - deadline
    expect(0 < took < 3_000, "an event within 3 s after the deadline", f"{took} ms")
    stopped = over["clock"]
    expect(stopped["running"] is None and stopped["deadline"] is None, "no running clock", stopped)


@check("9.3", "a timed room in which nobody has acted is aborted, and nobody loses")
async def aborted_by_itself(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=TURNWISE)
    over = await table.other.until_status(table.room, "over", 3 + context.seconds)
    expect(over["result"] == {"winner": None, "reason": "aborted"}, "aborted, no winner", over)


@check("9.3", "an action shortly before the deadline counts")
async def in_time_counts(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=TURNWISE, turns=1)
    mover, room = table.mover, table.room
    deadline = mover.state(room)["clock"]["deadline"]
    asked = time.monotonic()
    left = (deadline - (await mover.ok("ping"))["now"]) / 1_000
    await asyncio.sleep(max(0, left - 1))
    answer = await mover.ask("act", room=room, turn=1, action=table.action)
    if time.monotonic() - asked > left:
        raise Skipped("the connection is too slow to tell")
    expect(answer.get("turn") == 2, "ok, turn 2", answer, mover.last_sent)


@check("9.7", "ping gives a time from which a clock can be drawn")
async def clock_drawn(context: CheckContext) -> None:
    context.feature("clocks")
    table = await context.table(clock=FISCHER)
    before = (await table.mover.ok("ping"))["now"]
    await table.play()
    await table.seen()
    started = table.mover.state(table.room)["clock"]["started"]
    after = (await table.mover.ok("ping"))["now"]
    slack = 500  # the time of a ping may be told by another clock, set by the store's now and then
    expect(before - slack <= started <= after + slack, f"between {before} and {after}", started)
