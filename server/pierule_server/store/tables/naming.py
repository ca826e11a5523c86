"""The names that a log keeps beside its records, without those of deleted accounts.

A node removes such a name whenever it reads a log. The log itself stays as it is, but nobody sees
the name again.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pierule_protocol.log.events import Entry
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Accounts, nameless

_names = msgspec.json.Decoder(dict[str, str])


def encode_names(names: dict[str, str]) -> bytes:
    """Names in the form in which the store keeps them; empty if there are none."""
    return msgspec.json.encode(names) if names else b""


def decode_names(text: bytes) -> dict[str, str]:
    """Names from the form of `encode_names`."""
    return _names.decode(text) if text else {}


async def _gone(accounts: Accounts, users: set[str], unsure: Callable[[], None]) -> set[str]:
    """Those of these users whose names must not be shown: they have deleted their accounts, or the
    part of the store with their accounts is away. Their rooms may be in another part, and go on."""
    try:
        return await accounts.gone(users)
    except StoreUnavailable:
        return {user for user in users if not await _stays(accounts, user, unsure)}


async def _stays(accounts: Accounts, user: str, unsure: Callable[[], None]) -> bool:
    try:
        return not await accounts.gone({user})
    except StoreUnavailable:
        unsure()
        return False


def _nothing() -> None:
    """What to do about names that are away, if the room does not stay in memory."""


async def forgotten(
    accounts: Accounts, entries: list[Entry], unsure: Callable[[], None] = _nothing
) -> list[Entry]:
    """The entries without the names of users who have deleted their accounts. If the store does not
    answer, this hides all names that it is not sure of, and calls `unsure`."""
    gone = await _gone(accounts, {user for entry in entries for user in entry.names}, unsure)
    if not gone:
        return entries
    return [
        msgspec.structs.replace(entry, names={
            user: nameless(user) if user in gone else name for user, name in entry.names.items()
        }) if entry.names.keys() & gone else entry
        for entry in entries
    ]  # fmt: skip
