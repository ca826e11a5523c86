"""Reads the values of settings, and checks those that would otherwise fail only when somebody
needs them.

Each check raises ValueError and says what is wrong. `read` adds the flag or variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def is_header(text: str) -> None:
    """Check the name of an HTTP header."""
    if not _HEADER.fullmatch(text):
        raise ValueError(f"{text!r} is not the name of a header, such as X-Forwarded-For")


def is_page(text: str) -> None:
    """Check the address of a page. An empty text passes."""
    if text and not (_is_web(text) and not {"?", "#"} & set(text)):
        raise ValueError(
            f"{text!r} is not the address of a page, such as https://play.example.org/"
        )


def are_origins(text: str) -> None:
    """Check origins (RFC 6454; `null` is one), separated by commas; `*` and an empty text pass."""
    for origin in filter(None, (item.strip().rstrip("/") for item in text.split(","))):
        if origin not in ("*", "null") and not (_is_web(origin) and origin.count("/") == 2):
            raise ValueError(
                f"{origin!r} is neither `*` nor an origin, such as https://play.example.org"
            )


MOST_WORKERS = 64
"""There are as many buckets: a further worker would have none."""


def are_workers(text: str) -> None:
    """Check a number of workers, or `auto`."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    if text != "auto" and not 1 <= number <= MOST_WORKERS:
        raise ValueError(f"{text!r} is neither `auto` nor a number from 1 to {MOST_WORKERS}")


def is_file(text: str) -> None:
    """Check that this process can write to, or create, this file. An empty text passes."""
    if not text:
        return
    file = Path(text)
    try:
        if file.is_dir():
            raise ValueError(f"{text!r} is a folder, not a file")
        if not file.parent.is_dir():
            raise ValueError(f"there is no folder {str(file.parent)!r}")
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise ValueError(f"the server may not write to {text!r}")
    except OSError as error:
        raise ValueError(f"{text!r}: {error.strerror}") from None


def _is_web(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def read(text: str, kind: type, about: Mapping[str, Any], source: str) -> Any:
    """Read and check the text of a setting. `about` has its choices, bounds or check; `source` is
    the flag or variable that errors name. Raises ValueError."""
    choices = about.get("choices")
    if choices:
        if text not in choices:
            raise ValueError(f"{source} must be one of {', '.join(choices)}, not {text!r}")
        return text
    if about.get("check"):
        try:
            about["check"](text)
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from None
    if kind not in (int, float):
        return kind(text)
    least, most = about["bounds"]
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"{source} must be a number, not {text!r}") from None
    if not least <= value <= most:  # refuses NaN, too
        raise ValueError(f"{source} must be from {least} to {most}, not {text}")
    return value
