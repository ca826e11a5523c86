"""Who calls a webhook, and how often: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets

import pytest

from pierule_server.store.tables import webhooks
from pierule_server.store.tables.webhooks import FAILURES, TRIES, Call, Webhook
from support.backend import Backend

LONG = 60_000
HOOK = Webhook("https://example.org/a b", "n", "k1")


@pytest.fixture
def user() -> str:
    return secrets.token_hex(8)


async def due(kept: webhooks.Webhooks, user: str) -> list[str]:
    return [call.name for call in await kept.due() if call.user == user]


async def comes(kept: webhooks.Webhooks, user: str) -> None:
    """Until something is due, by the store's time."""
    async with asyncio.timeout(60):
        while True:
            if await due(kept, user):
                return
            await asyncio.sleep(0.005)


async def test_each_user_has_at_most_one_webhook(backend: Backend, user: str) -> None:
    one, other = [(await backend.log()).tables.webhooks for _ in range(2)]
    assert await one.read(user) is None
    await one.keep(user, HOOK)
    assert await other.read(user) == HOOK
    later = Webhook("https://example.org/", "m", "k2")
    await other.keep(user, later)
    assert await one.read(user) == later
    await one.keep(user, None)
    assert await other.read(user) is None


async def test_a_note_calls_the_webhook_of_its_user_once(backend: Backend, user: str) -> None:
    log = await backend.log()
    await log.tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)
    await log.tables.webhooks.keep(user, HOOK)
    await log.tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)  # there already
    await log.tables.inboxes.put(user, "turn:r:2", "x", LONG)
    await log.tables.inboxes.put(user, "turn:r:3", "x", LONG, call=LONG)
    await log.tables.inboxes.put(user, "turn:r:4", "x", LONG, call=1)
    await comes(log.tables.webhooks, user)
    assert await due(log.tables.webhooks, user) == ["turn:r:4"]
    assert await log.tables.webhooks.claim(Call(user, "turn:r:3")) is None


async def test_a_user_with_many_calls_is_named_once(backend: Backend, user: str) -> None:
    log, other = await backend.log(), secrets.token_hex(8)
    names = [f"turn:r:{number}" for number in range(3)]
    for each in (user, other):
        await log.tables.webhooks.keep(each, HOOK)
    for name in names:
        await log.tables.inboxes.put(user, name, "x", LONG, call=1)
    await log.tables.inboxes.put(other, "turn:r:0", "x", LONG, call=5)
    await comes(log.tables.webhooks, other)  # so all of them are due
    for name in names:
        assert await due(log.tables.webhooks, user) == [name]
        await log.tables.webhooks.settle(Call(user, name), "made", "n")
    assert await due(log.tables.webhooks, user) == []


async def test_one_node_leases_a_call(backend: Backend, user: str) -> None:
    logs = [await backend.log() for _ in range(3)]
    await logs[0].tables.webhooks.keep(user, HOOK)
    await logs[0].tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)
    call = Call(user, "turn:r:1")
    await comes(logs[0].tables.webhooks, user)
    claims = await asyncio.gather(*(log.tables.webhooks.claim(call) for log in logs * 4))
    assert [claim.webhook for claim in claims if claim] == [HOOK]
    assert await due(logs[1].tables.webhooks, user) == []  # until it is to be tried again
    await logs[2].tables.webhooks.settle(call, "made", "n")
    assert await logs[1].tables.webhooks.claim(call) is None


async def test_an_unsettled_call_is_retried_a_bounded_number_of_times(
    backend: Backend, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "WAIT_MS", 1)
    kept = (await backend.log()).tables.webhooks
    await kept.keep(user, HOOK)
    await (await backend.log()).tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)
    call = Call(user, "turn:r:1")
    for number in range(1, TRIES + 1):
        await comes(kept, user)
        claimed = await kept.claim(call)
        assert claimed is not None
        assert claimed.tries == number
    await comes(kept, user)
    assert await kept.claim(call) is None
    assert await due(kept, user) == []


async def test_a_notified_user_is_not_called(backend: Backend, user: str) -> None:
    log = await backend.log()
    await log.tables.webhooks.keep(user, HOOK)
    await log.tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)
    await log.tables.webhooks.settle(Call(user, "turn:r:1"), "moot")
    await log.tables.inboxes.put(user, "turn:r:2", "x", LONG, call=1)
    await comes(log.tables.webhooks, user)
    assert await due(log.tables.webhooks, user) == ["turn:r:2"]


async def test_failures_in_a_row_remove_a_webhook(backend: Backend, user: str) -> None:
    kept = (await backend.log()).tables.webhooks
    await kept.keep(user, HOOK)
    ends = ["failed"] * (FAILURES - 1) + ["made"] + ["failed"] * (FAILURES - 1) + ["moot"]
    for number, end in enumerate(ends):
        assert not await kept.settle(Call(user, f"turn:r:{number}"), end, "n")  # type: ignore[arg-type]
    assert not await kept.settle(Call(user, "turn:r:x"), "failed", "of an earlier one")
    assert await kept.read(user) == HOOK
    assert await kept.settle(Call(user, "turn:r:y"), "failed", "n")
    assert await kept.read(user) is None
    assert not await kept.settle(Call(user, "turn:r:z"), "failed", "n")
    await kept.keep(user, HOOK)
    assert not await kept.settle(Call(user, "turn:r:y"), "failed", "n")  # it counts anew


async def test_a_removed_webhook_is_not_called(backend: Backend, user: str) -> None:
    log = await backend.log()
    await log.tables.webhooks.keep(user, HOOK)
    await log.tables.inboxes.put(user, "turn:r:1", "x", LONG, call=1)
    await comes(log.tables.webhooks, user)
    await log.tables.webhooks.keep(user, None)
    assert await log.tables.webhooks.claim(Call(user, "turn:r:1")) is None
    assert await due(log.tables.webhooks, user) == []
    assert await log.tables.webhooks.read(user) is None
