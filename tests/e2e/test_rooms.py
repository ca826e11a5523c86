"""Rooms: how they are made, listed and given up, and how their seats are taken."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

import pierule
from e2e.conftest import Opener, Starter
from pierule_games import GAMES
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Turnwise
from pierule_protocol.log.events import Closed, Holder, decode_record
from pierule_protocol.messages import (
    Card,
    Create,
    Join,
    Leave,
    Ok,
    Resign,
    RoomsQuery,
)
from support.games import check_mirror, game, play, seat_both
from support.peer import Answer, Peer, fresh_nonce
from support.serving import Serving

LOOSE = game("loose", 5)


async def made(peer: Peer, **fields: object) -> str:
    """A new room."""
    answer = await peer.do(Create, **{"nonce": fresh_nonce(), "game": "loose", **fields})
    assert answer.room is not None
    return answer.room


# --- making ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(GAMES))
async def test_a_room_has_the_default_size_and_no_seat_by_default(
    name: str, client: Opener
) -> None:
    peer = await client("Ada")
    answer = await peer.do(Create, nonce=fresh_nonce(), game=name)
    assert answer.room is not None
    assert re.fullmatch("[a-z]{1,32}", answer.room)
    assert (answer.seats, answer.turn) == ([], 0)
    assert answer.place is not None
    assert answer.place.seq == 1
    joined = await peer.follow(answer.room)
    state = peer.state(answer.room)
    assert (joined.seats, joined.resumed, state.place) == ([], False, answer.place)
    assert state.position.size == GAMES[name].default_size
    assert (state.status, state.seats, state.actions) == ("open", (None, None), [])


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_room_is_made_with_a_size_and_a_seat(seat: int, client: Opener) -> None:
    peer = await client("Ada", "json")
    for name, rules in GAMES.items():
        for size in rules.sizes:
            answer = await peer.do(Create, nonce=fresh_nonce(), game=name, size=size, seat=seat)
            assert answer.room is not None
            assert answer.seats == [seat]
            await peer.follow(answer.room)
            state = peer.state(answer.room)
            assert (state.position.game, state.position.size) == (name, size)
            assert state.seats[seat] == Holder(peer.user, "Ada")
            assert state.seats[1 - seat] is None
            await peer.do(Leave, room=answer.room)


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("game", {"game": "chess"}),
        ("game", {"game": ""}),
        ("game", {"game": "Loose"}),
        ("size", {"game": "loose", "size": 8}),
        ("size", {"game": "loose", "size": 21}),
        ("size", {"game": "veletas", "size": 8}),
        ("size", {"game": "taugo", "size": 5}),
        ("size", {"game": "taugo", "size": 99}),
    ],
)
async def test_an_unknown_game_or_size_is_refused(
    field: str, fields: dict[str, object], client: Opener
) -> None:
    peer = await client("Ada")
    nonce = fresh_nonce()
    error = await peer.refused(Code.BAD_FIELD, Create, nonce=nonce, **fields)
    assert error.field == field
    # Nothing was made: the nonce is still good.
    assert (await peer.do(Create, nonce=nonce, game="loose")).turn == 0


async def test_repeating_create_gives_the_same_room(server: Serving, client: Opener) -> None:
    peer = await client("Ada")
    same = {"nonce": fresh_nonce(), "game": "loose", "size": 5, "seat": 1}
    first = await peer.do(Create, **same)
    assert first.room is not None
    await peer.follow(first.room, seat="any", nonce=fresh_nonce())
    await peer.follow(first.room, seat=0, nonce=fresh_nonce())
    await peer.until_running(first.room)
    await play(first.room, LOOSE, (peer, peer))

    async with await peer.again(server.url) as later:
        renamed = await Peer.open(server.url, "Adele", token=peer.token)
        for voice in (peer, later, renamed):
            again = await voice.do(Create, **same)
            assert (again.room, again.seats, again.place, again.turn) == (
                first.room, first.seats, first.place, first.turn
            )  # fmt: skip
        await renamed.close()
    await peer.until_over(first.room)
    assert peer.state(first.room).seq == 2 + LOOSE.turns


async def test_repeating_create_with_a_clock_gives_the_same_room(client: Opener) -> None:
    peer = await client("Ada")
    same = {"nonce": fresh_nonce(), "game": "loose", "clock": Turnwise(time=60)}
    first = await peer.do(Create, **same)
    again = await peer.do(Create, **same)
    assert (again.room, again.place) == (first.room, first.place)
    await peer.refused(Code.BAD_FIELD, Create, **same | {"clock": Turnwise(time=61)})


async def test_simultaneous_equal_creates_make_one_room(server: Serving, client: Opener) -> None:
    peer = await client("Ada")
    others = [await peer.again(server.url) for _ in range(4)]
    for _ in range(10):
        same = {"nonce": fresh_nonce(), "game": "taugo"}
        answers = await asyncio.gather(*(voice.do(Create, **same) for voice in [peer, *others]))
        assert len({(answer.room, answer.place) for answer in answers}) == 1
    for voice in others:
        await voice.close()


@pytest.mark.parametrize("other", [{"game": "taugo", "size": None}, {"size": 7}, {"seat": 1}])
async def test_a_nonce_cannot_make_two_different_rooms(
    other: dict[str, object], client: Opener
) -> None:
    peer, stranger = await client("Ada"), await client("Bea")
    same: dict[str, object] = {"nonce": fresh_nonce(), "game": "loose", "size": 5, "seat": 0}
    first = await peer.do(Create, **same)
    error = await peer.refused(Code.BAD_FIELD, Create, **(same | other))
    assert error.field == "nonce"
    # Nonces of different users have nothing to do with each other.
    assert (await stranger.do(Create, **same)).room != first.room


# --- seats ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_any_takes_the_first_free_seat(codec: str, client: Opener) -> None:
    maker, second, third = [await client(name, codec) for name in ("Ada", "Bea", "Cyd")]
    room = await made(maker)
    await maker.follow(room)
    assert (await maker.follow(room, seat="any", nonce=fresh_nonce())).seats == [0]
    assert (await maker.follow(room, seat="any", nonce=fresh_nonce())).seats == [0]
    answer = await second.follow(room, seat="any", nonce=fresh_nonce())
    assert (answer.seats, answer.turn) == ([1], 0)
    assert second.state(room).status == "running"
    error = await third.refused(Code.SEAT_TAKEN, Join, room=room, seat="any", nonce=fresh_nonce())
    assert error.field == "seat"
    for seat in (0, 1):
        await third.refused(Code.SEAT_TAKEN, Join, room=room, seat=seat, nonce=fresh_nonce())
    assert room not in third.states
    await third.follow(room)
    assert third.state(room).seats == (Holder(maker.user, "Ada"), Holder(second.user, "Bea"))
    assert third.state(room).seq == 3


async def test_a_seat_is_held_from_the_answer_on(client: Opener) -> None:
    """The snapshot that follows the answer to a join shows the seat that it gave; many times, as
    this is a race with the store's message."""
    peer = await client("Ada")
    for seat in (0, 1) * 20:
        room = await made(peer)
        answer = await peer.follow(room, seat=seat, nonce=fresh_nonce())
        assert answer.seats == [seat]
        assert peer.states[room][0].seats[seat] == Holder(peer.user, "Ada")
        assert peer.states[room][0].place == answer.place
        await peer.do(Leave, room=room)


