"""Finds what is wrong with the URL of a store: before it is used, most often a password with
characters that mean something else in a URL; if the store cannot be used, TLS or a Sentinel's
password."""

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


_NO_TLS = ("no connection within", "WRONG_VERSION_NUMBER")
_TLS = ("reset by peer", "the store closed the connection", "Connection closed by server")
_UNKNOWN_SIGNER = ("self-signed certificate", "self signed certificate", "local issuer certificate")
_LOGIN = ("Authentication required", "username-password pair")
"""Parts of the errors of a client that expects TLS where there is none, or none where there is, or
that does not know who signed a certificate; and of a server that does not let a client in."""


def likely_cause(url: str, why: str) -> str:
    """What in the URL of a store may be the cause if the store cannot be used: `why` is the error.
    Empty if nothing points to the URL. It shows no part of the URL."""
    scheme = url.partition("://")[0]
    if scheme in SCHEMES and any(part in why for part in _LOGIN):
        if "no Sentinel knows" in why:
            return (
                "a Sentinel's own user and password are the options sentinel_username and "
                "sentinel_password of the store's URL"
            )
        return "the user and password before the @ of the store's URL are for the servers"
    if scheme.startswith("rediss"):
        if any(part in why for part in _NO_TLS):
            return "if it is a port without TLS, the store's URL must begin with redis, not rediss"
        if any(part in why for part in _UNKNOWN_SIGNER):
            return "if an authority of your own has signed the certificate, name it by --store-ca"
    elif scheme.startswith("redis") and any(part in why for part in _TLS):
        return "if it is a port with TLS, the store's URL must begin with rediss, not redis"
    return ""


def _has_login_too_late(parts: SplitResult) -> bool:
    """Whether an @ comes where no login can be. In the value of an option it is in order."""
    name, _, _ = parts.query.partition("=")
    return "@" in parts.path + parts.fragment + name


def _names_database(path: str) -> bool:
    name = path.strip("/")
    return not name or (name.isascii() and name.isdecimal())
