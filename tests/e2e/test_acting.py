"""Acting: who may, when, and what becomes of two who act at once or of one who acts twice
(law 7)."""

from __future__ import annotations

import asyncio
import json
import random

import pytest

from e2e.conftest import Opener
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.messages import Act, Create, Error, Leave, Ok, Resign
from pierule_protocol.state.position import position_text
from support.games import VECTORS, Game, check_mirror, game, games, play, seat_both
from support.peer import Answer, Peer, fresh_nonce
from support.serving import Serving

LOOSE = game("loose", 5)


# --- two at once ----------------------------------------------------------------------------------


def won_and_lost(answers: list[Answer]) -> tuple[Ok, list[Error]]:
    """The one answer that is ok, and the others."""
    (ok,) = (answer for answer in answers if isinstance(answer, Ok))
    return ok, [answer for answer in answers if isinstance(answer, Error)]


@pytest.mark.parametrize("rivals", [2, 3])
async def test_only_one_of_different_actions_at_a_turn_wins(
    rivals: int, server: Serving, client: Opener, rng: random.Random
) -> None:
    """From several connections of one user who holds both seats; at every turn of a game."""
    turns = 120
    first = await client("Ada")
    room = await seat_both(first, first, game("loose", 13))
    peers = [first, *[await first.again(server.url) for _ in range(rivals - 1)]]
    for peer in peers[1:]:
        await peer.follow(room)
    position: Position = GAMES["loose"].opening(13)
    for turn in range(turns):
        await asyncio.gather(*(peer.until_turn(room, turn) for peer in peers))
        choices = [action for action in position.actions() if action != "pass"]
        wanted = rng.sample(choices, min(rivals, len(choices)))
        answers = await asyncio.gather(
            *(
                peer.ask(Act, room=room, turn=turn, action=action)
                for peer, action in zip(peers, wanted, strict=False)
            )
        )
        ok, losers = won_and_lost(answers)
        assert ok.turn == turn + 1
        assert len(losers) == len(wanted) - 1
        for lost in losers:
            assert (lost.code, lost.turn, lost.place) == (Code.STALE, turn + 1, ok.place)
        after = position.play(wanted[answers.index(ok)])
        assert not isinstance(after, Refusal)
        position = after
    for peer in peers:
        state = await peer.until_turn(room, turns)
        assert position_text(state.position) == position_text(position)
        assert [event.seq for event in peer.events(room)] == list(range(3, turns + 3))
    for peer in peers[1:]:
        await peer.close()


async def test_only_the_player_to_act_can_act(client: Opener) -> None:
    players = await client("Ada"), await client("Bea", "json")
    room = await seat_both(*players, LOOSE)
    for turn, action in enumerate(LOOSE.actions):
        await asyncio.gather(*(player.until_turn(room, turn) for player in players))
        answers = await asyncio.gather(
            *(player.ask(Act, room=room, turn=turn, action=action) for player in players)
        )
        ok, (lost,) = won_and_lost(list(answers))
        assert isinstance(answers[LOOSE.positions[turn].to_act or 0], Ok)
        assert lost.code in (Code.NOT_YOUR_TURN, Code.STALE)
        assert ok.turn == turn + 1
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, LOOSE)


async def test_the_same_action_from_two_connections_at_once_happens_once(
    server: Serving, client: Opener
) -> None:
    first = await client("Ada")
    room = await seat_both(first, first, LOOSE)
    second = await first.again(server.url)
    await second.follow(room)
    for turn, action in enumerate(LOOSE.actions):
        answers = await asyncio.gather(
            *(
                peer.do(Act, room=room, turn=turn, action=action)
                for peer in (first, second, first, second)
            )
        )
        assert len({(answer.place, answer.turn) for answer in answers}) == 1
    for peer in (first, second):
        state = await peer.until_over(room)
        assert state.seq == 2 + LOOSE.turns
        check_mirror(first, room, LOOSE)
    await second.close()


# --- the same again -------------------------------------------------------------------------------


