"""Structured logs, on standard error. No token, secret or frame may be logged anywhere."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str, form: str) -> None:
    """Log from `level` upwards, as `text` for people or as `json`, one object a line."""
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper("iso", utc=True),
            *([structlog.processors.dict_tracebacks] if form == "json" else []),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # The library logs handshakes that fail; strangers' mistakes are no errors of ours.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
