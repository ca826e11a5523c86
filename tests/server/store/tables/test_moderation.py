"""What operators do is written down as it is done; what users report has bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import msgspec
import pytest
import pytest_asyncio

from pierule_protocol.messages import ChatMessage
from pierule_server.identity.bans import Ban
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables import moderation as module
from pierule_server.store.tables.moderation import (
    AuditAction,
    AuditEntry,
    MessageReport,
    Moderation,
    about,
)
from support import stores
from support.listening import RecordingListener


@pytest_asyncio.fixture(params=["valkey", "cluster", *stores.OTHERS])
async def acts(request: pytest.FixtureRequest) -> AsyncIterator[Moderation]:
    server = cast("stores.Server | stores.Cluster", request.getfixturevalue(request.param))
    log = await RedisRoomLog.open(server.url, RecordingListener())
    for name in await log.tables.moderation.bans():
        await log.tables.moderation.unban(act("unban", name))
    for name in await log.tables.moderation.reports():
        await log.tables.moderation.settle(act("settle", name))
    yield log.tables.moderation
    await log.close()


def act(action: AuditAction, to: str, why: str = "because", until: int | None = None) -> AuditEntry:
    return AuditEntry(by="olga", action=action, to=to, why=why, until=until)


def report(by: str = "anna", seq: int = 1, room: str = "room") -> MessageReport:
    line = ChatMessage(seq=seq, at=1, user="eve", name="Eve", text="é")
    return MessageReport(
        by=by, name="Anna", room=room, channel="players", message=line, context=[line], text="rude"
    )


async def newest(acts: Moderation) -> int:
    return max((each.seq for each in await acts.latest(1)), default=0)


async def test_the_audit_numbers_acts_in_order(acts: Moderation) -> None:
    before = await newest(acts)
    await asyncio.gather(*(acts.note(act("announce", "all", f"{n}")) for n in range(10)))
    found = await acts.since(before)
    assert [each.seq for each in found] == list(range(before + 1, before + 11))
    assert {each.why for each in found} == {str(n) for n in range(10)}
    assert [each.at for each in found] == sorted(each.at for each in found)
    assert abs(found[-1].at - await acts.now()) < 60_000
    assert await acts.latest(3) == found[-3:]
    assert await acts.since(before, 2) == found[:2]


async def test_a_ban_stands_in_the_audit_log(acts: Moderation) -> None:
    before = await newest(acts)
    await acts.ban(act("ban", "eve", until=7), 7)
    await acts.ban(act("ban", "eve", "again", until=9), 9)
    assert await acts.bans() == {"eve": Ban(9, "again")}
    assert await acts.unban(act("unban", "eve"))
    assert await acts.bans() == {}
    assert not await acts.unban(act("unban", "eve"))  # and what is not done is not written down
    assert [each.action for each in await acts.since(before)] == ["ban", "ban", "unban"]


async def test_bans_are_bounded_and_expired_ones_make_room(
    acts: Moderation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 10."""
    monkeypatch.setattr(module, "BANS", 2)
    before, now = await newest(acts), await acts.now()
    ends = {"over": now - 1, "holds": now + 60_000, "next": now + 60_000, "full": now + 60_000}
    done = {who: await acts.ban(act("ban", who, until=until), until) for who, until in ends.items()}
    assert done == {"over": True, "holds": True, "next": True, "full": False}
    assert set(await acts.bans()) == {"holds", "next"}
    assert [each.to for each in await acts.since(before)] == ["over", "holds", "next"]
    assert await acts.ban(act("ban", "holds", "again", until=now), now)  # it has its place
    assert await acts.ban(act("ban", "full", until=now), now)
    assert set(await acts.bans()) == {"next", "full"}


async def test_the_oldest_acts_are_dropped_from_the_audit(
    acts: Moderation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 10: to a few more than are to be kept; numbers stay, and reading goes on."""
    monkeypatch.setattr(module, "ACTS", 50)
    before = await newest(acts)
    for number in range(400):
        await acts.note(act("announce", "all", f"{number}"))
    kept = await acts.latest(1_000)
    assert 50 <= len(kept) < 300
    assert kept[-1].seq == before + 400
    assert (await acts.since(before))[-50:] == kept[-50:]


async def test_reports_wait_until_they_are_settled(acts: Moderation) -> None:
    assert await acts.report(report())
    assert await acts.report(report(by="bert", seq=2))
    for _ in range(9):  # those of the same message are counted
        assert await acts.report(report(by="bert"))
    name, other = about(report()), about(report(seq=2))
    reports = {name: msgspec.structs.replace(report(), count=10), other: report("bert", 2)}
    assert await acts.reports() == reports
    before = await newest(acts)
    assert await acts.settle(act("settle", name))
    assert not await acts.settle(act("settle", name))
    assert list(await acts.reports()) == [other]
    assert [each.to for each in await acts.since(before)] == [name]


async def test_reports_are_bounded_per_room_and_in_all(
    acts: Moderation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 10: of one room, and of all."""
    monkeypatch.setattr(module, "REPORTS_ROOM", 2)
    monkeypatch.setattr(module, "REPORTS_ALL", 4)
    for room in ("room", "roomier"):
        taken = [await acts.report(report(f"u{n}", n, room)) for n in (1, 2, 3)]
        assert taken == [True, True, False]
    assert not await acts.report(report("carl", room="another"))
    assert await acts.report(report(seq=2))
    assert len(await acts.reports()) == 4
