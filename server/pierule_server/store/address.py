"""Names stores for operators, without passwords, and finds the URL of the archive."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit


def flag_of(store: str, data: Path) -> str:
    """The flag that names the store, with its value, without a password."""
    return f"--data {data}" if store == "embedded" else f"--store {without_password(store)}"


def without_password(url: str) -> str:
    """A store's URL, or "embedded", without the password, for logs."""
    if url == "embedded":
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def check_archive(archive: str, store: str, data: Path) -> None:
    """Check the URL of the archive, and that a file has a folder. Raises ValueError."""
    url = archive_url(archive, store, data)
    if url is None or archive == "auto":
        return
    from pierule_archive.database import parsed  # see `archive_url`

    parts = parsed(url)
    folder = Path(parts.database or "").parent
    if parts.drivername == "sqlite" and not folder.is_dir():
        raise ValueError(f"--archive: there is no folder {str(folder)!r}")


def archive_url(archive: str, store: str, data: Path) -> str | None:
    """The URL of the archive in these settings; None for no archive. Raises ValueError."""
    embedded = store == "embedded"
    if archive == "off" or (archive == "auto" and not embedded):
        return None
    # The import takes 20 MB and a third of a second. A node without an archive saves both.
    from pierule_archive.database import parsed, url_in

    url = url_in(data) if archive == "auto" else archive
    try:
        sqlite = parsed(url).drivername == "sqlite"
    except ValueError as error:
        raise ValueError(f"{error} (see --archive)") from error
    if sqlite and not embedded:
        raise ValueError(
            "SQLite is for a node with an embedded store: with --store, set --archive to "
            "postgresql://… or off"
        )
    return url
