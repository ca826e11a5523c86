"""SPEC 6.3, 6.4 and races: acting at a turn, reasons of refusals, asking what is legal."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.inbound import Message
from pierule_conform.checks.mirror import moved, place_of, text_of
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect
from pierule_games.refusal import Refusal
from pierule_protocol.state.position import position_text

POINT = re.compile("[a-z][0-9]+")


def next_other(table: Table) -> str:
    """A legal action that is not the script's next."""
    position = table.script.positions[table.turn]
    return next(action for action in position.actions() if action != table.action)


@check("6.3", "an action at another turn is stale, with the current turn and place",
       codes=("stale",))  # fmt: skip
async def stale_told(context: CheckContext) -> None:
    table = await context.table(turns=4)
    mover, room = table.mover, table.room
    place = place_of(mover.state(room))
    for turn in (0, 1, 3, 5, 40):
        answer = await mover.refused("stale", "act", room=room, turn=turn, action=table.action)
        got = {"turn": answer.get("turn"), "place": answer.get("place")}
        wanted = {"turn": 4, "place": place}
        expect(got == wanted, f"{wanted}", answer, mover.last_sent)
    await table.play()


@check("6.3", "an action for another epoch is stale, unless that action was played",
       codes=("stale",))  # fmt: skip
async def stale_epoch(context: CheckContext) -> None:
    table = await context.table(turns=4)
    mover, turn, action = table.mover, table.turn, table.action
    epoch = mover.state(table.room)["epoch"]
    ask = {"room": table.room, "turn": turn, "action": action}
    for other in (0, epoch + 1, 2**32 - 1):
        answer = await mover.refused("stale", "act", **ask, epoch=other)
        expect(answer.get("turn") == turn, f"turn {turn}", answer, mover.last_sent)
    first = await mover.ok("act", **ask, epoch=epoch)
    for again in (epoch, epoch + 1):
        second = await mover.ok("act", **ask, epoch=again)
        expect(second.get("place") == first.get("place"), "the first answer again", second)


@check("6.3", "an illegal action is refused with rule and words", codes=("illegal",), also=("8.3",))
async def illegal_told(context: CheckContext) -> None:
    table = await context.table(turns=4)
    position = table.script.positions[4]
    occupied = next((action for action in table.script.actions[2:4] if action != "pass"), "a1")
    for action in ("", "zz99", "PASS", f" {table.action}", f"{table.action} ", "komi:2", "black",
                   occupied.upper(), "a01", "é1", occupied):  # fmt: skip
        refusal = position.play(action)
        if not isinstance(refusal, Refusal):
            continue
        answer = await table.mover.refused("illegal", "act", room=table.room, turn=4, action=action)
        sent = table.mover.last_sent
        expect(bool(answer.get("rule")), f"the rule, as {refusal.rule}", answer, sent)
        expect(isinstance(answer.get("points", []), list), "points", answer, sent)
        expect(bool(answer.get("text")), "words", answer, sent)
    await table.play()


@check("6.3", "if two different actions come at one turn, one is played and the other is stale")
async def race_at_a_turn(context: CheckContext) -> None:
    for _ in range(3):
        table = await context.table(turns=4, alone=True)
        again = await context.again(table.mover)
        actions = [table.action, next_other(table)]
        turn = table.turn
        answers = await asyncio.gather(
            table.mover.ask("act", room=table.room, turn=turn, action=actions[0]),
            again.ask("act", room=table.room, turn=turn, action=actions[1]),
        )
        codes = sorted(str(answer.get("code", "ok")) for answer in answers)
        expect(codes == ["ok", "stale"], "one ok and one stale", answers, actions)
        log = await context.log(again, table.room)
        acted = [entry for entry in log if '"acted"' in entry["record"]]
        expect(len(acted) == turn + 1, f"{turn + 1} actions in the log", log, actions)


