"""Identities that outlive a run: tokens for each server, and who is playing right now.

A profile holds, for each server, up to two players: the first is the user; the second joins when
the first already plays that room in another terminal, so that two people at one computer just run
`pierule play ROOM` twice. What makes this safe is in the operating system's hands: a running `play`
holds a lock on (server, room, player), which ends with its process however that ends. The next run
finds the lock free, takes the same player and so gets the same seat back.

A server is known by its address in one spelling (`same_server`), never by what it says about
itself: a server that asks for a token must not choose which one it gets.

Files, in $XDG_CONFIG_HOME/pierule or ~/.config/pierule (mode 0700): `tokens.json` or
`tokens-PROFILE.json` (mode 0600), and `lock`, always empty: each lock is on one byte of it.
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
"""The players of a profile, by their index: the first, and the second at the same computer."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
_CHANGING = 0  # the byte of the lock file for `changing`; those of claims lie behind it


class ProfileTrouble(Exception):
    """The profile cannot be used; the text names the file and says what to do."""


class Identity(msgspec.Struct, frozen=True):
    """A user of a server: what proves it, and the id by which rooms know it."""

    token: str
    user: str


Players: TypeAlias = list[Identity | None]
"""The identities at one server, by player; None for one not made yet."""

_file = msgspec.json.Decoder(dict[str, Players])


def config_folder() -> Path:
    """Where profiles are kept."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification: a relative path is invalid and to be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "pierule"


def same_server(url: str) -> str:
    """One spelling for all addresses of the same server: the scheme and the host in lower case,
    without a port that the scheme implies, and with a path."""
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
    """The tokens of one profile. Every method reads the file anew: others may write it."""

    def __init__(self, name: str | None = None, folder: Path | None = None) -> None:
        if name is not None and not _NAME.fullmatch(name):
            raise ProfileTrouble(
                f"{name!r} is no name for a profile: letters, digits, _ and -, at most 32"
            )
        self.folder = folder or config_folder()
        self.path = self.folder / (f"tokens-{name}.json" if name else "tokens.json")
        self._name = name or ""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Closing any descriptor of the file would end every lock of this process on it:
            # there is exactly one, and it stays open.
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ProfileTrouble(f"{error.filename}: {error.strerror}") from None

    def players(self, server: str) -> Players:
        """The identities at a server, padded with None. Raises ProfileTrouble."""
        known = self._known().get(same_server(server), [])
        return [*known, *(None for _ in PLAYERS)][: len(PLAYERS)]

    def keep(self, server: str, player: int, identity: Identity) -> None:
        """Remember an identity; only within `changing`. Raises ProfileTrouble."""
        players = self.players(server)
        players[player] = identity
        self._write({**self._known(), same_server(server): players})

    def forget(self, server: str, player: int) -> None:
        """Forget an identity; only within `changing`. Raises ProfileTrouble."""
        players = self.players(server)
        players[player] = None
        self._write({**self._known(), same_server(server): players})

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Wait until no other process makes identities or takes seats, and keep others waiting."""
        fcntl.lockf(self._lock, fcntl.LOCK_EX, 1, _CHANGING)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, _CHANGING)

    def claim(self, server: str, room: str, player: int) -> bool:
        """Say that this process plays the room as this player; False if another one does."""
        try:
            fcntl.lockf(
                self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._byte(server, room, player)
            )
        except OSError:
            return False
        return True

    def release(self, server: str, room: str, player: int) -> None:
        """No longer play the room as this player."""
        fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, self._byte(server, room, player))

    def _byte(self, server: str, room: str, player: int) -> int:
        return 1 + crc32(f"{self._name} {same_server(server)} {room} {player}".encode())

    def _known(self) -> dict[str, Players]:
        """The identities by server. Of two spellings of one address, as earlier versions kept them,
        the first counts."""
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
                f"{self.path} cannot be read ({error}); it holds the tokens that prove who you "
                "are: mend it, or move it away to begin as someone new"
            ) from None

    def _write(self, known: dict[str, Players]) -> None:
        text = msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"
        fresh = self.path.with_suffix(".new")
        try:
            fresh.unlink(missing_ok=True)  # so that the mode below is the one it gets
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as to:
                to.write(text)
                to.flush()
                os.fsync(to.fileno())
            fresh.replace(self.path)
        except OSError as error:
            raise ProfileTrouble(f"{self.path}: {error.strerror}") from None