async def test_a_user_can_play_both_seats(client: Opener) -> None:
    peer = await client("Ada")
    room = await made(peer, size=5, seat=1)
    answer = await peer.follow(room, seat=0, nonce=fresh_nonce())
    assert answer.seats == [0, 1]
    await play(room, LOOSE, (peer, peer))
    await peer.until_over(room)
    check_mirror(peer, room, LOOSE)


async def test_one_of_two_simultaneous_joins_gets_the_last_seat(client: Opener) -> None:
    maker, *rivals = [await client(name) for name in ("Ada", "Bea", "Cyd", "Dot")]
    for _ in range(20):
        room = await made(maker, seat=0)
        answers: list[Answer] = list(
            await asyncio.gather(
                *(rival.ask(Join, room=room, seat="any", nonce=fresh_nonce()) for rival in rivals)
            )
        )
        (winner,) = (n for n, answer in enumerate(answers) if isinstance(answer, Ok))
        assert [a.code for a in answers if not isinstance(a, Ok)] == [Code.SEAT_TAKEN] * 2
        await maker.follow(room)
        assert maker.state(room).seats[1] == Holder(
            rivals[winner].user, rivals[winner].welcome.name
        )
        assert maker.state(room).seq == 2
        for peer in (maker, rivals[winner]):
            await peer.do(Leave, room=room)


