"""Finds what is wrong with the URL of a store before it is used: most often a password with
characters that mean something else in a URL."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from pierule_server.store.driver.sentinel import SCHEMES

ESCAPED = (
    "in its user or password, write % as %25, / as %2F, ? as %3F, # as %23, @ as %40 and : as %3A"
)


BEGINNINGS = ("redis://", "rediss://", "unix://", *(f"{each}://" for each in SCHEMES))


def check_url(url: str) -> None:
    """Check the URL of a store. Raises ValueError, which shows no part of the URL, because a wrong
    URL does not say where its password ends."""
    if not url.startswith(BEGINNINGS):
        raise ValueError(f"the store's URL begins with none of {', '.join(BEGINNINGS)}")
    try:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:  # these name several hosts
            parts.port  # noqa: B018
    except ValueError:
        raise ValueError(f"the port in the store's URL is not a number; {ESCAPED}") from None
    if parts.scheme == "unix":
        return
    if _has_login_too_late(parts):
        raise ValueError(f"the store's URL has an @ after its address; {ESCAPED}")
    if parts.scheme in ("redis", "rediss") and not _names_database(parts.path):
        raise ValueError("the path of the store's URL is not the number of a database, such as /0")


def _has_login_too_late(parts: SplitResult) -> bool:
    """Whether an @ comes where no login can be. In the value of an option it is in order."""
    name, _, _ = parts.query.partition("=")
    return "@" in parts.path + parts.fragment + name


def _names_database(path: str) -> bool:
    name = path.strip("/")
    return not name or (name.isascii() and name.isdecimal())
