"""Your account: your name, your block list, your webhook, and what the server stores about you."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

from msgspec.structs import replace

from pierule.errors import BadReply, PieruleError
from pierule.listing import download_account
from pierule.room import new_nonce
from pierule.session import Session
from pierule_protocol.messages import (
    AccountState,
    Block,
    BlockLevel,
    DeleteAccount,
    EndSessions,
    Ok,
    Register,
    SetWebhook,
)


def _block_list(ok: Ok) -> dict[str, BlockLevel]:
    return {each.user: each.level for each in ok.block_list or []}


class Account:
    """What a client can ask about its own user."""

    _session: Session

    async def register(self, name: str) -> AccountState:
        """Register a name that nobody else can have, or change it. The answer has a `recovery`
        code, which the server shows only once: with it, you are this user on any device. A new code
        for the same name also ends all your other sessions, as `end_sessions` does. Raises Refused
        (`name_taken`)."""
        ok = await self._session.request(Register(id=0, nonce=new_nonce(), name=name))
        if ok.account is None:
            raise BadReply("the answer to register has no account")
        told = self._session.welcome
        self._session.welcome = replace(told, name=ok.account.name, token=ok.account.token)
        if told.name == name and "sessions" in told.features:
            with suppress(PieruleError):  # then the next connection ends them (SPEC 24.12)
                await self._end_sessions(ok.account.token)
        return ok.account

    async def end_sessions(self) -> None:
        """Sign out everywhere else: all tokens that you have had become invalid, and connections of
        other clients as this user end. `client.token` changes. Keep it, also if this raises an
        error. Raises Refused (`no_account` for guests)."""
        ok = await self._session.request(EndSessions(id=0))
        if ok.token is None:
            raise BadReply("the answer to end_sessions has no token")
        await self._end_sessions(ok.token)

    async def _end_sessions(self, token: str) -> None:
        """Keep the token before it ends the session of the old one."""
        self._session.welcome = replace(self._session.welcome, token=token)
        ok = await self._session.request(EndSessions(id=0, token=token))
        self._session.welcome = replace(self._session.welcome, token=ok.token or token)

    async def delete_account(self) -> None:
        """Delete your account. Nobody can be this user any more. Raises Refused."""
        await self._session.request(DeleteAccount(id=0))

    async def download_account(self) -> AsyncIterator[str]:
        """Everything that the server stores about you: lines of JSON text (SPEC 24.11). Raises
        Refused."""
        async for line in download_account(self._session):
            yield line

    async def set_webhook(self, url: str | None) -> str | None:
        """Ask the server to call a URL when you are to act in a slow game and are not connected;
        None: stop. Returns the secret that signs the calls; the server shows it only once. Raises
        Refused (`no_account` for guests)."""
        return (await self._session.request(SetWebhook(id=0, nonce=new_nonce(), url=url))).secret

    async def block(self, user: str, how: BlockLevel | None) -> dict[str, BlockLevel]:
        """Hide a user's chat (`mute`), also never play with them (`block`), or undo both (None).
        Returns the block list, by user id."""
        return _block_list(await self._session.request(Block(id=0, user=user, level=how)))

    async def block_list(self) -> dict[str, BlockLevel]:
        """All users that you mute or block, by id."""
        return _block_list(await self._session.request(Block(id=0)))
