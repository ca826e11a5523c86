"""Subscriptions alone, at a primary that is not there. Against real stores: test_room_log.py."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from pierule_server.store.subscriptions import _Reader


class Connection:
    """One that is open."""

    def __init__(self) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def close(self, error: Exception) -> None:
        self.ended.set_exception(error)


class Primary:
    """Answers at the very moment in which the reader is stopped."""

    reader: _Reader

    @property
    def health(self) -> Primary:
        return self

    async def here(self) -> None:
        pass

    async def listen(self, take: Any) -> Connection:
        self.reader.stop()
        return Connection()


def test_a_connection_that_is_given_up_at_once_leaves_no_error() -> None:
    """Found by seed 74 of the simulation: nobody waited for its end yet."""
    logged: list[Any] = []

    async def give_up() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: logged.append(fault))
        primary: Any = Primary()
        primary.reader = _Reader(primary, None)  # type: ignore[arg-type]
        await asyncio.gather(primary.reader._task, return_exceptions=True)

    asyncio.run(give_up())
    gc.collect()
    assert logged == []
