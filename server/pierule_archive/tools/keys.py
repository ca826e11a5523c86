"""`pierule archive key` and `pierule archive revoke`: manage the keys that sign games (SPEC 28)."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from sqlalchemy import Engine, select

from pierule_archive.database import writing
from pierule_archive.keys import Signer, keep_signers, kept_signers, new_signer, read_signers
from pierule_archive.proofs import revoke
from pierule_archive.schema import signing_keys

VARIABLE = "PIERULE_ARCHIVE_KEYS"

KEY = """\
Show the keys that sign archived games, each with its id and public key. Publish the public keys, so
that people can check records with `pierule verify --key`. The first key signs. The keys are in the
data folder (--data), or otherwise in PIERULE_ARCHIVE_KEYS. A data folder without keys gets one.
"""
KEY_EPILOG = """\
Protect the file archive.key in the data folder, or PIERULE_ARCHIVE_KEYS, like passwords.

examples:
  pierule archive key --data /var/lib/pierule
  pierule archive key --data /var/lib/pierule --new
  pierule archive key --new

exit status: 0 done, 1 something is wrong (the message says what), 2 wrong usage
"""

REVOKE = """\
Revoke a stolen key. From now on, its signatures count only for what digests list, up to the last
digest or up to --until; for nothing if there is no digest yet, or with 64 zeros. Prints the new
value for `pierule verify --key`: publish it. First create a new key, and let the nodes sign with
it.
"""


def add_key_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule archive key`."""
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="data folder of the node")
    parser.add_argument(
        "--new",
        action="store_true",
        help="create a key that signs from the next start of the node on. With --data, it is added "
        "there, before the others; otherwise it is printed: put it first in PIERULE_ARCHIVE_KEYS",
    )


def show_keys(args: argparse.Namespace) -> int:
    """Show the keys, or create one. Raises ValueError for wrong keys, and OSError."""
    written = os.environ.get(VARIABLE, "")
    if args.data is None and args.new:
        return _tell(new_signer().written)
    if args.data is None and not written:
        raise ValueError(f"name the keys: --data FOLDER or {VARIABLE}")
    signers = read_signers(written) if args.data is None else kept_signers(args.data)
    if args.new:
        signers = [new_signer(), *signers]
        keep_signers(args.data, signers)
    return _tell(*(_shown(signer, signer == signers[0]) for signer in signers))


def _shown(signer: Signer, signs: bool) -> str:
    return f"{signer.id} {signer.public.hex()}{' signs' if signs else ''}"


def add_revoke_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule archive revoke`."""
    parser.add_argument("key", metavar="ID", help="the id of the key")
    parser.add_argument("--until", metavar="DIGEST", help="the hash of the last digest to trust")


def revoke_key(args: argparse.Namespace, engine: Engine) -> int:
    """Revoke a key. Raises LookupError."""
    with writing(engine) as connection:
        until = revoke(connection, args.key, args.until)
        public = select(signing_keys.c.public).where(signing_keys.c.id == args.key)
        found: bytes = connection.execute(public).scalar_one()
    return _tell(f"{found.hex()}@{until}")


def _tell(*lines: str) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0
