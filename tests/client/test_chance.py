"""Random actions, as bots take them."""

from __future__ import annotations

import asyncio
import random

import pytest

import pierule
from client.conftest import Connect, enter
from pierule.chance import random_set_up
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.messages import Legal, LegalPart, LegalQuery, Ok
from support.scripted import ScriptedConnection, soon
from support.story import Story


def template(position: Position) -> list[LegalPart]:
    """The template as the server sends it."""
    return [
        LegalPart(
            what=part.what,
            count=part.count,
            points=list(part.points),
            first=part.numbers[0] if part.numbers else None,
            last=part.numbers[-1] if part.numbers else None,
            step=part.numbers.step if part.numbers else None,
        )
        for part in position.template()
    ]


@pytest.mark.parametrize(("game", "size"), [(g, s) for g, r in GAMES.items() for s in r.sizes])
def test_random_set_ups_are_legal(game: str, size: int) -> None:
    rng = random.Random(size)
    for color in ("black", "white") * 5:
        position: Position = GAMES[game].opening(size)
        while position.phase != "play":
            parts = template(position)
            after = position.play(random_set_up(parts, rng) if parts else color)
            assert not isinstance(after, Refusal), after
            position = after


async def answer(line: ScriptedConnection, prefix: str, legal: Legal) -> None:
    query = await line.expect(LegalQuery)
    assert query.prefix == prefix
    await line.send(Ok(id=query.id, room=query.room, legal=legal))


async def test_actions_are_taken_from_what_the_server_lists(connect: Connect) -> None:
    rng = random.Random(1)
    async with connect() as (client, line):
        room = await enter(client, line, Story().state)

        choosing = asyncio.create_task(pierule.random_action(room, rng))
        komi = LegalPart(what="komi", first=4, last=4, step=2)
        await answer(line, "", Legal(turn=0, total=1, template=[komi]))
        assert await soon(choosing) == "komi:4"

        choosing = asyncio.create_task(pierule.random_action(room, rng))
        await answer(line, "", Legal(turn=0, total=5_000, next=["c4"]))
        await answer(line, "c4", Legal(turn=0, total=2_000, next=["-c5"]))
        await answer(line, "c4-c5", Legal(turn=0, total=1, actions=["c4-c5/a1"], next=["/a1"]))
        assert await soon(choosing) == "c4-c5/a1"

        choosing = asyncio.create_task(pierule.random_action(room))
        await answer(line, "", Legal(turn=0, total=0, actions=[]))
        assert await soon(choosing) == "pass"
