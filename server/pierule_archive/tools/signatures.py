"""Check that an archive has what its keys have signed and its digests list (SPEC 28)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Engine, Row, select

from pierule_archive.game import Game
from pierule_archive.proofs import amendment_of, leaves_of, statement_of
from pierule_archive.schema import signing_keys, withheld
from pierule_archive.tools.proving import documents
from pierule_protocol.log.digest import (
    BadDigest,
    Digest,
    DigestChain,
    digest_statement,
    read_digest,
)
from pierule_protocol.log.proof import amendment_statement, is_signed


def of_game(connection: Connection, row: Row[*tuple[Any, ...]], game: Game) -> Iterator[str]:
    """What is wrong with the signature of a game, if there is one."""
    if row.signature is not None:
        yield from _signature(connection, row.signed_by, statement_of(game), row.signature)


def of_amendment(connection: Connection, row: Row[*tuple[Any, ...]]) -> Iterator[str]:
    """What is wrong with the signature of an amendment, if there is one."""
    if row.signature is not None:
        said = amendment_statement(amendment_of(connection, row.game, row.at))
        yield from _signature(connection, row.signed_by, said, row.signature)


def of_digests(engine: Engine, through: int) -> Iterator[str]:
    """What is wrong with the digests up to a feed number."""
    before: list[Digest] = []
    for document in documents(engine, through):
        try:
            digest = read_digest(document)
        except BadDigest as error:
            yield f"the digest after number {before[0].last if before else 0} is damaged: {error}"
            continue
        with engine.connect() as connection:
            for flaw in _of_digest(connection, digest):
                yield f"digest {digest.number}: {flaw}"
        chain = DigestChain([*before, digest])
        yield from (f"digest {each.number}: {each.why}" for each in chain.breaks)
        before = [digest]


def _of_digest(connection: Connection, digest: Digest) -> Iterator[str]:
    signature = bytes.fromhex(digest.signature)
    yield from _signature(connection, digest.key, digest_statement(digest), signature)
    range_ = withheld.c.feed.between(digest.first, digest.last)
    bare = set(connection.scalars(select(withheld.c.feed).where(range_)))
    kept = leaves_of(connection, digest.first, digest.last)
    for number, (ours, listed) in enumerate(zip(kept, digest.leaves, strict=True), digest.first):
        if ours != listed and number not in bare:
            yield f"number {number} is no longer what was signed"


def _signature(connection: Connection, key: str, said: bytes, signature: bytes) -> Iterator[str]:
    public = connection.scalar(select(signing_keys.c.public).where(signing_keys.c.id == key))
    if public is None:
        yield f"it is signed by key {key}, which is not in the archive"
    elif not is_signed(public, said, signature):
        yield f"this is not what key {key} signed"
