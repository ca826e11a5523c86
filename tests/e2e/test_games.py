"""Every reference game over the wire: all who look on see what the rules say, at every ply."""

from __future__ import annotations

import asyncio
from itertools import groupby

import pytest

from e2e.conftest import Opener
from pierule_protocol.messages import Error, Ok
from support.games import Game, check_end, check_mirror, games, play, seat_both
from support.peer import Peer

KINDS = [
    pytest.param(list(alike), id=f"{kind[0]}-{kind[1]}")
    for kind, alike in groupby(games(), key=lambda each: each[:2])
]


@pytest.mark.parametrize("alike", KINDS)
async def test_reference_games_are_played_over_the_wire(alike: list[Game], client: Opener) -> None:
    await asyncio.gather(*(watched_game(each, client) for each in alike))


async def watched_game(of: Game, client: Opener) -> None:
    first = await client("Ada", "msgpack")
    second = await client("Bea", "json")
    room = await seat_both(first, second, of)
    early = await spectators(room, client)

    middle = of.turns // 2
    await play(room, of, (first, second), 0, middle)
    late = await spectators(room, client)
    await play(room, of, (first, second), middle)
    everybody = [first, second, *early, *late]
    for peer in everybody:
        await peer.until_over(room)
    after = await spectators(room, client)

    for peer in [*everybody, *after]:
        check_mirror(peer, room, of)
        check_answers(peer)
        assert peer.state(room) == first.state(room)
    for peer in [first, second, *early]:
        turns = {state.turn for state in peer.states[room]}
        assert turns == set(range(of.turns + 1))
    for peer in late:
        assert middle - 1 <= peer.states[room][0].turn <= middle
    for peer in after:
        assert peer.events(room) == []
        check_end(peer, room, of)


async def spectators(room: str, client: Opener) -> list[Peer]:
    peers = [await client("Eve", codec) for codec in ("msgpack", "json")]
    for peer in peers:
        await peer.follow(room)
    return peers


def check_answers(peer: Peer) -> None:
    """Every request was answered, once and with ok."""
    answers = [m for m in peer.received if isinstance(m, Ok | Error)]
    assert all(isinstance(answer, Ok) for answer in answers)
    assert [answer.id for answer in answers] == list(range(1, peer.next_id()))
