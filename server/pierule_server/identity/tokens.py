"""Signed tokens that identify a client, and that every node can check without asking anybody."""

from __future__ import annotations

import hmac
import json
import os
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import jwt

from pierule_protocol import world
from pierule_server.identity.lookalikes import BLANK, bracket, ignorable, visible

ISSUER = "pierule"
ALGORITHM = "HS256"

YOUNG_SECONDS = 86_400

Standing: TypeAlias = Literal["young", "known", "vouched"]


@dataclass(frozen=True, slots=True)
class User:
    """A person, or a program that calls itself a `bot`. `id` never changes; `name` is what others
    see. `born` is when a guest first came, in seconds since 1970; 0 for everybody else. `house`
    says that a node runs this bot, and has signed that. `session` names the sessions that began
    since the user last ended all others; `instead` is the session that this one ends, or has ended
    (SPEC 24.12)."""

    id: str
    name: str
    bot: bool = False
    born: int = 0
    house: bool = False
    session: str = ""
    instead: str | None = None

    @property
    def standing(self) -> Standing:
        """How likely it is that this user is a different person from other users (SPEC 1.11). A new
        guest costs nothing, an older guest only time; an identity provider vouches for its own
        users."""
        if not self.born:
            return "vouched"
        return "young" if world.wall() - self.born < YOUNG_SECONDS else "known"


class BadToken(Exception):
    """No accepted key signed the token, or it does not hold a user. `text`, if there is one, tells
    the user what is wrong, but shows nothing of the token."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.text = f"the token is refused: {why}" if why else None


class BadName(Exception):
    """Nobody can have this name; the text says why."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Secrets by key id. The first one signs; all are accepted, so operators can replace keys."""

    secrets: dict[str, str]

    def sign(self, user: User) -> str:
        """A token (JWT) for the user."""
        kid, secret = next(iter(self.secrets.items()))
        claims = {"iss": ISSUER, "sub": user.id, "name": user.name, "iat": int(world.wall())}
        claims["born"] = user.born
        claims |= {"bot": True} if user.bot else {}
        claims |= {"house": True} if user.house else {}
        claims |= {"session": user.session} if user.session else {}
        claims |= {"instead": user.instead} if user.instead is not None else {}
        return jwt.encode(claims, secret, ALGORITHM, headers={"kid": kid})

    @property
    def current(self) -> str:
        """The id of the key that signs."""
        return next(iter(self.secrets))

    def derived(self, kid: str, text: str) -> str | None:
        """A secret derived from key `kid` and a text, in hex, the same at every node; None if there
        is no such key any more."""
        secret = self.secrets.get(kid)
        if secret is None:
            return None
        return hmac.new(secret.encode(), text.encode(), "sha256").hexdigest()

    def proofs(self, salt: bytes) -> dict[str, str]:
        """A value per key id that shows that this node holds the key, but does not reveal its
        secret."""
        return {
            kid: hmac.new(secret.encode(), b"key " + salt, "sha256").hexdigest()
            for kid, secret in self.secrets.items()
        }

    @property
    def secret(self) -> bytes:
        """The secret that signs, for whatever else must be the same at every node."""
        return next(iter(self.secrets.values())).encode()

    def check(self, token: str) -> User:
        """The user in a token. Raises BadToken."""
        try:
            kid: str = jwt.get_unverified_header(token)["kid"]
            claims = jwt.decode(
                token,
                self.secrets[kid],
                [ALGORITHM],
                issuer=ISSUER,
                # The clock of the node that signed it may be ahead of ours by any amount.
                options={"require": ["sub", "iat", "iss"], "verify_iat": False},
            )
            # Tokens of earlier releases do not say when the guest came.
            born = claims.get("born", claims["iat"])
            if type(born) is not int or not isinstance(claims["name"], str):
                raise BadToken
            marks = bool(claims.get("bot")), born, bool(claims.get("house"))
            session, instead = claims.get("session", ""), claims.get("instead")
            if not isinstance(session, str) or not isinstance(instead, str | None):
                raise BadToken
            user = User(claims["sub"], guest_name(claims["sub"]), *marks, session, instead)
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError):
            raise BadToken from None
        with suppress(
            BadName
        ):  # An earlier release may have accepted a name that this one refuses.
            return replace(user, name=clean_name(claims["name"]))
        return user


def is_ours(token: str) -> bool:
    """Whether a token claims that this server signed it, not an identity provider. A provider never
    uses our algorithm. True for a text that is not a token."""
    try:
        return jwt.get_unverified_header(token).get("alg") == ALGORITHM
    except jwt.InvalidTokenError:
        return True


def read_keys(text: str) -> Keys:
    """Keys from `ID:SECRET,ID:SECRET`. Raises ValueError, which never shows a secret."""
    found: dict[str, str] = {}
    for number, part in enumerate(text.split(","), 1):
        kid, colon, secret = part.strip().partition(":")
        if not (kid and colon and len(secret) >= 32):
            raise ValueError(
                f"key {number} of PIERULE_KEYS is not ID:SECRET with a secret of at least 32 "
                "characters; make one with `openssl rand -hex 32`"
            )
        if kid in found:  # or one secret would silently take the place of the other
            raise ValueError(
                f"key {number} of PIERULE_KEYS has the id {kid!r} of an earlier one: give each "
                "key an id of its own"
            )
        found[kid] = secret
    return Keys(found)


def kept_keys(folder: Path) -> Keys:
    """The keys kept in a data folder. The first call makes them, in a file that only its owner can
    read. Raises ValueError for a damaged file, and OSError."""
    path = folder / "keys.json"
    if not path.exists():
        fresh = {world.token_hex(4): world.token_hex(32)}
        descriptor = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            os.fchmod(descriptor, 0o600)  # also if an earlier start left the file here
            json.dump(fresh, file)
            file.flush()
            os.fsync(file.fileno())
        path.with_suffix(".new").rename(path)
    try:
        found = json.loads(path.read_text())
        return read_keys(",".join(f"{kid}:{secret}" for kid, secret in found.items()))
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{path} does not hold keys; repair it, or remove it (then all tokens become invalid)"
        ) from error


def new_guest(name: str | None) -> User:
    """A new guest with this name, or with a made-up one. Raises BadName."""
    user_id = world.token_hex(8)
    called = clean_name(name) if name is not None else guest_name(user_id)
    return User(user_id, called, born=int(world.wall()))


def may_be_user(text: str) -> bool:
    """Whether this can be the id of a user: a guest's, or that of an identity provider's user."""
    return bool(re.fullmatch("[0-9a-f]{16}|p[0-9a-f]{24}", text))


def guest_name(user: str) -> str:
    """The name of a user who chose none."""
    return f"guest-{user[:4]}"


def clean_name(name: object) -> str:
    """The name as others see it, in composed form (NFC). Raises BadName if it is too long, draws
    nothing, or has brackets or characters that draw nothing or reorder text (SPEC 1.3)."""
    if not isinstance(name, str):
        raise BadName("a name must be a text")
    name = unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= 24:
        raise BadName("a name must have 1 to 24 characters")
    if name != name.strip() or any(
        unicodedata.category(c)[0] == "C"
        or unicodedata.category(c) in ("Zl", "Zp")
        or c == BLANK
        or ignorable(c)
        for c in name
    ):
        raise BadName("a name must not have invisible characters, or spaces around it")
    if not visible(name):
        raise BadName("a name must have something to see: a letter, a digit or a sign")
    if any(map(bracket, name)):
        raise BadName("a name must not have brackets: clients use them for remarks about a user")
    return name