async def test_taking_a_seat_needs_a_nonce(client: Opener) -> None:
    peer = await client("Ada")
    room = await made(peer)
    error = await peer.refused(Code.BAD_FIELD, Join, room=room, seat=0)
    assert error.field == "nonce"


async def test_taking_a_seat_again_is_answered_as_before(server: Serving, client: Opener) -> None:
    maker, peer = await client("Ada"), await client("Bea")
    room = await made(maker, seat=0)
    nonce = fresh_nonce()
    first = await peer.follow(room, seat="any", nonce=nonce)
    assert first.seats == [1]
    for seat in ("any", 1):
        assert (await peer.do(Join, room=room, seat=seat, nonce=nonce)).seats == [1]
    async with await peer.again(server.url) as later:
        assert (await later.do(Join, room=room, seat="any", nonce=nonce)).seats == [1]
    assert peer.state(room).seq == 2

    # The nonce is used up, for everything else.
    for kind, other in ((Join, {"seat": 0}), (Resign, {})):
        error = await peer.refused(Code.BAD_FIELD, kind, room=room, nonce=nonce, **other)
        assert error.field == "nonce"
    await maker.follow(room)
    assert maker.state(room).place == peer.state(room).place


async def test_the_nonce_that_made_the_room_takes_no_seat(client: Opener) -> None:
    peer = await client("Ada")
    nonce = fresh_nonce()
    room = (await peer.do(Create, nonce=nonce, game="loose")).room
    error = await peer.refused(Code.BAD_FIELD, Join, room=room, seat=0, nonce=nonce)
    assert error.field == "nonce"


async def test_joining_an_unknown_room_is_refused(client: Opener) -> None:
    peer = await client("Ada")
    for fields in ({}, {"seat": "any", "nonce": fresh_nonce()}):
        error = await peer.refused(Code.UNKNOWN_ROOM, Join, room="nosuchroom", **fields)
        assert error.field == "room"


async def test_a_finished_room_gives_no_seats(client: Opener) -> None:
    players = await client("Ada"), await client("Bea")
    stranger = await client("Cyd")
    room = await seat_both(*players, LOOSE)
    await players[0].do(Resign, room=room, nonce=fresh_nonce())
    await stranger.refused(Code.FINISHED, Join, room=room, seat="any", nonce=fresh_nonce())


# --- resigning ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("turn", [0, 1, 5])
async def test_resigning_loses_and_changes_no_cell(
    seat: int, turn: int, server: Serving, client: Opener
) -> None:
    """Whoever resigns loses, to act or not, and nothing is changed on the board."""
    players = await client("Ada"), await client("Bea", "json")
    stranger = await client("Eve", "json")
    room = await seat_both(*players, LOOSE)
    await stranger.follow(room)
    await play(room, LOOSE, players, end=turn)
    await stranger.refused(Code.NOT_SEATED, Resign, room=room, nonce=fresh_nonce())
    error = await players[seat].refused(
        Code.NOT_SEATED, Resign, room=room, seat=1 - seat, nonce=fresh_nonce()
    )
    assert error.field == "seat"

    nonce = fresh_nonce()
    first = await players[seat].do(Resign, room=room, nonce=nonce)
    assert first.turn == turn
    for peer in (*players, stranger):
        state = await peer.until_over(room)
        assert state.result is not None
        assert (state.result.winner, state.result.reason) == (1 - seat, "resigned")
        assert (state.place, state.turn) == (first.place, turn)
        assert state.position == peer.states[room][-2].position
        assert state.position.winner is None

    async with await players[seat].again(server.url) as later:
        for voice in (players[seat], later):
            for fields in ({}, {"seat": seat}):
                again = await voice.do(Resign, room=room, nonce=nonce, **fields)
                assert (again.place, again.turn) == (first.place, turn)
    await players[seat].refused(Code.FINISHED, Resign, room=room, nonce=fresh_nonce())
    await players[1 - seat].refused(Code.FINISHED, Resign, room=room, nonce=nonce)
    assert stranger.state(room).place == first.place


