"""`chats` of a store in memory: see `pierule_server.store.tables.chats`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Container

from pierule_protocol.messages import Channel, ChatMessage
from pierule_server.store.tables.chats import NewMessage, Pace


class MemoryChats:
    """Messages in the memory of one process. `rooms` are those with a log; `publish` tells all
    subscribers."""

    def __init__(
        self, rooms: Container[str], publish: Callable[[str, Channel, ChatMessage], None]
    ) -> None:
        self._rooms = rooms
        self._publish = publish
        self._kept: defaultdict[tuple[str, str], list[tuple[str, ChatMessage]]] = defaultdict(list)

    async def say(
        self, room: str, channel: Channel, saying: NewMessage, nonce: str, pace: Pace
    ) -> ChatMessage | int | None:
        if room not in self._rooms:
            return None
        messages, mark = self._kept[room, channel], f"{nonce} {saying.user}"
        seen = messages[-pace.seen :]
        for known, message in seen:
            if known == mark:
                return message
        now = time.time_ns() // 1_000_000
        wait = max(
            pace.user.wait([message.at for _, message in seen if message.user == saying.user], now),
            pace.all.wait([message.at for _, message in seen], now),
        )
        if wait > 0:
            return wait
        message = saying.message(messages[-1][1].seq + 1 if messages else 1, now)
        messages.append((mark, message))
        del messages[: -pace.kept]
        self._publish(room, channel, message)
        return message

    async def messages(
        self, room: str, channel: Channel, first: int, limit: int
    ) -> list[ChatMessage]:
        messages = [message for _, message in self._kept[room, channel] if message.seq >= first]
        return messages[:limit] if first else messages[-limit:]
