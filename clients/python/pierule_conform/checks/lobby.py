"""SPEC 23: getting a game. The clocks are such that hardly anybody else asks for them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect


def wish(context: CheckContext) -> dict[str, Any]:
    """A game, a size, and an unusual clock."""
    of = context.script()
    main, increment = random.randint(3_600, 10_000), random.randint(20, 180)  # noqa: S311
    clock = {"kind": "fischer", "main": main, "increment": increment}
    return {"game": of.game, "size": of.size, "clock": clock}


async def paired(peer: Peer, of: str) -> Mapping[str, Any]:
    """Wait until a peer's seek is paired. Returns the message."""

    def told() -> list[Mapping[str, Any]]:
        return [message for message in peer.of("paired") if message.get("nonce") == of]

    await peer.until(lambda: bool(told()), f"paired with nonce {of}")
    return told()[0]


async def waiting(peer: Peer, wanted: dict[str, Any], number: int) -> None:
    """Wait until the lobby, which the peer watches, shows this many seeks in a pool."""

    def shown() -> int:
        found = 0
        for message in peer.of("lobby", "lobby_change"):
            pools = message.get("pools") or []
            if message["type"] == "lobby":
                found = 0
            for pool in pools:
                if (pool["game"], pool["size"], pool.get("control")) == tuple(wanted.values()):
                    found = pool["waiting"]
        return found

    await peer.until(lambda: shown() == number, f"{number} waiting in the pool of {wanted}")


@check("23.1", "two users who want the same game are paired, each in a seat of one room")
async def seek_pairs(context: CheckContext) -> None:
    context.feature("seek")
    first, second = await context.peer(), await context.peer(context.other_codec)
    wanted, names = wish(context), (nonce(), nonce())
    answer = await first.ok("seek", nonce=names[0], **wanted)
    expect("room" not in answer, "no room yet", answer, first.last_sent)
    answer = await second.ok("seek", nonce=names[1], **wanted)
    told = [await paired(first, names[0]), await paired(second, names[1])]
    expect(told[0]["room"] == told[1]["room"] == answer.get("room"), "one room", told)
    expect({each["seat"] for each in told} == {0, 1}, "a seat each", told)
    expect(answer.get("seats") == [told[1]["seat"]], f"seats [{told[1]['seat']}]", answer)


@check("23.1", "users who want different games are not paired, nor users with themselves", codecs=1)
async def seek_apart(context: CheckContext) -> None:
    context.feature("seek")
    first = await context.peer()
    again, other = await context.again(first), await context.peer()
    wanted, mine = wish(context), nonce()
    for peer, what, name in (
        (first, wanted, mine),
        (again, wanted, nonce()),
        (other, {**wanted, "clock": {**wanted["clock"], "increment": 1}}, nonce()),
    ):
        answer = await peer.ok("seek", nonce=name, **what)
        expect("room" not in answer, "no room", answer, peer.last_sent)
    await (await context.peer()).ok("seek", nonce=nonce(), **wanted)
    await paired(first, mine)  # the seek that has waited longest
    told = {message["nonce"] for message in again.of("paired")}
    expect(told <= {mine}, f"one of the two seeks paired, {mine}", told)


@check(
    "23.1", "two users are not paired if either blocks the other, and go on waiting", also=("21.7",)
)
async def seek_of_the_blocked(context: CheckContext) -> None:
    context.feature("seek")
    first, second = await context.peer(), await context.peer(context.other_codec)
    await second.ok("block", user=first.welcome["user"], level="block")
    wanted, names = wish(context), (nonce(), nonce())
    for peer, name in zip((first, second), names, strict=True):
        answer = await peer.ok("seek", nonce=name, **wanted)
        expect("room" not in answer, "no room", answer, peer.last_sent)
    for peer, name in zip((first, second), names, strict=True):
        await (await context.peer()).ok("seek", nonce=nonce(), **wanted)
        await paired(peer, name)


@check("23.2", "a seek whose connection has ended is not paired, and keeps its place", codecs=1,
       also=("23.8",))  # fmt: skip
