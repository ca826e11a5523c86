"""`block_lists` of a store in memory: see `pierule_server.store.tables.block_lists`."""

from __future__ import annotations

from collections import defaultdict

from pierule_protocol.messages import BlockLevel


class MemoryBlockLists:
    """Block lists in the memory of one process."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, dict[str, BlockLevel]] = defaultdict(dict)

    async def put(self, user: str, other: str, level: BlockLevel | None, most: int) -> bool:
        kept = self._kept[user]
        if level is None:
            kept.pop(other, None)
        elif other not in kept and len(kept) >= most:
            return False
        else:
            kept[other] = level
        return True

    async def read(self, user: str) -> dict[str, BlockLevel]:
        return dict(self._kept[user])
