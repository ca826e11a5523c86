"""What operators order reaches a node from a real store, also from one that has lost something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pierule_protocol.codes import Close
from pierule_server.connections.connections import Connections
from pierule_server.identity.addresses import address_name
from pierule_server.identity.bans import Bans
from pierule_server.operations import moderation_feed as module
from pierule_server.operations.moderation_feed import ModerationFeed
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.moderation import AuditAction, AuditEntry
from support import stores
from support.listening import RecordingListener
from support.nodes import ANNA, BERT, Client, settle


@pytest.fixture
def server() -> Iterator[stores.Server]:
    """A store of this test's own, which is to forget things."""
    with stores.single() as server:
        yield server


def act(action: AuditAction, to: str, until: int | None = None) -> AuditEntry:
    return AuditEntry(by="olga", action=action, to=to, why="because", until=until)


async def test_acts_whose_numbers_were_reused_after_a_loss_are_found(
    server: stores.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK", 3_600.0)  # the test looks by itself
    log = await RedisRoomLog.open(server.url, RecordingListener())
    connections, bans = Connections(), Bans(lambda: 1_000)
    orders = ModerationFeed(log.tables.moderation, log.tables.secrets, bans, connections)
    anna, bert = Client(ANNA), Client(BERT)
    for client in (anna, bert):
        connections.add(client.connection)
    try:
        await orders.start()
        for number in range(3):
            await log.tables.moderation.note(act("announce", f"{number}"))
        await orders.look()
        await log.tables.moderation.ban(act("ban", "anna"), 2_000)
        await orders.look()
        await settle()
        assert anna.socket.closed is not None
        assert anna.socket.closed[0] == Close.BANNED
        assert bans.why("anna") == "you are banned until 1970-01-01 00:00:02 UTC: because"
        server.command("DEL", "{0}acts", "{0}bans")
        await log.tables.moderation.ban(act("ban", "bert"), 2_000)
        for _ in range(module.AFRESH):
            await orders.look()
        await settle()
        assert bans.why("anna") is None
        assert bert.socket.closed is not None
        await log.tables.moderation.note(act("announce", "all", until=2_000))
        await orders.look()
        assert connections.announcement is not None
    finally:
        await orders.stop()
        await log.close()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
    ],
)
def test_an_ipv6_address_is_banned_with_its_network(text: str, name: str) -> None:
    assert address_name(text) == name


@pytest.mark.parametrize("text", ["192.0.2.0/24", "1.2.3", "::g", ""])
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        address_name(text)