@pytest.mark.parametrize(("seat", "winner"), [(None, 0), (0, 1), (1, 0)])
async def test_a_player_of_both_seats_resigns_one_of_them(
    seat: int | None, winner: int, client: Opener
) -> None:
    peer = await client("Ada")
    room = await seat_both(peer, peer, LOOSE)
    await play(room, LOOSE, (peer, peer), end=1)  # now seat 1 is to act
    await peer.do(Resign, room=room, nonce=fresh_nonce(), seat=seat)
    state = await peer.until_over(room)
    assert state.result is not None
    assert state.result.winner == winner


async def test_the_first_of_two_resignations_counts(client: Opener) -> None:
    """One of them does; the other is told that the game is over."""
    players = await client("Ada"), await client("Bea")
    for _ in range(10):
        room = await seat_both(*players, LOOSE)
        answers = await asyncio.gather(
            *(player.ask(Resign, room=room, nonce=fresh_nonce()) for player in players)
        )
        (winner,) = (1 - n for n, answer in enumerate(answers) if isinstance(answer, Ok))
        assert [a.code for a in answers if not isinstance(a, Ok)] == [Code.FINISHED]
        for player in players:
            state = await player.until_over(room)
            assert state.result is not None
            assert (state.result.winner, state.seq) == (winner, 3)


# --- listings -------------------------------------------------------------------------------------


async def listed(peer: Peer, **fields: Any) -> list[Card]:
    rooms = (await peer.do(RoomsQuery, **fields)).rooms
    assert rooms is not None
    return rooms


async def found(peer: Peer, room: str, **fields: Any) -> Card | None:
    """A room's card on whatever page it stands; others have rooms on this server."""
    after: str | None = None
    while True:
        page = await peer.do(RoomsQuery, limit=100, after=after, **fields)
        for card in page.rooms or []:
            if card.room == room:
                return card
        after = page.next
        if after is None:
            return None


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_a_listing_follows_its_room(codec: str, client: Opener) -> None:
    players = await client("Ada", codec), await client("Bea", codec)
    room = await made(players[0], size=5, seat=1)
    await players[0].follow(room)
    card = await found(players[1], room, status="open")
    at = players[0].state(room).at
    assert card == Card(
        room=room, game="loose", size=5, status="open", names=(None, "Ada"), turn=0, at=at
    )
    await players[1].follow(room, seat=0, nonce=fresh_nonce())
    card = await found(players[0], room, status="running")
    assert card is not None
    assert (card.status, card.names) == ("running", ("Bea", "Ada"))
    bea_first = players[1], players[0]
    for turn in range(LOOSE.turns):
        await play(room, LOOSE, bea_first, turn, turn + 1)
        card = await found(players[0], room)
        if turn + 1 < LOOSE.turns:
            assert card is not None
            state = await players[0].until_turn(room, turn + 1)
            assert (card.turn, card.at, card.status) == (turn + 1, state.at, "running")
        else:
            assert card is None


async def test_a_room_that_is_over_is_not_listed(client: Opener) -> None:
    peer = await client("Ada")
    room = await seat_both(peer, peer, LOOSE)
    assert await found(peer, room)
    await peer.do(Resign, room=room, nonce=fresh_nonce())
    assert await found(peer, room) is None


