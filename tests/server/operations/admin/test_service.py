"""What operators do about rooms of which nothing is left, and about an archive that nodes still
have, by a real store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pierule_protocol.codes import Code
from pierule_server.operations.admin.service import opened
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store import buckets
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.keyring import Ring
from support import stores

ROOM = "r" * 22
BUCKET = buckets.bucket_of(ROOM)


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single() as server:
        for key in (buckets.rooms_key, buckets.deadlines_key, buckets.finished_key):
            server.command("ZADD", key(BUCKET), 5, ROOM)
        server.command("HSET", buckets.cards_key(BUCKET), ROOM, "{}")
        server.command("HSET", buckets.clock_key(BUCKET), ROOM, "1 2")
        yield server


def naming(store: stores.Server) -> list[str]:
    """The keys of the bucket that name the room."""
    sets = [buckets.rooms_key, buckets.deadlines_key, buckets.finished_key]
    hashes = [buckets.cards_key, buckets.clock_key, buckets.quarantine_key]
    found = [key(BUCKET) for key in sets if store.command("ZSCORE", key(BUCKET), ROOM)]
    return found + [key(BUCKET) for key in hashes if store.command("HGET", key(BUCKET), ROOM)]


@pytest.mark.parametrize("aside", [True, False])
async def test_a_room_whose_log_is_no_stream_is_closed(store: stores.Server, aside: bool) -> None:
    store.command("SET", buckets.log_key(ROOM), "no stream")
    async with opened(store.url, "op") as service:
        if aside:
            await service.set_aside(ROOM, "broken")
        assert await service.close_room(ROOM, "broken") == [{"closed": ROOM, "seq": 0}]
        assert await service.list_quarantine() == []
    assert naming(store) == []
    assert store.command("GET", buckets.damaged_key(ROOM)) == b"no stream"


async def test_leftovers_of_a_room_without_a_log_are_removed_once(store: stores.Server) -> None:
    async with opened(store.url, "op") as service:
        assert await service.close_room(ROOM, "left over") == [{"closed": ROOM, "seq": 0}]
        assert naming(store) == []
        with pytest.raises(Refused) as caught:
            await service.close_room(ROOM, "left over")
        assert caught.value.code == Code.UNKNOWN_ROOM


async def test_secrets_do_not_change_without_a_line_in_the_audit_log(
    store: stores.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise StoreUnavailable("the store went away")

    async with opened(store.url, "op") as service:
        moderation = service._log.tables.moderation
        assert await service.rotate_secret("at first") == [{"in use": "2"}]
        assert [row["to"] for row in await service.audit(1)] == ["2"]
        with monkeypatch.context() as patch:
            patch.setattr(type(moderation), "note", refuse)
            for change in (service.rotate_secret("later"), service.drop_secret("1", "later")):
                with pytest.raises(StoreUnavailable):
                    await change
        assert [row["secret"] for row in await service.list_secrets()] == ["1", "2"]
        with pytest.raises(Refused):
            await service.drop_secret("2", "in use")
        await service.drop_secret("1", "at last")
        assert [row["to"] for row in await service.audit(9)] == ["2", "1"]


async def test_an_archive_that_nodes_have_is_given_up_only_by_force(store: stores.Server) -> None:
    store.command("ZADD", buckets.unarchived_key(BUCKET), 1, "", 5, ROOM)
    log = await RedisRoomLog.open(store.url)
    async with opened(store.url, "op") as service:
        await log.tables.keyring.join("n1", Ring("k1", {}))
        await log.tables.keyring.join("n2", Ring("k1", {}, archives=True))
        with pytest.raises(Refused, match=r"nodes with an archive serve this store \(n2\)"):
            await service.give_up_archive(60, "it is gone", force=False)
        assert await service.audit(10) == []
        assert store.command("ZSCORE", buckets.unarchived_key(BUCKET), "") == b"1"
        assert await service.give_up_archive(60, "it is gone", force=True) == [{"given up": 1}]
        store.command("ZADD", buckets.unarchived_key(BUCKET), 6, ROOM)
        await log.tables.keyring.leave("n2")
        assert await service.give_up_archive(60, "it is gone", force=False) == [{"given up": 1}]
        assert len(await service.audit(10)) == 2
    await log.close()
