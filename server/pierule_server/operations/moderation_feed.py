"""Carries out operators' bans and announcements at this node.

The node reads the audit log every `LOOK` seconds, so every node obeys an order within that time
plus one round trip to the store. Closing a room is not done here: it is an event in the room's log.
"""

from __future__ import annotations

import asyncio

import structlog

from pierule_protocol.codes import Close
from pierule_protocol.messages import Notice
from pierule_server.connections.connections import Connections
from pierule_server.identity.bans import Bans
from pierule_server.store.outages import Outages
from pierule_server.store.tables.moderation import AuditEntry, Moderation
from pierule_server.store.tables.secrets import Secrets
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

LOOK = 1.0
"""Seconds between two looks at the audit log."""

AFRESH = 10
"""After this many looks, the node checks what it knows: a fail-over of the store may have lost
entries, and then later entries reuse their numbers."""

REMEMBERED = 100
"""A starting node looks for a valid announcement in this many of the latest entries."""


class ModerationFeed:
    """Carries out operators' orders at this node. It keeps `bans` up to date."""

    def __init__(
        self, acts: Moderation, secrets: Secrets, bans: Bans, connections: Connections
    ) -> None:
        self._acts = acts
        self._secrets = secrets
        self._bans = bans
        self._connections = connections
        self._seen = 0
        self._looks = 0
        self._tasks = Tasks()

    async def start(self) -> None:
        """Read the orders in force, and keep looking for new ones. Raises StoreUnavailable: a node
        that does not know the bans must not begin to serve."""
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
        outages = Outages("the operators' orders cannot be read; trying again")
        while True:
            await asyncio.sleep(LOOK)
            with outages:  # The next look finds what this one missed.
                await self.look()

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