async def seek_of_the_gone(context: CheckContext) -> None:
    context.feature("seek")
    context.feature("lobby")
    watcher, gone, other = await context.peer(), await context.peer(), await context.peer()
    wanted, mine, its = wish(context), nonce(), nonce()
    await watcher.ok("lobby")
    await gone.ok("seek", nonce=mine, **wanted)
    await waiting(watcher, wanted, 1)
    await gone.vanish()
    await waiting(watcher, wanted, 0)
    answer = await other.ok("seek", nonce=its, **wanted)
    expect("room" not in answer, "no room, because the other user is gone", answer, other.last_sent)
    back = await context.again(gone)
    answer = await back.ok("seek", nonce=mine, **wanted)
    told = await paired(other, its)
    expect(answer.get("room") == told["room"], f"room {told['room']}", answer, back.last_sent)


@check("23.3", "the room of the two runs, with both in their seats", also=("23.9",))
async def seek_room(context: CheckContext) -> None:
    context.feature("seek")
    first, second = await context.peer(), await context.peer()
    wanted, mine = wish(context), nonce()
    await first.ok("seek", nonce=mine, **wanted)
    await second.ok("seek", nonce=nonce(), **wanted)
    told = await paired(first, mine)
    answer = await first.join(told["room"])
    expect(answer.get("seats") == [told["seat"]], f"seats [{told['seat']}]", answer)
    state = first.state(told["room"])
    expect(state["status"] == "running", "a room that runs", state)
    users = [holder and holder["user"] for holder in state["seats"]]
    expected = [first.welcome["user"], second.welcome["user"]]
    expect(users == expected[:: -1 if told["seat"] else 1], f"seats of {expected}", users)
    mine_too = (await second.ok("my_rooms")).get("my_rooms", [])
    expect(
        [(each["card"]["room"], each["seats"], each.get("to_act")) for each in mine_too]
        == [(told["room"], [1 - told["seat"]], state["position"]["to_act"])],
        f"room {told['room']} alone, with the user's seat and whose turn it is",
        mine_too,
    )


@check("23.4", "a paired user learns of it again, after hello and by the same seek")
async def paired_again(context: CheckContext) -> None:
    context.feature("seek")
    first, second = await context.peer(), await context.peer()
    wanted, mine = wish(context), nonce()
    await first.ok("seek", nonce=mine, **wanted)
    await second.ok("seek", nonce=nonce(), **wanted)
    room = (await paired(first, mine))["room"]
    back = await context.again(first)
    told = await paired(back, mine)
    expect(told["room"] == room, f"room {room}", told)
    for _ in range(2):
        answer = await back.ok("seek", nonce=mine, **wanted)
        expect(answer.get("room") == room, f"room {room}", answer, back.last_sent)
    log = await context.log(back, room)
    expect(len(log) == 1, "a log of one event", log)


@check("23.5", "a cancelled seek is not paired, or the answer says that it is too late", codecs=1,
       codes=("expired",))  # fmt: skip
async def cancel_seek(context: CheckContext) -> None:
    context.feature("seek")
    first, second = await context.peer(), await context.peer()
    wanted, mine, its = wish(context), nonce(), nonce()
    await first.ok("seek", nonce=mine, **wanted)
    for _ in range(2):
        answer = await first.ok("cancel_seek", nonce=mine)
        expect("room" not in answer, "no room", answer, first.last_sent)
    await first.refused("expired", "seek", nonce=mine, **wanted)
    overtaken = nonce()
    await (await context.again(first)).ok("cancel_seek", nonce=overtaken)
    await first.refused("expired", "seek", nonce=overtaken, **wanted)
    answer = await second.ok("seek", nonce=its, **wanted)
    expect("room" not in answer, "no room, because the other user has cancelled", answer)
    answer = await first.ok("seek", nonce=nonce(), **wanted)
    late = await second.ok("cancel_seek", nonce=its)
    expect(late.get("room") == answer.get("room"), f"room {answer.get('room')}", late)


@check("23.15", "a seek that agrees to a house bot later is paired with people first", codecs=1)
async def people_first(context: CheckContext) -> None:
    context.feature("seek")
    context.feature("stand_in")
    first, second = await context.peer(), await context.peer()
    wanted, mine = wish(context), nonce()
    answer = await first.ok("seek", nonce=mine, bot_after=3_600, **wanted)
    expect("room" not in answer, "no room yet", answer, first.last_sent)
    answer = await second.ok("seek", nonce=nonce(), **wanted)
    told = await paired(first, mine)
    expect(told["room"] == answer.get("room"), f"room {answer.get('room')}", told)


