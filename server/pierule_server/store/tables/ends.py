"""Finds where the logs of many rooms end, cheaply. A node compares this with what it knows."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection

from redis.exceptions import RedisError

from pierule_protocol.log.events import EMPTY, Place
from pierule_server.store.buckets import bucket_of, log_key
from pierule_server.store.driver.pipeline import Command, Reply
from pierule_server.store.driver.primary import Primary
from pierule_server.store.driver.topology import Topology
from pierule_server.store.tables.reading import is_no_log

UNREADABLE = Place(0, 0, -1)
"""The end of a damaged log. It differs from every place, so the node reads the log."""


async def ends(topology: Topology, rooms: Collection[str]) -> dict[str, Place]:
    """The place at which the log of each room ends; `EMPTY` if there is no log or it is put away.
    The answer lacks rooms whose primary does not answer. Raises `RedisError` or `OSError` if no
    primary answers. It has no time bound of its own."""
    groups: defaultdict[Primary, list[str]] = defaultdict(list)
    for room in rooms:
        groups[topology.primary(bucket_of(room))].append(room)
    answers = await asyncio.gather(
        *(_ask(primary, group) for primary, group in groups.items()), return_exceptions=True
    )
    found: dict[str, Place] = {}
    failures: list[BaseException] = []
    for group, answer in zip(groups.values(), answers, strict=True):
        if isinstance(answer, BaseException):
            failures.append(answer)
            continue
        for room, reply in zip(group, answer, strict=True):
            if isinstance(reply, RedisError) and is_no_log(reply):
                found[room] = UNREADABLE
            elif isinstance(reply, RedisError):
                failures.append(reply)  # the slot has just moved
            else:
                found[room] = _place(reply)
    if failures and not found:
        raise failures[0]
    if failures:
        topology.refresh_soon()
    return found


async def _ask(primary: Primary, rooms: list[str]) -> list[Reply]:
    commands: list[Command] = [("XREVRANGE", log_key(room), "+", "-", "COUNT", 1) for room in rooms]
    return await primary.run(*commands)


def _place(reply: list[tuple[bytes, list[bytes]]]) -> Place:
    if not reply:
        return EMPTY
    ((number, fields),) = reply
    try:
        return Place(int(fields[1]), int(number.partition(b"-")[0]), int(fields[3]))
    except (ValueError, IndexError):
        return UNREADABLE
