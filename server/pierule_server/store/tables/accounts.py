"""Registered names: whose each is, and what proves that one is that user.

A name and its user lie in different buckets, so no script changes both. A name is claimed first,
then the account says that it is so; a claim that no account confirms may be taken over after a
while. Each step may be repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Protocol

import msgspec

from pierule_server.identity.provider import vouched
from pierule_server.store.buckets import account_key, bucket_of, name_key
from pierule_server.store.driver.access import Script

CLAIMED_MS = 60_000
"""Milliseconds for which a claim holds that no account confirms."""

UNUSED_MS = 604_800_000
"""Milliseconds (7 days) for which the account of a user is kept who never plays and is not seen."""

NAME_MS = UNUSED_MS + 86_400_000
"""The same of its name, which must not go first. Without the account anybody may take it."""

AT_ONCE = 256
"""Accounts that are asked for at the same time: a node may want to know of all players at hand."""


class Account(msgspec.Struct, frozen=True):
    """A user's registered name; `folded` is what no two names may share, `code` the hash of the
    recovery code, `nonce` that of the request by which it was registered, `born` as in
    `identity.User`. An account without a name was deleted; it is `forgotten` once all nodes and
    listings were told so. `heir` is the id that an identity provider's user has from then
    on."""

    name: str = ""
    folded: str = ""
    code: str = ""
    nonce: str = ""
    forgotten: bool = False
    born: int = 0
    heir: str = ""

    @property
    def deleted(self) -> bool:
        """Whether it is that of a user who has none any more."""
        return not self.name


class Accounts(Protocol):
    """All accounts. Every method may raise `StoreUnavailable`."""

    async def read(self, user: str) -> Account | None:
        """The user's account, if there is one."""
        ...

    async def keep(self, user: str, account: Account, life: int | None = None) -> None:
        """Have this be the user's account, for `life` milliseconds; without one, for as long as the
        account that it replaces."""
        ...

    async def renew(self, user: str, folded: str) -> None:
        """The user was seen: the account and its name, if they are not kept for good, have their
        whole life again."""
        ...

    async def settle(self, user: str) -> None:
        """The user has played: the account, if there is one, and its name are kept for good."""
        ...

    async def gone(self, users: Collection[str]) -> set[str]:
        """Which of these users have deleted their accounts."""
        ...

    async def owner(self, folded: str) -> str | None:
        """Whose name it is."""
        ...

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        """Have a name be the user's, unless it is another's; whose it is then. The claim of the
        user `instead_of` is taken over if it is `CLAIMED_MS` old."""
        ...

    async def release(self, folded: str, user: str) -> None:
        """The name is the user's no longer."""
        ...


async def is_registered(accounts: Accounts, user: str) -> bool:
    """Whether a user has a name of their own: registered, or from an identity provider. Guests come
    and go. May raise StoreUnavailable."""
    if vouched(user):
        return True
    account = await accounts.read(user)
    return account is not None and not account.deleted


def nameless(user: str) -> str:
    """What a user is called who has no name."""
    return f"guest-{user[:4]}"


async def _gone(accounts: Accounts, users: Collection[str]) -> set[str]:
    asked, gone = sorted(users), set()
    for start in range(0, len(asked), AT_ONCE):
        part = asked[start : start + AT_ONCE]
        known = await asyncio.gather(*map(accounts.read, part))
        gone |= {
            user for user, account in zip(part, known, strict=True) if account and account.deleted
        }
    return gone


class RedisAccounts:
    """Accounts in Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def read(self, user: str) -> Account | None:
        kept = await self._request(bucket_of(user), "GET", account_key(user), write=False)
        return None if kept is None else msgspec.json.decode(kept, type=Account)

    async def keep(self, user: str, account: Account, life: int | None = None) -> None:
        text = msgspec.json.encode(account)
        how = ("KEEPTTL",) if life is None else ("PX", life)
        await self._request(bucket_of(user), "SET", account_key(user), text, *how, write=True)

    async def renew(self, user: str, folded: str) -> None:
        left = await self._request(bucket_of(user), "PTTL", account_key(user))
        if left == -1:
            await self._request(bucket_of(folded), "PERSIST", name_key(folded))
        elif left >= 0:  # XX: what was kept for good meanwhile stays so.
            name = ("PEXPIRE", name_key(folded), NAME_MS, "XX")
            await self._request(bucket_of(folded), *name)
            await self._request(bucket_of(user), "PEXPIRE", account_key(user), UNUSED_MS, "XX")

    async def settle(self, user: str) -> None:
        known = await self.read(user)
        if known is not None and not known.deleted:
            folded = known.folded
            await self._request(bucket_of(folded), "PERSIST", name_key(folded), write=True)
            await self._request(bucket_of(user), "PERSIST", account_key(user), write=True)

    async def gone(self, users: Collection[str]) -> set[str]:
        return await _gone(self, users)

    async def owner(self, folded: str) -> str | None:
        kept = await self._request(bucket_of(folded), "GET", name_key(folded), write=False)
        return None if kept is None else str(kept.decode().partition(" ")[0])

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        owner = await self._run(folded, "claim", user, instead_of, CLAIMED_MS, NAME_MS)
        return str(owner.decode())

    async def release(self, folded: str, user: str) -> None:
        await self._run(folded, "release", user, "", 0, 0)

    async def _run(self, folded: str, *arguments: str | int) -> Any:
        return await _NAME.run(
            self._request, bucket_of(folded), 1, name_key(folded), *arguments, write=True
        )


_NAME = Script("claim_name.lua")
