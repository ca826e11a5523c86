"""Counts games for the explorer and rates them, in the background. Nodes only write games."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from pierule_archive.api.problems import Failure
from pierule_archive.api.reader import Reader
from pierule_archive.counting import count
from pierule_archive.database import UnusableArchive, opened
from pierule_archive.rating import rate_more

PAUSE = 1.0
"""Seconds between two checks while there is nothing to count."""

TROUBLED_PAUSE = 10.0
"""The same after an error: the database is away, or refuses writes."""

_logger = structlog.get_logger(__name__)


def _work(engine: Engine) -> bool:
    """Count and rate some games. Returns whether there was anything to do."""
    counted = count(engine) > 0
    return rate_more(engine) or counted


class GameCounter:
    """Counts and rates new games of a reader's archive."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._read: Engine | None = None
        self._engine: Engine | None = None
        self._troubled = False

    async def run(self) -> None:
        """Count until cancelled."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "counter") as thread:
            try:
                while True:
                    pause = await loop.run_in_executor(thread, self._step)
                    await asyncio.sleep(pause)
            finally:
                thread.submit(self._close)

    def _step(self) -> float:
        """Count some more games. Returns how many seconds to rest. Blocks."""
        try:
            engine = self._opened()
            more = engine is not None and _work(engine)
        except (SQLAlchemyError, UnusableArchive, Failure) as error:
            if not self._troubled:
                _logger.warning("cannot count games for now", why=" ".join(str(error).split()))
            self._troubled = True
            return TROUBLED_PAUSE
        except Exception:  # a bug must not end the counting forever
            _logger.exception("counting games failed")
            return TROUBLED_PAUSE
        self._troubled = False
        return 0.0 if more else PAUSE

    def _opened(self) -> Engine | None:
        """The database to write to; None if there is no archive yet. The reader has checked its
        version, and whether its file was replaced."""
        read = self._reader.opened()
        if read is not self._read:
            self._close()
            if read is not None:
                self._engine = opened(read.url.render_as_string(hide_password=False))
            self._read = read
        return self._engine

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
        self._engine = self._read = None
