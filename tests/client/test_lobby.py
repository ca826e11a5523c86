"""The lobby, watched over a connection on which changes go missing."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from client.conftest import Connect
from pierule_protocol.codes import Code
from pierule_protocol.messages import Error, LobbyChange, LobbyState, Ok, WatchLobby
from support.scripted import ScriptedConnection, soon


async def _give(line: ScriptedConnection, seq: int) -> None:
    watch = await line.expect(WatchLobby)
    await line.send(Ok(id=watch.id), LobbyState(seq=seq, rooms=[], pools=[]))


async def test_a_lobby_that_is_refused_after_a_hole_raises(connect: Connect) -> None:
    """And can be watched anew: it does not stand still as if nothing happened."""
    async with connect() as (client, line):
        views = client.lobby()
        first = asyncio.ensure_future(anext(views))
        await _give(line, 1)
        await soon(first)
        await line.send(LobbyChange(seq=3, rooms=[], gone=[], pools=[]))
        again = await line.expect(WatchLobby)
        await line.send(Error(id=again.id, code=Code.NOT_NOW, text="no"))
        ending = asyncio.ensure_future(anext(views))
        watch = await line.expect(WatchLobby)
        assert not watch.watch
        await line.send(Ok(id=watch.id))
        with pytest.raises(pierule.Refused):
            await soon(ending)
        anew = client.lobby()
        second = asyncio.ensure_future(anext(anew))
        await _give(line, 7)
        await soon(second)
        closing = asyncio.ensure_future(anew.aclose())  # type: ignore[attr-defined]
        await line.send(Ok(id=(await line.expect(WatchLobby)).id))
        await soon(closing)


async def test_changes_of_the_lobby_tell_how_many_house_bots_are_free(connect: Connect) -> None:
    """Null in a change means as many as before."""
    async with connect() as (client, line):
        views = client.lobby()
        first = asyncio.ensure_future(anext(views))
        watch = await line.expect(WatchLobby)
        await line.send(Ok(id=watch.id), LobbyState(seq=1, rooms=[], pools=[], bots=2))
        assert (await soon(first)).bots == 2
        for seq, bots, known in ((2, None, 2), (3, 0, 0)):
            await line.send(LobbyChange(seq=seq, bots=bots))
            assert (await soon(asyncio.ensure_future(anext(views)))).bots == known
        closing = asyncio.ensure_future(views.aclose())  # type: ignore[attr-defined]
        await line.send(Ok(id=(await line.expect(WatchLobby)).id))
        await soon(closing)
