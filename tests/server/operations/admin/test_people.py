"""Operators ban ids, and see names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pierule_server.identity.lookalikes import fold
from pierule_server.operations.admin.service import opened
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.accounts import Account
from support import stores

ADA, EVE = "ada0" * 4, "e0e0" * 4


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single() as server:
        yield server


@pytest.mark.parametrize(("who", "said"), [("Ada", f"is {ADA}"), ("guest-e0e0", "guest's name")])
async def test_a_name_is_not_taken_for_an_id(store: stores.Server, who: str, said: str) -> None:
    async with opened(store.url, "op") as service:
        accounts = service._log.tables.accounts
        await accounts.keep(ADA, Account(name="Ada", folded=fold("Ada")))
        await accounts.claim(fold("Ada"), ADA)
        for asked in (service.ban(who, 60, "insults"), service.show_user(who)):
            with pytest.raises(Refused, match=said):
                await asked
        assert await service.list_bans() == []


async def test_nobody_is_safe_because_somebody_is_called_like_their_id(
    store: stores.Server,
) -> None:
    async with opened(store.url, "op") as service:
        accounts = service._log.tables.accounts
        await accounts.keep(ADA, Account(name=EVE, folded=fold(EVE)))
        await accounts.claim(fold(EVE), ADA)
        await service.ban(EVE, 60, "insults")
        assert [row["who"] for row in await service.list_bans()] == [EVE]
