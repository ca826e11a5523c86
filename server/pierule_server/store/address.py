"""How operators are told of a store: by the flag that names it, without its password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit


def flag_of(store: str, data: Path) -> str:
    """The flag that says where the store is, with its value."""
    return f"--data {data}" if store == "embedded" else f"--store {without_password(store)}"


def without_password(url: str) -> str:
    """A store's URL, or "embedded", as it may be logged."""
    if url == "embedded":
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