async def test_rooms_are_listed_latest_first_up_to_the_limit(
    start: Starter, opener: Opener
) -> None:
    serving = start()
    peer = await opener(serving.url, "Ada")
    assert await listed(peer) == []
    rooms = []
    for _ in range(110):
        rooms.append(await made(peer))
        # Times are in whole milliseconds; two rooms of one are listed in any order.
        await peer.follow(rooms[-1])
        await peer.do(Leave, room=rooms[-1])
    rooms.reverse()
    everything = await listed(peer, limit=100)
    times = [card.at for card in everything]
    assert times == sorted(times, reverse=True)
    expected = sorted(rooms, key=lambda room: -peer.state(room).at)[:100]
    at = {room: peer.state(room).at for room in rooms}
    assert [at[card.room] for card in everything] == [at[room] for room in expected]
    assert len({card.room for card in everything}) == 100
    assert [card.at for card in await listed(peer)] == times[:50]
    assert [card.at for card in await listed(peer, limit=1)] == times[:1]

    # An event does not move a room, but that nobody waits there any more does.
    await peer.follow(rooms[-1], seat=0, nonce=fresh_nonce())
    assert (await listed(peer, limit=1))[0].room != rooms[-1]
    for limit in (0, 101, -1):
        assert (await peer.refused(Code.BAD_FIELD, RoomsQuery, limit=limit)).field == "limit"


# --- following ------------------------------------------------------------------------------------


async def test_leaving_ends_the_events_and_keeps_the_seat(client: Opener) -> None:
    players = await client("Ada"), await client("Bea", "json")
    room = await seat_both(*players, LOOSE)
    await play(room, LOOSE, players, end=4)
    await players[1].until_turn(room, 4)
    await players[1].do(Leave, room=room)
    await players[1].do(Leave, room=room)
    heard = len(players[1].received)
    for turn in range(4, 8):
        seat = LOOSE.positions[turn].to_act or 0
        assert (await players[seat].act(room, turn, LOOSE.actions[turn])).turn == turn + 1
        await players[0].until_turn(room, turn + 1)
    assert all(isinstance(message, Ok) for message in players[1].received[heard:])
    assert players[1].state(room).turn == 4
    answer = await players[1].resume(room)
    assert (answer.seats, answer.resumed) == ([1], True)
    await play(room, LOOSE, players, begin=8)
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, LOOSE)


async def test_a_connection_follows_a_bounded_number_of_rooms(
    start: Starter, opener: Opener
) -> None:
    serving = start("--rooms-followed", "3")
    peer = await opener(serving.url)
    assert peer.welcome.limits.rooms_followed == 3
    rooms = [await made(peer) for _ in range(4)]
    for room in rooms[:3]:
        await peer.follow(room)
    nonce = fresh_nonce()
    await peer.refused(Code.LIMIT, Join, room=rooms[3], seat=0, nonce=nonce)
    await peer.follow(rooms[0])  # it follows that one already
    await peer.do(Leave, room=rooms[1])
    await peer.follow(rooms[3])
    assert peer.state(rooms[3]).seats == (None, None)
    other = await opener(serving.url)
    for room in rooms[:3]:
        await other.follow(room)


async def test_the_quietest_unfinished_games_of_an_address_end(start: Starter) -> None:
    """SPEC 9.11: with a budget of 1 an address has 10 of them."""
    url = start("--address-budget", "1", "--address-budget-burst", "9000").url
    async with pierule.connect(url) as ada, pierule.connect(url) as bob:
        rooms = []
        for _ in range(11):
            room = await ada.create("loose", 5, seat=0)
            await bob.join(room.id, seat=1)
            await room.act("komi:6")
            rooms.append(room)
        async with asyncio.timeout(60):
            while None in [room.state.result for room in rooms[:2]]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert rooms[0].state.result == pierule.Result(None, "closed")
        running = {mine.card.room for mine in await ada.my_rooms()}
        assert running == {room.id for room in rooms[2:]}
        last = decode_record((await ada.log(rooms[0].id))[-1].record)
        assert isinstance(last, Closed)
        assert last.by == "limit"
