"""Registered names, recovery and what is left of a deleted account (SPEC 24)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from hashlib import scrypt
from itertools import count, pairwise
from typing import Any
from unittest.mock import AsyncMock

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import AccountState, DeleteAccount, Register
from pierule_server.identity.lookalikes import fold
from pierule_server.identity.tokens import User
from pierule_server.lobby import names
from pierule_server.lobby.names import (
    FORMER,
    HASHES_AT_ONCE,
    HASHES_WAITING,
    TRIES_AT_ONCE,
    Names,
    owner_of,
)
from pierule_server.lobby.sessions import Sessions
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables import accounts as module
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, opened

DORA = User("dora", "Dora")
_ids = count(1)


class Desk:
    """Names over the accounts of a store."""

    def __init__(self, log: RedisRoomLog, store: ModelStore) -> None:
        self._store = store
        self.accounts = log.tables.accounts
        sessions = Sessions(self.accounts, AsyncMock())
        self.names = Names(
            self.accounts, sessions, lambda: b"secret", lambda user: f"token of {user.name}"
        )

    def later(self, ms: int) -> None:
        now = self._store.now
        self._store.now = lambda: now() + ms

    async def register(self, user: User, name: str, nonce: str = "n") -> AccountState:
        renamed, ok = await self.names.register(
            user, Register(id=next(_ids), nonce=nonce, name=name)
        )
        assert ok.account is not None
        assert (renamed.id, renamed.name, ok.account.name) == (user.id, name, name)
        return ok.account


COST = names.HASH_COST


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a hash costs matters to one test."""
    monkeypatch.setattr(names, "HASH_COST", 2)


@asynccontextmanager
async def desk_over(store: ModelStore) -> AsyncIterator[Desk]:
    async with opened(store) as log:
        yield Desk(await log(), store)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with desk_over(ModelStore(lambda: next(_ids))) as made:
        yield made


async def code_of(work: Any) -> Code:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value.code


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "ADA"), ("Bill", "8ill"), ("Bill", "B1I0"), ("a_b", "A-b"), ("\uff21da", "ada")],
)
def test_names_that_look_alike_have_the_same_fold(one: str, other: str) -> None:
    alike = (one, other) not in (("Bill", "8ill"), ("Bill", "B1I0"))
    assert (fold(one) == fold(other)) == alike


async def test_only_the_hash_of_a_code_is_kept(desk: Desk) -> None:
    account = await desk.register(ANNA, "Ada")
    kept = await desk.accounts.read(ANNA.id)
    assert kept is not None
    assert account.recovery not in repr(kept)
    assert account.token == "token of Ada"
    assert (await desk.register(ANNA, "Ada")).recovery == account.recovery
    assert await desk.names.recover("ada", account.recovery.lower()) == User(ANNA.id, "Ada")
    for name, code in (("Ada", "x"), ("Bea", account.recovery), ("", "")):
        assert await desk.names.recover(name, code) is None


async def test_a_change_of_name_changes_the_code(desk: Desk) -> None:
    first = await desk.register(ANNA, "Ada")
    second = await desk.register(ANNA, "Bea", "n2")
    assert await desk.names.recover("Ada", first.recovery) is None
    assert await desk.names.recover("Bea", first.recovery) is None
    for name in ("Bea", "Ada"):
        assert await desk.names.recover(name, second.recovery) == User(ANNA.id, "Bea")
    assert await code_of(desk.register(ANNA, "Carla", "n2")) is Code.BAD_FIELD


