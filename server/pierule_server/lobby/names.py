"""Registered names: each belongs to one user, who can come back with a recovery code (SPEC 24).

Guests may have any name that nobody has registered.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import unicodedata
from base64 import b32encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import scrypt

from pierule_protocol import house_bots
from pierule_protocol.codes import Code
from pierule_protocol.messages import AccountState, DeleteAccount, Ok, Register
from pierule_server.connections.limits import TokenBuckets
from pierule_server.identity.lookalikes import fold, letters
from pierule_server.identity.tokens import User
from pierule_server.lobby.sessions import Sessions, is_valid, next_session
from pierule_server.rooms.decisions.decide import Refused, too_soon
from pierule_server.store.tables.accounts import RESERVED_MS, UNUSED_MS, Account, Accounts, nameless

_FORM = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,23}")

RESERVED = frozenset(
    letters(name)
    for name in ("admin", "administrator", "moderator", "operator", "pierule", "server", "staff",
                 "support", "system")
)  # fmt: skip
"""The letters of names that nobody may have, because others would think the user is an operator.
No sign makes them different: `Server.` and `-admin-` are taken, too."""

HOUSE_BOTS = frozenset(map(letters, house_bots.NAMES.values()))
"""The letters of names that only house bots may have, because others would think they play one."""

FORMER = 3
"""The most names that stay reserved for a user who has changed them."""

HASH_COST = 2**14
HASHES_AT_ONCE = 2
"""Codes to hash in parallel. At `HASH_COST`, each takes 16 MiB and about 50 ms of a core. At
another cost, codes that were hashed before are not found."""

HASHES_WAITING = 8
HASHES_RETRY = 2_000
"""At most `HASHES_WAITING` codes may wait for a hash, so none waits long. Clients with further ones
are told to try again after `HASHES_RETRY` ms."""

TRIES_AT_ONCE = 5
TRY_AGAIN = 30.0
"""Codes that one address may try for one name in a burst, and seconds until its next try. Its
budget (`gateway.budget`) bounds its tries for all names, and the waiting hashes bound those of all
addresses. There is no bound per name alone: strangers would use it up, and the owner could not come
back. A code has 100 bits, which nobody guesses."""


class Names:
    """The accounts of users. `secret()` gives the key from which recovery codes are derived, the
    same at every node; `sign(user)` gives a token."""

    def __init__(
        self,
        accounts: Accounts,
        sessions: Sessions,
        secret: Callable[[], bytes],
        sign: Callable[[User], str],
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._secret = secret
        self._sign = sign
        self._hashing = asyncio.Semaphore(HASHES_AT_ONCE)
        self._hashes = 0
        self._tried = TokenBuckets(1 / TRY_AGAIN, TRIES_AT_ONCE)

    async def register(self, user: User, request: Register) -> tuple[User, Ok]:
        """Register a name for the user, or change the registered name. Returns the user under the
        new name, and the answer. Raises Refused and StoreUnavailable."""
        name = _proper(request.name)
        folded, known = fold(name), await self._accounts.read(user.id)
        if known is not None and known.deleted:
            raise Refused(Code.NO_ACCOUNT)
        _check_session(user, known)
        if known is None or known.nonce != request.nonce:
            self._check_queue()  # a refusal after the claim would keep the name from others
        await self._claim(folded, user.id)
        code, former = self._code(user.id, request.nonce), _others(known, folded)
        if known is None or known.nonce != request.nonce:
            hashed = await self._hash(user.id, code)
            bot = user.bot or (known is not None and known.bot)
            account = Account(
                name, folded, hashed, request.nonce, born=user.born, bot=bot,
                former=" ".join(former[:FORMER]), session=await self._session(user),
            )  # fmt: skip
            await self._accounts.keep(user.id, account, UNUSED_MS if known is None else None)
            await self._accounts.renew(user.id, folded)
        elif known.name != name:
            raise Refused(
                Code.BAD_FIELD, "this nonce registered another name; take a fresh one",
                field="nonce",
            )  # fmt: skip
        for number, each in enumerate(former):
            await self._accounts.release(each, user.id, RESERVED_MS if number < FORMER else 0)
        renewed = known is not None and known.name == name
        user = replace(user, name=name)
        token = self._sign(next_session(user) if renewed else user)
        return user, Ok(id=request.id, account=AccountState(name=name, recovery=code, token=token))

    async def _session(self, user: User) -> str:
        """The session of the user's account, which may have changed while the code was hashed.
        Raises Refused if the user's own session has ended, and StoreUnavailable."""
        known = await self._accounts.read(user.id)
        _check_session(user, known)
        return user.session if known is None else known.session

    async def delete_account(self, user: User, request: DeleteAccount, heir: str = "") -> Ok:
        """Delete the account. From now on nobody can be this user; a user of an identity provider
        becomes the user `heir`. Raises Refused and StoreUnavailable."""
        known = await self._accounts.read(user.id)
        if known is None and not heir:
            raise Refused(Code.NO_ACCOUNT)
        _check_session(user, known)
        if known is None or not known.deleted:
            await self._accounts.keep(user.id, Account(heir=heir))
        if known is not None and known.folded:
            for each in (known.folded, *known.former.split()):
                await self._accounts.release(each, user.id)
        return Ok(id=request.id)

    async def heirs(self, user: str) -> list[str]:
        """A user's ids, in order: each deletion of the account leads to the next id, and the last
        one is in use. Once the names of all earlier ids are forgotten, the chain becomes shorter.
        Raises StoreUnavailable."""
        ids, accounts = [user], list[Account]()
        while (known := await self._accounts.read(ids[-1])) is not None and known.heir:
            ids.append(known.heir)
            accounts.append(known)
        if len(accounts) > 1 and all(each.forgotten for each in accounts):
            await self._accounts.keep(user, Account(forgotten=True, heir=ids[-1]))
        return ids

    async def is_forgotten(self, user: str) -> bool:
        """Whether the name of a deleted account is removed everywhere. Raises StoreUnavailable."""
        known = await self._accounts.read(user)
        return known is None or known.forgotten

    async def note_forgotten(self, user: str) -> None:
        """Note that a deleted account's name is removed everywhere. Raises StoreUnavailable."""
        known = await self._accounts.read(user)
        heir = known.heir if known is not None else ""
        await self._accounts.keep(user, Account(forgotten=True, heir=heir))

    async def recover(
        self, name: str, code: str, address: str | None = None, bot: bool = False
    ) -> User | None:
        """The user who registered `name`, if this is their recovery code; otherwise None. With
        `bot`, the user is a bot from now on. Raises Refused if the address tries too often, and
        StoreUnavailable."""
        now = asyncio.get_running_loop().time()
        bucket = self._tried.bucket(f"{address} {fold(name)}", 1, now)
        if wait := bucket.wait(now):
            raise too_soon(wait)
        self._check_queue()
        bucket.take()
        owner = await owner_of(self._accounts, name)
        known = None if owner is None else await self._accounts.read(owner)
        # Hash even if there is no such name: the time must not reveal whether it exists.
        hashed = await self._hash(owner or "", code.strip().upper())
        if owner is None or known is None:
            return None
        if not hmac.compare_digest(hashed, known.code):
            return None
        user = User(owner, known.name, bot, born=known.born, session=known.session)
        return await self._as_known(user, known)

    async def admit(self, user: User, asked: str | None) -> User | None:
        """The user under their current name; None if the account is deleted. `asked` is the name
        that the user asks for, if any. A registered user who is a bot stays one. If the user's
        token ends their other sessions, it does so now. Raises Refused, BadToken if its session has
        ended, and StoreUnavailable."""
        known = await self._accounts.read(user.id)
        if known is not None and known.deleted:
            return None
        if known is not None:
            if asked not in (None, known.name):
                raise Refused(
                    Code.BAD_FIELD,
                    f"you are registered as {known.name}; to change that, use `register`",
                    field="name",
                )  # fmt: skip
            await self._sessions.check(user, known)
            return await self._as_known(user, known)
        owner = await owner_of(self._accounts, user.name)
        if owner in (None, user.id) and not is_kept(user.name, house=user.house):
            return user
        if asked is not None:
            raise Refused(Code.NAME_TAKEN, field="name")
        return replace(user, name=nameless(user.id))

    async def check_session(self, user: User) -> None:
        """Raise Refused if the user has no account, or if the user's session has ended. Raises
        StoreUnavailable."""
        _check_session(user, await self._account(user))

    async def end_sessions(self, user: User) -> None:
        """End all sessions of the user but this one. Raises Refused without an account, BadToken if
        this session has ended, and StoreUnavailable."""
        await self._sessions.check(user, await self._account(user))

    async def _account(self, user: User) -> Account:
        known = await self._accounts.read(user.id)
        if known is None or known.deleted:
            raise Refused(Code.NO_ACCOUNT)
        return known

    async def _as_known(self, user: User, known: Account) -> User:
        """The user with the name of the account. Whoever is a bot, by the account or by this
        `hello`, stays one with every token and code (SPEC 16.8)."""
        await self._accounts.renew(user.id, known.folded)
        if user.bot and not known.bot:
            await self._accounts.mark_bot(user.id)
        return replace(user, name=known.name, bot=user.bot or known.bot)

    async def _claim(self, folded: str, user: str) -> None:
        owner = await self._accounts.claim(folded, user)
        if owner == user:
            return
        other = await self._accounts.read(owner)
        if other is not None and other.folded != folded and other.has(folded):
            raise Refused(
                Code.NAME_TAKEN,
                "this name is reserved for a user who had it until lately; choose another",
                field="name",
            )
        if other is not None and other.folded == folded:
            raise Refused(Code.NAME_TAKEN, field="name")
        if await self._accounts.claim(folded, user, instead_of=owner) != user:
            raise Refused(Code.NAME_TAKEN, field="name")

    def _code(self, user: str, nonce: str) -> str:
        """A recovery code of 20 characters, 100 bits. A retry gives the same code, so nobody keeps
        it."""
        digest = hmac.digest(self._secret(), f"recovery {user} {nonce}".encode(), "sha256")
        text = b32encode(digest).decode()[:20]
        return "-".join(text[at : at + 5] for at in range(0, 20, 5))

    def _check_queue(self) -> None:
        if self._hashes >= HASHES_AT_ONCE + HASHES_WAITING:
            raise Refused(Code.RATE, retry_ms=HASHES_RETRY)

    async def _hash(self, user: str, code: str) -> str:
        self._check_queue()
        self._hashes += 1
        try:
            async with self._hashing:
                hashed = await asyncio.to_thread(
                    scrypt, code.encode(), salt=user.encode(), n=HASH_COST, r=8, p=1
                )
        finally:
            self._hashes -= 1
        return hashed.hex()


