"""The requests about chat: say, read and report messages, and block users (SPEC 21)."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable

from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    Block,
    BlockListEntry,
    Channel,
    ChatHistoryQuery,
    ChatMessage,
    Limits,
    Ok,
    ReportMessage,
    Say,
)
from pierule_server.connections.connection import Connection
from pierule_server.connections.limits import Budget, TokenBucket, TokenBuckets, draw, of_network
from pierule_server.handlers.table import handles
from pierule_server.identity.lookalikes import JOINERS, visible
from pierule_server.identity.tokens import User
from pierule_server.rooms.chat_history import TOLD, side_of, withheld
from pierule_server.rooms.decisions.decide import Refused, too_soon
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.store.tables.chats import NewMessage, Pace, Rate
from pierule_server.store.tables.moderation import MessageReport
from pierule_server.store.tables.tables import Tables

MOST_BLOCKED = 200
"""The most users on a user's block list."""

REPORTS_AT_ONCE = 20
REPORTS_AGAIN = 600.0
"""Reports that one address may send in one burst, and seconds until the next one."""

CONTEXT = 5
"""How many messages before and after a reported message operators see."""

_ID = re.compile("[A-Za-z0-9-]{1,64}")
"""Matches the ids of guests, of a provider's users and of house bots."""

MESSAGE_CHARACTERS = 300
SPEAKERS = 10_000
"""The most users whose rate a node remembers. It forgets first who has been silent longest."""


def clean_message(text: str) -> str:
    """A message as the store keeps it: in composed form (NFC), without spaces around it. Raises
    Refused if it is empty or too long, draws nothing, or has characters that control a screen or
    reorder text."""
    text = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(text) <= MESSAGE_CHARACTERS:
        raise Refused(
            Code.BAD_FIELD,
            f"a message must have 1 to {MESSAGE_CHARACTERS} characters",
            field="text",
        )
    for character in text:
        category = unicodedata.category(character)
        if character not in JOINERS and category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            raise Refused(
                Code.BAD_FIELD,
                "a message must not have control characters or line breaks",
                field="text",
            )
    if not visible(text):
        raise Refused(Code.BAD_FIELD, "a message must have something to see", field="text")
    return text


