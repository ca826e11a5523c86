"""`shuns` of a store in memory: see `pierule_server.store.tables.shuns`."""

from __future__ import annotations

from collections import defaultdict

from pierule_protocol.messages import Distance


class MemoryShuns:
    """In the memory of one process."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, dict[str, Distance]] = defaultdict(dict)

    async def shun(self, user: str, other: str, how: Distance | None, most: int) -> bool:
        kept = self._kept[user]
        if how is None:
            kept.pop(other, None)
        elif other not in kept and len(kept) >= most:
            return False
        else:
            kept[other] = how
        return True

    async def shunned(self, user: str) -> dict[str, Distance]:
        return dict(self._kept[user])
