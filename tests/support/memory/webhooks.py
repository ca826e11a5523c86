"""`webhooks` of a store in memory: see `pierule_server.store.tables.webhooks`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pierule_server.store.tables import webhooks as real
from pierule_server.store.tables.webhooks import Call, Claimed, End, Webhook


class MemoryWebhooks:
    """Webhooks in the memory of one process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._webhooks: dict[str, Webhook] = {}
        self._failures: Counter[str] = Counter()
        self._tries: Counter[Call] = Counter()
        self._calls: dict[Call, int] = {}

    def call(self, user: str, name: str, at: int) -> None:
        """Queue a call of the user's webhook, if there is one."""
        if user in self._webhooks:
            self._calls[Call(user, name)] = at

    async def read(self, user: str) -> Webhook | None:
        return self._webhooks.get(user)

    async def keep(self, user: str, webhook: Webhook | None) -> None:
        self._webhooks.pop(user, None)
        self._failures[user] = 0
        for call in [call for call in self._tries if call.user == user]:
            del self._tries[call]
        if webhook is not None:
            self._webhooks[user] = webhook

    async def due(self) -> list[Call]:
        now = self._clock()
        due = sorted((at, call) for call, at in self._calls.items() if at <= now)
        first: dict[str, Call] = {}
        for _, call in due:
            first.setdefault(call.user, call)
        return list(first.values())

    async def claim(self, call: Call) -> Claimed | None:
        if self._calls.get(call, self._clock() + 1) > self._clock():
            return None
        webhook, tries = self._webhooks.get(call.user), self._tries[call] + 1
        if webhook is None or tries > real.TRIES:
            self._forget(call)
            return None
        self._tries[call] = tries
        self._calls[call] = self._clock() + real.WAIT_MS * 4 ** (tries - 1)
        return Claimed(webhook, tries)

    async def settle(self, call: Call, end: End, nonce: str = "") -> bool:
        self._forget(call)
        webhook = self._webhooks.get(call.user)
        if webhook is None or webhook.nonce != nonce:
            return False
        if end == "made":
            self._failures[call.user] = 0
        self._failures[call.user] += end == "failed"
        if self._failures[call.user] < real.FAILURES:
            return False
        await self.keep(call.user, None)
        return True

    def _forget(self, call: Call) -> None:
        self._calls.pop(call, None)
        self._tries.pop(call, None)