@check("23.16", "only a house bot stands in", codecs=1)
async def stand_in_refused(context: CheckContext) -> None:
    context.feature("stand_in")
    peer = await context.peer()
    await peer.refused("unknown_type", "stand_in", nonce=nonce())


@check(
    "23.6",
    "the lobby comes after its ok, and changes follow until the client stops watching",
    codecs=1,
)
async def lobby_followed(context: CheckContext) -> None:
    context.feature("lobby")
    watcher, maker = await context.peer(), await context.peer()
    answer = await watcher.ok("lobby")
    shown = await watcher.next("lobby", after=0)
    expect(watcher.inbox.index(shown) > watcher.inbox.index(answer), "the ok first", shown)
    room = await context.room(maker, seat=0)

    def listed() -> list[str]:
        return [
            each["card"]["room"]
            for message in watcher.of("lobby", "lobby_change")
            for each in message.get("rooms", [])
        ]

    await watcher.until(lambda: room in listed(), f"room {room} in the lobby")
    await watcher.ok("lobby", watch=False)
    mark = await watcher.settled()
    other = await context.peer()
    await other.ok("lobby")
    await other.next("lobby", after=0)
    await other.join(room, seat=1, nonce=nonce())
    await other.next("lobby_change", after=0)
    await watcher.settled()
    expect(not watcher.of("lobby", "lobby_change", after=mark), "no more of the lobby", "more")


@check("23.9", "a room that is not public is in its players' lists, and in no lobby", codecs=1,
       also=("20.1", "23.6"))  # fmt: skip
async def hidden_rooms(context: CheckContext) -> None:
    context.feature("lobby")
    context.feature("access")
    watcher, maker = await context.peer(), await context.peer()
    await watcher.ok("lobby")
    hidden = await context.room(maker, seat=0, access="unlisted")
    shown = await context.room(maker, seat=0)

    def rooms() -> set[str]:
        told = watcher.of("lobby", "lobby_change")
        return {each["card"]["room"] for message in told for each in message.get("rooms", [])}

    await watcher.until(lambda: shown in rooms(), f"room {shown} in the lobby")
    expect(hidden not in rooms(), f"no {hidden} in the lobby", rooms())
    for peer, expected in ((maker, {hidden, shown}), (watcher, set())):
        mine = (await peer.ok("my_rooms")).get("my_rooms", [])
        found = {each["card"]["room"] for each in mine}
        expect(found == expected, f"the rooms {expected or 'none'}", mine, peer.last_sent)


@check("23.7", "changes of the lobby are numbered without holes", codecs=1)
async def lobby_numbered(context: CheckContext) -> None:
    context.feature("lobby")
    watcher, maker = await context.peer(), await context.peer()
    await watcher.ok("lobby")
    for number in range(3):
        room = await context.room(maker, seat=0)
        await watcher.until(
            lambda room=room: room in str(watcher.of("lobby", "lobby_change")),  # type: ignore[misc]
            f"new room {number + 1}, {room}, in the lobby",
        )
    numbers = [message["seq"] for message in watcher.of("lobby", "lobby_change")]
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), "each the next", numbers)


async def challenged(peer: Peer, by: Peer, nonce_: str, **fields: Any) -> Mapping[str, Any]:
    """Let one peer challenge another. Returns what the other is told."""
    mark = len(peer.inbox)
    await by.ok("challenge", nonce=nonce_, to=peer.welcome["user"], **fields)
    return await peer.next("challenged", after=mark)


@check("23.10", "a challenge reaches its recipient, even later, and can be accepted once", codecs=1,
       codes=("unknown_challenge",))  # fmt: skip