async def test_a_repeated_action_is_answered_as_the_first_time(
    server: Serving, client: Opener
) -> None:
    players = await client("Ada"), await client("Bea", "json")
    room = await seat_both(*players, LOOSE)
    first: list[Ok] = []
    for turn, action in enumerate(LOOSE.actions):
        player = players[LOOSE.positions[turn].to_act or 0]
        await player.until_turn(room, turn)
        first.append(await player.act(room, turn, action))
        assert same(await player.act(room, turn, action), first[turn])
    for player in players:
        await player.until_over(room)

    # After the end, on the old connections and on new ones, following or not.
    again = [await player.again(server.url) for player in players]
    for voices in (players, again):
        for turn, action in enumerate(LOOSE.actions):
            player = voices[LOOSE.positions[turn].to_act or 0]
            assert same(await player.act(room, turn, action), first[turn])
    fresh = await client()
    await fresh.follow(room)
    assert fresh.state(room).seq == 2 + LOOSE.turns
    for player in players:
        assert len(player.events(room)) <= 1 + LOOSE.turns
        check_mirror(player, room, LOOSE)
    for player in again:
        await player.close()


def same(one: Ok, other: Ok) -> bool:
    return (one.room, one.place, one.turn) == (other.room, other.place, other.turn)


async def test_an_action_of_the_other_seat_does_not_count_as_a_retry(client: Opener) -> None:
    """The repetition of somebody else's action is no repetition."""
    players = await client("Ada"), await client("Bea")
    room = await seat_both(*players, LOOSE)
    await play(room, LOOSE, players, end=4)
    for turn in range(4):
        other = players[1 - (LOOSE.positions[turn].to_act or 0)]
        action = LOOSE.actions[turn]
        error = await other.refused(Code.STALE, Act, room=room, turn=turn, action=action)
        assert error.turn == 4


# --- who may not ----------------------------------------------------------------------------------


async def unchanged(room: str, peer: Peer, client: Opener) -> None:
    """A newcomer sees the room just as `peer` does, who has heard of nothing since."""
    newcomer = await client()
    await newcomer.follow(room)
    assert newcomer.state(room) == peer.state(room)


async def test_acting_before_the_game_starts_is_refused(client: Opener) -> None:
    player, stranger = await client("Ada"), await client("Eve")
    made = await player.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
    assert made.room is not None
    await player.follow(made.room)
    await player.refused(Code.NOT_STARTED, Act, room=made.room, turn=0, action="komi:4")
    await player.refused(Code.NOT_STARTED, Resign, room=made.room, nonce=fresh_nonce())
    await stranger.refused(Code.NOT_SEATED, Act, room=made.room, turn=0, action="komi:4")
    await stranger.refused(Code.NOT_SEATED, Resign, room=made.room, nonce=fresh_nonce())
    await unchanged(made.room, player, client)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_only_the_right_action_at_the_right_turn_counts_in_mid_game(
    codec: str, client: Opener
) -> None:
    players = await client("Ada", codec), await client("Bea", codec)
    stranger = await client("Eve", codec)
    room = await seat_both(*players, LOOSE)
    await stranger.follow(room)
    for turn in range(6):
        await play(room, LOOSE, players, turn, turn + 1)
        state = await stranger.until_turn(room, turn + 1)
        mover = players[LOOSE.positions[turn + 1].to_act or 0]
        other = players[0] if mover is players[1] else players[1]
        now = {"room": room, "turn": turn + 1, "action": LOOSE.actions[turn + 1]}
        await other.refused(Code.NOT_YOUR_TURN, Act, **now)
        await stranger.refused(Code.NOT_SEATED, Act, **now)
        for wrong in (*range(turn + 1), turn + 2, 2**31 - 1):
            for player in players:
                error = await player.refused(Code.STALE, Act, **(now | {"turn": wrong}))
                assert (error.place, error.turn) == (state.place, turn + 1)
        await unchanged(room, stranger, client)


async def test_acting_after_the_end_is_refused(client: Opener) -> None:
    players = await client("Ada"), await client("Bea", "json")
    stranger = await client("Eve")
    room = await seat_both(*players, LOOSE)
    await play(room, LOOSE, players)
    end = await players[0].until_over(room)
    for player in players:
        for action in ("pass", "a1", "nonsense"):
            await player.refused(Code.FINISHED, Act, room=room, turn=LOOSE.turns, action=action)
        await player.refused(Code.FINISHED, Resign, room=room, nonce=fresh_nonce())
        # An old turn is stale, not finished: it says where the room is.
        error = await player.refused(Code.STALE, Act, room=room, turn=2, action="a1")
        assert (error.place, error.turn) == (end.place, LOOSE.turns)
    await stranger.refused(Code.NOT_SEATED, Act, room=room, turn=LOOSE.turns, action="pass")
    await unchanged(room, players[0], client)


