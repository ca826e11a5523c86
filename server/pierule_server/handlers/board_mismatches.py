"""Takes reports of boards that differ (SPEC 6.2, 6.14). They alert operators, so the server refuses
reports that cannot be true, takes only a few from each user, and counts those of one address as
one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import structlog

from pierule_protocol.codes import Code
from pierule_protocol.messages import BoardMismatch, Ok
from pierule_server import metrics
from pierule_server.connections.limits import TokenBuckets, of_network
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub

logger = structlog.get_logger()

AT_ONCE = 3
AGAIN = 600.0
"""Reports that a user may send in one burst, and seconds until the next one. A faulty client stops
after two (SPEC 6.2)."""


ALARM_AGAIN = 1_800.0
"""Seconds for which all reports of one problem from one address count as one."""


class BoardMismatches:
    """Takes reports of boards that differ. A node has one."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._token_buckets = TokenBuckets(1 / AGAIN, AT_ONCE)
        self._alarms = TokenBuckets(1 / ALARM_AGAIN, 1)

    async def take(
        self,
        user: User,
        following: Collection[str],
        request: BoardMismatch,
        address: str | None = None,
    ) -> Ok:
        """Tell the operators, because the server or the client has a bug. Raises Refused. Refused
        reports have their own metric and alert nobody."""
        try:
            await self._check(user, following, request)
        except Refused as refused:
            metrics.BOARD_MISMATCHES_REFUSED.labels(refused.code).inc()
            raise
        if self._counts(request.problem, address):
            metrics.BOARD_MISMATCHES.labels(request.problem).inc()
        logger.error(
            "a client's board differs from the log: check the room with `pierule verify`",
            problem=request.problem, room=request.room,
            epoch=request.epoch, seq=request.seq, user=user.id, address=address,
        )  # fmt: skip
        return Ok(id=request.id, room=request.room)

    def _counts(self, problem: str, address: str | None) -> bool:
        """Whether this is the first report of a problem from an address in `ALARM_AGAIN`."""
        network, _ = of_network(address)[-1]
        now = asyncio.get_running_loop().time()
        bucket = self._alarms.bucket(f"{problem} {network}", 1, now)
        first = not bucket.wait(now)
        if first:
            bucket.take()
        return first

    async def _check(self, user: User, following: Collection[str], request: BoardMismatch) -> None:
        if request.room not in following:
            raise Refused(Code.NOT_FOLLOWING)
        now = asyncio.get_running_loop().time()
        bucket = self._token_buckets.bucket(user.id, 1, now)
        if bucket.wait(now) > 0:
            raise Refused(
                Code.LIMIT, "you have reported enough boards for now; the operators know of them"
            )
        bucket.take()
        live = await self._hub.cache.get(request.room)
        told = await self._hub.recovery.has_told(live, user, request.epoch, request.seq)
        if not told:
            raise Refused(Code.BAD_FIELD, "the server sent you no event with this seq", field="seq")
