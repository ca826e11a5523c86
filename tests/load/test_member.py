"""A member whose connection has gone."""

from __future__ import annotations

import asyncio
from random import Random
from typing import cast

import pytest

from pierule.connection import Closed, Connection
from pierule_load.member import Member
from pierule_load.tally import Tally
from pierule_protocol.messages import Leave, Request


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
