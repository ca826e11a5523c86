"""What a store of an earlier format needs once, before it is served in ours."""

from __future__ import annotations

import msgspec

from pierule_server.identity.lookalikes import fold
from pierule_server.store.driver.topology import Topology
from pierule_server.store.tables.accounts import RedisAccounts


async def index_names(topology: Topology) -> None:
    """Index the names that an earlier release has registered by what they look like. May be
    repeated; of two that look alike the one that is found first owns the name."""
    accounts = RedisAccounts(topology.request)
    for primary in topology.primaries:
        cursor = b"0"
        while True:
            cursor, keys = await primary.ask("SCAN", cursor, "MATCH", "{*}name:*", "COUNT", 1_000)
            for key in keys:
                await _index(accounts, key.decode().partition("}name:")[2])
            if cursor == b"0":
                break


async def _index(accounts: RedisAccounts, folded: str) -> None:
    owner = await accounts.owner(folded)
    known = None if owner is None else await accounts.read(owner)
    if owner is None or known is None or known.folded != folded:
        return
    found = fold(known.name)
    if found != folded and await accounts.claim(found, owner) == owner:
        await accounts.keep(owner, msgspec.structs.replace(known, folded=found))
        await accounts.release(folded, owner)
