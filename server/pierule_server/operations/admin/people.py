"""Tells ids of users, which operators ban, from names, which operators see."""

from __future__ import annotations

import re

from pierule_protocol.codes import Code
from pierule_server.identity.addresses import address_name
from pierule_server.lobby.names import owner_of
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.accounts import Accounts

WHERE = "`rooms show`, `reports show` and the log have it"

_ID = re.compile(r"[0-9a-f]{16}|p[0-9a-f]{24}|house-.*")
"""The id of a guest or a registered user, of a user of an identity provider, or of a house bot. A
name may look like one, but must not protect whoever has that id."""


def named(who: str) -> str:
    """The name under which a user or an address is banned. Raises ValueError for a wrong
    address."""
    return address_name(who) if "." in who or ":" in who else who


async def check_id(accounts: Accounts, who: str) -> None:
    """Check that this is not a name: a ban of it would reach nobody, and look as if it did. Raises
    Refused and StoreUnavailable."""
    if _ID.fullmatch(who):
        return
    if who.startswith("guest-"):
        raise Refused(Code.BAD_FIELD, f"{who} is a guest's name; give their id: {WHERE}")
    owner = await owner_of(accounts, who)
    if owner is not None:
        raise Refused(Code.BAD_FIELD, f"{who} is a name; the id of the user who has it is {owner}")
