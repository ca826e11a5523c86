"""The digests and public keys of backups and dumps (SPEC 28)."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, insert, select

from pierule_archive.schema import digests, signing_keys
from pierule_archive.tools.folder import Key
from pierule_protocol.log.digest import Digest, digest_hash


def proofs(engine: Engine, through: int) -> tuple[Iterator[bytes], list[Key]]:
    """The digests up to a feed number, as lines, and the keys that have signed."""
    with engine.connect() as connection:
        keys = [
            Key(id=row.id, public=row.public.hex(), until=row.until)
            for row in connection.execute(select(signing_keys).order_by(signing_keys.c.id))
        ]
    return documents(engine, through), keys


def documents(engine: Engine, through: int) -> Iterator[bytes]:
    """The digests up to a feed number, as lines."""
    number = 0
    query = select(digests.c.number, digests.c.document).where(digests.c.last <= through)
    while True:
        following = query.where(digests.c.number > number).order_by(digests.c.number).limit(16)
        with engine.connect() as connection:
            rows = connection.execute(following).all()
        for row in rows:
            yield row.document.encode() + b"\n"
        if not rows:
            return
        number = rows[-1].number


def keep_key(connection: Connection, key: Key) -> None:
    """Keep a key, unless the archive already has it."""
    if connection.scalar(select(signing_keys.c.id).where(signing_keys.c.id == key.id)) is None:
        row = {"id": key.id, "public": bytes.fromhex(key.public), "until": key.until}
        connection.execute(insert(signing_keys), row)


def keep_digest(connection: Connection, digest: Digest, document: str) -> bool:
    """Keep a digest, unless the archive already has it. Returns False if the archive has another
    digest with this number."""
    hashed = digest_hash(digest)
    known = connection.scalar(select(digests.c.hash).where(digests.c.number == digest.number))
    if known is None:
        row = {"number": digest.number, "last": digest.last, "hash": hashed, "document": document}
        connection.execute(insert(digests), row)
    return known in (None, hashed)