async def challenge_accepted(context: CheckContext) -> None:
    context.feature("challenge")
    asker, asked = await context.peer(), await context.peer()
    wanted, mine = wish(context), nonce()
    told = await challenged(asked, asker, mine, seat=1, **wanted)
    expect(told.get("seat") == 0, "the other seat, 0", told)
    expect(told["user"] == asker.welcome["user"], "the challenger", told)
    back = await context.again(asked)
    again = await back.next("challenged", after=0)
    expect(again["challenge"] == told["challenge"], f"challenge {told['challenge']}", again)
    answers = [
        await peer.ok("answer_challenge", challenge=told["challenge"], accept=True)
        for peer in (asked, back)
    ]
    expect(answers[0]["room"] == answers[1]["room"], "one room", answers)
    expect(answers[0].get("seats") == [0], "seats [0]", answers[0])
    expect((await paired(asker, mine))["room"] == answers[0]["room"], "the same room", answers)
    await paired(back, told["challenge"])
    await asked.refused("unknown_challenge", "answer_challenge", challenge="none", accept=True)
    await asker.refused("bad_field", "challenge", nonce=nonce(), to=asker.welcome["user"], **wanted)


@check("23.10", "a challenge to a registered name reaches the user who has it", codecs=1)
async def challenge_named(context: CheckContext) -> None:
    context.feature("challenge")
    context.feature("accounts")
    asker, asked, name = await context.peer(), await context.peer(), f"Conform{nonce()[:12]}"
    wanted = {**wish(context), "named": True, "to": name}
    await asker.refused("no_account", "challenge", nonce=nonce(), **wanted)
    await asked.ok("register", nonce=nonce(), name=name)
    await asker.ok("challenge", nonce=nonce(), **wanted)
    told = await asked.next("challenged", after=0)
    expect(told["user"] == asker.welcome["user"], "the challenger", told)


@check("23.11", "a challenge that was declined or withdrawn stands no longer", codecs=1,
       codes=("declined",))  # fmt: skip
async def challenge_not_accepted(context: CheckContext) -> None:
    context.feature("challenge")
    asker, asked = await context.peer(), await context.peer()
    wanted, mine, other = wish(context), nonce(), nonce()
    told = await challenged(asked, asker, mine, **wanted)
    for _ in range(2):
        await asked.ok("answer_challenge", challenge=told["challenge"], accept=False)
    notice = await asker.next("notice", after=0)
    expect(
        (notice["kind"], notice.get("nonce")) == ("challenge_declined", mine),
        f"challenge_declined {mine}",
        notice,
    )
    await asker.refused("declined", "challenge", nonce=mine, to=asked.welcome["user"], **wanted)
    told = await challenged(asked, asker, other, **wanted)
    answer = await asker.ok("withdraw_challenge", nonce=other)
    expect("room" not in answer, "no room", answer)
    notice = await asked.next("notice", after=0)
    expect(
        (notice["kind"], notice.get("challenge")) == ("challenge_withdrawn", told["challenge"]),
        f"challenge_withdrawn {told['challenge']}",
        notice,
    )
    await asked.refused(
        "unknown_challenge", "answer_challenge", challenge=told["challenge"], accept=True
    )


@check(
    "23.17",
    "a user may have two challenges standing against another user",
    codecs=1,
    codes=("limit",),
)
async def challenges_bounded(context: CheckContext) -> None:
    context.feature("challenge")
    asked, asker = await context.peer(), await context.peer()
    wanted = {**wish(context), "to": asked.welcome["user"]}
    first = nonce()
    await asker.ok("challenge", nonce=first, **wanted)
    await asker.ok("challenge", nonce=nonce(), **wanted)
    refused = await asker.refused("limit", "challenge", nonce=nonce(), **wanted)
    expect(refused.get("field") == "to", "the field to", refused)
    await asker.ok("challenge", nonce=first, **wanted)
    await asker.ok("withdraw_challenge", nonce=first)
    await asker.ok("challenge", nonce=nonce(), **wanted)


@check(
    "23.12",
    "a player's turn in a slow game is announced, even if they do not follow the room",
    codecs=1,
)
async def your_turn(context: CheckContext) -> None:
    context.feature("challenge")
    table = await context.table(clock={"kind": "correspondence", "days": 3})
    idle = await context.again(table.other)

    def told(peer: Peer) -> list[Any]:
        return [m for m in peer.of("notice") if m["kind"] == "your_turn"]

    await table.play(1)
    await idle.until(lambda: bool(told(idle)), f"a notice your_turn of {table.room}")
    expect(told(idle)[0].get("room") == table.room, f"room {table.room}", told(idle))
    later = await context.again(idle)
    await later.until(lambda: bool(told(later)), f"a notice your_turn of {table.room}, after hello")
