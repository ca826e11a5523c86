"""Checks tokens of the operators' own identity provider (SPEC 24.6).

The provider signs tokens (JWT). A thread reads its public keys (JWKS) from a file or a URL. The
node keeps the keys, and reads them again now and then, and when a token names an unknown key. Such
a token waits for a read that begins after the token came, so a bogus key cannot hide a true one.
However many tokens wait, at least `APART` seconds lie between two such reads. Errors say what is
wrong with a token, but never show it.
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
from pierule_server.identity.lookalikes import bracket
from pierule_server.identity.tokens import (
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
"""Algorithms that operators can allow: whoever can check a token must not be able to sign one."""

APART = 2.0
"""The least seconds between two reads because of unknown keys. A client waits at most this long
plus `FETCH_SECONDS`, which is less than it has to say hello."""

FETCH_SECONDS = 5.0
FETCH_BYTES = 1 << 18
"""The most seconds and bytes that a read of the keys may take."""

_VOUCHED = re.compile(r"p[0-9a-f]{24}")


class KeysUnread(Exception):
    """The server cannot read the provider's keys; the text says why."""


def vouched(user: str) -> bool:
    """Whether this is the id of a user of an identity provider."""
    return bool(_VOUCHED.fullmatch(user))


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token must contain: its issuer, its audience, one of the algorithms that may sign it,
    and the claims with the user and the name. Clocks may differ by `leeway` seconds."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    user_claim: str = "sub"
    name_claim: str = "name"
    leeway: int = 60


class Provider:
    """An identity provider. The node reads its keys from `source`, a path or a URL, every `refresh`
    seconds. `secret()` gives the key that hashes its users' ids: the same at every node, for
    ever."""

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
        """Read the keys, and go on reading them. Raises ValueError for a file without keys. A URL
        that does not answer now may answer later, so it only gets a warning."""
        try:
            await self._read()
        except KeysUnread as error:
            if not _is_url(self._source):
                raise ValueError(f"--jwks: {error}") from None
            logger.warning(
                "the identity provider's keys cannot be read; trying again", error=str(error)
            )
        self._tasks.keep(self._run, "provider")

    async def stop(self) -> None:
        """Stop reading the keys."""
        await self._tasks.stop()

    async def check(self, token: str) -> User:
        """The user in a token. Raises BadToken, which says what is wrong, and KeysUnread if the
        token's key is unknown while the keys cannot be read."""
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            raise BadToken("it is not a JWT") from None
        if header.get("alg") not in self._demands.algorithms:
            raise BadToken("its algorithm (alg) is not accepted here")
        key = self._keys.get(header.get("kid"))
        if key is None:
            await asyncio.shield(self._next())
            key = self._keys.get(header.get("kid"))
        if key is None and self._unread:
            raise KeysUnread("its key may be among those that the server cannot read now")
        if key is None:
            raise BadToken("its key (kid) is not known")
        if header["alg"] != key.algorithm_name:
            raise BadToken("its algorithm (alg) is not that of its key")
        return self._user(self._claims(token, key, header["alg"]))

    def heir(self, user: str) -> str:
        """The next id of a user of the provider who has deleted the account with this id."""
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
            raise BadToken("it comes from another issuer") from None
        except jwt.MissingRequiredClaimError as error:
            raise BadToken(f"it lacks the claim {error.claim}") from None
        except jwt.InvalidSignatureError:
            raise BadToken("its signature is wrong") from None
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
            raise BadToken("it is not a JWT of this provider") from None

    def _user(self, claims: dict[str, Any]) -> User:
        """The user in the claims. Rooms and the archive show the id to everybody, so it is a keyed
        hash: even if you know somebody's claim, you cannot compute the id."""
        subject, name = claims[self._demands.user_claim], claims.get(self._demands.name_claim)
        if not isinstance(subject, str) or not subject:
            raise BadToken(f"its claim {self._demands.user_claim} is not a text, or is empty")
        try:
            user = self._id(f"subject\0{self._demands.issuer}\0{subject}")
        except UnicodeEncodeError:  # JSON can contain half of a surrogate pair.
            raise BadToken(f"its claim {self._demands.user_claim} has a lone surrogate") from None
        with suppress(BadName):
            called = name if isinstance(name, str) else ""
            plain = "".join(each for each in called if not bracket(each))
            return User(user, clean_name(plain[:24].strip()))
        return User(user, guest_name(user))

    def _id(self, text: str) -> str:
        return f"p{hmac.digest(self._secret(), text.encode(), 'sha256').hex()[:24]}"

    def _next(self) -> asyncio.Task[None]:
        """The next read of the keys, which has not begun yet. It goes on even if all callers stop
        waiting for it."""
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
        except KeysUnread as error:
            logger.warning(
                "the identity provider's keys cannot be read; the known keys stay valid",
                error=str(error),
            )

    async def _read(self) -> None:
        self._read_at = world.monotonic()
        try:
            data = await asyncio.to_thread(_fetch, self._source)
            self._keys, self._unread = _usable(self._source, data), False
        except KeysUnread:
            self._unread = True
            raise