class ChatRequests:
    """Handles the requests about chat, if it is `on`. A node has one. `limits` are those of the
    welcome. Each channel keeps `kept` messages, so users can report a message that is no longer
    shown."""

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
        self._chats, self._moderation = tables.chats, tables.moderation
        self._block_lists = tables.block_lists
        self._connections = connections
        self._on = on
        self._limits = limits
        self._told = max(1, limits.messages_kept)
        user = Rate(limits.chat_rate, max(1, limits.chat_burst))
        everybody = Rate(limits.channel_rate, max(1, limits.channel_burst))
        # To see a rate, the store must look at more messages than one burst has.
        seen = max(self._told, 2 * user.burst, 2 * everybody.burst)
        self._pace = Pace(max(kept, seen), seen, user, everybody)
        self._reported = TokenBuckets(1 / REPORTS_AGAIN, REPORTS_AT_ONCE)
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    async def _live(self, room: str) -> Live:
        if not self._on:
            raise Refused(Code.CHAT_OFF)
        return await self._hub.cache.get(room)

    @handles(Say, grows=True)
    async def say(self, connection: Connection, user: User, request: Say) -> Ok:
        live = await self._live(request.room)
        room, channel = live.room, side_of(live.room, user)
        if channel == "spectators" and room.id not in connection.following:
            raise Refused(Code.NOT_FOLLOWING)
        text = clean_message(request.text)
        self._take_turn(user.id)
        saying = NewMessage(user.id, user.name, text)
        known = live.chat_history.last(channel) if live.chat_history else 0
        message = await self._chats.say(room.id, channel, saying, request.nonce, self._pace, known)
        if message is None:
            raise Refused(Code.FINISHED, "the room is put away; its chat takes no more messages")
        if isinstance(message, int):
            raise Refused(Code.RATE, retry_ms=message)
        if message.text != text:
            raise Refused(
                Code.BAD_FIELD, "this nonce was used for another message; take a fresh one",
                field="nonce",
            )  # fmt: skip
        return Ok(id=request.id, room=room.id, channel=channel, messages=[message])

    def _take_turn(self, user: str) -> None:
        """Take a token of the user, or raise Refused. A user has one bucket for all rooms and
        connections (law 10)."""
        bucket = self._buckets.pop(user, None) or TokenBucket(
            self._limits.chat_rate, self._limits.chat_burst
        )
        self._buckets[user] = bucket
        if len(self._buckets) > SPEAKERS:
            self._buckets.popitem(last=False)
        wait = bucket.wait(asyncio.get_running_loop().time())
        if wait > 0:
            raise too_soon(wait)
        bucket.take()

    @handles(ChatHistoryQuery)
    async def messages(self, connection: Connection, _: User, request: ChatHistoryQuery) -> Ok:
        live = await self._live(request.room)
        channel, first = request.channel, request.first
        if first:
            latest = await self._chats.messages(live.room.id, channel, 0, 1)
            first = max([first, *(message.seq - self._told + 1 for message in latest)])
        found = await self._read(live, connection, channel, first, TOLD)
        told = withheld(found, connection.block_list)
        return Ok(id=request.id, room=live.room.id, channel=channel, messages=told)

    @handles(ReportMessage)
    async def report(self, connection: Connection, user: User, request: ReportMessage) -> Ok:
        live, seq = await self._live(request.room), request.seq
        first = max(1, seq - CONTEXT)
        most = seq - first + 1 + CONTEXT
        around = await self._read(live, connection, request.channel, first, most)
        message = next((message for message in around if message.seq == seq), None)
        if message is None:
            raise Refused(
                Code.BAD_FIELD, "the server has no such message, or no longer", field="seq"
            )
        report = MessageReport(
            by=user.id, name=user.name, room=live.room.id, channel=request.channel, message=message,
            context=[each for each in around if abs(each.seq - seq) <= CONTEXT],
            text=clean_message(request.text) if request.text else "",
        )  # fmt: skip
        source = Budget("report", of_network(connection.address), self._reported)
        if draw([(source, 1)], asyncio.get_running_loop().time())[0]:
            raise Refused(
                Code.LIMIT, "too many reports came from your network; try again in 10 minutes"
            )
        if not await self._moderation.report(report):
            raise Refused(Code.LIMIT, "too many reports wait for the operators; try again later")
        return Ok(id=request.id, room=live.room.id)

    @handles(Block)
    async def block(self, _: Connection, user: User, request: Block) -> Ok:
        """Mute, block or clear a user. It takes effect immediately for the asker's connections to
        this node."""
        block_lists = self._block_lists
        if request.user is not None:
            if request.user == user.id:
                raise Refused(Code.BAD_FIELD, "you cannot block yourself", field="user")
            if request.level is not None and not _ID.fullmatch(request.user):
                raise Refused(Code.BAD_FIELD, "no user can have this id", field="user")
            if not await block_lists.put(user.id, request.user, request.level, MOST_BLOCKED):
                raise Refused(Code.LIMIT, f"you can mute or block at most {MOST_BLOCKED} users")
        found = await block_lists.read(user.id)
        for connection in self._connections:
            if connection.user is not None and connection.user.id == user.id:
                connection.block_list = found
        told = [BlockListEntry(other, how) for other, how in sorted(found.items())]
        return Ok(id=request.id, block_list=told)

    async def _read(
        self, live: Live, connection: Connection, channel: Channel, first: int, limit: int
    ) -> list[ChatMessage]:
        """Messages from `first` on. Raises Refused if the connection's user may not hear the
        channel. It checks again once the room is as new as the messages."""
        _check_heard(live, connection, channel)
        messages = await self._chats.messages(live.room.id, channel, first, limit)
        await self._hub.chat_recovery.catch_up_for(messages, live)
        _check_heard(live, connection, channel)
        return messages


def _check_heard(live: Live, connection: Connection, channel: Channel) -> None:
    room = live.room
    if not (room.id in connection.following or side_of(room, connection.user) == "players"):
        raise Refused(Code.NOT_FOLLOWING)
    if not live.hears(connection.user, channel):
        raise Refused(Code.WRONG_CHANNEL, field="channel")
