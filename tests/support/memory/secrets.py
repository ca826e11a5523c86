"""`secrets` of a store in memory: see `pierule_server.store.tables.secrets`."""

from __future__ import annotations

from pierule_server.store.tables import secrets as real
from pierule_server.store.tables.secrets import Secrets


class MemorySecrets(Secrets):
    """Secrets of tests, which are always the same."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self._kept = {real.ROOMS: "r" * 64, real.IDS: "i" * 64, "1": "p" * 64}
        self._take(dict(self._kept))

    async def _answer(self, _bucket: int, command: str, _key: str, *rest: str, write: bool) -> None:
        assert write
        if command == "HSETNX":
            self._kept.setdefault(*rest)
        else:
            del self._kept[rest[0]]

    async def _fields(self) -> dict[str, str]:
        return dict(self._kept)
