"""A client goes to where the others of a room are, once, and nobody is told (SPEC 1.16)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

import pierule
from client.conftest import Session, enter
from pierule_protocol.buckets import bucket_of
from pierule_protocol.codes import Code
from pierule_protocol.messages import Error, Join, Ok, RoomsQuery
from support.scripted import Scripted, ScriptedConnection, soon
from support.story import Story


def path(line: ScriptedConnection) -> str:
    assert line.socket.request is not None
    return line.socket.request.path


@asynccontextmanager
async def connected(peer: Scripted, room: str | None = None) -> AsyncIterator[Session]:
    """A client whose server sends clients elsewhere. Nobody hears anything of its connection."""
    told: list[str] = []
    greeting = asyncio.create_task(peer.greet(features=["goto"]))
    connecting = pierule.connect(
        peer.url, room=room, on_connection=lambda news: told.append(news.text)
    )
    async with connecting as client:
        yield client, await greeting
    assert told == []


async def send_elsewhere(line: ScriptedConnection, join: Join) -> None:
    await line.send(Error(id=join.id, code=Code.GOTO, text="elsewhere"))


async def test_a_client_moves_to_the_node_it_is_sent_to_and_joins_there(peer: Scripted) -> None:
    story = Story()
    async with connected(peer) as (client, line):
        assert path(line) == "/ws"
        joining = asyncio.create_task(client.join("kobadimu", seat="any"))
        join = await line.expect(Join)
        assert join.goto
        await send_elsewhere(line, join)
        with pytest.raises(ConnectionClosed) as closed:
            await line.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1000
        other = await peer.greet(features=["goto"])
        assert path(other) == f"/ws?bucket={bucket_of('kobadimu')}"
        there = await other.admit(story.state)
        assert (there.goto, there.seat, there.nonce) == (False, "any", join.nonce)
        assert (await soon(joining)).id == "kobadimu"


async def test_a_client_with_another_request_under_way_stays(peer: Scripted) -> None:
    async with connected(peer) as (client, line):
        joining = asyncio.create_task(client.join("kobadimu"))
        join = await line.expect(Join)
        listing = asyncio.create_task(client.rooms())
        rooms = await line.expect(RoomsQuery)
        await send_elsewhere(line, join)
        again = await line.admit(Story().state)
        assert not again.goto
        await line.send(Ok(id=rooms.id, rooms=[]))
        await soon(asyncio.gather(joining, listing))


async def test_a_client_that_used_the_hint_or_follows_a_room_stays(peer: Scripted) -> None:
    state = Story().state
    async with connected(peer, "kobadimu") as (client, line):
        assert path(line) == f"/ws?bucket={bucket_of('kobadimu')}"
        joining = asyncio.create_task(client.join("kobadimu"))
        assert not (await line.admit(state)).goto
        await soon(joining)
        other = msgspec.structs.replace(state, room="fipobego")
        joining = asyncio.create_task(client.join("fipobego"))
        assert not (await line.admit(other)).goto
        await soon(joining)


async def test_goto_is_not_requested_without_the_feature(peer: Scripted) -> None:
    greeting = asyncio.create_task(peer.greet())
    async with pierule.connect(peer.url) as client:
        line = await greeting
        joining = asyncio.create_task(client.join("kobadimu"))
        assert not (await line.admit(Story().state)).goto
        await soon(joining)


async def test_a_client_retries_if_the_other_node_refuses_it(peer: Scripted) -> None:
    told: list[bool] = []
    greeting = asyncio.create_task(peer.greet(features=["goto"]))
    async with pierule.connect(
        peer.url, on_connection=lambda news: told.append(news.connected)
    ) as client:
        first = await greeting
        joining = asyncio.create_task(client.join("kobadimu"))
        peer.refusals.append((503, "This node drains.\n", "0"))  # type: ignore[arg-type]
        await send_elsewhere(first, await first.expect(Join))
        line = await peer.greet(features=["goto"])
        assert not (await line.admit(Story().state)).goto
        await soon(joining)
        assert told == [False, True]
        await enter(client, line, msgspec.structs.replace(Story().state, room="fipobego"))
