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


def archive_url(archive: str, store: str, data: Path) -> str | None:
    """The URL of the archive that these settings name, None for none. Raises ValueError."""
    embedded = store == "embedded"
    if archive == "off" or (archive == "auto" and not embedded):
        return None
    # The database takes 20 MB and a third of a second, which a node without an archive saves.
    from pierule_archive.database import parsed, url_in

    url = url_in(data) if archive == "auto" else archive
    try:
        sqlite = parsed(url).drivername == "sqlite"
    except ValueError as error:
        raise ValueError(f"{error} (see --archive)") from error
    if sqlite and not embedded:
        raise ValueError(
            "SQLite is for one node with an embedded store: with --store, --archive is "
            "postgresql://…, or off"
        )
    return url
