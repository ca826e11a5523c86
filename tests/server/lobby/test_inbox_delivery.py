"""Inboxes are delivered to whoever is connected, and leave nothing behind (SPEC 23.4)."""

from __future__ import annotations

from pierule_server.lobby.inbox_delivery import InboxDelivery
from support.nodes import ANNA, Client, running


async def test_a_client_that_leaves_before_the_delivery_leaves_nothing() -> None:
    async with running(1) as [node]:
        delivery = InboxDelivery(node.log.tables.inboxes, lambda *_: None)
        connection = Client(ANNA).connection
        delivery.enter(connection)
        delivery.leave(connection)
        assert await delivery._deliver(connection), "there is nothing to try again"
        assert delivery.users() == set()
        delivery.leave(connection)
        assert delivery.users() == set()
