"""What tests of archiving use: a node's archive writer, and what its archive has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import select

from pierule_archive.database import opened
from pierule_archive.schema import games
from pierule_archive.writer import Writer
from pierule_server.rooms.archive_writer import ArchiveWriter
from pierule_server.settings import Settings
from support.nodes import ANNA, Node


class Time:
    """The store's clock, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@asynccontextmanager
async def writing(
    node: Node, writer: Writer | None = None, name: str = "a", **settings: Any
) -> AsyncIterator[ArchiveWriter]:
    """A node's archive writer, which looks when it is told to."""
    chosen = Settings(store="redis://other", **settings)
    queue = node.log.tables.archive_queue
    made = ArchiveWriter(name, node.hub, node.log, queue, chosen, writer)
    try:
        yield made
    finally:
        await made.stop()


def rows(url: str, *columns: Any) -> list[tuple[Any, ...]]:
    """What the archive has."""
    engine = opened(url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(select(*columns))]
    engine.dispose()
    return found


def rooms_in(url: str) -> list[str]:
    return [room for _, room in sorted(rows(url, games.c.feed, games.c.room))]


async def resigned(node: Node) -> str:
    room = await node.started()
    await node.resign(ANNA, room)
    return room
