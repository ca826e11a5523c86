"""Whose a name is: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets

import msgspec
import pytest

from pierule_server.store.tables import accounts as module
from pierule_server.store.tables.accounts import Account, Accounts
from support.backend import Backend


@pytest.fixture
def name() -> str:
    return f"name-é {secrets.token_hex(6)}"


async def test_a_name_belongs_to_its_first_claimant_until_released(
    backend: Backend, name: str
) -> None:
    one, other = [(await backend.log()).tables.accounts for _ in range(2)]
    assert await one.owner(name) is None
    assert await one.claim(name, "anna") == "anna"
    assert await other.claim(name, "bert") == "anna"
    assert await other.claim(name, "bert", instead_of="anna") == "anna"
    assert await other.owner(name) == "anna"
    await other.release(name, "bert")
    assert await one.owner(name) == "anna"
    for _ in range(2):
        await one.release(name, "anna")
    assert await other.claim(name, "bert") == "bert"


async def test_a_released_name_may_stay_reserved_for_a_while(backend: Backend, name: str) -> None:
    accounts = (await backend.log()).tables.accounts
    await accounts.claim(name, "anna")
    await accounts.keep("anna", Account(name, name))
    await accounts.settle("anna")
    await accounts.release(name, "bert", 1)
    await accounts.release(name, "anna", 10_000_000)
    assert await accounts.claim(name, "bert") == "anna"
    await accounts.release(name, "anna", 1)  # it has an end already
    assert await accounts.claim(name, "bert") == "anna"
    await accounts.keep("anna", Account("Other", "other", former=name))
    await accounts.claim(name, "anna")
    await accounts.settle("anna")
    await accounts.release(name, "anna")
    assert await accounts.claim(name, "bert") == "bert"


async def test_one_of_many_simultaneous_claims_gets_the_name(backend: Backend, name: str) -> None:
    nodes = [(await backend.log()).tables.accounts for _ in range(2)]
    owners = await asyncio.gather(*(nodes[n % 2].claim(name, f"u{n}") for n in range(20)))
    assert len(set(owners)) == 1


async def test_an_old_claim_can_be_taken_over(
    backend: Backend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = (await backend.log()).tables.accounts
    await accounts.claim(name, "anna")
    monkeypatch.setattr(module, "CLAIMED_MS", -1)
    assert await accounts.claim(name, "bert") == "anna"
    assert await accounts.claim(name, "bert", instead_of="carl") == "anna"
    assert await accounts.claim(name, "bert", instead_of="anna") == "bert"


async def test_an_account_is_read_back_as_kept(backend: Backend) -> None:
    accounts, user = (await backend.log()).tables.accounts, secrets.token_hex(8)
    assert await accounts.read(user) is None
    for account in (Account("Ada", "ada", "c0de", "n"), Account()):
        await accounts.keep(user, account)
        assert await accounts.read(user) == account


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unused accounts go at once, and their names a little later."""
    monkeypatch.setattr(module, "UNUSED_MS", 20)
    monkeypatch.setattr(module, "NAME_MS", 40)


async def until_gone(accounts: Accounts, user: str, name: str) -> None:
    async with asyncio.timeout(60):
        while await accounts.read(user) or await accounts.owner(name):  # noqa: ASYNC110
            await asyncio.sleep(0.005)


ACCOUNT = Account("Ada", "ada", "c0de", "n")


async def test_an_account_keeps_the_mark_of_a_bot(backend: Backend) -> None:
    one, other = [(await backend.log()).tables.accounts for _ in range(2)]
    user, born = secrets.token_hex(8), 1_700_000_000
    account = msgspec.structs.replace(ACCOUNT, folded="a/d\xe1", born=born, heir="x")
    await one.mark_bot(user)
    assert await one.read(user) is None
    await one.keep(user, account)
    for _ in range(2):
        await other.mark_bot(user)
        assert await one.read(user) == msgspec.structs.replace(account, bot=True)
    await one.keep(user, Account())
    await other.mark_bot(user)
    assert await one.read(user) == Account(), "a deleted account stays deleted"


