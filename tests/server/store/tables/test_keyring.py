"""What nodes know of each other's keys, in a real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from pierule_server.identity.tokens import Keys
from pierule_server.operations import keyring_member as module
from pierule_server.operations.keyring_member import KeyringMember
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables import keyring
from pierule_server.store.tables.keyring import Keyring, Ring
from support import stores
from support.listening import RecordingListener

ONE, TWO = "1" * 64, "2" * 64
OLD, BOTH = Keys({"k1": ONE}), Keys({"k1": ONE, "k2": TWO})
FIRST, NEW = Keys({"k2": TWO, "k1": ONE}), Keys({"k2": TWO})
FORGED, MIXED = Keys({"k1": TWO}), Keys({"k2": TWO, "k1": TWO})


@pytest.fixture(scope="module")
def server() -> Iterator[stores.Server]:
    with stores.single() as running:
        yield running


@pytest.fixture
async def ring(server: stores.Server) -> AsyncIterator[Keyring]:
    server.command("FLUSHALL")
    log = await RedisRoomLog.open(server.url, RecordingListener())
    yield log.tables.keyring
    await log.close()


async def begun(ring: Keyring, name: str, keys: Keys, *, archives: bool = False) -> KeyringMember:
    holder = KeyringMember(ring, name, keys, archives=archives)
    await holder.start()
    return holder


@pytest.mark.parametrize(
    ("living", "coming", "why"),
    [
        (OLD, OLD, None),
        (OLD, BOTH, None),
        (BOTH, FIRST, None),
        (FIRST, NEW, None),
        (OLD, FIRST, "node a.* does not accept the key 'k2'"),
        (FIRST, OLD, "node a.* signs with the key 'k2', which this node does not accept"),
        (OLD, NEW, "does not accept the key 'k2'"),
        (OLD, FORGED, "node a.* has another secret under the id 'k1' in PIERULE_KEYS"),
        (BOTH, MIXED, "node a.* has another secret under the id 'k1' in PIERULE_KEYS"),
    ],
)
async def test_nodes_whose_keyrings_accept_each_other_can_serve(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch, living: Keys, coming: Keys, why: str | None
) -> None:
    monkeypatch.setattr(module, "RENEW", 0.1)
    monkeypatch.setattr(module, "LOOK", 0.05)
    first = await begun(ring, "a", living)
    if why is None:
        await (await begun(ring, "b", coming)).stop()
    else:
        with pytest.raises(ValueError, match=why) as caught:
            await begun(ring, "b", coming)
        assert ONE not in str(caught.value)
        assert TWO not in str(caught.value)
    await first.stop()
    await (await begun(ring, "b", coming)).stop()


async def test_a_node_joins_one_that_outlived_the_data_of_the_store(
    ring: Keyring, server: stores.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEW", 0.1)
    first = await begun(ring, "a", OLD)
    salt = await ring.salt()
    server.command("FLUSHALL")
    async with asyncio.timeout(30):
        while not await ring.games():  # noqa: ASYNC110 - until it has renewed its entry
            await asyncio.sleep(0.05)
        assert await ring.salt() != salt
        await (await begun(ring, "b", OLD)).stop()
    await first.stop()


async def test_a_killed_node_keeps_its_keys_until_they_expire(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK", 0.05)
    monkeypatch.setattr(keyring, "LIFE_MS", 500)
    killed = await begun(ring, "a", OLD)
    await killed._tasks.stop()
    async with asyncio.timeout(60):
        await (await begun(ring, "b", NEW)).stop()


async def test_one_of_two_conflicting_nodes_serves(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEW", 0.1)
    monkeypatch.setattr(module, "LOOK", 0.05)
    tries = [begun(ring, f"n{n}", OLD if n % 2 else NEW) for n in range(6)]
    done = await asyncio.gather(*tries, return_exceptions=True)
    holders = [each for each in done if isinstance(each, KeyringMember)]
    assert [type(each) for each in done if not isinstance(each, KeyringMember)] == [ValueError] * 3
    assert len({holder._keys.current for holder in holders}) == 1
    for holder in holders:
        await holder.stop()


async def test_the_store_holds_no_secret(ring: Keyring, server: stores.Server) -> None:
    holder = await begun(ring, "a", BOTH)
    kept = repr([server.command("HGETALL", "{0}keys"), server.command("GET", "{0}salt")])
    assert "k1" in kept
    assert ONE not in kept
    assert TWO not in kept
    await holder.stop()
    assert server.command("HLEN", "{0}keys") == 0


async def test_nodes_know_the_rules_of_all_nodes(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEW", 0.05)
    monkeypatch.setattr(keyring, "LIFE_MS", 500)
    mine = await begun(ring, "a", OLD)
    assert mine.plays("loose", 1)
    assert not mine.plays("loose", 2)
    assert not mine.plays("chess", 1)
    await ring.join("b", Ring("k1", OLD.proofs(await ring.salt()), {"chess": [1, 2]}))
    async with asyncio.timeout(60):
        while not mine.plays("chess", 2):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.02)
        while mine.plays("chess", 2):  # noqa: ASYNC110 - until it has died
            await asyncio.sleep(0.02)
    await ring.join("c", Ring("k1", OLD.proofs(await ring.salt())))  # a version that tells none
    assert (await ring.games())["loose"] == {1}
    await mine.stop()


async def test_living_nodes_with_an_archive_are_known(ring: Keyring, server: stores.Server) -> None:
    members = [await begun(ring, name, OLD, archives=name < "c") for name in "bac"]
    seconds, _ = server.command("TIME")
    now = int(seconds) * 1_000
    assert await ring.archivists(now) == ["a", "b"]
    await members[0].stop()
    assert await ring.archivists(now) == ["a"]
    assert await ring.archivists(now + 2 * keyring.LIFE_MS) == [], "it was killed"
    for member in members[1:]:
        await member.stop()
