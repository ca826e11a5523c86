"""The requests about chat: to say, read again and report lines, to shun users (SPEC 21)."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable

from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Channel,
    Limits,
    Line,
    LinesQuery,
    Ok,
    ReportLine,
    Say,
    Shun,
    Shunned,
)
from pierule_server.gateway.connection import Connection
from pierule_server.gateway.limits import Bucket
from pierule_server.handlers.table import handles
from pierule_server.identity.lookalikes import JOINERS, visible
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.talk import TOLD, side_of, withheld
from pierule_server.store.tables.acts import LineReport
from pierule_server.store.tables.chats import Pace, Rate, Saying
from pierule_server.store.tables.tables import Tables

SHUNNED = 200
"""Users whom one user may shun."""

CONTEXT = 5
"""Lines before and after a reported one that operators are shown."""

LINE_CHARACTERS = 300
SPEAKERS = 10_000
"""Users whose rate is remembered; the one silent for the longest is forgotten."""


def clean_line(text: str) -> str:
    """A line as it is kept: composed, without what steers a screen or reorders text. Raises
    Refused."""
    text = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(text) <= LINE_CHARACTERS:
        raise Refused(Code.BAD_FIELD, f"a line has 1 to {LINE_CHARACTERS} characters", field="text")
    for character in text:
        category = unicodedata.category(character)
        if character not in JOINERS and category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            raise Refused(
                Code.BAD_FIELD, "a line has no control characters and no line breaks", field="text"
            )
    if not visible(text):
        raise Refused(Code.BAD_FIELD, "there is nothing to see in this line", field="text")
    return text


class ChatRequests:
    """The requests about chat, if it is `on`. One for a node; `limits` are those that the welcome
    states. So many lines are `kept` in each channel that who reports one finds it, though it is
    told no more."""

    def __init__(
        self,
        hub: Hub,
        tables: Tables,
        connections: Iterable[Connection],
        limits: Limits,
        kept: int,
        *,
        on: bool,
    ) -> None:
        self._hub = hub
        self._chats, self._reports = tables.chats, tables.reports
        self._shuns = tables.shuns
        self._connections = connections
        self._on = on
        self._limits = limits
        self._told = max(1, limits.lines_kept)
        user = Rate(limits.chat_rate, max(1, limits.chat_burst))
        everybody = Rate(limits.channel_rate, max(1, limits.channel_burst))
        # A rate shows only where more is looked at than may come at once.
        seen = max(self._told, 2 * user.burst, 2 * everybody.burst)
        self._pace = Pace(max(kept, seen), seen, user, everybody)
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    async def _live(self, room: str) -> Live:
        if not self._on:
            raise Refused(Code.CHAT_OFF)
        return await self._hub.cache.get(room)

    @handles(Say, grows=True)
    async def say(self, connection: Connection, user: User, request: Say) -> Ok:
        room = (await self._live(request.room)).room
        channel = side_of(room, user)
        if channel == "spectators" and room.id not in connection.following:
            raise Refused(Code.NOT_FOLLOWING)
        text = clean_line(request.text)
        self._take_turn(user.id)
        saying = Saying(user.id, user.name, text)
        line = await self._chats.say(room.id, channel, saying, request.nonce, self._pace)
        if line is None:
            raise Refused(Code.FINISHED, "the room was put away; nothing more can be said in it")
        if isinstance(line, int):
            raise Refused(Code.RATE, retry_ms=line)
        if line.text != text:
            raise Refused(
                Code.BAD_FIELD, "this nonce was used for another line; take a fresh one",
                field="nonce",
            )  # fmt: skip
        return Ok(id=request.id, room=room.id, channel=channel, lines=[line])

    def _take_turn(self, user: str) -> None:
        """Law 10: one bucket for each user, whatever the room and connection."""
        bucket = self._buckets.pop(user, None) or Bucket(
            self._limits.chat_rate, self._limits.chat_burst
        )
        self._buckets[user] = bucket
        if len(self._buckets) > SPEAKERS:
            self._buckets.popitem(last=False)
        wait = bucket.wait(asyncio.get_running_loop().time())
        if wait > 0:
            raise Refused(Code.RATE, retry_ms=int(wait * 1_000) + 1)
        bucket.take()

    @handles(LinesQuery)
    async def lines(self, connection: Connection, _: User, request: LinesQuery) -> Ok:
        live = await self._live(request.room)
        channel, first = request.channel, request.first
        if first:
            latest = await self._chats.lines(live.room.id, channel, 0, 1)
            first = max([first, *(line.seq - self._told + 1 for line in latest)])
        found = await self._read(live, connection, channel, first, TOLD)
        told = withheld(found, connection.shunned)
        return Ok(id=request.id, room=live.room.id, channel=channel, lines=told)

    @handles(ReportLine)
    async def report(self, connection: Connection, user: User, request: ReportLine) -> Ok:
        live, seq = await self._live(request.room), request.seq
        first = max(1, seq - CONTEXT)
        most = seq - first + 1 + CONTEXT
        around = await self._read(live, connection, request.channel, first, most)
        line = next((line for line in around if line.seq == seq), None)
        if line is None:
            raise Refused(Code.BAD_FIELD, "there is no such line, or no longer", field="seq")
        report = LineReport(
            by=user.id, name=user.name, room=live.room.id, channel=request.channel, line=line,
            context=[each for each in around if abs(each.seq - seq) <= CONTEXT],
            text=clean_line(request.text) if request.text else "",
        )  # fmt: skip
        if not await self._reports.report(report):
            raise Refused(Code.LIMIT, "there are too many reports that nobody has looked at yet")
        return Ok(id=request.id, room=live.room.id)

    @handles(Shun)
    async def shun(self, _: Connection, user: User, request: Shun) -> Ok:
        """It holds for the user's connections to this node at once."""
        shuns = self._shuns
        if request.user is not None:
            if request.user == user.id:
                raise Refused(Code.BAD_FIELD, "nobody shuns themselves", field="user")
            if not await shuns.shun(user.id, request.user, request.how, SHUNNED):
                raise Refused(Code.LIMIT, f"you may shun {SHUNNED} users")
        found = await shuns.shunned(user.id)
        for connection in self._connections:
            if connection.user is not None and connection.user.id == user.id:
                connection.shunned = found
        told = [Shunned(other, how) for other, how in sorted(found.items())]
        return Ok(id=request.id, shunned=told)

    async def _read(
        self, live: Live, connection: Connection, channel: Channel, first: int, limit: int
    ) -> list[Line]:
        """Lines that the connection's user may hear, by a room that knows all that happened before
        they were said. Raises Refused."""
        _check_heard(live, connection, channel)
        lines = await self._chats.lines(live.room.id, channel, first, limit)
        await self._hub.talks.catch_up_for(lines, live)
        _check_heard(live, connection, channel)
        return lines


def _check_heard(live: Live, connection: Connection, channel: Channel) -> None:
    room = live.room
    if not (room.id in connection.following or side_of(room, connection.user) == "players"):
        raise Refused(Code.NOT_FOLLOWING)
    if not live.hears(connection.user, channel):
        raise Refused(Code.APART, field="channel")