async def test_acting_in_an_unknown_room_is_refused(client: Opener) -> None:
    player = await client("Ada")
    for room in ("nosuchroom", "a", "z" * 32):
        error = await player.refused(Code.UNKNOWN_ROOM, Act, room=room, turn=0, action="komi:4")
        assert error.field == "room"
        await player.refused(Code.UNKNOWN_ROOM, Resign, room=room, nonce=fresh_nonce())
    assert (await player.do(Leave, room="nosuchroom")).room == "nosuchroom"


# --- what the rules forbid ------------------------------------------------------------------------


def illegal_actions(of: Game) -> list[tuple[int, str]]:
    """The illegal actions of the vectors that belong to this game, by turn."""
    lines = VECTORS.with_name("illegal.jsonl").read_text().splitlines()
    found = []
    for vector in map(json.loads, lines):
        turn = len(vector["actions"])
        kind = (vector["game"], vector["size"])
        if kind == (of.game, of.size) and vector["actions"] == of.actions[:turn]:
            found.append((turn, vector["illegal"]))
    return sorted(found)


async def test_illegal_actions_are_refused_with_the_rule_and_the_points(client: Opener) -> None:
    """All illegal actions of the vectors, each in its place in its reference game."""
    asked = await asyncio.gather(*(spoiled_game(of, client) for of in games()))
    assert sum(asked) >= 132


async def spoiled_game(of: Game, client: Opener) -> int:
    """Play a game, and at every turn first what the vectors forbid there. How much that was."""
    player = await client("Ada", "json" if of.size % 2 else "msgpack")
    room = await seat_both(player, player, of)
    attempts = illegal_actions(of)
    for turn in range(of.turns + 1):
        for action in (action for at, action in attempts if at == turn):
            if turn == of.turns:
                await player.refused(Code.FINISHED, Act, room=room, turn=turn, action=action)
                continue
            error = await player.refused(Code.ILLEGAL, Act, room=room, turn=turn, action=action)
            refusal = of.positions[turn].play(action)
            assert isinstance(refusal, Refusal)
            assert (error.rule, error.points) == (refusal.rule, list(refusal.points))
            assert error.text == GAMES[of.game].sentence(refusal)
        if turn < of.turns:
            await player.act(room, turn, of.actions[turn])
    await player.until_over(room)
    check_mirror(player, room, of)
    assert player.state(room).seq == 2 + of.turns
    return len(attempts)


async def test_nonsense_actions_are_refused(client: Opener) -> None:
    player = await client("Ada", "json")
    room = await seat_both(player, player, LOOSE)
    odd = (
        "",
        " ",
        "komi:4 ",
        "KOMI:4",
        "komi:04",
        "komi:-2",
        "komi:٤",
        "a1\x00",
        "é" * 64,
        "/" * 64,
    )
    for action in odd:
        error = await player.refused(Code.ILLEGAL, Act, room=room, turn=0, action=action)
        assert error.rule is not None
        assert error.points is not None
    await play(room, LOOSE, (player, player))
    await player.until_over(room)
    check_mirror(player, room, LOOSE)


# --- order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_pipelined_requests_are_answered_in_order(codec: str, client: Opener) -> None:
    """A whole game sent at once, with other requests and errors in between."""
    of = game("taugo", 8)
    player = await client("Ada", codec)
    room = await seat_both(player, player, of)
    sent = []
    for turn, action in enumerate(of.actions):
        sent.append(await player.send(Act, room=room, turn=turn, action=action))
        sent.append(await player.send(Act, room=room, turn=turn + 50, action=action))
        sent.append(await player.send(Act, room="nosuchroom", turn=0, action=action))
    for request in sent:
        await player.answer(request)
    order = [m.id for m in player.received if isinstance(m, Ok | Error) and m.id in set(sent)]
    assert order == sent
    for turn in range(of.turns):
        ok, ahead, unknown = (player.answers[request] for request in sent[3 * turn : 3 * turn + 3])
        assert isinstance(ok, Ok)
        assert ok.turn == turn + 1
        assert isinstance(ahead, Error)
        assert (ahead.code, ahead.turn) == (Code.STALE, turn + 1)
        assert isinstance(unknown, Error)
        assert unknown.code == Code.UNKNOWN_ROOM
    await player.until_over(room)
    check_mirror(player, room, of)
