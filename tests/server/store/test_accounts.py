"""Whose a name is: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from pierule_server.store import accounts as module
from pierule_server.store.accounts import Account
from support.backend import Backend


@pytest.fixture
def name() -> str:
    return f"name-é {secrets.token_hex(6)}"


async def test_a_name_is_the_first_ones_until_it_is_released(backend: Backend, name: str) -> None:
    one, other = [(await backend.log()).accounts for _ in range(2)]
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


async def test_many_claim_at_once(backend: Backend, name: str) -> None:
    nodes = [(await backend.log()).accounts for _ in range(2)]
    owners = await asyncio.gather(*(nodes[n % 2].claim(name, f"u{n}") for n in range(20)))
    assert len(set(owners)) == 1


async def test_an_old_claim_can_be_taken_over(
    backend: Backend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = (await backend.log()).accounts
    await accounts.claim(name, "anna")
    monkeypatch.setattr(module, "CLAIMED_MS", -1)
    assert await accounts.claim(name, "bert") == "anna"
    assert await accounts.claim(name, "bert", instead_of="carl") == "anna"
    assert await accounts.claim(name, "bert", instead_of="anna") == "bert"


async def test_an_account_is_kept(backend: Backend) -> None:
    accounts, user = (await backend.log()).accounts, secrets.token_hex(8)
    assert await accounts.read(user) is None
    for account in (Account("Ada", "ada", "c0de", "n"), Account()):
        await accounts.keep(user, account)
        assert await accounts.read(user) == account
