"""The tables of moderation: the audit log of operators' acts, the bans, and the users' reports.

One step both does an act and records it in the audit log, and nothing changes the record later.
Nodes learn of acts from the same log: each reads on from the last act that it has seen. All of this
is small, so it is together in bucket 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

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
"""The most open reports about one room, and in all: nobody would read more."""


BANS = 10_000
"""The most bans in the store: a node would take long to read more. Expired bans go first."""

SCANNED = 50
"""Reports to look through in one step: each may have some kilobytes."""

ACTS = 100_000
"""About how many acts the store keeps. The oldest go first."""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An operator's act: by whom, what, to whom or what, and why. `until` is when a ban ends or
    when the announced thing happens. `seq` counts all acts; `at` is when it was done. Times are the
    store's, in ms since 1970."""

    by: str
    action: AuditAction
    to: str
    why: str
    until: int | None = None
    seq: int = 0
    at: int = 0


class MessageReport(msgspec.Struct, frozen=True, kw_only=True):
    """A reported chat message, with the messages around it at that time. `by` and `name` are the
    user who reported it first, `text` is what they wrote about it, and `count` is how often the
    message was reported."""

    count: int = 1
    by: str
    name: str
    room: str
    channel: Channel
    message: ChatMessage
    context: list[ChatMessage]
    text: str


def about(report: MessageReport) -> str:
    """The name of a report: the message that it is about."""
    return f"{report.room}/{report.channel}/{report.message.seq}"


_act = msgspec.json.Decoder(AuditEntry)
_ban = msgspec.json.Decoder(Ban)
_report = msgspec.json.Decoder(MessageReport)


class Moderation:
    """Bans, reports and what operators have done. Every method may raise `StoreUnavailable`.
    `request(bucket, *command, write=…)` asks the primary of a bucket."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def note(self, act: AuditEntry) -> None:
        """Record an act that changes no table here."""
        await self._do(act)

    async def ban(self, act: AuditEntry, until: int) -> bool:
        """Ban `act.to`, a user's id or an address (see `identity.bans`). It replaces an earlier
        ban. False if too many bans are in force."""
        ban = msgspec.json.encode(Ban(until, act.why))
        return await self._do(act, bans_key(), act.to, ban, BANS)

    async def unban(self, act: AuditEntry) -> bool:
        """Lift a ban; False if there is none."""
        return await self._do(act, bans_key(), act.to, "", 0)

    async def settle(self, act: AuditEntry) -> bool:
        """Settle the report with the name `act.to`; False if there is none."""
        return await self._do(act, reports_key(), act.to, "", 0)

    async def since(self, seq: int, limit: int = 1_000) -> list[AuditEntry]:
        """At most `limit` acts after number `seq`, in order."""
        reply = await self._request(0, "XRANGE", audit_key(), f"{seq + 1}-0", "+", "COUNT", limit)
        return [_read_act(*item) for item in reply]

    async def latest(self, limit: int) -> list[AuditEntry]:
        """The last `limit` acts, in order."""
        reply = await self._request(0, "XREVRANGE", audit_key(), "+", "-", "COUNT", limit)
        return [_read_act(*item) for item in reversed(reply)]

    async def bans(self) -> dict[str, Ban]:
        """All bans by name, including expired ones that are still in the store."""
        return {name: _ban.decode(text) for name, text in await self._table(bans_key())}

    async def report(self, report: MessageReport) -> bool:
        """Keep a report, or count one more about the same message. False if there are too many."""
        text = msgspec.json.encode(report)
        arguments = (report.room, about(report), text, REPORTS_ROOM, REPORTS_ALL)
        return bool(await _REPORT.run(self._request, 0, 1, reports_key(), *arguments, write=True))

    async def by(self, user: str) -> list[MessageReport]:
        """The open reports by this user. It looks through all open reports."""
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
        """All open reports, by name."""
        return {name: _report.decode(text) for name, text in await self._table(reports_key())}

    async def now(self) -> int:
        """The store's time in milliseconds since 1970."""
        seconds, micros = await self._request(0, "TIME")
        return int(seconds) * 1_000 + int(micros) // 1_000

    async def _do(self, act: AuditEntry, *change: str | bytes | int) -> bool:
        """Record an act and change a table in one step. `change` is the table's key, then the
        arguments that `admin_audit.lua` takes for it; empty: no table changes. False if the script
        did nothing."""
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
