"""The keys with which an installation signs what it archives (SPEC 28).

All nodes share them. A data folder has them in a file; nodes without a data folder get them from a
setting. The first key signs. The others signed earlier, and are kept so that nobody loses them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pierule_protocol.log.proof import key_id

FILE = "archive.key"
"""The name of the file in the data folder."""

_WRITTEN = re.compile(r"([0-9a-f]{16}):([0-9a-f]{64})")

_LIKE = "ID:SECRET, as `pierule archive key --new` prints it"


@dataclass(frozen=True)
class Signer:
    """A key that signs. `secret` is its seed of 32 bytes. What follows from it is cached, because
    nodes sign every game."""

    secret: bytes

    def __repr__(self) -> str:
        return f"Signer({self.id})"

    @property
    def public(self) -> bytes:
        return self._private.public_key().public_bytes_raw()

    @cached_property
    def id(self) -> str:
        return key_id(self.public)

    @property
    def written(self) -> str:
        """The key in files and settings: `ID:SECRET`. Keep it secret."""
        return f"{self.id}:{self.secret.hex()}"

    def sign(self, statement: bytes) -> bytes:
        """The signature of a statement, which is always the same."""
        return self._private.sign(statement)

    @cached_property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)


def new_signer() -> Signer:
    """A new, random key."""
    return Signer(Ed25519PrivateKey.generate().private_bytes_raw())


def read_signers(text: str) -> list[Signer]:
    """The keys in a text `ID:SECRET,ID:SECRET`, or in lines. Raises ValueError, also for
    duplicates. Its text never shows a secret."""
    found: list[Signer] = []
    for place, part in enumerate(re.split(r"[,\s]+", text.strip()), 1):
        written = _WRITTEN.fullmatch(part)
        if written is None:
            raise ValueError(f"key {place} of the archive is not {_LIKE}")
        signer = Signer(bytes.fromhex(written[2]))
        if signer.id != written[1]:
            raise ValueError(f"key {place} of the archive: the secret does not fit {written[1]}")
        if signer in found:
            raise ValueError(f"key {signer.id} of the archive is listed twice")
        found.append(signer)
    return found


def first_signer(keys: str, folder: Path | None) -> Signer | None:
    """The key that signs: the first of `keys`, or if that is empty, of a data folder; None without
    both. Raises ValueError for wrong keys, and OSError."""
    if keys:
        return read_signers(keys)[0]
    return None if folder is None else kept_signers(folder)[0]


def kept_signers(folder: Path) -> list[Signer]:
    """The keys in a data folder. If it has none, creates one. Raises ValueError for a file without
    valid keys, and OSError."""
    path = folder / FILE
    if not path.exists():
        keep_signers(folder, [new_signer()])
    try:
        return read_signers(path.read_text("ascii"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def keep_signers(folder: Path, signers: list[Signer]) -> None:
    """Write the keys, completely or not at all, to a file that nobody else can read."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{FILE}.new"
    path.unlink(missing_ok=True)  # a left-over file may have wrong permissions
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write("".join(f"{signer.written}\n" for signer in signers))
        file.flush()
        os.fsync(file.fileno())
    path.replace(folder / FILE)
