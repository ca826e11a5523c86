"""`chats` of a store in memory: see `pierule_server.store.tables.chats`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Container

from pierule_protocol.messages import Channel, Line
from pierule_server.store.tables.chats import Pace, Saying


class MemoryChats:
    """Lines in the memory of one process. `rooms` are those that have a log; `publish` tells all
    who are subscribed."""

    def __init__(
        self, rooms: Container[str], publish: Callable[[str, Channel, Line], None]
    ) -> None:
        self._rooms = rooms
        self._publish = publish
        self._kept: defaultdict[tuple[str, str], list[tuple[str, Line]]] = defaultdict(list)

    async def say(
        self, room: str, channel: Channel, saying: Saying, nonce: str, pace: Pace
    ) -> Line | int | None:
        if room not in self._rooms:
            return None
        lines, mark = self._kept[room, channel], f"{nonce} {saying.user}"
        seen = lines[-pace.seen :]
        for known, line in seen:
            if known == mark:
                return line
        now = time.time_ns() // 1_000_000
        wait = max(
            pace.user.wait([line.at for _, line in seen if line.user == saying.user], now),
            pace.all.wait([line.at for _, line in seen], now),
        )
        if wait > 0:
            return wait
        line = saying.line(lines[-1][1].seq + 1 if lines else 1, now)
        lines.append((mark, line))
        del lines[: -pace.kept]
        self._publish(room, channel, line)
        return line

    async def lines(self, room: str, channel: Channel, first: int, limit: int) -> list[Line]:
        lines = [line for _, line in self._kept[room, channel] if line.seq >= first]
        return lines[:limit] if first else lines[-limit:]
