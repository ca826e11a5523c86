"""Users whom the operators' own identity provider vouches for (SPEC 24.6).

The provider signs tokens (JWT). Its public keys (JWKS) are read from a file or a URL, in a thread,
and kept. They are read again now and then, and when a token names an unknown key. Such a token is
judged by a read that began after it came, so that no bogus key hides a true one, but there is at
most one read in `APART` seconds, however many ask. Errors say what is wrong with a token without
showing it.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from http.client import HTTPException
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt
import msgspec
import structlog
from jwt.algorithms import has_crypto

from pierule_protocol import world
from pierule_server.identity.tokens import (
    BRACKETS,
    BadName,
    BadToken,
    User,
    clean_name,
    guest_name,
)
from pierule_server.settings import Settings
from pierule_server.tasks import Tasks

logger = structlog.get_logger()

ASYMMETRIC = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Algorithms that can be allowed: the checker of a token must not be able to sign one."""

APART = 2.0
"""The least seconds between two reads of the keys because of an unknown key. The client waits for
this time and `FETCH_SECONDS` more: less than a client has to say hello."""

FETCH_SECONDS = 5.0
FETCH_BYTES = 1 << 18
"""The most time and bytes for reading the keys."""

_NO_BRACKETS = str.maketrans("", "", BRACKETS)

_VOUCHED = re.compile(r"p[0-9a-f]{24}")


class KeysUnread(Exception):
    """The provider's keys cannot be read; the text says why."""


def vouched(user: str) -> bool:
    """Whether this is the id of a user for whom an identity provider vouches."""
    return bool(_VOUCHED.fullmatch(user))


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token must say: its issuer, its audience, and the algorithms that may sign it; which
    claims give the user and the name. `leeway` is by how many seconds clocks may differ."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    user_claim: str = "sub"
    name_claim: str = "name"
    leeway: int = 60


class Provider:
    """The provider whose keys are at `source`, a path or a URL, read every `refresh` seconds.
    `secret()` gives the key of its users' ids, the same at every node and for ever."""

    def __init__(
        self, source: str, demands: TokenRules, refresh: float, secret: Callable[[], bytes]
    ) -> None:
        self._source = source
        self._secret = secret
        self._demands = demands
        self._refresh = refresh
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._read_at = float("-inf")
        self._unread = True
        self._reading = asyncio.Lock()
        self._coming: asyncio.Task[None] | None = None
        self._tasks = Tasks()

    async def start(self) -> None:
        """Read the keys, and keep reading them. Raises ValueError for a file that holds none; a URL
        that does not answer now may do so later."""
        try:
            await self._read()
        except KeysUnread as error:
            if not _is_url(self._source):
                raise ValueError(f"--jwks: {error}") from None
            logger.warning("the identity provider's keys cannot be read", error=str(error))
        self._tasks.keep(self._run, "provider")

    async def stop(self) -> None:
        """Stop reading them."""
        await self._tasks.stop()

    async def check(self, token: str) -> User:
        """The user in a token. Raises BadToken with what is wrong, and KeysUnread if its key is
        unknown while keys cannot be read."""
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            raise BadToken("it is no JWT") from None
        if header.get("alg") not in self._demands.algorithms:
            raise BadToken("its algorithm is not one that is taken here")
        key = self._keys.get(header.get("kid"))
        if key is None:
            await asyncio.shield(self._next())
            key = self._keys.get(header.get("kid"))
        if key is None and self._unread:
            raise KeysUnread("its key may be among those that cannot be read now")
        if key is None:
            raise BadToken("its key (kid) is not known")
        if header["alg"] != key.algorithm_name:
            raise BadToken("its algorithm is not that of its key")
        return self._user(self._claims(token, key, header["alg"]))

    def heir(self, user: str) -> str:
        """The id of one of its users after the account with this one was deleted."""
        return self._id(f"heir\0{user}")

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        demands = self._demands
        try:
            return jwt.decode(
                token, key, [algorithm],
                issuer=demands.issuer, audience=demands.audience, leeway=demands.leeway,
                options={"require": ["exp", "iss", "aud", demands.user_claim]},
            )  # fmt: skip
        except jwt.ExpiredSignatureError:
            raise BadToken("it has expired") from None
        except jwt.ImmatureSignatureError:
            raise BadToken("it is not valid yet") from None
        except jwt.InvalidAudienceError:
            raise BadToken("it is for another audience") from None
        except jwt.InvalidIssuerError:
            raise BadToken("it is of another issuer") from None
        except jwt.MissingRequiredClaimError as error:
            raise BadToken(f"it lacks the claim {error.claim}") from None
        except jwt.InvalidSignatureError:
            raise BadToken("its signature is wrong") from None
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
            raise BadToken("it is no JWT of this provider") from None

    def _user(self, claims: dict[str, Any]) -> User:
        """The id reveals nothing of the claim, also to those who know it: rooms and the archive
        show the id to everybody."""
        subject, name = claims[self._demands.user_claim], claims.get(self._demands.name_claim)
        if not isinstance(subject, str) or not subject:
            raise BadToken(f"its claim {self._demands.user_claim} is no text")
        try:
            user = self._id(f"subject\0{self._demands.issuer}\0{subject}")
        except UnicodeEncodeError:  # JSON can spell half of a surrogate pair.
            raise BadToken(f"its claim {self._demands.user_claim} has a lone surrogate") from None
        with suppress(BadName):
            plain = name.translate(_NO_BRACKETS) if isinstance(name, str) else ""
            return User(user, clean_name(plain[:24].strip()))
        return User(user, guest_name(user))

    def _id(self, text: str) -> str:
        return f"p{hmac.digest(self._secret(), text.encode(), 'sha256').hex()[:24]}"

    def _next(self) -> asyncio.Task[None]:
        """The next read of the keys that has not begun yet. It completes even if its callers stop
        waiting."""
        if self._coming is None:
            self._coming = self._tasks.begin(self._read_soon(), "provider")
        return self._coming

    async def _read_soon(self) -> None:
        async with self._reading:
            await asyncio.sleep(self._read_at + APART - world.monotonic())
            self._coming = None
            await self._read_if_possible()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._refresh)
            async with self._reading:
                await self._read_if_possible()

    async def _read_if_possible(self) -> None:
        try:
            await self._read()
        except KeysUnread as error:  # Those that are known go on to hold.
            logger.warning("the identity provider's keys cannot be read", error=str(error))

    async def _read(self) -> None:
        self._read_at = world.monotonic()
        try:
            data = await asyncio.to_thread(_fetch, self._source)
            self._keys, self._unread = _usable(self._source, data), False
        except KeysUnread:
            self._unread = True
            raise


