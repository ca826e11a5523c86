"""The end of a server process: SIGTERM or Ctrl-C asks for it, a second one asks to hurry."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable
from typing import Any

import structlog

logger = structlog.get_logger()


class Stopping:
    """Knows whether this process is to end."""

    def __init__(self) -> None:
        self._asked, self._hurrying = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
                loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        """End soon; asked again, at once."""
        (self._hurrying if self._asked.is_set() else self._asked).set()

    def need(self) -> None:
        """End soon; needed again, no sooner."""
        self._asked.set()

    def with_input(self) -> None:
        """End also when standard input does: whoever started us is gone."""
        asyncio.get_running_loop().add_reader(0, self._read)

    async def asked(self) -> None:
        """Wait until it is to end."""
        await self._asked.wait()

    async def unless(self, something: asyncio.Future[Any]) -> bool:
        """Wait for something; False if this process is to end before it comes."""
        asked = asyncio.create_task(self._asked.wait())
        await asyncio.wait([asked, something], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        return something.done()

    async def drain(self, draining: Awaitable[None]) -> None:
        """Send the clients away, until a second signal asks to hurry."""
        drained = asyncio.ensure_future(draining)
        hurry = asyncio.create_task(self._hurrying.wait())
        await asyncio.wait([drained, hurry], return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        if not drained.done():
            drained.cancel()
            logger.info("stopping at once")
        await asyncio.gather(drained, hurry, return_exceptions=True)

    def _read(self) -> None:
        if not os.read(0, 4_096):
            asyncio.get_running_loop().remove_reader(0)
            self.need()
