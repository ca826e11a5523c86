"""Who of those that wait is paired with whom: by strength, ranges and the last opponent. The same
for every kind of store."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter
from itertools import count

import msgspec
import pytest
from msgspec.structs import replace

from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import Standing
from pierule_protocol.messages import RatingRange
from pierule_server.store.buckets import bucket_of, traffic_key
from pierule_server.store.tables import pools as module
from pierule_server.store.tables.pools import Overdue, PoolKey, Pools, Seeker, Verb
from support.backend import Backend

_mains = count()

LOOKALIKE = '","rating":0,"range":{"below":0},"last":"known","name":"'
"""A name that looks like the fields of a seek."""


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> PoolKey:
    """One that no other test of this process uses. No lease ends in it because the machine is
    slow, and nobody is waited for but where a test says so."""
    monkeypatch.setattr(module, "LEASE_MS", 60_000)
    return PoolKey("veletas", 7, Fischer(main=next(_mains), increment=3))


def seeker(
    user: str, rating: int | None = None, below: int | None = None, above: int | None = None,
    last: str | None = None,
) -> Seeker:  # fmt: skip
    wanted = None if below is None and above is None else RatingRange(below, above)
    standing = None if rating is None else Standing(rating, 60)
    return Seeker(
        user, secrets.token_hex(4), LOOKALIKE, registered=rating is not None, standing=standing,
        range=wanted, last=last,
    )  # fmt: skip


async def ask(
    pools: Pools, pool: PoolKey, who: Seeker, verb: Verb = "seek", avoids: tuple[str, ...] = ()
) -> str | None:
    """With whom a seek is paired; None if it waits."""
    done = await pools.seek(verb, pool, who, secrets.token_hex(8), avoids)
    if not isinstance(done, Overdue):
        return None
    users = {done.pairing.first.user, done.pairing.second.user}
    return (users - {who.user}).pop()


@pytest.fixture
def picky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only equals meet, whatever came before."""
    _only_equals(monkeypatch)
    monkeypatch.setattr(module, "FEW", 0)


def _only_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only equals meet in a busy pool, however long they wait."""
    monkeypatch.setattr(module, "SPREAD", 0)
    monkeypatch.setattr(module, "SLOPE", 0)
    monkeypatch.setattr(module, "PATIENCE_MS", 3_600_000)


async def crowd(pools: Pools, pool: PoolKey, several: list[Seeker]) -> None:
    """Let these wait beside each other, one as long as the other as far as users can tell."""
    users = tuple(who.user for who in several)
    for who in several:
        assert await ask(pools, pool, who, avoids=users) is None


async def test_two_users_alone_in_a_pool_are_paired_at_once(
    backend: Backend, pool: PoolKey
) -> None:
    """However far they are from each other; more than once."""
    pools = (await backend.log()).tables.pools
    for strong in (3_000, -500):
        assert await ask(pools, pool, seeker("weak", 900)) is None
        assert await ask(pools, pool, seeker("strong", strong)) == "weak"


async def test_the_closest_rating_is_paired_first(backend: Backend, pool: PoolKey) -> None:
    """Whoever has no rating is taken for somebody new, of 1500; among equals time decides."""
    pools = (await backend.log()).tables.pools
    waiting = [seeker("far", 1_900), seeker("guest"), seeker("new", 1_500), seeker("close", 1_690)]
    await crowd(pools, pool, waiting)
    assert await ask(pools, pool, seeker("one", 1_700)) == "close"
    assert await ask(pools, pool, seeker("two", 1_590)) == "guest"
    assert await ask(pools, pool, seeker("three", None)) == "new"
    assert await ask(pools, pool, seeker("four", 1_200)) == "far"


async def test_only_a_busy_pool_makes_users_wait(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is busy by those who came, whether they still wait or not; other pools are not."""
    pools = (await backend.log()).tables.pools
    _only_equals(monkeypatch)
    monkeypatch.setattr(module, "FEW", 3)
    for number in range(20):  # of which three count for two minutes, should this machine be slow
        assert await ask(pools, pool, seeker(f"u{number}", 0)) == (
            f"u{number - 1}" if number % 2 else None
        )
    one, other = seeker("one", 1_000), seeker("other", 1_001)
    quiet = PoolKey(pool.game, 5, pool.clock)
    assert [await ask(pools, quiet, who) for who in (one, other)] == [None, "one"]
    one, other = replace(one, nonce="busy"), replace(other, nonce="busy")
    assert [await ask(pools, pool, who) for who in (one, other)] == [None, None]
    monkeypatch.setattr(module, "TRAFFIC_MS", -60_000)
    await pools.sweep()
    assert await ask(pools, pool, replace(other, user="third", nonce="later")) is not None


