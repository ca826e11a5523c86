"""What operators do, and what waits for them: the acts, the bans, and the reports of users.

An act is written down in the very step that does it, and never changed: that is the audit log. It
is also how nodes learn of it: each reads on from the act that it has seen last. There is little of
all this, so it lies together in bucket 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from pierule_protocol.messages import Channel, ChatMessage
from pierule_server.identity.bans import Ban
from pierule_server.store.buckets import audit_key, bans_key, reports_key
from pierule_server.store.driver.access import Script

AuditAction: TypeAlias = Literal[
    "close", "failed", "quarantine", "release", "ban", "unban", "settle", "announce", "rotate",
    "drop", "give_up",
]  # fmt: skip

REPORTS_ROOM = 20
REPORTS_ALL = 2_000
"""Messages of one room, and all together, that may be reported and not settled: what is beyond,
nobody would read."""


BANS = 10_000
"""Bans that are kept: more would take a node long to learn. Those whose time is over go first."""

SCANNED = 50
"""Reports that are looked through at a time: each may hold some kilobytes."""

ACTS = 100_000
"""Acts that are kept, and a few more: the oldest go."""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator has done: who, what, to whom or what, why; `until` is when a ban ends or
    what is announced happens. `seq` counts all acts, `at` is the store's time; times in ms."""

    by: str
    action: AuditAction
    to: str
    why: str
    until: int | None = None
    seq: int = 0
    at: int = 0


class MessageReport(msgspec.Struct, frozen=True, kw_only=True):
    """A line that a user was the first to report, with those around it, as they were then; `count`
    is how often it was reported."""

    count: int = 1
    by: str
    name: str
    room: str
    channel: Channel
    message: ChatMessage
    context: list[ChatMessage]
    text: str


class Reports(Protocol):
    """Where users' reports are kept. May raise `StoreUnavailable`."""

    async def report(self, report: MessageReport) -> bool:
        """Keep a report; False if there are too many. Further ones of the same line are counted."""
        ...

    async def by(self, user: str) -> list[MessageReport]:
        """The reports of this user that no operator has settled. It looks through all of them."""
        ...


def about(report: MessageReport) -> str:
    """What a report is about, in a word: its name."""
    return f"{report.room}/{report.channel}/{report.message.seq}"


_act = msgspec.json.Decoder(AuditEntry)
_ban = msgspec.json.Decoder(Ban)
_report = msgspec.json.Decoder(MessageReport)


class RedisModeration:
    """In Redis or Valkey. `request(bucket, *command, write=…)` asks the primary of a bucket. Every
    method may raise `StoreUnavailable`."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def note(self, act: AuditEntry) -> None:
        """Write an act down that consists in that, or is done elsewhere."""
        await self._do(act)

    async def ban(self, act: AuditEntry, until: int) -> bool:
        """Ban `act.to`, a user's id or an address (see `identity.bans`), in place of an earlier
        ban; False if there are too many bans that hold."""
        ban = msgspec.json.encode(Ban(until, act.why))
        return await self._do(act, bans_key(), act.to, ban, BANS)

    async def unban(self, act: AuditEntry) -> bool:
        """Lift a ban; False if there is none."""
        return await self._do(act, bans_key(), act.to, "", 0)

    async def settle(self, act: AuditEntry) -> bool:
        """Put a report away; False if there is none of the name `act.to`."""
        return await self._do(act, reports_key(), act.to, "", 0)

    async def since(self, seq: int, limit: int = 1_000) -> list[AuditEntry]:
        """The acts after number `seq`, in order."""
        reply = await self._request(0, "XRANGE", audit_key(), f"{seq + 1}-0", "+", "COUNT", limit)
        return [_read_act(*item) for item in reply]

    async def latest(self, limit: int) -> list[AuditEntry]:
        """The last so many acts, in order."""
        reply = await self._request(0, "XREVRANGE", audit_key(), "+", "-", "COUNT", limit)
        return [_read_act(*item) for item in reversed(reply)]

    async def bans(self) -> dict[str, Ban]:
        """All bans, also those whose time is over, until their place is needed."""
        return {name: _ban.decode(text) for name, text in await self._table(bans_key())}

    async def report(self, report: MessageReport) -> bool:
        text = msgspec.json.encode(report)
        arguments = (report.room, about(report), text, REPORTS_ROOM, REPORTS_ALL)
        return bool(await _REPORT.run(self._request, 0, 1, reports_key(), *arguments, write=True))

    async def by(self, user: str) -> list[MessageReport]:
        found: dict[bytes, bytes] = {}
        cursor = b"0"
        while True:
            command = ("HSCAN", reports_key(), cursor, "COUNT", SCANNED)
            cursor, texts = await self._request(0, *command)
            found |= {
                name: text for name, text in zip(texts[::2], texts[1::2], strict=True)
                if user.encode() in text
            }  # fmt: skip
            if cursor == b"0":
                break
        reports = [_report.decode(text) for _, text in sorted(found.items())]
        return [report for report in reports if report.by == user]

    async def reports(self) -> dict[str, MessageReport]:
        """All reports that are not settled, by name."""
        return {name: _report.decode(text) for name, text in await self._table(reports_key())}

    async def now(self) -> int:
        """The store's time in milliseconds since 1970."""
        seconds, micros = await self._request(0, "TIME")
        return int(seconds) * 1_000 + int(micros) // 1_000

    async def _do(self, act: AuditEntry, *change: str | bytes | int) -> bool:
        """`change` is the table, then what `admin_audit.lua` is told of it; nothing if there is
        none."""
        keys, rest = (audit_key(), *change[:1]), change[1:]
        text = msgspec.json.encode(act)
        reply = await _ACT.run(self._request, 0, len(keys), *keys, text, ACTS, *rest, write=True)
        return reply is not None

    async def _table(self, key: str) -> list[tuple[str, bytes]]:
        reply = await self._request(0, "HGETALL", key)
        names = [name.decode() for name in reply[::2]]
        return sorted(zip(names, reply[1::2], strict=True))


_ACT = Script("admin_audit.lua")
_REPORT = Script("keep_report.lua")


def _read_act(number: bytes, fields: list[bytes]) -> AuditEntry:
    seq, at = int(number.partition(b"-")[0]), int(fields[1])
    return msgspec.structs.replace(_act.decode(fields[3]), seq=seq, at=at)
