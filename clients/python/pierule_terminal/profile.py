"""Identities that outlive a run: tokens for each server, and who is playing right now.

For each server, a profile holds up to two players. The first is the user. The second joins when the
first already plays that room in another terminal, so two people at one computer just run `pierule
play ROOM` twice. The operating system makes this safe: a running `play` holds a lock on (server,
room, player), which ends with its process in any case. The next run finds the lock free, takes the
same player, and so gets the same seat back.

A server is known by its address in a fixed spelling (`same_server`), never by what it says about
itself: a server that asks for a token must not choose which token it gets.

Files, in $XDG_CONFIG_HOME/pierule or ~/.config/pierule (mode 0700): `tokens.json` or
`tokens-PROFILE.json` (mode 0600), and `lock`, which is always empty. Each lock is on a byte of it.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit, urlunsplit
from zlib import crc32

import msgspec

PLAYERS = (0, 1)
"""The players of a profile, by index: the user, and a second player at the same computer."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
_CHANGING = 0  # the byte of the lock file for `changing`; the bytes of claims come after it


class ProfileTrouble(Exception):
    """The profile cannot be used; the text names the file and says what to do."""


class Identity(msgspec.Struct, frozen=True):
    """A user of a server: the token, and the id by which rooms know the user."""

    token: str
    user: str


Players: TypeAlias = list[Identity | None]
"""The identities at a server, by player; None for a player without one."""

_file = msgspec.json.Decoder(dict[str, Players])


def config_folder() -> Path:
    """The folder of all profiles."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification says to ignore relative paths.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "pierule"


def same_server(url: str) -> str:
    """The same spelling for all addresses of a server: scheme and host in lower case, without a
    port that the scheme implies, and with a path."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return url
    if not host:
        return url
    if host in ("127.0.0.1", "::1") or host.endswith(".localhost"):
        host = "localhost"
    host = f"[{host}]" if ":" in host else host
    own = {"ws": 80, "wss": 443}.get(parts.scheme)
    place = host if port in (None, own) else f"{host}:{port}"
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), parts.query, ""))


class Profile:
    """The tokens of a profile. Every method reads the file again, because other processes may write
    it."""

    def __init__(self, name: str | None = None, folder: Path | None = None) -> None:
        if name is not None and not _NAME.fullmatch(name):
            raise ProfileTrouble(
                f"{name!r} is not a name for a profile; use at most 32 letters, digits, _ and -"
            )
        self.folder = folder or config_folder()
        self.path = self.folder / (f"tokens-{name}.json" if name else "tokens.json")
        self._name = name or ""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Closing any descriptor of the file would end all locks of this process on it. So
            # there is exactly one, and it stays open.
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ProfileTrouble(f"{error.filename}: {error.strerror}") from None

    def players(self, server: str) -> Players:
        """The identities at a server, padded with None. Raises ProfileTrouble."""
        known = self._known().get(same_server(server), [])
        return [*known, *(None for _ in PLAYERS)][: len(PLAYERS)]

    def keep(self, server: str, player: int, identity: Identity) -> None:
        """Remember an identity. Call it only within `changing`. Raises ProfileTrouble."""
        players = self.players(server)
        players[player] = identity
        self._write({**self._known(), same_server(server): players})

    def forget(self, server: str, player: int) -> None:
        """Forget an identity. Call it only within `changing`. Raises ProfileTrouble."""
        players = self.players(server)
        players[player] = None
        self._write({**self._known(), same_server(server): players})

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Wait until no other process makes identities or takes seats, and make others wait
        inside."""
        fcntl.lockf(self._lock, fcntl.LOCK_EX, 1, _CHANGING)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, _CHANGING)

    def claim(self, server: str, room: str, player: int) -> bool:
        """Claim that this process plays the room as this player. Returns False if another process
        does."""
        try:
            fcntl.lockf(
                self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._byte(server, room, player)
            )
        except OSError:
            return False
        return True

    def release(self, server: str, room: str, player: int) -> None:
        """Give up a claim."""
        fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, self._byte(server, room, player))

    def _byte(self, server: str, room: str, player: int) -> int:
        return 1 + crc32(f"{self._name} {same_server(server)} {room} {player}".encode())

    def _known(self) -> dict[str, Players]:
        """The identities by server. Earlier versions kept several spellings of an address; the
        first counts."""
        known: dict[str, Players] = {}
        for server, players in self._read().items():
            known.setdefault(same_server(server), players)
        return known

    def _read(self) -> dict[str, Players]:
        try:
            return _file.decode(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ProfileTrouble(f"{self.path}: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ProfileTrouble(
                f"cannot read {self.path} ({error}). It has the tokens that prove who you are: "
                "repair it, or move it away to begin as a new user"
            ) from None

    def _write(self, known: dict[str, Players]) -> None:
        text = msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"
        fresh = self.path.with_suffix(".new")
        try:
            fresh.unlink(missing_ok=True)  # so that it gets the mode below
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as to:
                to.write(text)
                to.flush()
                os.fsync(to.fileno())
            fresh.replace(self.path)
        except OSError as error:
            raise ProfileTrouble(f"{self.path}: {error.strerror}") from None
