"""Inboxes are delivered to whoever is connected, and leave nothing behind (SPEC 23.4)."""

from __future__ import annotations

import msgspec

from pierule_protocol.messages import Paired
from pierule_server.lobby.inbox_delivery import InboxDelivery
from support.nodes import ANNA, Client, running


async def test_a_client_that_leaves_before_the_delivery_leaves_nothing() -> None:
    async with running(1) as [node]:
        delivery = InboxDelivery(
            node.log.tables.inboxes, lambda *_: None, node.log.tables.deadlines.of
        )
        connection = Client(ANNA).connection
        delivery.enter(connection)
        delivery.leave(connection)
        assert await delivery._deliver(connection), "there is nothing to try again"
        assert delivery.users() == set()
        delivery.leave(connection)
        assert delivery.users() == set()


async def test_only_who_comes_is_spared_pairings_that_are_over() -> None:
    """A client asks again for what it waits for when it comes, but not when its node has missed
    notes."""
    async with running(1) as [node]:
        inboxes = node.log.tables.inboxes
        going_on = await node.started()
        for nonce, room in (("over", "babebibo"), ("on", going_on)):
            text = msgspec.json.encode(Paired(nonce=nonce, room=room, seat=0)).decode()
            await inboxes.put(ANNA.id, f"paired:{nonce}", text, 60_000)
        delivery = InboxDelivery(inboxes, lambda *_: None, node.log.tables.deadlines.of)
        client = Client(ANNA)

        async def told() -> set[str]:
            assert await delivery._deliver(client.connection)
            return {each.nonce for each in client.received() if isinstance(each, Paired)}

        delivery.enter(client.connection)
        assert await told() == {"on"}
        delivery.gap()
        assert await told() == {"over", "on"}