@check("6.3", "an action and a resignation at once: both are answered, the log has one order")
async def race_with_resign(context: CheckContext) -> None:
    table = await context.table(turns=4)
    room = table.room
    acted, resigned = await asyncio.gather(
        table.mover.ask("act", room=room, turn=4, action=table.action),
        table.other.ask("resign", room=room, nonce=nonce()),
    )
    expect(resigned["type"] == "ok", "ok to the resignation", resigned)
    fine = acted["type"] == "ok" or acted.get("code") == "finished"
    expect(fine, "ok or finished to the action", acted)
    for player in table.players:
        await player.until_status(room, "over")
    log = await context.log(table.mover, room)
    last = 7 if acted["type"] == "ok" else 6
    expect(len(log) >= last and "resigned" in log[-1]["record"], "a log that ends with it", log)


@check("6.3", "if two users want one seat, one gets it", codes=("seat_taken",))
async def race_for_a_seat(context: CheckContext) -> None:
    maker = await context.peer()
    for seat in (1, "any"):
        room = await context.room(maker, seat=0)
        rivals = await asyncio.gather(*(context.peer() for _ in range(3)))
        answers = await asyncio.gather(
            *(rival.ask("join", room=room, seat=seat, nonce=nonce()) for rival in rivals)
        )
        codes = sorted(str(answer.get("code", "ok")) for answer in answers)
        expect(codes == ["ok", "seat_taken", "seat_taken"], "one ok, two seat_taken", answers)


@check("6.3", "the mover gets the event, too, before or after the ok")
async def mover_hears(context: CheckContext) -> None:
    table = await context.table()
    for _ in range(4):
        mover, mark = table.mover, len(table.mover.inbox)
        answer = await table.play()
        event = await mover.next("event", after=mark, room=table.room)
        place = place_of(answer["place"])
        expect(place_of(event) == place, f"an event at {place}", event, mover.last_sent)


