"""Who is paired with whom: the same for every kind of store."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter
from itertools import count

import msgspec
import pytest

from pierule_protocol.log.controls import Fischer
from pierule_server.store.tables import pools as module
from pierule_server.store.tables.pools import (
    STAND_IN,
    Overdue,
    PoolKey,
    Pools,
    Seeker,
    SeekState,
    Verb,
)
from support.backend import Backend

_mains = count()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> PoolKey:
    """One that no other test of this process uses, for what they leave waits on in the store. No
    lease ends in it because the machine is slow."""
    monkeypatch.setattr(module, "LEASE_MS", 30_000)
    return PoolKey("loose", 9, Fischer(main=next(_mains), increment=3))


def seeker(user: str, nonce: str = "n") -> Seeker:
    return Seeker(f"{user}-{secrets.token_hex(4)}", nonce, f"The {user} “quoted” \\ {{}}")


async def ask(pools: Pools, verb: Verb, pool: PoolKey, who: Seeker) -> Overdue | SeekState:
    return await pools.seek(verb, pool, who, secrets.token_hex(8))


async def test_a_repeated_seek_returns_the_pairing(backend: Backend, pool: PoolKey) -> None:
    nodes = [(await backend.log()).tables.pools for _ in range(2)]
    first, second = seeker("first"), seeker("second")
    assert await ask(nodes[0], "seek", pool, first) == "waiting"
    assert await ask(nodes[0], "seek", pool, first) == "waiting"
    done = await nodes[1].seek("seek", pool, second, "0123456789abcdef")
    assert isinstance(done, Overdue)
    assert (done.pairing.first, done.pairing.second) == (first, second)
    assert (done.pairing.pool, done.pairing.token) == (pool, "0123456789abcdef")
    verbs: tuple[Verb, ...] = ("seek", "renew", "away", "withdraw", "prune")
    for verb in verbs:
        for who in (first, second):
            assert await ask(nodes[0], verb, pool, who) == done


async def test_a_user_is_never_paired_with_themselves(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    one = seeker("one", "a")
    other = Seeker(one.user, "b", one.name)
    assert await ask(pools, "seek", pool, one) == "waiting"
    assert await ask(pools, "seek", pool, other) == "waiting"
    done = await ask(pools, "seek", pool, seeker("two"))
    assert isinstance(done, Overdue)
    assert done.pairing.first == one


@pytest.mark.parametrize("early", [True, False])
async def test_a_blocked_seeker_keeps_waiting(
    backend: Backend, pool: PoolKey, *, early: bool
) -> None:
    """By whichever of the two, whoever came first; others are paired with both."""
    pools = (await backend.log()).tables.pools
    one, other = seeker("one"), seeker("other")
    avoided = {one.user: [other.user, "x"], other.user: []}
    for who in (one, other) if early else (other, one):
        for verb in _SOUGHT:
            assert await pools.seek(verb, pool, who, "0" * 16, avoided[who.user]) == "waiting"
    found = [await ask(pools, "seek", pool, seeker(name)) for name in ("third", "fourth")]
    assert {each.pairing.first for each in found if isinstance(each, Overdue)} == {one, other}


async def test_an_unblocked_seeker_is_paired(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    one, other = seeker("one"), seeker("other")
    assert await pools.seek("seek", pool, one, "0" * 16, [other.user]) == "waiting"
    assert await ask(pools, "seek", pool, other) == "waiting"
    assert isinstance(await pools.seek("renew", pool, one, "0" * 16), Overdue)


_SOUGHT: tuple[Verb, ...] = ("seek", "renew")


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize(
    ("one", "other", "met"),
    [
        ("yes", "yes", True), ("yes", "either", True), ("yes", "no", False),
        ("yes", "guest", False), ("yes", "bot", False), ("no", "guest", True),
        ("no", "no", True), ("no", "either", True), ("either", "either", True),
    ],
)  # fmt: skip
async def test_seeks_are_paired_only_if_their_wishes_for_a_rated_game_agree(
    backend: Backend, pool: PoolKey, one: str, other: str, *, met: bool, early: bool
) -> None:
    pools = (await backend.log()).tables.pools
    users = [wishing(one), wishing(other)]
    for who in users if early else users[::-1]:
        found = await ask(pools, "seek", pool, who)
    assert isinstance(found, Overdue) == met


def wishing(wish: str) -> Seeker:
    """A user with a name of their own and a wish, or a guest or a bot who does not mind."""
    who = seeker(f'{wish} "rated":"yes","registered":true')
    if wish in ("guest", "bot"):
        return msgspec.structs.replace(who, registered=wish == "bot", bot=wish == "bot")
    return msgspec.structs.replace(who, registered=True, rated=wish)


async def test_a_cancelled_seek_cannot_return(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    late, waiting = seeker("late"), seeker("waiting")
    assert await ask(pools, "withdraw", pool, late) == "gone"
    assert await ask(pools, "seek", pool, waiting) == "waiting"
    verbs: tuple[Verb, ...] = ("seek", "renew", "away", "withdraw", "prune")
    for verb in verbs:
        assert await ask(pools, verb, pool, late) == "gone"
    assert isinstance(await ask(pools, "seek", pool, seeker("other")), Overdue)


async def test_only_seeks_without_a_lease_are_pruned(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    waiting, gone, coming = seeker("waiting"), seeker("gone"), seeker("coming")
    assert await ask(pools, "seek", pool, gone) == "waiting"
    await ask(pools, "away", pool, gone)
    assert await ask(pools, "seek", pool, waiting) == "waiting"
    for who in (waiting, coming):
        assert await ask(pools, "prune", pool, who) == "waiting"
    for _ in range(2):
        assert await ask(pools, "prune", pool, gone) == "gone"
    assert await ask(pools, "seek", pool, gone) == "gone"
    done = await ask(pools, "seek", pool, coming)
    assert isinstance(done, Overdue)
    assert done.pairing.first == waiting


async def test_seeks_of_different_pools_are_not_paired(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    assert await ask(pools, "seek", pool, seeker("one")) == "waiting"
    for other in (
        PoolKey(pool.game, 11, pool.clock), PoolKey("taugo", pool.size, pool.clock),
        PoolKey(pool.game, pool.size, Fischer(main=20_000, increment=1)),
    ):  # fmt: skip
        who = seeker("two")
        assert await ask(pools, "seek", other, who) == "waiting"
        assert await ask(pools, "withdraw", other, who) == "gone"


async def test_a_seeker_without_a_lease_is_not_paired(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    gone, other = seeker("gone"), seeker("other")
    assert await ask(pools, "seek", pool, gone) == "waiting"
    assert await ask(pools, "away", pool, gone) == "waiting"
    assert await ask(pools, "seek", pool, other) == "waiting"
    done = await ask(pools, "renew", pool, gone)
    assert isinstance(done, Overdue)
    assert done.pairing.first == other


async def test_the_lease_of_a_seek_expires(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).tables.pools
    monkeypatch.setattr(module, "LEASE_MS", -1)
    assert await ask(pools, "seek", pool, seeker("gone")) == "waiting"
    monkeypatch.undo()
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_a_cancelled_seek_is_not_renewed(backend: Backend, pool: PoolKey) -> None:
    pools = (await backend.log()).tables.pools
    gone = seeker("gone")
    assert await ask(pools, "seek", pool, gone) == "waiting"
    assert await ask(pools, "withdraw", pool, gone) == "gone"
    assert await ask(pools, "renew", pool, gone) == "gone"
    assert await ask(pools, "away", pool, gone) == "gone"
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_a_seek_expires(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).tables.pools
    old = seeker("old")
    assert await ask(pools, "seek", pool, old) == "waiting"
    monkeypatch.setattr(module, "LIFE_MS", -1)
    assert await ask(pools, "seek", pool, old) == "expired"
    monkeypatch.undo()
    assert await ask(pools, "seek", pool, seeker("other")) == "waiting"


async def test_a_bucket_holds_a_bounded_number_of_seeks(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).tables.pools
    first = seeker("first")
    assert await ask(pools, "seek", pool, first) == "waiting"
    monkeypatch.setattr(module, "MOST", 1)
    assert await ask(pools, "seek", pool, Seeker(first.user, "more", "M")) == "full"
    assert await ask(pools, "seek", pool, first) == "waiting"


async def test_overdue_pairings_are_found(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (await backend.log()).tables.pools
    await ask(pools, "seek", pool, seeker("first"))
    done = await ask(pools, "seek", pool, seeker("second"))
    assert isinstance(done, Overdue)
    assert done not in (await pools.sweep())[0]
    monkeypatch.setattr(module, "OVERDUE_MS", 0)
    assert done in (await pools.sweep())[0]
    await pools.carried_out(done)
    assert done not in (await pools.sweep())[0]


async def test_expired_entries_are_removed(
    backend: Backend, pool: PoolKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await backend.log()
    pools, gone, first = log.tables.pools, seeker("gone"), seeker("first")
    other = PoolKey("taugo", 9, pool.clock)
    assert await ask(pools, "seek", other, gone) == "waiting"
    await ask(pools, "seek", pool, first)
    done = await ask(pools, "seek", pool, seeker("second"))
    assert isinstance(done, Overdue)
    monkeypatch.setattr(module, "GRACE_MS", -60_000)
    monkeypatch.setattr(module, "KEPT_MS", -60_000)
    monkeypatch.setattr(module, "OVERDUE_MS", -60_000)
    # A sweep names at most `NAMED` pairings of a bucket, and other tests may have left more.
    while overdue := (await pools.sweep())[0]:
        for left in overdue:
            assert await ask(pools, "renew", left.pairing.pool, left.pairing.first) == left
            await pools.carried_out(left)
    assert await ask(pools, "renew", pool, first) == "gone"
    assert await ask(pools, "renew", other, gone) == "gone"
    assert other not in (await log.tables.listing.read()).waiting
    assert await ask(pools, "seek", other, gone) == "waiting"  # with the same nonce


async def test_each_user_of_a_crowd_is_paired_once(
    backend: Backend, pool: PoolKey, rng: random.Random
) -> None:
    """Many who seek, renew, go away and withdraw at random, from several nodes at once."""
    nodes = [(await backend.log()).tables.pools for _ in range(3)]
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
    last = await asyncio.gather(*(ask(nodes[0], "prune", pool, who) for who in crowd))
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


def patient(user: str, bot_after: int | None) -> Seeker:
    one = seeker(user)
    return Seeker(one.user, one.nonce, one.name, bot_after=bot_after)


def house_bot() -> Seeker:
    one = seeker("house")
    return Seeker(one.user, one.nonce, one.name, bot=True, stands=True)


async def test_a_house_bot_is_paired_with_a_user_who_has_waited_long_enough(
    backend: Backend, pool: PoolKey
) -> None:
    """Nobody else, and the one who has waited the longest of those."""
    pools = (await backend.log()).tables.pools
    never, later, now = patient("never", None), patient("later", 3_600), patient("now", 0)
    # That a name looks like a field changes nothing.
    shown = Seeker(never.user, never.nonce, '","bot_after":0,"name":"')
    assert await ask(pools, "seek", pool, shown) == "waiting"
    bot = house_bot()
    assert await ask(pools, "take", pool, bot) == "gone"
    pools_of_others = [PoolKey(pool.game, size, pool.clock) for size in (5, 7)]
    for who, where in zip((later, now), pools_of_others, strict=True):
        assert await ask(pools, "seek", where, who) == "waiting"
    assert {*pools_of_others, pool} & (await pools.sweep())[1] == {pools_of_others[1]}
    assert await ask(pools, "take", pools_of_others[0], bot) == "gone"
    done = await ask(pools, "take", pools_of_others[1], bot)
    assert isinstance(done, Overdue)
    assert (done.pairing.first, done.pairing.second) == (now, bot)
    assert pools_of_others[1] not in (await pools.sweep())[1]
    assert await ask(pools, "take", pools_of_others[1], house_bot()) == "gone"


async def test_bots_that_stand_in_are_not_paired_by_users(backend: Backend) -> None:
    log = await backend.log()
    bots = [house_bot() for _ in range(2)]
    before = (await log.tables.listing.read()).waiting.get(STAND_IN, 0)
    for verb in ("seek", "renew"):
        for bot in bots:
            assert await ask(log.tables.pools, verb, STAND_IN, bot) == "waiting"
    assert (await log.tables.listing.read()).waiting[STAND_IN] == before + 2
    for bot in bots:
        assert await ask(log.tables.pools, "withdraw", STAND_IN, bot) == "gone"
    assert (await log.tables.listing.read()).waiting.get(STAND_IN, 0) == before


async def test_people_are_paired_before_bots_and_only_once(backend: Backend, pool: PoolKey) -> None:
    """An opponent and a bot that come at the same moment: one game, and whoever is left goes on
    waiting; those who have turned away get none."""
    nodes = [(await backend.log()).tables.pools for _ in range(2)]
    for number in range(20):
        first, second, bot = patient("first", 0), patient("second", 0), house_bot()
        assert await ask(nodes[0], "seek", pool, first) == "waiting"
        others = await asyncio.gather(
            ask(nodes[number % 2], "seek", pool, second), ask(nodes[1], "take", pool, bot)
        )
        pairings = {each.pairing.token for each in others if isinstance(each, Overdue)}
        if others[0] == "waiting":  # the bot was faster; nobody takes both
            assert len(pairings) == 1
        else:
            assert others[1] == "gone"
        await ask(nodes[0], "withdraw", pool, second)
        assert await ask(nodes[1], "take", pool, house_bot()) == "gone"


async def test_a_seek_for_a_level_is_paired_only_with_its_bot(
    backend: Backend, pool: PoolKey
) -> None:
    """Two who want the same are not paired with each other."""
    pools = (await backend.log()).tables.pools
    wanted = PoolKey(pool.game, pool.size, pool.clock, "search")
    first, second = patient("first", 0), patient("second", 0)
    for who in (first, second, first):
        assert await ask(pools, "seek", wanted, who) == "waiting"
    assert wanted in (await pools.sweep())[1]
    for _ in (first, second):
        assert isinstance(await ask(pools, "take", wanted, house_bot()), Overdue)
    assert await ask(pools, "take", wanted, house_bot()) == "gone"