async def test_one_session_takes_the_place_of_another(backend: Backend) -> None:
    one, other = [(await backend.log()).tables.accounts for _ in range(2)]
    user, account = secrets.token_hex(8), msgspec.structs.replace(ACCOUNT, born=1_700_000_000)
    assert not await one.begin_session(user, "s1", ""), "there is no account"
    await one.keep(user, account)
    assert not await one.begin_session(user, "s1", "s0")
    assert await one.read(user) == account
    for _ in range(2):
        assert await other.begin_session(user, "s1", "")
        assert await one.read(user) == msgspec.structs.replace(account, session="s1")
    assert not await one.begin_session(user, "s2", ""), "that session is over"
    assert await one.begin_session(user, "s2", "s1")
    await one.keep(user, Account())
    assert not await one.begin_session(user, "s3", "")
    assert await one.read(user) == Account(), "a deleted account stays deleted"


async def test_of_two_new_sessions_at_once_one_goes_on(backend: Backend) -> None:
    nodes = [(await backend.log()).tables.accounts for _ in range(2)]
    user = secrets.token_hex(8)
    await nodes[0].keep(user, ACCOUNT)
    began = [nodes[n % 2].begin_session(user, f"s{n}", "") for n in range(20)]
    assert sum(await asyncio.gather(*began)) == 1


async def test_an_account_of_an_earlier_release_has_no_mark() -> None:
    async def request(*_: object, **__: object) -> bytes:
        return b'{"name":"Ada","folded":"ada","code":"c0de","nonce":"n","forgotten":false}'

    assert await Accounts(request).read("anna") == ACCOUNT


@pytest.mark.usefixtures("soon")
async def test_the_mark_of_a_bot_keeps_no_unused_account(backend: Backend, name: str) -> None:
    accounts, user = (await backend.log()).tables.accounts, secrets.token_hex(8)
    await accounts.keep(user, ACCOUNT, 60_000)
    await accounts.mark_bot(user)
    await accounts.renew(user, name)
    await until_gone(accounts, user, name)


@pytest.mark.usefixtures("soon")
async def test_an_unused_account_expires_with_its_name(backend: Backend, name: str) -> None:
    accounts, user = (await backend.log()).tables.accounts, secrets.token_hex(8)
    assert await accounts.claim(name, user) == user
    await accounts.keep(user, msgspec.structs.replace(ACCOUNT, folded=name), 60_000)
    await accounts.keep(user, Account(), None)  # what stands in its place lives no longer
    await accounts.renew(user, name)
    await until_gone(accounts, user, name)
    assert await accounts.claim(name, "bert") == "bert"
    await accounts.renew(user, name)
    await accounts.settle(user)
    assert await accounts.read(user) is None
    await until_gone(accounts, user, name)


async def test_a_user_who_has_played_keeps_the_name(
    backend: Backend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for a few requests to a busy store, short enough to wait for.
    monkeypatch.setattr(module, "UNUSED_MS", 1_500)
    monkeypatch.setattr(module, "NAME_MS", 2_000)
    one, other = [(await backend.log()).tables.accounts for _ in range(2)]
    user, later = secrets.token_hex(8), f"{name} later"
    account = msgspec.structs.replace(ACCOUNT, folded=name)
    await one.claim(name, user)
    await one.keep(user, account, 60_000)
    await asyncio.gather(*(each.settle(user) for each in (one, other)),
                         *(each.renew(user, name) for each in (one, other)))  # fmt: skip
    await one.claim(later, user)
    renamed = msgspec.structs.replace(account, folded=later)
    await one.keep(user, renamed)
    await other.renew(user, later)
    unused = secrets.token_hex(8)
    await one.claim(unused, unused)
    await until_gone(one, unused, unused)
    assert await other.read(user) == renamed
    for each in (name, later):
        assert await other.owner(each) == user
        await one.release(each, user)


@pytest.mark.usefixtures("soon")
async def test_a_visit_renews_the_account_and_its_name(backend: Backend, name: str) -> None:
    accounts, user = (await backend.log()).tables.accounts, secrets.token_hex(8)
    account = msgspec.structs.replace(ACCOUNT, folded=name)
    await accounts.keep(user, account, 60_000)
    await accounts.claim(name, user)
    await accounts.renew(user, name)
    await until_gone(accounts, user, name)  # after what a life is by now