async def test_a_name_that_was_given_up_stays_reserved_for_its_user(desk: Desk) -> None:
    await desk.register(ANNA, "Ada")
    await desk.accounts.settle(ANNA.id)
    await desk.register(ANNA, "Bea", "n2")
    desk.later(module.RESERVED_MS - 60_000)
    assert await code_of(desk.register(BERT, "ADA")) is Code.NAME_TAKEN
    assert await code_of(desk.names.admit(User(BERT.id, "ada"), "ada")) is Code.NAME_TAKEN
    assert await desk.names.admit(User(BERT.id, "ada"), None) == User(BERT.id, "guest-bert")
    assert await owner_of(desk.accounts, "ada") == ANNA.id
    desk.later(120_000)
    await desk.register(BERT, "ADA")
    assert await owner_of(desk.accounts, "ada") == BERT.id
    assert await code_of(desk.register(CARL, "bea")) is Code.NAME_TAKEN


async def test_a_retry_ends_what_a_dead_node_has_begun(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account has its new name, but the former one has not been reserved yet."""
    await desk.register(ANNA, "Ada")
    await desk.accounts.settle(ANNA.id)
    with monkeypatch.context() as dying:
        dying.setattr(desk.accounts, "release", AsyncMock(side_effect=StoreUnavailable))
        with pytest.raises(StoreUnavailable):
            await desk.register(ANNA, "Bea", "n2")
    await desk.register(ANNA, "Bea", "n2")
    desk.later(module.RESERVED_MS + 60_000)
    await desk.register(BERT, "Ada")


async def test_a_user_takes_a_former_name_again(desk: Desk) -> None:
    await desk.register(ANNA, "Ada")
    await desk.accounts.settle(ANNA.id)
    for number, name in enumerate(("Bea", "Ada")):
        await desk.register(ANNA, name, f"n{number}")
    desk.later(module.RESERVED_MS + 120_000)
    assert await code_of(desk.register(BERT, "Ada")) is Code.NAME_TAKEN
    await desk.register(BERT, "Bea")


async def test_few_names_are_reserved_for_a_user_and_none_after_a_deletion(desk: Desk) -> None:
    names = [f"Name{letter}" for letter in "abcdef"]
    for number, name in enumerate(names):
        await desk.register(ANNA, name, f"n{number}")
        await desk.accounts.settle(ANNA.id)
    free = [each for each in names if await owner_of(desk.accounts, each) is None]
    assert free == names[: -1 - FORMER]
    await desk.names.delete_account(ANNA, DeleteAccount(id=1))
    for number, name in enumerate(names):
        await desk.register(BERT, name, f"n{number}")


async def test_admission_decides_the_name(desk: Desk) -> None:
    await desk.register(ANNA, "Ada")
    assert await desk.names.admit(User(ANNA.id, "old"), None) == User(ANNA.id, "Ada")
    assert await code_of(desk.names.admit(User(ANNA.id, "New"), "New")) is Code.BAD_FIELD
    assert await code_of(desk.names.admit(User("u", "ADA"), "ADA")) is Code.NAME_TAKEN
    assert await desk.names.admit(User("u", "ada"), None) == User("u", "guest-u")
    assert await desk.names.admit(BERT, "Bert") == BERT


async def test_a_registered_bot_stays_one(desk: Desk) -> None:
    """SPEC 16.8. With the code, with a token of before, under another name."""
    code = (await desk.register(replace(ANNA, bot=True), "Ada")).recovery
    bot = User(ANNA.id, "Ada", bot=True)
    assert await desk.names.recover("Ada", code) == bot
    assert await desk.names.admit(ANNA, None) == bot
    code = (await desk.register(ANNA, "Bea", "n2")).recovery
    assert await desk.names.recover("Bea", code) == replace(bot, name="Bea")


async def test_a_registered_user_becomes_a_bot(desk: Desk) -> None:
    codes = [(await desk.register(*who)).recovery for who in ((ANNA, "Ada"), (BERT, "Bea"))]
    human = User(ANNA.id, "Ada")
    assert await desk.names.admit(ANNA, None) == human == await desk.names.recover("Ada", codes[0])
    await desk.names.admit(replace(ANNA, bot=True), None)
    assert await desk.names.recover("Ada", codes[0]) == replace(human, bot=True)
    await desk.names.recover("Bea", codes[1], bot=True)
    assert await desk.names.admit(BERT, None) == User(BERT.id, "Bea", bot=True)
    await desk.register(BERT, "Bea")  # a request sent again
    assert await desk.names.admit(BERT, None) == User(BERT.id, "Bea", bot=True)


@pytest.mark.parametrize("name", [
    "server", "Admin", "0perator", "\u0405ystem", "Server\u2024", "\u2605 admin \u2605", "-staff-",
    "S.y.s.t.e.m", "Server\u0332", "Pi\u00e9rule", "Server \u2714", "sup_port",
])  # fmt: skip
async def test_names_of_operators_are_taken(desk: Desk, name: str) -> None:
    assert await code_of(desk.names.admit(User("u", name), name)) is Code.NAME_TAKEN
    assert await desk.names.admit(User("u", name), None) == User("u", "guest-u")
    if re.fullmatch(r"[a-zA-Z][\w-]+", name, re.ASCII):
        assert await code_of(desk.register(ANNA, name)) is Code.NAME_TAKEN


@pytest.mark.parametrize(
    "name", ["Otto", "0tt0", "m\u0456ra", "P1p", "Mira.", "-PIP-", "Ott\u00f6"]
)
async def test_names_of_house_bots_are_taken(desk: Desk, name: str) -> None:
    """Except for house bots. A bot that somebody else runs is none."""
    for user in (User("u", name), User("u", name, bot=True)):
        assert await code_of(desk.names.admit(user, name)) is Code.NAME_TAKEN
        assert await desk.names.admit(user, None) == replace(user, name="guest-u")
    house = User("house-search-0123456789ab", name, bot=True, house=True)
    assert await desk.names.admit(house, name) == house
    if re.fullmatch(r"[a-zA-Z][\w-]+", name, re.ASCII):
        assert await code_of(desk.register(ANNA, name)) is Code.NAME_TAKEN


async def test_who_has_the_name_of_a_house_bot_keeps_it(desk: Desk) -> None:
    """They registered it before it became one."""
    await desk.accounts.keep(ANNA.id, module.Account("Otto", "otto"))
    assert await desk.names.admit(ANNA, None) == replace(ANNA, name="Otto")


@pytest.mark.parametrize(
    "name", ["Servera", "Administer", "Staff 7", "Observer", "Otto 7", "search bot"]
)
async def test_names_that_only_resemble_kept_ones_are_free(desk: Desk, name: str) -> None:
    assert await desk.names.admit(User("u", name), name) == User("u", name)


async def test_a_deleted_account_cannot_be_used_or_recovered(desk: Desk) -> None:
    account = await desk.register(ANNA, "Ada")
    await desk.names.delete_account(ANNA, DeleteAccount(id=1))
    await desk.names.delete_account(ANNA, DeleteAccount(id=1))
    assert await desk.names.admit(ANNA, None) is None
    assert await desk.names.recover("Ada", account.recovery) is None
    assert await code_of(desk.register(ANNA, "Ada", "n3")) is Code.NO_ACCOUNT
    assert await code_of(desk.names.delete_account(BERT, DeleteAccount(id=1))) is Code.NO_ACCOUNT
    await desk.register(BERT, "Ada")


async def test_a_providers_user_is_the_heir_after_each_deletion(desk: Desk) -> None:
    """SPEC 24.6. However often, the way to the id in use stays short."""
    delete, ids = DeleteAccount(id=1), [f"user{number}" for number in range(9)]
    for user, heir in pairwise(ids):
        assert (await desk.names.heirs(ids[0]))[-1] == user
        await desk.names.delete_account(User(user, "x"), delete, heir)
        await desk.names.delete_account(User(user, "x"), delete, heir)
        former = (await desk.names.heirs(ids[0]))[:-1]
        assert len(former) <= 3
        assert await desk.names.admit(User(user, "x"), None) is None
        for each in former:
            await desk.names.note_forgotten(each)
    assert (await desk.names.heirs(ids[0]))[-1] == ids[-1]
    assert await desk.names.admit(User(ids[-1], "x"), None) == User(ids[-1], "x")


async def test_a_claim_that_was_cut_off_does_not_block_a_name(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.accounts.claim(fold("Ada"), ANNA.id)
    assert await code_of(desk.register(BERT, "Ada")) is Code.NAME_TAKEN
    monkeypatch.setattr(module, "CLAIMED_MS", -1)
    await desk.register(BERT, "Ada")
    assert await desk.accounts.owner(fold("Ada")) == BERT.id


async def test_a_code_is_hashed_at_its_cost_for_its_user(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The codes that users keep were hashed in this way."""
    monkeypatch.setattr(names, "HASH_COST", COST)
    account = await desk.register(ANNA, "Ada")
    known = await desk.accounts.read(ANNA.id)
    assert known is not None
    wanted = scrypt(account.recovery.encode(), salt=ANNA.id.encode(), n=2**14, r=8, p=1)
    assert known.code == wanted.hex()


async def test_a_full_queue_refuses_registration_and_claims_no_name(desk: Desk) -> None:
    """Law 10: 12 s was what a register took behind many others."""
    most = HASHES_AT_ONCE + HASHES_WAITING
    users = [User(f"user{number}", "x") for number in range(most + 4)]
    done = await asyncio.gather(
        *(desk.register(user, f"Name{user.id}") for user in users), return_exceptions=True
    )
    refused = [one for one in done if isinstance(one, Refused)]
    assert [one.code for one in refused] == [Code.RATE] * 4
    assert all(one.fields["retry_ms"] > 0 for one in refused)
    await desk.register(users[-1], f"Name{users[-1].id}")


async def test_failed_recoveries_block_the_owner_at_no_other_address(desk: Desk) -> None:
    account = await desk.register(ANNA, "Ada")
    for number in range(3 * TRIES_AT_ONCE):
        with suppress(Refused):
            address = f"192.0.2.{number % 2}"
            assert await desk.names.recover("Ada", "ABCDE-FGHIJ-KLMNO-PQRST", address) is None
    for _ in range(TRIES_AT_ONCE):
        found = await desk.names.recover("Ada", account.recovery, "192.0.2.9")
        assert found == User(ANNA.id, "Ada")


async def test_tries_at_one_name_are_bounded(desk: Desk) -> None:
    account = await desk.register(ANNA, "Ada")
    for _ in range(TRIES_AT_ONCE):
        assert await desk.names.recover("Ada", "ABCDE-FGHIJ-KLMNO-PQRST") is None
    assert await code_of(desk.names.recover("ADA", account.recovery)) is Code.RATE
    assert await desk.names.recover("Bert", account.recovery) is None


async def test_an_unused_name_becomes_free(
    desk: Desk,
) -> None:
    """Who has played keeps it, and who comes back has it for as long again."""
    for user, name in ((ANNA, "Ada"), (BERT, "Bea"), (CARL, "Carla")):
        await desk.register(user, name)
    await desk.accounts.settle(ANNA.id)
    week = module.UNUSED_MS
    desk.later(week - 1_000)
    assert await desk.names.admit(BERT, None) == User(BERT.id, "Bea")
    desk.later(2_000)
    assert await desk.names.admit(User("u", "Carla"), "Carla") == User("u", "Carla")
    await desk.register(User("u", "Carla"), "Carla")
    assert await desk.names.admit(User(CARL.id, "Carla"), None) == User(CARL.id, "guest-carl")
    desk.later(10 * week)
    assert await desk.names.admit(ANNA, None) == User(ANNA.id, "Ada")
    assert await code_of(desk.register(DORA, "ADA")) is Code.NAME_TAKEN
    for user, name in ((DORA, "Bea"), (CARL, "Carla")):
        await desk.register(user, name, "n2")
