"""Who is paired with whom: the same for every kind of store."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter

import pytest

from pierule_protocol.controls import Fischer
from pierule_server.store import pools as module
from pierule_server.store.pools import Overdue, PoolKey, Pools, Seeker, Standing, Verb
from support.backend import Backend


@pytest.fixture
def pool() -> PoolKey:
    """One that no other test uses."""
    return PoolKey("loose", 9, Fischer(main=secrets.randbelow(10_000), increment=3))


def seeker(user: str, nonce: str = "n") -> Seeker:
    return Seeker(f"{user}-{secrets.token_hex(4)}", nonce, f"The {user} “quoted” \\ {{}}")


async def ask(pools: Pools, verb: Verb, pool: PoolKey, who: Seeker) -> Overdue | Standing:
    return await pools.seek(verb, pool, who, secrets.token_hex(8))


async def test_two_are_paired_and_told_so_again(backend: Backend, pool: PoolKey) -> None:
    nodes = [(await backend.log()).pools for _ in range(2)]
    first, second = seeker("first"), seeker("second")
    assert await ask(nodes[0], "seek", pool, first) == "waiting"
    assert await ask(nodes[0], "seek", pool, first) == "waiting"
    done = await nodes[1].seek("seek", pool, second, "0123456789abcdef")
    assert isinstance(done, Overdue)
    assert (done.pairing.first, done.pairing.second) == (first, second)
    assert (done.pairing.pool, done.pairing.token) == (pool, "0123456789abcdef")
    verbs: tuple[Verb, ...] = ("seek", "renew", "away", "withdraw", "ask")
    for verb in verbs:
        for who in (first, second):
            assert await ask(nodes[0], verb, pool, who) == done


async def test_nobody_is_paired_with_oneself(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    one = seeker("one", "a")
    other = Seeker(one.user, "b", one.name)
    assert await ask(pools, "seek", pool, one) == "waiting"
    assert await ask(pools, "seek", pool, other) == "waiting"
    done = await ask(pools, "seek", pool, seeker("two"))
    assert isinstance(done, Overdue)
    assert done.pairing.first == one


@pytest.mark.parametrize("early", [True, False])
async def test_who_is_avoided_waits_on(backend: Backend, pool: PoolKey, *, early: bool) -> None:
    """By whichever of the two, whoever came first; others are paired with both."""
    pools = (await backend.log()).pools
    one, other = seeker("one"), seeker("other")
    avoided = {one.user: [other.user, "x"], other.user: []}
    for who in (one, other) if early else (other, one):
        for verb in _SOUGHT:
            assert await pools.seek(verb, pool, who, "0" * 16, avoided[who.user]) == "waiting"
    found = [await ask(pools, "seek", pool, seeker(name)) for name in ("third", "fourth")]
    assert {each.pairing.first for each in found if isinstance(each, Overdue)} == {one, other}


async def test_who_is_avoided_no_longer_is_paired(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    one, other = seeker("one"), seeker("other")
    assert await pools.seek("seek", pool, one, "0" * 16, [other.user]) == "waiting"
    assert await ask(pools, "seek", pool, other) == "waiting"
    assert isinstance(await pools.seek("renew", pool, one, "0" * 16), Overdue)


_SOUGHT: tuple[Verb, ...] = ("seek", "renew")


async def test_who_was_withdrawn_is_not_let_in_behind_it(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    late, waiting = seeker("late"), seeker("waiting")
    assert await ask(pools, "withdraw", pool, late) == "gone"
    assert await ask(pools, "seek", pool, waiting) == "waiting"
    verbs: tuple[Verb, ...] = ("seek", "renew", "away", "withdraw", "ask")
    for verb in verbs:
        assert await ask(pools, verb, pool, late) == "gone"
    assert isinstance(await ask(pools, "seek", pool, seeker("other")), Overdue)


async def test_pools_are_apart(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    assert await ask(pools, "seek", pool, seeker("one")) == "waiting"
    for other in (
        PoolKey(pool.game, 11, pool.clock), PoolKey("taugo", pool.size, pool.clock),
        PoolKey(pool.game, pool.size, Fischer(main=20_000, increment=1)),
    ):  # fmt: skip
        who = seeker("two")
        assert await ask(pools, "seek", other, who) == "waiting"
        assert await ask(pools, "withdraw", other, who) == "gone"


async def test_who_is_away_is_not_paired(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    gone, other = seeker("gone"), seeker("other")
    assert await ask(pools, "seek", pool, gone) == "waiting"
    assert await ask(pools, "ask", pool, gone) == "waiting"
    assert await ask(pools, "away", pool, gone) == "waiting"
    assert await ask(pools, "ask", pool, gone) == "gone"
    assert await ask(pools, "seek", pool, other) == "waiting"
    done = await ask(pools, "renew", pool, gone)
    assert isinstance(done, Overdue)
    assert done.pairing.first == other


async def test_a_lease_ends_by_itself(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).pools
    monkeypatch.setattr(module, "LEASE_MS", -1)
    assert await ask(pools, "seek", pool, seeker("gone")) == "waiting"
    monkeypatch.undo()
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_who_withdraws_is_gone_and_is_not_renewed(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).pools
    gone = seeker("gone")
    assert await ask(pools, "seek", pool, gone) == "waiting"
    assert await ask(pools, "withdraw", pool, gone) == "gone"
    assert await ask(pools, "renew", pool, gone) == "gone"
    assert await ask(pools, "away", pool, gone) == "gone"
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_a_seek_expires(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).pools
    old = seeker("old")
    assert await ask(pools, "seek", pool, old) == "waiting"
    monkeypatch.setattr(module, "LIFE_MS", -1)
    assert await ask(pools, "seek", pool, old) == "expired"
    monkeypatch.undo()
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_a_bucket_has_a_bound(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).pools
    first = seeker("first")
    assert await ask(pools, "seek", pool, first) == "waiting"
    monkeypatch.setattr(module, "MOST", 1)
    assert await ask(pools, "seek", pool, Seeker(first.user, "more", "M")) == "full"
    assert await ask(pools, "seek", pool, first) == "waiting"


async def test_what_nobody_has_carried_out_is_found(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).pools
    await ask(pools, "seek", pool, seeker("first"))
    done = await ask(pools, "seek", pool, seeker("second"))
    assert isinstance(done, Overdue)
    assert done not in await pools.overdue()
    monkeypatch.setattr(module, "OVERDUE_MS", 0)
    assert done in await pools.overdue()
    await pools.carried_out(done)
    assert done not in await pools.overdue()


async def test_what_is_over_is_forgotten(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await backend.log()
    pools, gone, first = log.pools, seeker("gone"), seeker("first")
    other = PoolKey("taugo", 9, pool.clock)
    assert await ask(pools, "seek", other, gone) == "waiting"
    await ask(pools, "seek", pool, first)
    done = await ask(pools, "seek", pool, seeker("second"))
    assert isinstance(done, Overdue)
    monkeypatch.setattr(module, "GRACE_MS", -60_000)
    monkeypatch.setattr(module, "KEPT_MS", -60_000)
    monkeypatch.setattr(module, "OVERDUE_MS", -60_000)
    for left in await pools.overdue():
        assert await ask(pools, "ask", left.pairing.pool, left.pairing.first) == left
        await pools.carried_out(left)
    await pools.overdue()
    assert await ask(pools, "ask", pool, first) == "gone"
    assert await ask(pools, "renew", other, gone) == "gone"
    assert other not in (await log.listing.look()).waiting


async def test_a_crowd_is_paired_once_each(
    backend: Backend, pool: PoolKey, rng: random.Random
) -> None:
    """Many who seek, renew, go away and withdraw at random, from several nodes at once."""
    nodes = [(await backend.log()).pools for _ in range(3)]
    crowd = [seeker(f"u{number // 2}", f"n{number}") for number in range(120)]
    crowd = [Seeker(f"u{number // 2}", who.nonce, "N") for number, who in enumerate(crowd)]
    verbs: list[Verb] = ["seek", "seek", "seek", "renew", "away", "withdraw"]

    async def live(who: Seeker) -> Overdue | None:
        for verb in rng.choices(verbs, k=6):
            done = await ask(rng.choice(nodes), verb, pool, who)
            if isinstance(done, Overdue):
                return done
        return None

    done = await asyncio.gather(*map(live, crowd))
    last = await asyncio.gather(*(ask(nodes[0], "ask", pool, who) for who in crowd))
    pairings = {each.pairing.token: each.pairing for each in last if isinstance(each, Overdue)}
    paired = Counter(
        (who.user, who.nonce) for each in pairings.values() for who in (each.first, each.second)
    )
    assert len(pairings) > 10
    assert set(paired.values()) == {1}
    assert all(each.first.user != each.second.user for each in pairings.values())
    for who, told, known in zip(crowd, done, last, strict=True):
        assert told is None or told == known
        assert isinstance(known, Overdue) == ((who.user, who.nonce) in paired)
