"""Writes structured logs to standard error. Never log a token, a secret or a frame.

Warnings, entries of libraries and uncaught exceptions take the same form, so a program that reads
JSON finds nothing else.
"""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

import structlog
from structlog.stdlib import ProcessorFormatter

from pierule_protocol import world

logger = structlog.get_logger()

PAUSE = 60.0
"""Seconds between two log entries about the same mistake of strangers."""

# Local variables may hold tokens, so their values stay out of the log.
_TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


def configure(level: str, form: str) -> None:
    """Log everything from `level` upwards, as `text` for people or as `json`, one object a line."""
    number = logging.getLevelNamesMapping()[level.upper()]
    json = form == "json"
    stamps: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("iso", utc=True),
    ]
    shows: list[structlog.typing.Processor] = (
        [_TRACEBACKS, structlog.processors.JSONRenderer(default=repr)]
        if json
        else [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
    )
    structlog.configure(
        processors=[*stamps, *shows],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # An entry and its line's end in one write: several workers share the file, and without
        # buffers (PYTHONUNBUFFERED) `print` would leave room for another's entry between them.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    _take_over(number, stamps, shows)
    if json:
        sys.excepthook = _uncaught
        threading.excepthook = _uncaught_in_thread
        sys.unraisablehook = _unraisable


def as_json() -> bool:
    """Whether `configure` has chosen JSON, so every line must be JSON."""
    return sys.excepthook is _uncaught


def _take_over(
    number: int,
    stamps: list[structlog.typing.Processor],
    shows: list[structlog.typing.Processor],
) -> None:
    """Make entries of the standard library's logging look like our own."""
    handler = _Handler()
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=[*stamps, structlog.stdlib.add_logger_name],
            processors=[ProcessorFormatter.remove_processors_meta, *shows],
        )
    )
    root = logging.getLogger()
    for earlier in list(root.handlers):
        if isinstance(earlier.formatter, ProcessorFormatter):
            root.removeHandler(earlier)
    root.addHandler(handler)
    root.setLevel(max(number, logging.INFO))
    logging.captureWarnings(True)
    # The library logs failed handshakes, but strangers' mistakes are not our errors.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("asyncio").addFilter(_is_news)
    # It warns of each request that is not HTTP, and a stranger can send a thousand in a second.
    logging.getLogger("uvicorn.error").addFilter(_SELDOM)


class Seldom(logging.Filter):
    """Passes each warning at most once in `PAUSE` seconds; the next one tells how many it held
    back. Everything else passes."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._until: dict[str, float] = {}  # by the text in the code, so there are only a few
        self._held = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        text, now = str(record.msg), self._now()
        if now < self._until.get(text, now):
            self._held[text] += 1
            return False
        self._until[text] = now + PAUSE
        if held := self._held.pop(text, 0):
            record.msg = f"{text} ({held} more since the last such entry)"
        return True


_SELDOM = Seldom(world.monotonic)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether operators should read an entry of the event loop. uvloop reports the failure of a
    look-up of a host for which nobody waits any more, at the end or after a time-out: whoever
    waited has said so already."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, socket.gaierror) and "never retrieved" in record.getMessage())


class _Handler(logging.Handler):
    """Writes to `sys.stderr` as it is at that moment, because tests replace it."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"{self.format(record)}\n")


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logger.critical("uncaught exception", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        thread = args.thread.name if args.thread else None
        logger.critical("uncaught exception", thread=thread, exc_info=args.exc_value)


def _unraisable(args: Any) -> None:
    logger.error(args.err_msg or "exception ignored", of=repr(args.object), exc_info=args.exc_value)
