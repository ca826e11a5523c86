"""Ends the sessions of a user, on all nodes (SPEC 24.12).

The account names the one session whose tokens are valid. A token of the next session names the
session that it ends, and ends it when it is used. So the client has that token before its old one
becomes invalid, and a lost answer shuts nobody out. If an ended session still has such a token, it
names a session that is over, and is worth nothing.

A note tells all nodes which session has ended, so that they close its connections. It comes before
the account changes: if a node dies in between, those connections come back, and the next use of the
token ends the session.
"""

from __future__ import annotations

from dataclasses import replace

from pierule_protocol import world
from pierule_server.connections.connection import Connection
from pierule_server.identity.tokens import BadToken, User
from pierule_server.store.tables.accounts import Account, Accounts
from pierule_server.store.tables.inboxes import Inboxes

ENDED = "ended:"
"""The name of a note begins with this, and goes on with the session that has ended."""

LIFE_MS = 60_000
"""Milliseconds for which the note is kept. A `hello` that was accepted just before the session
ended reads its inbox within that time."""


def next_session(user: User) -> User:
    """The same user in a new session, which ends this one when its token is used."""
    return replace(user, session=world.token_hex(8), instead=user.session)


def is_valid(user: User, account: Account) -> bool:
    """Whether the account accepts the user's token: its session goes on, or the token ends the
    session that goes on now."""
    return account.session in (user.session, user.instead)


def send_away(connection: Connection, ended: str) -> None:
    """Close a connection of a session that has ended. Its client may come back with another
    token."""
    if connection.user is not None and connection.user.session == ended:
        connection.retire()


def check_session(connection: Connection, account: Account) -> None:
    """Close a connection whose session has ended, by the account of its user."""
    user = connection.user
    if user is not None and not account.deleted and not is_valid(user, account):
        connection.retire()


class Sessions:
    """Which sessions of users go on."""

    def __init__(self, accounts: Accounts, inboxes: Inboxes) -> None:
        self._accounts = accounts
        self._inboxes = inboxes

    async def check(self, user: User, account: Account) -> None:
        """If the user's token ends the session that goes on, end it. Raises BadToken if the token
        is not valid any more, and StoreUnavailable."""
        if not is_valid(user, account):
            raise BadToken("its user has signed out on another device")
        if user.session != account.session:
            await self._end(user, account.session)

    async def _end(self, user: User, ended: str) -> None:
        await self._inboxes.put(user.id, ENDED + ended, "", LIFE_MS)
        if not await self._accounts.begin_session(user.id, user.session, ended):
            raise BadToken("its user has signed out on another device")
