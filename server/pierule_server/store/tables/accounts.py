"""The table of accounts: who owns each registered name, and the hash that proves it.

A name and its user are in different buckets, so no script changes both. A user first claims the
name, then the account confirms the claim. Another user may take over a claim that no account
confirms for a while. Each step is safe to repeat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

import msgspec

from pierule_server.identity.provider import vouched
from pierule_server.store.buckets import account_key, bucket_of, name_key
from pierule_server.store.driver.access import Script

CLAIMED_MS = 60_000
"""Milliseconds for which an unconfirmed claim holds."""

UNUSED_MS = 604_800_000
"""Milliseconds (7 days) for which the store keeps the account of a user who has never played and
does not come back."""

NAME_MS = UNUSED_MS + 86_400_000
"""Milliseconds for which the store keeps that user's name. The name must not expire before the
account; once the account is gone, anybody may take the name."""

RESERVED_MS = 2_592_000_000
"""Milliseconds (30 days) for which a name that a user gave up for another one stays reserved for
them. Otherwise somebody else could be taken for them at once."""

AT_ONCE = 256
"""Accounts to read in parallel. A node may ask for those of all players that it knows."""


class Account(msgspec.Struct, frozen=True):
    """A user's account. No two names may share their `folded` form. `code` is the hash of the
    recovery code, `nonce` that of the request that registered the name, `born` as in
    `identity.tokens.User`. An account without a name is deleted; it is `forgotten` once the name is
    gone from all nodes and listings. `heir` is the next id of an identity provider's user. A `bot`
    stays one (SPEC 16.8); accounts of earlier versions do not say so. `former` has the folded names
    that may still be reserved for the user, the latest first, with spaces between. `session` is the
    only one whose tokens are valid (SPEC 24.12)."""

    name: str = ""
    folded: str = ""
    code: str = ""
    nonce: str = ""
    forgotten: bool = False
    born: int = 0
    heir: str = ""
    bot: bool = False
    former: str = ""
    session: str = ""

    def has(self, folded: str) -> bool:
        """Whether this is the user's name, or was."""
        return folded == self.folded or folded in self.former.split()

    @property
    def deleted(self) -> bool:
        """Whether the user has deleted the account."""
        return not self.name


async def is_registered(accounts: Accounts, user: str) -> bool:
    """Whether a user has a name of their own, registered or from an identity provider. Guests have
    none. May raise StoreUnavailable."""
    if vouched(user):
        return True
    account = await accounts.read(user)
    return account is not None and not account.deleted


def nameless(user: str) -> str:
    """The name of a user who has none of their own."""
    return f"guest-{user[:4]}"


def deleted_of(known: Mapping[str, Account]) -> set[str]:
    """The users among these whose accounts are deleted."""
    return {user for user, account in known.items() if account.deleted}


class Accounts:
    """All accounts. Every method may raise `StoreUnavailable`. `request(bucket, *command)` asks the
    primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def read(self, user: str) -> Account | None:
        """A user's account, if there is one."""
        kept = await self._request(bucket_of(user), "GET", account_key(user), write=False)
        return None if kept is None else msgspec.json.decode(kept, type=Account)

    async def keep(self, user: str, account: Account, life: int | None = None) -> None:
        """Set a user's account. It expires after `life` milliseconds; if that is None, when the
        account that it replaces would have."""
        text = msgspec.json.encode(account)
        how = ("KEEPTTL",) if life is None else ("PX", life)
        await self._request(bucket_of(user), "SET", account_key(user), text, *how, write=True)

    async def renew(self, user: str, folded: str) -> None:
        """The user has come back: if the account and its name can expire, they begin their whole
        life again."""
        left = await self._request(bucket_of(user), "PTTL", account_key(user))
        if left == -1:
            await self._request(bucket_of(folded), "PERSIST", name_key(folded))
        elif left >= 0:  # XX: an account that was settled meanwhile must not expire
            name = ("PEXPIRE", name_key(folded), NAME_MS, "XX")
            await self._request(bucket_of(folded), *name)
            await self._request(bucket_of(user), "PEXPIRE", account_key(user), UNUSED_MS, "XX")

    async def settle(self, user: str) -> None:
        """The user has played against somebody else: keep the account, if there is one, and its
        name for good."""
        known = await self.read(user)
        if known is not None and not known.deleted:
            folded = known.folded
            await self._request(bucket_of(folded), "PERSIST", name_key(folded), write=True)
            await self._request(bucket_of(user), "PERSIST", account_key(user), write=True)

    async def mark_bot(self, user: str) -> None:
        """Note in the account, if there is one, that the user is a bot."""
        await _BOT.run(self._request, bucket_of(user), 1, account_key(user), write=True)

    async def begin_session(self, user: str, session: str, instead: str) -> bool:
        """Let only the tokens of `session` be valid, if those of `instead` are valid now. Returns
        whether those of `session` are valid after that."""
        arguments = (1, account_key(user), session, instead)
        return bool(await _SESSION.run(self._request, bucket_of(user), *arguments, write=True))

    async def known(self, users: Collection[str]) -> dict[str, Account]:
        """The accounts of those of these users who have one."""
        asked, known = sorted(users), dict[str, Account]()
        for start in range(0, len(asked), AT_ONCE):
            part = asked[start : start + AT_ONCE]
            found = zip(part, await asyncio.gather(*map(self.read, part)), strict=True)
            known |= {user: each for user, each in found if each is not None}
        return known

    async def gone(self, users: Collection[str]) -> set[str]:
        """Those of these users who have deleted their accounts."""
        return deleted_of(await self.known(users))

    async def owner(self, folded: str) -> str | None:
        """The user who has claimed a name; None if nobody has."""
        kept = await self._request(bucket_of(folded), "GET", name_key(folded), write=False)
        return None if kept is None else str(kept.decode().partition(" ")[0])

    async def claim(self, folded: str, user: str, instead_of: str = "") -> str:
        """Claim a name for a user, unless it belongs to another. Returns the owner after that. A
        claim of the user `instead_of` is taken over if it is `CLAIMED_MS` old."""
        owner = await self._run(folded, "claim", user, instead_of, CLAIMED_MS, NAME_MS)
        return str(owner.decode())

    async def release(self, folded: str, user: str, reserve: int = 0) -> None:
        """Give up a user's claim to a name. It ends after `reserve` milliseconds, or when it would
        have ended anyway."""
        await self._run(folded, "release", user, "", 0, reserve)

    async def _run(self, folded: str, *arguments: str | int) -> Any:
        return await _NAME.run(
            self._request, bucket_of(folded), 1, name_key(folded), *arguments, write=True
        )


_NAME = Script("claim_name.lua")
_BOT = Script("mark_bot.lua")
_SESSION = Script("begin_session.lua")
