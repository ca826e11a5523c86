"""`accounts` of a store in memory: see `pierule_server.store.tables.accounts`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import inf

import msgspec

from pierule_server.store.tables import accounts as real
from pierule_server.store.tables.accounts import Account, _known, deleted_of


class MemoryAccounts:
    """Accounts in the memory of one process, with the times until which they are kept."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._accounts: dict[str, tuple[Account, float]] = {}
        self._names: dict[str, tuple[str, int, float]] = {}

    async def read(self, user: str) -> Account | None:
        account, until = self._accounts.get(user, (None, inf))
        return account if self._clock() <= until else None

    async def keep(self, user: str, account: Account, life: int | None = None) -> None:
        until = inf if life is None else self._clock() + life
        if life is None and await self.read(user):
            until = self._accounts[user][1]
        self._accounts[user] = account, until

    async def renew(self, user: str, folded: str) -> None:
        known = await self.read(user)
        if known is not None:
            kept = self._accounts[user][1] == inf
            life = inf if kept else self._clock() + real.UNUSED_MS
            self._accounts[user] = known, life
            await self._keep_name(
                folded, user, life if kept else life + real.NAME_MS - real.UNUSED_MS
            )

    async def settle(self, user: str) -> None:
        known = await self.read(user)
        if known is not None and not known.deleted:
            self._accounts[user] = known, inf
            await self._keep_name(known.folded, user, inf)

    async def _keep_name(self, folded: str, user: str, until: float) -> None:
        if await self.owner(folded) == user:
            self._names[folded] = (user, self._names[folded][1], until)

    async def mark_bot(self, user: str) -> None:
        known = await self.read(user)
        if known is not None and not known.deleted:
            await self.keep(user, msgspec.structs.replace(known, bot=True))

    async def begin_session(self, user: str, session: str, instead: str) -> bool:
        account = await self.read(user)
        if account is None or account.deleted or account.session not in (session, instead):
            return False
        await self.keep(user, msgspec.structs.replace(account, session=session))
        return True

    async def known(self, users: Collection[str]) -> dict[str, Account]:
        return await _known(self, users)

    async def gone(self, users: Collection[str]) -> set[str]:
        return deleted_of(await self.known(users))

    async def owner(self, folded: str) -> str | None:
        owner, _, until = self._names.get(folded, (None, 0, inf))
        return owner if self._clock() <= until else None

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        now, owner = self._clock(), await self.owner(folded)
        _, since, until = self._names.get(folded, (user, now, 0))
        if owner in (None, instead_of) and (owner is None or now - since > real.CLAIMED_MS):
            owner, until = user, now + real.NAME_MS
        if owner == user:
            self._names[folded] = (user, now, until)
        return owner or user

    async def release(self, folded: str, user: str, reserve: int = 0) -> None:
        if await self.owner(folded) == user:
            _, since, until = self._names.pop(folded)
            if reserve:
                until = self._clock() + reserve if until == inf else until
                self._names[folded] = user, since, until