@check(
    "6.11", "replay gives the positions of a list of actions, from any ply on", codes=("illegal",)
)
async def line_replayed(context: CheckContext) -> None:
    context.feature("replay")
    asker = await context.peer()
    script = context.script()
    line = {"game": script.game, "size": script.size, "actions": script.actions}
    for first in (0, script.longest // 2, script.longest):
        told = (await asker.ok("replay", **line, first=first))["replay"]
        position, diffs = told["position"], told["diffs"]
        expect(len(diffs) == script.longest - first, "a diff for each action", diffs)
        for wanted, diff in zip(script.positions[first:], [{}, *diffs], strict=True):
            position = moved(position, diff)
            text = position_text(wanted)
            expect(text_of(position) == text, text, position, asker.last_sent)
    await asker.refused("illegal", "replay", **{**line, "actions": ["nonsense"]})
    await asker.refused("bad_field", "replay", game="no-game", actions=[])


@check("6.15", "replay shows what is legal after its actions, but not to a player of that game",
       codes=("bad_field", "not_now"))  # fmt: skip
async def line_analyzed(context: CheckContext) -> None:
    context.feature("analysis")
    table = await context.table(turns=4)
    asker, script = await context.peer(), table.script
    for ply in range(script.longest):
        line = {"game": script.game, "size": script.size, "actions": script.actions[:ply]}
        position, sent = script.positions[ply], asker.last_sent
        told = (await asker.ok("replay", **line, legal={}))["replay"]
        judge_legal(told["legal"], position, ply, sent)
        for question in questions(script.actions[ply], position.size):
            told = (await asker.ok("replay", **line, first=ply, legal=question))["replay"]
            judge_why(told["legal"], question, position, ply, asker.last_sent)
    line = {"game": script.game, "size": script.size, "actions": script.actions[:4]}
    await asker.refused("bad_field", "replay", **line, legal={"action": "a1", "prefix": "a"})
    await table.mover.refused("not_now", "replay", **line, legal={})
    await table.mover.ok("replay", **{**line, "actions": script.actions[:3]}, legal={})


@check("6.4", "legal lists the legal actions of every position, or its template")
async def legal_listed(context: CheckContext) -> None:
    context.feature("legal")
    table = await context.table()
    asker = await context.peer()
    for turn in range(9):
        position = table.script.positions[turn]
        answer = await asker.ok("legal", room=table.room)
        legal = answer["legal"]
        judge_legal(legal, position, turn, asker.last_sent)
        await table.play()


def judge_legal(legal: Message, position: Any, turn: int, sent: Any) -> None:
    """Compare an answer with the rules."""
    expect(legal.get("turn") == turn, f"turn {turn}", legal, sent)
    total = position.count()
    expect(legal.get("total") == total, f"a total of {total}", legal, sent)
    if position.template():
        parts = [(part.what, part.count) for part in position.template()]
        told = [(part.get("what"), part.get("count", 1)) for part in legal.get("template", [])]
        expect(told == parts, f"a template of {parts}", legal, sent)
        for part, wanted in zip(legal["template"], position.template(), strict=True):
            if wanted.numbers:
                got = (part.get("first"), part.get("last"), part.get("step"))
                numbers = (wanted.numbers[0], wanted.numbers[-1], wanted.numbers.step)
                expect(got == numbers, f"first, last and step {numbers}", part, sent)
            else:
                same = set(part.get("points", [])) == set(wanted.points)
                expect(same, f"the points {wanted.points}", part, sent)
    elif total <= 1_000:
        actions = sorted(position.actions())
        expect(sorted(legal.get("actions") or []) == actions, f"{actions}", legal, sent)
    else:
        expect(legal.get("actions") is None, "no list of so many actions", legal, sent)


@check("6.4", "a prefix matches whole points, and next says what may follow")
async def legal_prefix(context: CheckContext) -> None:
    context.feature("legal")
    table = await context.table(turns=4)
    position = table.script.positions[4]
    legal = list(position.actions())
    asker = await context.peer()
    whole = table.action
    asked = await asker.ok("legal", room=table.room, prefix=whole)
    told = asked["legal"]
    expect(whole in (told.get("actions") or []), f"{whole} itself", told, asker.last_sent)
    strangers = [action for action in told.get("actions") or [] if action not in legal]
    expect(not strangers, "only legal actions", strangers, asker.last_sent)
    none = (await asker.ok("legal", room=table.room, prefix="zz"))["legal"]
    expect(none.get("total") == 0, "a total of 0", none, asker.last_sent)
    following = (await asker.ok("legal", room=table.room))["legal"].get("next", [])
    for step in following:
        begun = [action for action in legal if action.startswith(step)]
        expect(bool(begun), f"only what begins a legal action, not {step}", following)


@check("6.4", "c1 does not begin c10")
async def legal_prefix_of_points(context: CheckContext) -> None:
    context.feature("legal")
    table = await context.table(game="loose", size=11, turns=2)
    asker = await context.peer()
    for prefix, wanted in (("c1", ["c1"]), ("c11", ["c11"]), ("c", []), ("pa", [])):
        told = (await asker.ok("legal", room=table.room, prefix=prefix))["legal"]
        expect((told.get("actions") or []) == wanted, f"actions {wanted}", told, asker.last_sent)
        expect(told.get("total") == len(wanted), f"a total of {len(wanted)}", told)


@check("6.4", "nothing is legal in a room that is not running")
async def legal_of_nothing(context: CheckContext) -> None:
    context.feature("legal")
    peer = await context.peer()
    room = await context.room(peer)
    told = (await peer.ok("legal", room=room))["legal"]
    expect(told.get("total") == 0, "a total of 0", told, peer.last_sent)


@check(
    "6.12", "why: an action or points are legal at a turn, or refused with the rule", also=("8.3",)
)
async def why_judged(context: CheckContext) -> None:
    context.feature("why")
    table = await context.table()
    asker = await context.peer()
    for turn in range(9):
        position = table.script.positions[turn]
        size = position.size
        for question in questions(table.action, size):
            told = await asker.ok("legal", room=table.room, turn=turn, **question)
            judge_why(told["legal"], question, position, turn, asker.last_sent)
        await table.play()


def questions(action: str, size: int) -> list[dict[str, Any]]:
    """What to ask about a position in which `action` is legal."""
    points = POINT.findall(action)
    corner, beyond = f"{chr(96 + size)}{size}", f"z{size + 1}"
    drafts = [points[:end] for end in range(1, len(points) + 1)]
    drafts += [[corner], [beyond], [*points, corner], [*points[:1], beyond], [*points, *points]]
    asked = [{"action": text} for text in (action, "pass", "black", corner, beyond, "zz99 ")]
    return asked + [{"points": draft} for draft in drafts if draft]


def judge_why(
    legal: Message, question: dict[str, Any], position: Any, turn: int, sent: Any
) -> None:
    """Compare an answer with the rules."""
    if "action" in question:
        after = position.play(question["action"])
    else:
        after = position.refuse_points(question["points"])
    total = 0 if isinstance(after, Refusal) else 1
    got = (legal.get("turn"), legal.get("total"))
    expect(got == (turn, total), f"turn {turn}, a total of {total}", legal, sent)
    more = [name for name in ("next", "actions", "template") if legal.get(name)]
    expect(not more, "no lists of actions", more, sent)
    why = legal.get("refusal")
    if not total:
        words = isinstance(why, dict) and why.get("rule") and why.get("text")
        listed = isinstance(why, dict) and isinstance(why.get("points"), list)
        expect(bool(words and listed), f"a refusal, as {after.rule}", legal, sent)
    else:
        expect(why is None, "no refusal", legal, sent)


@check("6.12", "a question about an action plays nothing, whoever asks")
async def why_plays_nothing(context: CheckContext) -> None:
    context.feature("why")
    table = await context.table(turns=4)
    before = place_of(table.mover.state(table.room))
    for asker in (table.mover, table.other, await context.peer()):
        told = await asker.ok("legal", room=table.room, turn=4, action=table.action)
        expect(told["legal"].get("total") == 1, "a total of 1", told, asker.last_sent)
    log = await context.log(table.mover, table.room)
    last = {name: log[-1][name] for name in ("epoch", "seq", "chain")}
    expect(last == before, f"a log that ends at {before}", last)
    await table.play()


@check("6.12", "a question about another turn is stale", codes=("stale",))
async def why_at_a_turn(context: CheckContext) -> None:
    context.feature("why")
    table = await context.table(turns=4)
    place = place_of(table.mover.state(table.room))
    asker = await context.peer()
    for question in ({"action": table.action}, {"points": ["c3"]}, {"prefix": "c"}, {}):
        for turn in (0, 3, 5):
            answer = await asker.refused("stale", "legal", room=table.room, turn=turn, **question)
            got = {"turn": answer.get("turn"), "place": answer.get("place")}
            wanted = {"turn": 4, "place": place}
            expect(got == wanted, f"{wanted}", answer, asker.last_sent)


@check("6.12", "a request has one question, and its points are points", codes=("bad_field",))
async def why_one_question(context: CheckContext) -> None:
    context.feature("why")
    table = await context.table(turns=4)
    asker = await context.peer()
    for fields in (
        {"prefix": "c", "action": "c3"}, {"prefix": "c", "points": ["c3"]},
        {"action": "c3", "points": ["c3"]}, {"points": ["pass"]}, {"points": ["c3"] * 17},
    ):  # fmt: skip
        answer = await asker.refused("bad_field", "legal", room=table.room, **fields)
        named = str(answer.get("field")).partition("[")[0]
        expect(named in fields, f"the field, of {', '.join(fields)}", answer, asker.last_sent)


@check("6.12", "if nothing can be played, the question is refused",
       codes=("not_started", "finished"))  # fmt: skip
async def why_of_nothing(context: CheckContext) -> None:
    context.feature("why")
    peer = await context.peer()
    room = await context.room(peer)
    await peer.refused("not_started", "legal", room=room, action="c3")
    table = await context.table(turns=4)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for question in ({"action": table.action}, {"points": ["c3"]}):
        await peer.refused("finished", "legal", room=table.room, **question)
