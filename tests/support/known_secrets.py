"""The secrets of tests, which are always the same, so that proofs are, too."""

from __future__ import annotations

from pierule_server.store.tables.secrets import IDS, ROOMS, Secrets

SECRETS = {ROOMS: "r" * 64, IDS: "i" * 64, "1": "p" * 64}
"""As the store keeps them."""


class KnownSecrets(Secrets):
    """Secrets as last read from a store that is not there."""

    def __init__(self) -> None:
        super().__init__(_refuse)
        self._take(dict(SECRETS))


async def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("these secrets have no store")
