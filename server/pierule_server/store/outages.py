"""Work that goes on by itself while the store is away, and tells operators of it once."""

from __future__ import annotations

from types import TracebackType

import structlog

from pierule_server.store.room_log import StoreUnavailable

logger = structlog.get_logger()


class Outages:
    """A context that ends with StoreUnavailable instead of raising it. The first failure in a row
    is logged as this event; the next ones would say the same every second."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._away = False

    def __enter__(self) -> None:
        """Begin; nothing to do."""

    def __exit__(
        self, _kind: object, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        away = isinstance(error, StoreUnavailable)
        if away and not self._away:
            logger.warning(self._event, error=str(error))
        self._away = away
        return away
