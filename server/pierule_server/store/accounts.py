"""Registered names: whose each is, and what proves that one is that user.

A name and its user lie in different buckets, so no script changes both. A name is claimed first,
then the account says that it is so; a claim that no account confirms may be taken over after a
while. Each step may be repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from importlib.resources import files
from typing import Any, Protocol

import msgspec

from pierule_server.store.buckets import account_key, bucket_of, name_key

CLAIMED_MS = 60_000
"""Milliseconds for which a claim holds that no account confirms."""

AT_ONCE = 256
"""Accounts that are asked for at the same time: a node may want to know of all players at hand."""


class Account(msgspec.Struct, frozen=True):
    """A user's registered name; `folded` is what no two names may share, `code` the hash of the
    recovery code, `nonce` that of the request by which it was registered, `born` as in
    `identity.User`. Without a name: a user
    who has deleted the account, and is `forgotten` once all nodes and listings were told so."""

    name: str = ""
    folded: str = ""
    code: str = ""
    nonce: str = ""
    forgotten: bool = False
    born: int = 0

    @property
    def deleted(self) -> bool:
        """Whether it is that of a user who has none any more."""
        return not self.name


class Accounts(Protocol):
    """All accounts. Every method may raise `StoreUnavailable`."""

    async def read(self, user: str) -> Account | None:
        """The user's account, if there is one."""
        ...

    async def keep(self, user: str, account: Account) -> None:
        """Have this be the user's account."""
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


def nameless(user: str) -> str:
    """What a user is called who has no name."""
    return f"guest-{user[:4]}"


async def _gone(accounts: Accounts, users: Collection[str]) -> set[str]:
    asked, gone = list(users), set()
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

    async def keep(self, user: str, account: Account) -> None:
        text = msgspec.json.encode(account)
        await self._request(bucket_of(user), "SET", account_key(user), text, write=True)

    async def gone(self, users: Collection[str]) -> set[str]:
        return await _gone(self, users)

    async def owner(self, folded: str) -> str | None:
        kept = await self._request(bucket_of(folded), "GET", name_key(folded), write=False)
        return None if kept is None else str(kept.decode().partition(" ")[0])

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        owner = await self._run(folded, "claim", user, instead_of, CLAIMED_MS)
        return str(owner.decode())

    async def release(self, folded: str, user: str) -> None:
        await self._run(folded, "release", user, "", 0)

    async def _run(self, folded: str, *arguments: str | int) -> Any:
        return await self._request(
            bucket_of(folded), "EVAL", _NAME, 1, name_key(folded), *arguments, write=True
        )


_NAME = files(__package__).joinpath("name.lua").read_bytes()


class MemoryAccounts:
    """Accounts in the memory of one process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._accounts: dict[str, Account] = {}
        self._names: dict[str, tuple[str, int]] = {}

    async def read(self, user: str) -> Account | None:
        return self._accounts.get(user)

    async def keep(self, user: str, account: Account) -> None:
        self._accounts[user] = account

    async def gone(self, users: Collection[str]) -> set[str]:
        return await _gone(self, users)

    async def owner(self, folded: str) -> str | None:
        return self._names.get(folded, (None, 0))[0]

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        now = self._clock()
        owner, since = self._names.get(folded, (user, now))
        if owner == instead_of and now - since > CLAIMED_MS:
            owner = user
        if owner == user:
            self._names[folded] = (user, now)
        return owner

    async def release(self, folded: str, user: str) -> None:
        if await self.owner(folded) == user:
            del self._names[folded]
