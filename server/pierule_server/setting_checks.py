"""Checks the values of settings that would otherwise fail only when somebody needs them.

Each check raises ValueError and says what is wrong. `flags` adds the flag or variable.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def is_header(text: str) -> None:
    """Check the name of an HTTP header."""
    if not _HEADER.fullmatch(text):
        raise ValueError(f"{text!r} is not the name of a header, such as X-Forwarded-For")


def is_folder(text: str) -> None:
    """Check that a folder is named, and no file: an empty variable would mean the folder where we
    were started."""
    if not text:
        raise ValueError("name a folder")
    if Path(text).expanduser().is_file():
        raise ValueError(f"{text!r} is a file, not a folder")


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


LEAST_MEMORY = 16 << 20
"""Bytes of data below which the embedded store has no room for games: empty, it takes 2 MB, and
buffers for clients and for its log are on top."""


def is_store_memory(text: str) -> None:
    """Check a bound on the memory of the embedded store. `flags` checks that it is a number."""
    if text.isascii() and text.isdecimal() and len(text) < 20 and 0 < int(text) < LEAST_MEMORY:
        raise ValueError(
            f"{int(text)} bytes have no room for games: name at least {LEAST_MEMORY} (16 MiB), or "
            "0 for half of the memory"
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
