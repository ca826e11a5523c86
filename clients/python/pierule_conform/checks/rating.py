"""SPEC 30: which games count for ratings."""

from __future__ import annotations

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.lobby import paired, wish
from pierule_conform.checks.names import some_name
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect
from pierule_conform.checks.shapes import STANDING, misfit


async def registered(context: CheckContext) -> Peer:
    """A peer with a registered name."""
    context.feature("accounts")
    peer = await context.peer()
    await peer.ok("register", nonce=nonce(), name=some_name())
    return peer


async def unrated(peer: Peer, room: str) -> object:
    """Why a room's game does not count, as the peer sees it."""
    await peer.ok("join", room=room)
    return peer.state(room).get("unrated")


@check("30.1", "a game that must be rated needs two users with registered names", codecs=1,
       codes=("unrated",))  # fmt: skip
async def rated_seats(context: CheckContext) -> None:
    maker, other, guest = await registered(context), await registered(context), await context.peer()
    of = context.script()
    asked = {"game": of.game, "size": of.size, "seat": 0, "rated": "yes"}
    await guest.refused("unrated", "create", nonce=nonce(), **asked)
    room = await context.room(maker, seat=0, rated="yes")
    for peer in (guest, maker):
        answer = await peer.refused("unrated", "join", room=room, seat=1, nonce=nonce())
        expect(answer.get("field") == "seat", "the field seat", answer, peer.last_sent)
    await other.ok("join", room=room, seat=1, nonce=nonce())
    state = other.state(room)
    told = state.get("status"), state.get("rated"), state.get("unrated")
    expect(told == ("running", "yes", None), "a running room that counts", state)
    names = [seat.get("registered") for seat in state["seats"]]
    expect(names == [True, True], "two registered players", state)


@check("30.1", "seeks with contrary wishes for a rated game are not paired", codecs=1)
async def rated_pools(context: CheckContext) -> None:
    context.feature("seek")
    rated, unrated_, either = [await registered(context) for _ in range(3)]
    guest, wanted, names = await context.peer(), wish(context), [nonce() for _ in range(4)]
    await guest.refused("unrated", "seek", nonce=nonce(), **wanted, rated="yes")
    for peer, of, rating in (
        (rated, names[0], "yes"), (unrated_, names[1], "no"), (guest, names[2], "either"),
    ):  # fmt: skip
        answer = await peer.ok("seek", nonce=of, **wanted, rated=rating)
        if peer is not guest:
            expect("room" not in answer, "no room", answer, peer.last_sent)
    room = (await paired(guest, names[2]))["room"]
    expect(
        (await paired(unrated_, names[1]))["room"] == room, "one room for `no` and `either`", room
    )
    expect(await unrated(guest, room) == "wish", "a room that does not count", room)
    await either.ok("seek", nonce=names[3], **wanted)
    room = (await paired(either, names[3]))["room"]
    expect((await paired(rated, names[0]))["room"] == room, "one room for `yes` and `either`", room)
    expect(await unrated(either, room) is None, "a room that counts", room)


@check("23.22", "a range needs a registered name, and keeps guests away", codecs=1)
async def rating_ranges(context: CheckContext) -> None:
    context.feature("seek")
    picky, other = await registered(context), await registered(context)
    guest, wanted, names = await context.peer(), wish(context), [nonce() for _ in range(3)]
    answer = await guest.refused(
        "unrated", "seek", nonce=nonce(), **wanted, range={"below": 9, "above": 9}
    )
    expect(answer.get("field") == "range", "the field range", answer, guest.last_sent)
    await picky.refused(
        "bad_field", "seek", nonce=nonce(), **wanted, range={"below": -1, "above": 9}
    )
    for peer, of, options in (
        (picky, names[0], {"range": {"below": 0, "above": 2_000}}), (guest, names[1], {}),
    ):  # fmt: skip
        answer = await peer.ok("seek", nonce=of, **wanted, **options)
        expect("room" not in answer, "no room", answer, peer.last_sent)
    await other.ok("seek", nonce=names[2], **wanted)
    room = (await paired(other, names[2]))["room"]
    expect(
        (await paired(picky, names[0]))["room"] == room,
        "one room for the two registered users",
        room,
    )
    await (await context.peer()).ok("seek", nonce=nonce(), **wanted)
    await paired(guest, names[1])


@check("30.2", "a room says why it does not count", codecs=1)
async def rated_reasons(context: CheckContext) -> None:
    one, two, guest = await registered(context), await registered(context), await context.peer()
    for maker, second, options, why in (
        (one, two, {"rated": "no"}, "wish"),
        (one, one, {}, "same_player"),
        (one, guest, {}, "guest"),
        (one, two, {"access": "private", "invitation": nonce() * 2}, "private"),
        (one, two, {}, None),
    ):
        room = await context.room(maker, seat=0, **options)
        invited = {key: value for key, value in options.items() if key == "invitation"}
        await second.ok("join", room=room, seat=1, nonce=nonce(), **invited)
        state = second.state(room)
        expect(state.get("unrated") == why, f"unrated {why}", state)
    await two.ok("resign", room=room, nonce=nonce())
    state = await two.until_status(room, "over")
    expect(state.get("unrated") == "short", "unrated short", state)


@check("30.9", "a client's own bot has no fixed rating, and its games do not count", codecs=1)
async def rated_bots(context: CheckContext) -> None:
    one, bot = await registered(context), await context.peer(bot=True)
    room = await context.room(bot, seat=0)
    await one.ok("join", room=room, seat=1, nonce=nonce())
    state = one.state(room)
    standing = state["seats"][0].get("standing")
    expect((state.get("unrated"), standing) == ("bot", None), "unrated bot, no standing", state)


@check("30.6", "seats and cards show the same ratings, and a guest has no rating", codecs=1)
async def rated_standings(context: CheckContext) -> None:
    maker, guest = await registered(context), await context.peer()
    room = await context.room(maker, seat=0)
    await guest.ok("join", room=room, seat=1, nonce=nonce())
    seats = guest.state(room)["seats"]
    told = [seat.get("standing") for seat in seats]
    expect(told[1] is None, "no standing of a guest", seats)
    odd = None if told[0] is None else misfit(told[0], STANDING)
    expect(odd is None, f"a rating and its deviation: {odd}", told[0])
    mine = (await guest.ok("my_rooms")).get("my_rooms", [])
    cards = [each["card"] for each in mine if each["card"]["room"] == room]
    expect([card.get("standings", [None, None]) for card in cards] == [told],
           f"a card with the standings {told}", cards, guest.last_sent)  # fmt: skip