def _usable(source: str, data: bytes) -> dict[str | None, jwt.PyJWK]:
    """The keys of a JWKS by their `kid`, each for one algorithm: that of its `alg`, or the usual
    one for its kind. Raises KeysUnread."""
    try:
        keys = jwt.PyJWKSet.from_dict(msgspec.json.decode(data, type=dict[str, Any])).keys
    except (jwt.PyJWTError, msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise KeysUnread(f"{source} holds no JWKS ({type(error).__name__})") from None
    usable = {
        key.key_id: key for key in keys
        if key.public_key_use in ("sig", None) and key.algorithm_name in ASYMMETRIC
    }  # fmt: skip
    if not usable:
        raise KeysUnread(f"{source} holds no public key that signs")
    return usable


def provider_of(settings: Settings, secret: Callable[[], bytes]) -> Provider | None:
    """The provider in the settings, if any; `secret` as in `Provider`. Raises ValueError for wrong
    settings."""
    if not settings.jwks:
        if settings.guests == "off":
            raise ValueError("--guests off needs --jwks: otherwise nobody can come in")
        for each in fields(settings):
            if each.name.startswith("jwt_") and getattr(settings, each.name) != each.default:
                raise ValueError(f"--{each.name.replace('_', '-')} needs --jwks")
        return None
    if settings.guests == "off" and settings.bots:
        raise ValueError(
            "--bots needs --guests on, because house bots are guests; with --guests off run "
            "`pierule bot` beside the node, with PIERULE_TOKEN"
        )
    if not has_crypto:
        raise ValueError("--jwks needs a package that is not installed: pip install 'pierule[jwt]'")
    if not (settings.jwt_issuer and settings.jwt_audience):
        raise ValueError("--jwks needs --jwt-issuer and --jwt-audience")
    if _is_url(settings.jwks) and not _is_safe(settings.jwks):
        raise ValueError("--jwks must be a file, an https:// URL, or http:// of this machine")
    algorithms = tuple(name.strip() for name in settings.jwt_algorithms.split(","))
    if wrong := [name for name in algorithms if name not in ASYMMETRIC]:
        raise ValueError(f"--jwt-algorithms: {wrong[0]!r} is not one of {', '.join(ASYMMETRIC)}")
    demands = TokenRules(
        settings.jwt_issuer, settings.jwt_audience, algorithms,
        settings.jwt_user, settings.jwt_name, settings.jwt_leeway,
    )  # fmt: skip
    return Provider(settings.jwks, demands, settings.jwt_refresh, secret)


def _is_url(source: str) -> bool:
    return "://" in source


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    if parts.scheme == "https":
        return bool(parts.hostname)
    with suppress(ValueError):
        return parts.scheme == "http" and ip_address(parts.hostname or "").is_loopback
    return parts.scheme == "http" and parts.hostname == "localhost"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Read only where the operators said, and nowhere else."""


def _fetch(source: str) -> bytes:
    """Read the source; blocks. Raises KeysUnread."""
    try:
        if not _is_url(source):
            with Path(source).open("rb") as file:
                return _bounded(source, file.read(FETCH_BYTES + 1))
        until = world.monotonic() + FETCH_SECONDS
        with urllib.request.build_opener(_NoRedirect()).open(
            source, timeout=FETCH_SECONDS
        ) as reply:
            data = b""
            while part := reply.read1(65_536):
                data = _bounded(source, data + part)
                if world.monotonic() > until:
                    raise KeysUnread(f"{source} is too slow")
            return data
    except (OSError, HTTPException) as error:
        raise KeysUnread(f"{source}: {error}") from None


def _bounded(source: str, data: bytes) -> bytes:
    if len(data) > FETCH_BYTES:
        raise KeysUnread(f"{source} is longer than {FETCH_BYTES} bytes")
    return data