async def test_traffic_is_counted_for_a_bounded_number_of_pools(
    backend: Backend, pool: PoolKey, picky: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond that, a pool is taken for a quiet one."""
    log = await backend.log()
    pools = log.tables.pools
    monkeypatch.setattr(module, "FEW", 1.05)  # one who comes is few, two are not for minutes
    pairs = [[seeker("one", 1_000), seeker("other", 1_001)] for _ in range(2)]
    assert [await ask(pools, pool, who) for who in pairs[0]] == [None, None]
    full = replace(pool, size=9)
    bucket = bucket_of(msgspec.json.encode(full).decode())
    fields = [text for number in range(module.MOST) for text in (f"{number}", "0 1.000")]
    await log._store.request(bucket, "HSET", traffic_key(bucket), *fields)
    assert [await ask(pools, full, who) for who in pairs[1]] == [None, "one"]
    await pools.sweep()  # so that other tests find room


async def test_an_accepted_range_keeps_its_rating(backend: Backend, pool: PoolKey) -> None:
    """If nobody can tell it when the seek is sent again."""
    pools = (await backend.log()).tables.pools
    one = seeker("one", 1_700, below=50)
    for again in (one, replace(one, standing=None)):
        assert await ask(pools, pool, again) is None
    assert await ask(pools, pool, seeker("weak", 1_500)) is None
    assert await ask(pools, pool, seeker("close", 1_650)) == "one"


@pytest.mark.parametrize(
    ("name", "value"), [("SPREAD", 1_000_000), ("SLOPE", 1_000_000), ("PATIENCE_MS", 5)]
)
async def test_a_waiting_user_is_paired_with_ever_more_distant_ratings(
    backend: Backend, pool: PoolKey, picky: None, monkeypatch: pytest.MonkeyPatch, name: str,
    value: int,
) -> None:  # fmt: skip
    """By how busy the pool is and by how long they wait; and then the closest is taken."""
    pools = (await backend.log()).tables.pools
    one = seeker("one", 1_000)
    for who in (one, seeker("far", 1_500), seeker("close", 700)):
        assert await ask(pools, pool, who) is None
    assert await ask(pools, pool, one, "renew") is None
    monkeypatch.setattr(module, name, value)
    await asyncio.sleep(0.01)
    assert await ask(pools, pool, one, "renew") == "close"


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize(
    ("below", "above", "rating", "met"),
    [
        (100, 50, 1_500, True), (100, 50, 1_400, True), (100, 50, 1_399, False),
        (100, 50, 1_550, True), (100, 50, 1_551, False), (None, 0, 100, True),
        (None, 0, 1_501, False), (0, None, 2_900, True), (0, None, 1_499, False),
        (2_000, 2_000, None, False),
    ],
)  # fmt: skip
async def test_users_outside_each_others_range_are_never_paired(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch, below: int | None,
    above: int | None, rating: int | None, *, met: bool, early: bool,
) -> None:  # fmt: skip
    """Whichever of the two gives one. Whoever has no rating is in nobody's."""
    pools = (await backend.log()).tables.pools
    two = [seeker("picky", 1_500, below, above), seeker("other", rating)]
    first, second = two if early else two[::-1]
    assert await ask(pools, pool, first) is None
    assert await ask(pools, pool, second) == (first.user if met else None)
    if not met:
        monkeypatch.setattr(module, "PATIENCE_MS", 0)
        assert await ask(pools, pool, first, "renew") is None


async def test_a_range_does_not_keep_a_house_bot_away(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    who = replace(seeker("picky", 1_900, 0, 0), bot_after=0)
    assert await ask(pools, pool, who) is None
    bot = Seeker("house", "n", "House", bot=True, stands=True)
    assert await ask(pools, pool, bot, "take") == "picky"


@pytest.mark.parametrize("says", ["one", "known"])
async def test_the_last_opponent_is_paired_only_if_nobody_else_waits(
    backend: Backend, pool: PoolKey, picky: None, says: str
) -> None:
    """Whichever of the two says so; not even while all others are too far away yet."""
    pools = (await backend.log()).tables.pools
    one = seeker("one", 1_500, last="known" if says == "one" else "x")
    known = seeker("known", 1_500, last="one" if says == "known" else None)
    far = seeker("far", 2_000)
    await crowd(pools, pool, [known, far])
    assert await ask(pools, pool, one) is None
    assert await ask(pools, pool, far, "withdraw") is None
    assert await ask(pools, pool, one, "renew") == "known"


async def test_the_last_opponent_is_left_to_a_user_who_can_play_nobody_else(
    backend: Backend, pool: PoolKey, picky: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).tables.pools
    one, known, third = (
        seeker("one", 1_500, last="known"),
        seeker("known", 1_500),
        seeker("third", 0),
    )
    assert await ask(pools, pool, known) is None
    assert await ask(pools, pool, third, avoids=("one",)) is None
    assert await ask(pools, pool, one) is None
    monkeypatch.setattr(module, "PATIENCE_MS", 0)
    assert await ask(pools, pool, one, "renew") is None
    assert await ask(pools, pool, third, "renew", avoids=("one",)) == "known"


async def test_a_crowd_is_paired_within_ranges_and_block_lists_and_once_each(
    backend: Backend, pool: PoolKey, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many of all strengths, with ranges and block lists, who seek and renew at several nodes at
    once: nobody is paired twice, nor with anybody whom one of the two does not want."""
    monkeypatch.setattr(module, "FEW", 0)
    nodes = [(await backend.log()).tables.pools for _ in range(3)]
    limits = [None, 0, 100, 400]
    several = [
        seeker(f"u{number}", rng.choice([None, *range(1_000, 2_001, 50)])) for number in range(90)
    ]
    several = [
        who if who.standing is None or rng.random() < 0.5
        else replace(who, range=RatingRange(rng.choice(limits), rng.choice(limits)))
        for who in several
    ]  # fmt: skip
    blocked = {who.user: tuple(f"u{rng.randrange(90)}" for _ in range(9)) for who in several}

    async def live(who: Seeker) -> None:
        for verb in ("seek", "renew", "renew"):
            await ask(rng.choice(nodes), pool, who, verb, blocked[who.user])

    await asyncio.gather(*map(live, several))
    monkeypatch.setattr(module, "PATIENCE_MS", 0)
    for who in several:
        await ask(nodes[0], pool, who, "renew", blocked[who.user])
    known = {who.user: who for who in several}
    told = {who.user: await ask(nodes[1], pool, who, "prune") for who in several}
    pairs = [(known[user], known[other]) for user, other in told.items() if other is not None]
    assert len(pairs) > 20
    assert set(Counter(told[one.user] for one, _ in pairs).values()) == {1}
    for one, other in pairs:
        assert told[other.user] == one.user
        assert other.user not in blocked[one.user]
        assert one.range is None or _within(one, one.range, other)


def _within(one: Seeker, wanted: RatingRange, other: Seeker) -> bool:
    if one.standing is None or other.standing is None:
        return False
    more = other.standing.rating - one.standing.rating
    below = 9_999 if wanted.below is None else wanted.below
    return -below <= more <= (9_999 if wanted.above is None else wanted.above)
