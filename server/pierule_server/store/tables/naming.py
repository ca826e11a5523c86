"""The names that a log keeps beside its records, and what is left of those of deleted accounts.

A name is forgotten where a log is read: the log stays as it is, and no reader sees it again.
"""

from __future__ import annotations

import msgspec

from pierule_protocol.log.events import Entry
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Accounts, nameless

_names = msgspec.json.Decoder(dict[str, str])


def encode_names(names: dict[str, str]) -> bytes:
    """As the store keeps them; nothing if there are none."""
    return msgspec.json.encode(names) if names else b""


def decode_names(text: bytes) -> dict[str, str]:
    """What `encode_names` has written."""
    return _names.decode(text) if text else {}


async def _gone(accounts: Accounts, users: set[str]) -> set[str]:
    """Who of these is not to be called by name: also those of whom that part of the store cannot be
    asked which keeps their accounts. Their rooms are kept elsewhere, and go on."""
    try:
        return await accounts.gone(users)
    except StoreUnavailable:
        return {user for user in users if not await _stays(accounts, user)}


async def _stays(accounts: Accounts, user: str) -> bool:
    try:
        return not await accounts.gone({user})
    except StoreUnavailable:
        return False


async def forgotten(accounts: Accounts, entries: list[Entry]) -> list[Entry]:
    """The entries without the names of users who have deleted their accounts."""
    gone = await _gone(accounts, {user for entry in entries for user in entry.names})
    if not gone:
        return entries
    return [
        msgspec.structs.replace(entry, names={
            user: nameless(user) if user in gone else name for user, name in entry.names.items()
        }) if entry.names.keys() & gone else entry
        for entry in entries
    ]  # fmt: skip
