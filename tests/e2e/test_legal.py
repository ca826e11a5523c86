"""Asking for legal actions: the answers are those of the rules, however they are asked for."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from e2e.conftest import Opener
from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.messages import Create, Legal, LegalPart, LegalQuery, LegalRefusal, Resign
from support.games import Game, game, play, seat_both
from support.peer import Peer, fresh_nonce

MOST_ACTIONS = 1_000


async def asked(peer: Peer, room: str, prefix: str = "") -> Legal:
    legal = (await peer.do(LegalQuery, room=room, prefix=prefix)).legal
    assert legal is not None
    return legal


async def room_at(turn: int, of: Game, peer: Peer) -> str:
    """A room in which the game has come to a turn."""
    room = await seat_both(peer, peer, of)
    await play(room, of, (peer, peer), end=turn)
    return room


# --- set-ups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("size", [5, 9, 19])
async def test_the_template_of_loose_is_its_komi(codec: str, size: int, client: Opener) -> None:
    peer = await client(codec=codec)
    room = await room_at(0, Game("loose", size, [], [], {}, []), peer)
    part = LegalPart(what="komi", first=0, last=size * size - 1, step=2)
    count = (size * size + 1) // 2
    assert await asked(peer, room) == Legal(turn=0, total=count, template=[part])
    assert (await peer.act(room, 0, f"komi:{part.last}")).turn == 1


@pytest.mark.parametrize(("size", "shooters"), [(7, (1, 2)), (9, (2, 3)), (10, (3, 4))])
async def test_the_template_of_veletas_is_shooters_and_a_stone(
    size: int, shooters: tuple[int, int], client: Opener
) -> None:
    peer = await client()
    of = game("veletas", size)
    room = await room_at(0, of, peer)
    for turn, count in zip((0, 2), shooters, strict=True):
        await play(room, of, (peer, peer), begin=max(turn - 2, 0), end=turn)
        legal = await asked(peer, room)
        assert (legal.turn, legal.total) == (turn, of.positions[turn].count())
        assert (legal.next, legal.actions) == ([], None)
        shooter, stone = legal.template
        assert (shooter.what, shooter.count) == ("shooter", count)
        assert (stone.what, stone.count) == ("stone", 1)
        assert set(shooter.points) < set(stone.points)
        empty = of.positions[turn].cells.count(0)
        assert len(stone.points) == empty
        # Put together as the template says, it is legal: the points are in the order of a set-up.
        last = next(point for point in stone.points if point not in shooter.points[:count])
        assert not hasattr(
            of.positions[turn].play(f"{','.join(shooter.points[:count])}/{last}"), "rule"
        )


async def test_the_template_of_taugo_is_an_inner_stone(client: Opener) -> None:
    peer = await client()
    room = await room_at(0, Game("taugo", 6, [], [], {}, []), peer)
    points = [f"{column}{row}" for row in "2345" for column in "bcde"]
    legal = await asked(peer, room)
    (part,) = legal.template
    assert (legal.turn, legal.total, part.what, part.count) == (0, 16, "stone", 1)
    assert sorted(part.points) == sorted(points)


@pytest.mark.parametrize("name", list(GAMES))
async def test_both_colors_can_be_chosen(name: str, client: Opener) -> None:
    peer = await client()
    room = await room_at(1, game(name, GAMES[name].sizes[0]), peer)
    both = ["black", "white"]
    assert await asked(peer, room) == Legal(turn=1, total=2, next=both, actions=both)
    assert await asked(peer, room, "black") == Legal(turn=1, total=1, actions=["black"])
    assert await asked(peer, room, "bl") == Legal(turn=1, total=0, actions=[])


# --- play -----------------------------------------------------------------------------------------

PLACES = [
    ("loose", 9, 20), ("loose", 13, 60), ("taugo", 11, 20), ("taugo", 16, 50), ("veletas", 7, 10),
    ("veletas", 9, 25),
]  # fmt: skip


@pytest.mark.parametrize(("name", "size", "turn"), PLACES)
async def test_the_tokens_that_follow_reach_exactly_the_legal_actions(
    name: str, size: int, turn: int, client: Opener
) -> None:
    """Starting from nothing, and appending one of `next` for as long as there is one."""
    of = game(name, size)
    peer = await client()
    room = await room_at(turn, of, peer)
    expected = set(of.positions[turn].actions())
    reached: set[str] = set()
    prefixes = [""]
    while prefixes:
        answers = await asyncio.gather(*(asked(peer, room, prefix) for prefix in prefixes))
        onward = []
        for prefix, legal in zip(prefixes, answers, strict=True):
            below = {action for action in expected if begins(action, prefix)}
            assert legal.turn == turn
            assert legal.total == len(below) > 0
            if legal.actions is None:
                assert legal.total > MOST_ACTIONS
            else:
                assert len(legal.actions) == legal.total <= MOST_ACTIONS
                assert set(legal.actions) == below
                reached |= {prefix} & below
            assert len(set(legal.next)) == len(legal.next)
            onward += [prefix + token for token in legal.next]
        prefixes = onward
    assert reached == expected


def begins(action: str, prefix: str) -> bool:
    """Whether `prefix` is the beginning of an action, and breaks no point in two."""
    rest = action.removeprefix(prefix)
    return action.startswith(prefix) and not (prefix and rest and rest[0].isdigit())


async def test_actions_beyond_one_answer_are_counted(client: Opener) -> None:
    of = game("veletas", 10)
    peer = await client(codec="json")
    room = await room_at(3, of, peer)
    expected = set(of.positions[3].actions())
    whole = await asked(peer, room)
    assert whole.total == len(expected) > 4_000
    assert whole.actions is None
    found: list[str] = []
    prefixes = whole.next
    while prefixes:
        answers = await asyncio.gather(*(asked(peer, room, prefix) for prefix in prefixes))
        found += [action for legal in answers for action in legal.actions or []]
        prefixes = [
            prefix + token
            for prefix, legal in zip(prefixes, answers, strict=True)
            if legal.actions is None
            for token in legal.next
        ]
    assert len(found) == len(set(found))
    assert set(found) == expected


async def test_every_form_of_a_prefix_lists_its_actions(client: Opener) -> None:
    of = game("veletas", 10)
    peer = await client()
    room = await room_at(12, of, peer)
    actions = list(of.positions[12].actions())
    a_move = next(action for action in actions if "10/" in action)
    start, shot = a_move.split("/")
    source = start.partition("-")[0]
    for prefix in (source, f"{source}-", start, f"{start}/", a_move):
        legal = await asked(peer, room, prefix)
        assert legal.total == sum(begins(action, prefix) for action in actions) > 0
    assert (await asked(peer, room, start)).next[0].startswith("/")
    assert shot in (await asked(peer, room, f"{start}/")).next
    assert (await asked(peer, room, a_move)).next == []


@pytest.mark.parametrize(
    "prefix", ["zz9", "-", "/", ",", "a", "A1", " ", "é", "a1a1", "a1-a1-a1", "9", "\x00", "q" * 64]
)
async def test_a_prefix_that_begins_no_action_has_no_actions(prefix: str, client: Opener) -> None:
    of = game("taugo", 8)
    peer = await client()
    room = await room_at(10, of, peer)
    assert await asked(peer, room, prefix) == Legal(turn=10, total=0, actions=[])


async def test_a_room_that_does_not_run_has_no_legal_actions(client: Opener) -> None:
    peer = await client()
    made = await peer.do(Create, nonce=fresh_nonce(), game="loose", seat=0)
    assert made.room is not None
    assert await asked(peer, made.room) == Legal(turn=0, total=0, actions=[])

    of = game("loose", 5)
    room = await room_at(of.turns, of, peer)
    assert await asked(peer, room) == Legal(turn=of.turns, total=0, actions=[])

    resigned = await room_at(5, of, peer)
    await peer.do(Resign, room=resigned, nonce=fresh_nonce())
    assert await asked(peer, resigned) == Legal(turn=5, total=0, actions=[])

    error = await peer.refused(Code.UNKNOWN_ROOM, LegalQuery, room="nosuchroom")
    assert error.field == "room"
    error = await peer.refused(Code.BAD_FIELD, LegalQuery, room=room, prefix="a" * 65)
    assert error.field == "prefix"


# --- one action, or a draft


async def judged(peer: Peer, room: str, **question: Any) -> Legal:
    legal = (await peer.do(LegalQuery, room=room, **question)).legal
    assert legal is not None
    return legal


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("name", list(GAMES))
async def test_questions_about_actions_are_answered_by_the_rules(
    codec: str, name: str, client: Opener
) -> None:
    """Of each action at its turn and at the next one; it is never played by asking."""
    of = game(name, GAMES[name].sizes[0])
    peer, stranger = await client(codec=codec), await client(codec=codec)
    room = await seat_both(peer, peer, of)
    for turn, action in enumerate(of.actions):
        position, points = of.positions[turn], re.findall("[a-z][0-9]+", action)
        assert await judged(stranger, room, turn=turn, action=action) == Legal(turn=turn, total=1)
        for end in range(1, len(points) + 1):
            draft = await judged(stranger, room, points=points[:end])
            shown = GAMES[name].preview(position, points[:end])
            assert draft == Legal(turn=turn, total=1, preview=shown)
        for other in of.actions[turn - 1], "e9":
            refusal = position.play(other)
            told = await judged(peer, room, turn=turn, action=other)
            if not isinstance(refusal, Refusal):
                assert told.refusal is None
                continue
            said = GAMES[name].sentence(refusal)
            why = LegalRefusal(rule=refusal.rule, points=list(refusal.points), text=said)
            assert told == Legal(turn=turn, total=0, refusal=why)
        await peer.act(room, turn, action)
        stale = await peer.refused(Code.STALE, LegalQuery, room=room, turn=turn, action=action)
        assert stale.turn == turn + 1
    await peer.refused(Code.FINISHED, LegalQuery, room=room, action="pass")


async def test_a_question_about_a_private_room_needs_the_invitation(client: Opener) -> None:
    peer, stranger = await client(), await client()
    secret = "s" * 22
    made = await peer.do(
        Create, nonce=fresh_nonce(), game="loose", seat=0, access="private", invitation=secret
    )
    for question in ({"action": "c3"}, {"points": ["c3"]}, {"prefix": "c"}):
        await stranger.refused(Code.PRIVATE, LegalQuery, room=made.room, **question)
    await peer.refused(Code.NOT_STARTED, LegalQuery, room=made.room, action="c3")


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"action": "c3", "prefix": "c"}, "action"),
        ({"points": ["c3"], "action": "c3"}, "points"),
        ({"points": ["c3", "pass"]}, "points"),
        ({"points": ["c3\n"]}, "points"),
        ({"points": ["c3"] * 17}, "points"),
        ({"turn": -1}, "turn"),
        ({"action": "a" * 65}, "action"),
    ],
)
async def test_an_empty_question_names_the_field(
    question: dict[str, Any], field: str, client: Opener
) -> None:
    of = game("loose", 5)
    peer = await client()
    room = await room_at(4, of, peer)
    error = await peer.refused(Code.BAD_FIELD, LegalQuery, room=room, **question)
    assert error.field == field


async def test_the_next_request_sees_an_acknowledged_action(client: Opener) -> None:
    """`legal` right behind an action speaks of the turn after it, at every turn of a game."""
    of = game("loose", 7)
    peer, stranger = await client(), await client()
    room = await seat_both(peer, peer, of)
    for turn, action in enumerate(of.actions):
        await peer.act(room, turn, action)
        legal = await asked(stranger, room)
        assert legal.turn == turn + 1
        assert legal.total == (of.positions[turn + 1].count() if turn + 1 < of.turns else 0)
