"""The challenges that stand against a user, as a client is told of them (SPEC 23.10 and 23.11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import pierule
from client.conftest import Connect
from pierule_protocol.codes import Code
from pierule_protocol.messages import AnswerChallenge, Challenged, Error, Notice, Ok, Paired
from support.scripted import Scripted, soon

Standing = AsyncIterator[list[Challenged]]


def _challenged(name: str) -> Challenged:
    return Challenged(
        challenge=name, user="bo", name="Bo", game="loose", size=9, control=None, seat=0
    )


async def _until(standing: Standing, *names: str) -> None:
    """To the state in which exactly these stand."""
    async with asyncio.timeout(60):
        async for challenges in standing:
            if [each.challenge for each in challenges] == list(names):
                return


async def test_a_challenge_is_reported_once_and_removed_when_withdrawn(connect: Connect) -> None:
    async with connect() as (client, line):
        standing, each = client.standing_challenges(), client.challenges()
        assert await soon(anext(standing)) == []
        await line.send(*map(_challenged, ("a", "b", "a")))
        await _until(standing, "a", "b")
        assert [(await soon(anext(each))).challenge for _ in range(2)] == ["a", "b"]
        await line.send(Notice(kind="challenge_withdrawn", challenge="a"))
        await _until(standing, "b")


async def test_an_answered_challenge_no_longer_stands(connect: Connect) -> None:
    async with connect() as (client, line):
        standing = client.standing_challenges()
        await line.send(*map(_challenged, ("a", "b", "c")))
        await _until(standing, "a", "b", "c")
        declining = asyncio.create_task(client.decline("b"))
        await line.send(Ok(id=(await line.expect(AnswerChallenge)).id))
        await soon(declining)
        await _until(standing, "a", "c")
        accepting = asyncio.create_task(client.accept("c"))
        answer = await line.expect(AnswerChallenge)
        await line.send(Error(id=answer.id, code=Code.UNKNOWN_CHALLENGE, text="no longer"))
        with pytest.raises(pierule.Refused):
            await soon(accepting)
        await _until(standing, "a")
        await line.send(Paired(nonce="a", room="kobadimu", seat=1))
        await _until(standing)


async def test_a_new_connection_replaces_the_standing_challenges(
    peer: Scripted, connect: Connect
) -> None:
    async with connect() as (client, line):
        standing = client.standing_challenges()
        await line.send(_challenged("a"), _challenged("b"))
        await _until(standing, "a", "b")
        line.cut()
        again = await peer.greet(token="t1")
        await again.send(_challenged("b"))
        await _until(standing, "b")
