"""Rooms that are not public: in no lobby, and in nobody's list but their players' (SPEC 20.1)."""

from __future__ import annotations

from typing import Any

import pytest

from pierule_protocol.messages import Create, Join, LobbyState, MyRoom, MyRoomsQuery, WatchLobby
from support.nodes import ANNA, BERT, CARL, Client, Node, running

INVITATION = "i" * 16


async def mine(node: Node, client: Client) -> list[MyRoom]:
    answer = await node.ask_lobby(client.connection, client.user, MyRoomsQuery(id=1))
    return answer.my_rooms or []


@pytest.mark.parametrize("access", ["public", "unlisted", "private"])
@pytest.mark.parametrize("taken", [False, True])
async def test_only_public_rooms_are_shown_to_others(access: Any, taken: bool) -> None:
    async with running(1) as [node]:
        invitation = INVITATION if access == "private" else None
        create = Create(
            id=1, nonce="n", game="loose", size=5, seat=0, access=access, invitation=invitation
        )
        room = (await node.rooms.create(ANNA, create)).room
        assert room is not None
        if taken:
            await node.rooms.join(
                BERT, Join(id=2, room=room, seat=1, nonce="n", invitation=invitation)
            )
        watcher = Client(CARL)
        await node.lobby.watch(watcher.connection, WatchLobby(id=3))
        (lobby,) = [m for m in watcher.received() if isinstance(m, LobbyState)]
        assert [each.card.room for each in lobby.rooms] == [room] * (access == "public")
        players = {ANNA: [0], BERT: [1]} if taken else {ANNA: [0]}
        for user in (ANNA, BERT, CARL):
            found = await mine(node, Client(user))
            expected = [(room, players[user])] if user in players else []
            assert [(each.card.room, each.seats) for each in found] == expected