def _usable(source: str, data: bytes) -> dict[str | None, jwt.PyJWK]:
    """The keys in a JWKS that can sign tokens, by `kid`. Each is for one algorithm: its `alg`, or
    the usual one for its kind. Raises KeysUnread if there are none."""
    try:
        keys = jwt.PyJWKSet.from_dict(msgspec.json.decode(data, type=dict[str, Any])).keys
    except (jwt.PyJWTError, msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise KeysUnread(f"{source} does not hold a JWKS ({type(error).__name__})") from None
    usable = {
        key.key_id: key for key in keys
        if key.public_key_use in ("sig", None) and key.algorithm_name in ASYMMETRIC
    }  # fmt: skip
    if not usable:
        raise KeysUnread(f"{source} holds no public key for signatures")
    return usable


def provider_of(settings: Settings, secret: Callable[[], bytes]) -> Provider | None:
    """The identity provider of these settings, if any; `secret` is that of `Provider`. Raises
    ValueError for wrong settings."""
    if not settings.jwks:
        if settings.guests == "off":
            raise ValueError("--guests off needs --jwks: otherwise nobody can come in")
        for each in fields(settings):
            if each.name.startswith("jwt_") and getattr(settings, each.name) != each.default:
                raise ValueError(f"--{each.name.replace('_', '-')} needs --jwks")
        return None
    if settings.guests == "off" and settings.bots:
        raise ValueError(
            "--bots needs --guests on, because house bots are guests; with --guests off, run "
            "`pierule bot` beside the node with PIERULE_TOKEN"
        )
    if not has_crypto:
        raise ValueError("--jwks needs a package that is not installed: pip install 'pierule[jwt]'")
    if not (settings.jwt_issuer and settings.jwt_audience):
        raise ValueError("--jwks needs --jwt-issuer and --jwt-audience")
    if _is_url(settings.jwks) and not _is_safe(settings.jwks):
        raise ValueError("--jwks must be a file, an https:// URL, or http:// on this machine")
    algorithms = tuple(name.strip() for name in settings.jwt_algorithms.split(","))
    if wrong := [name for name in algorithms if name not in ASYMMETRIC]:
        raise ValueError(f"--jwt-algorithms: {wrong[0]!r} is not one of {', '.join(ASYMMETRIC)}")
    demands = TokenRules(
        settings.jwt_issuer, settings.jwt_audience, algorithms,
        settings.jwt_user, settings.jwt_name, settings.jwt_leeway,
    )  # fmt: skip
    return Provider(settings.jwks, demands, settings.jwt_refresh, secret)


def check_keys(settings: Settings) -> None:
    """Check the provider's keys if they are in a file. Raises ValueError."""
    if settings.jwks and not _is_url(settings.jwks):
        try:
            _usable(settings.jwks, _fetch(settings.jwks))
        except KeysUnread as error:
            raise ValueError(f"--jwks: {error}") from None


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
        """Follow no redirect: read only from the URL that the operators gave."""


def _fetch(source: str) -> bytes:
    """The bytes at the source. Blocks. Raises KeysUnread."""
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