def _proper(name: str) -> str:
    """A name that may be registered, in form NFKC. Raises Refused."""
    name = unicodedata.normalize("NFKC", name)
    if not _FORM.fullmatch(name):
        raise Refused(
            Code.BAD_FIELD,
            "a registered name must have 2 to 24 letters a to z, digits, - or _, and begin "
            "with a letter",
            field="name",
        )
    if is_kept(name):
        raise Refused(Code.NAME_TAKEN, field="name")
    return name


def is_kept(name: str, *, house: bool = False) -> bool:
    """Whether a name is kept from this user, whoever has registered it: it looks like an operator's
    or, unless the user is a house bot, like a house bot's."""
    return letters(name) in RESERVED or (not house and letters(name) in HOUSE_BOTS)


def _check_session(user: User, account: Account | None) -> None:
    """Raise Refused if the user's session has ended, though its connection is still open."""
    if account is not None and not account.deleted and not is_valid(user, account):
        raise Refused(Code.BAD_TOKEN)


def _others(known: Account | None, folded: str) -> list[str]:
    """The names that a user has or had, besides this one; the latest first."""
    had = [] if known is None else [known.folded, *known.former.split()]
    return [each for each in had if each not in ("", folded)]


async def owner_of(accounts: Accounts, name: str) -> str | None:
    """The id of a name's owner: the user who has it, or for whom it is reserved. None if it has no
    owner. Raises StoreUnavailable."""
    folded = fold(name)
    owner = await accounts.owner(folded)
    known = None if owner is None else await accounts.read(owner)
    return owner if known is not None and known.has(folded) else None
