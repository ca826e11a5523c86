"""A member whose connection has gone, or is better made elsewhere."""

from __future__ import annotations

import asyncio
from random import Random
from typing import cast

import pytest

from pierule.connection import Closed, Connection
from pierule_load.member import Member
from pierule_load.tally import Tally
from pierule_protocol.buckets import bucket_of
from pierule_protocol.codes import Code
from pierule_protocol.messages import Error, Join, Leave, Request
from support.scripted import scripted, soon
from support.story import Story


class Gone:
    """A connection that has ended, which nobody has read yet."""

    async def send(self, _: Request) -> None:
        raise Closed(None, "")


@pytest.mark.timeout(60)
async def test_a_request_on_a_connection_that_has_gone_lets_others_run() -> None:
    member = Member("Ada", ["ws://localhost"], Tally(), 60, asyncio.Semaphore(1), Random(1))
    member._connection = cast("Connection", Gone())
    member.ready.set()
    asking = asyncio.create_task(member.ask(Leave(id=0, room="kobadimu")))
    for _ in range(3):
        await asyncio.sleep(0)
    assert not asking.done()
    asking.cancel()


@pytest.mark.parametrize("hints", [True, False])
async def test_a_member_goes_where_it_is_sent_unless_it_is_to_stay(hints: bool) -> None:
    tally = Tally()
    async with scripted() as server:
        member = Member(
            "Ada", [server.url], tally, 60, asyncio.Semaphore(1), Random(1), hints=hints
        )
        running = asyncio.create_task(member.run())
        line = await server.greet(features=["goto"])
        await soon(member.ready.wait())
        following = asyncio.create_task(
            member.follow(Join(id=0, room="kobadimu", seat=1, nonce="n"))
        )
        if hints:
            join = await line.expect(Join)
            assert join.goto
            await line.send(Error(id=join.id, code=Code.GOTO, text="elsewhere"))
            line = await server.greet(features=["goto"])
            assert line.socket.request is not None
            assert line.socket.request.path == f"/ws?bucket={bucket_of('kobadimu')}"
        join = await line.admit(Story().state)
        assert (join.goto, join.seat) == (False, 1)
        await soon(following)
        assert (tally.moved, tally.lost, tally.errors) == (int(hints), {}, {})
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
