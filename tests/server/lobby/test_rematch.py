"""Who has agreed on a rematch learns of it, wherever he is (SPEC 19.7)."""

from __future__ import annotations

from pierule_protocol.messages import Accept, Offer, Paired
from support.nodes import ANNA, BERT, CARL, Client, running, settle


async def test_a_player_who_left_is_told_of_the_accepted_rematch() -> None:
    async with running(2) as nodes:
        for node in nodes:
            node.lobby.start()
        clients = [Client(user) for user in (ANNA, BERT, CARL)]
        for client, node in zip(clients, (nodes[0], nodes[1], nodes[1]), strict=True):
            node.lobby.enter(client.connection)
        room = await nodes[0].started()
        await nodes[0].resign(ANNA, room)
        turn = nodes[0].kept(room).turn
        await nodes[0].rooms.agree(ANNA, Offer(id=1, room=room, what="rematch", nonce="o"))
        await settle()
        accept = Accept(id=1, room=room, what="rematch", turn=turn, nonce="a")
        for _ in range(2):  # a retry tells nobody anew
            await nodes[1].rooms.agree(BERT, accept)
        await settle()
        rematch = nodes[1].kept(room).rematch
        assert rematch is not None
        told = [[m for m in client.received() if isinstance(m, Paired)] for client in clients]
        assert told == [
            [Paired(nonce="o", room=rematch, seat=1)],
            [Paired(nonce="a", room=rematch, seat=0)],
            [],
        ]
