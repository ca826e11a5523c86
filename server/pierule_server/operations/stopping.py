"""Ends a server process in order after SIGTERM or Ctrl-C, and faster after a second signal."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable
from typing import Any

import structlog

logger = structlog.get_logger()


class Stopping:
    """Knows whether this process must end. It handles SIGTERM, SIGINT and SIGHUP."""

    def __init__(self) -> None:
        self._asked, self._hurrying = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores SIGHUP
                loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        """Ask the process to end: the first time after draining, the second time immediately."""
        (self._hurrying if self._asked.is_set() else self._asked).set()

    def need(self) -> None:
        """Ask the process to end after draining. Further calls do not hurry it."""
        self._asked.set()

    def with_input(self) -> None:
        """End also when standard input ends: then the process that started us is gone."""
        asyncio.get_running_loop().add_reader(0, self._read)

    async def asked(self) -> None:
        """Wait until somebody asks the process to end."""
        await self._asked.wait()

    async def unless(self, something: asyncio.Future[Any]) -> bool:
        """Wait for a future or for the end of this process. Returns whether the future is done."""
        asked = asyncio.create_task(self._asked.wait())
        await asyncio.wait([asked, something], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        return something.done()

    async def drain(self, draining: Awaitable[None]) -> None:
        """Await `draining`, which sends the clients away. A second `ask` cuts it short."""
        drained = asyncio.ensure_future(draining)
        hurry = asyncio.create_task(self._hurrying.wait())
        await asyncio.wait([drained, hurry], return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        if not drained.done():
            drained.cancel()
            logger.info("stopping immediately, after a second signal")
        await asyncio.gather(drained, hurry, return_exceptions=True)

    def _read(self) -> None:
        if not os.read(0, 4_096):
            asyncio.get_running_loop().remove_reader(0)
            self.need()
