"""SPEC 23.18 and 23.19: pages of rooms, and parts of the lobby."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import Skipped, check, expect

MOST_PAGES = 500
"""The most pages to ask for, because others may play on the server."""


def another(context: CheckContext) -> dict[str, Any]:
    """A game other than the script's. Raises Skipped if there is none."""
    for options in context.welcome["games"]:
        if options["game"] != context.script().game:
            return {"game": options["game"], "size": options["default_size"]}
    raise Skipped("this server has only one game")


async def wanted_rooms(context: CheckContext, peer: Peer, **wanted: Any) -> list[Mapping[str, Any]]:
    """The cards of all matching rooms, asked for in pages of two."""
    found: list[Mapping[str, Any]] = []
    after = None
    for _ in range(MOST_PAGES):
        answer = await peer.ok("rooms", limit=2, **wanted, **({"after": after} if after else {}))
        expect(len(answer["rooms"]) <= 2, "at most two rooms", answer, peer.last_sent)
        found += answer["rooms"]
        after = answer.get("next")
        if after is None:
            return found
    raise Skipped(f"this server lists over {2 * MOST_PAGES} rooms of {context.script().game}")


@check("23.18", "pages have each room once, and only matching ones; abandoned rooms come last")
async def pages_complete(context: CheckContext) -> None:
    context.feature("filters")
    maker, looker = await context.peer(), await context.peer()
    of = context.script()
    wanted = {"game": of.game, "size": of.size, "free_seat": 1}
    left = await context.room(maker, seat=0)
    others = [await context.room(maker, seat=1), await context.room(maker, **another(context))]
    kept = [await context.room(maker, seat=0) for _ in range(4)]
    for room in kept:
        await maker.join(room)
    found = await wanted_rooms(context, looker, **wanted)
    names = [card["room"] for card in found]
    for room in (left, *kept):
        expect(names.count(room) == 1, f"room {room} once", names, looker.last_sent)
    expect(not set(names).intersection(others), f"none of {others}", names, looker.last_sent)
    shown = {(card["game"], card["size"], card["status"], card["names"][1]) for card in found}
    expect(shown == {(of.game, of.size, "open", None)}, f"only what agrees with {wanted}", shown)
    away = [bool(card.get("away")) for card in found]
    expect(away == sorted(away), "the rooms in which nobody waits last", found, looker.last_sent)
    expect(not any(card.get("away") for card in found if card["room"] in kept), "no away", found)


@check("23.18", "a cursor that no server made is refused, and so is an unknown game",
       codecs=1)  # fmt: skip
async def pages_refused(context: CheckContext) -> None:
    context.feature("filters")
    peer = await context.peer()
    for fields in ({"after": "made-up"}, {"game": "no-such-game"}):
        answer = await peer.refused("bad_field", "rooms", **fields)
        expect(answer.get("field") in fields, f"the field of {fields}", answer, peer.last_sent)


@check("23.19", "a part of the lobby has the matching rooms, and changes as they do", codecs=1)
async def lobby_in_part(context: CheckContext) -> None:
    context.feature("filters")
    watcher, maker, other = await context.peer(), await context.peer(), await context.peer()
    elsewhere = await context.room(maker, **another(context))
    await watcher.ok("lobby", game=context.script().game, free_seat=1)
    room = await context.room(maker, seat=0)
    await maker.join(room)

    def told() -> list[Mapping[str, Any]]:
        return watcher.of("lobby", "lobby_change")

    def listed() -> list[str]:
        return [each["card"]["room"] for news in told() for each in news.get("rooms", [])]

    await watcher.until(lambda: room in listed(), f"room {room} in the lobby")
    await other.join(room, seat=1, nonce=nonce())
    await watcher.until(
        lambda: any(room in news.get("gone", []) for news in told()), f"room {room} gone"
    )
    expect(elsewhere not in listed(), f"no {elsewhere}, a room of another game", listed())
