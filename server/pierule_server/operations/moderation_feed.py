"""How operators' bans and announcements reach this node.

The node reads the audit log every `LOOK` seconds, so an order holds on every node within that time
and one round trip to the store. A room is closed by its own log, which is no matter of this file.
"""

from __future__ import annotations

import asyncio

import structlog

from pierule_protocol.codes import Close
from pierule_protocol.messages import Notice
from pierule_server.connections.connections import Connections
from pierule_server.identity.bans import Bans
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.moderation import AuditEntry, RedisModeration
from pierule_server.store.tables.secrets import Secrets
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

LOOK = 1.0
"""Seconds between two looks."""

AFRESH = 10
"""After this many looks nothing seen before is trusted: a fail-over of the store may have lost
entries, and then later ones have their numbers."""

REMEMBERED = 100
"""The latest entries in which a starting node looks for announcements that still hold."""


class ModerationFeed:
    """Carries out operators' orders at this node. Its `bans` are always in memory."""

    def __init__(
        self, acts: RedisModeration, secrets: Secrets, bans: Bans, connections: Connections
    ) -> None:
        self._acts = acts
        self._secrets = secrets
        self._bans = bans
        self._connections = connections
        self._seen = 0
        self._looks = 0
        self._tasks = Tasks()

    async def start(self) -> None:
        """Learn the orders in force, and keep looking. Raises StoreUnavailable: no banned user may
        slip in."""
        acts = await self._acts.latest(REMEMBERED)
        self._bans.replace(await self._acts.bans())
        for act in acts:
            self._seen = act.seq
            if act.action == "announce" and not self._bans.over(act.until or 0):
                self._connections.announcement = _notice(act)
        self._tasks.keep(self._run, "orders")

    async def stop(self) -> None:
        """Stop looking."""
        await self._tasks.stop()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self.look()
            except StoreUnavailable as error:  # The next look finds what this one has missed.
                logger.warning("the operators' orders cannot be read", error=str(error))

    async def look(self) -> None:
        """Carry out the orders since the last look."""
        self._looks += 1
        afresh = self._looks % AFRESH == 0
        if afresh:
            newest = await self._acts.latest(1)
            self._seen = min(self._seen, newest[0].seq if newest else 0)
        acts = await self._acts.since(self._seen)
        if afresh or any(act.action in ("ban", "unban") for act in acts):
            self._bans.replace(await self._acts.bans())
            self._send_away()
        if afresh or any(act.action in ("rotate", "drop") for act in acts):
            await self._secrets.read()
        for act in acts:
            self._seen = act.seq
            logger.info(
                "an operator's action", seq=act.seq, action=act.action, to=act.to, by=act.by
            )
            if act.action == "announce":
                self._announce(act)
        self._forget_announcement()

    def _send_away(self) -> None:
        for connection in self._connections:
            user = connection.user.id if connection.user else None
            if self._bans.why(user) or self._bans.why(connection.address):
                connection.close(Close.BANNED)

    def _announce(self, act: AuditEntry) -> None:
        notice = _notice(act)
        self._connections.tell(notice)
        self._connections.announcement = notice if notice.at is not None else None

    def _forget_announcement(self) -> None:
        known = self._connections.announcement
        if known is not None and self._bans.over(known.at or 0):
            self._connections.announcement = None


def _notice(act: AuditEntry) -> Notice:
    return Notice(kind="announcement", text=act.why, at=act.until)
