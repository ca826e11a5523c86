"""What the archive signs in the transaction that writes it, and its digests (SPEC 28).

The node that takes the last feed number of a range makes the range's digest, while no other node
can take a number. So each range has one digest, and it does not matter which node makes it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Connection, insert, select, union_all, update

from pierule_archive.game import Game, unpack
from pierule_archive.keys import Signer
from pierule_archive.schema import amendments, digests, games, signing_keys
from pierule_protocol.log.digest import FORMAT, RANGE, VERSION, Digest, leaf_of, statement
from pierule_protocol.log.proof import amendment_statement, game_statement, log_hash
from pierule_protocol.log.record import Amendment
from pierule_protocol.log.trust import NO_DIGEST

AT_ONCE = 100
"""The most digests that one transaction makes. More are due only if nobody has signed before."""

Columns: TypeAlias = dict[str, Any]


def game_proof(signer: Signer, game: Game) -> Columns:
    """The columns that prove a game."""
    return _proof(signer, statement_of(game))


def statement_of(game: Game) -> bytes:
    """The statement about a game that is signed."""
    players = game.player0, game.player1
    log = log_hash(game.entries)
    return game_statement(game.room, log, game.rules, game.winner, game.reason, players)


def void_proof(signer: Signer, connection: Connection, game: int, at: int) -> Columns:
    """The columns that prove that the game of a feed number was voided."""
    return _proof(signer, amendment_statement(amendment_of(connection, game, at)))


def amendment_of(connection: Connection, game: int, at: int) -> Amendment:
    """The amendment that voids the game of a feed number, as far as it is signed."""
    row = connection.execute(select(games.c.room, games.c.log).where(games.c.feed == game)).one()
    return Amendment(
        format="pierule.amendment", version=1, room=row.room, log=log_hash(unpack(row.log)),
        kind="void", at=at, text="",
    )  # fmt: skip


def _proof(signer: Signer, said: bytes) -> Columns:
    return {"signed_by": signer.id, "signature": signer.sign(said)}


def settle(connection: Connection, signer: Signer, last: int) -> None:
    """Keep the key, and make the digests of all ranges that end by `last`. The transaction must
    have locked the feed."""
    known = select(signing_keys.c.id).where(signing_keys.c.id == signer.id)
    if connection.scalar(known) is None:
        connection.execute(insert(signing_keys), {"id": signer.id, "public": signer.public})
    for _ in range(AT_ONCE):
        latest = select(digests).order_by(digests.c.number.desc()).limit(1)
        before = connection.execute(latest).one_or_none()
        number, covered = (0, 0) if before is None else (before.number, before.last)
        if last < covered + RANGE:
            return
        previous = None if before is None else before.hash
        _add_digest(connection, signer, number + 1, covered + 1, previous)


def _add_digest(
    connection: Connection, signer: Signer, number: int, first: int, previous: str | None
) -> None:
    last = first + RANGE - 1
    leaves = leaves_of(connection, first, last)
    said = statement(number, first, last, previous, leaves)
    digest = Digest(
        format=FORMAT, version=VERSION, number=number, first=first, last=last, previous=previous,
        leaves=leaves, key=signer.id, signature=signer.sign(said).hex(),
    )  # fmt: skip
    document = msgspec.json.encode(digest).decode()
    row = {"number": number, "last": last, "hash": sha256(said).hexdigest(), "document": document}
    connection.execute(insert(digests), row)


def leaves_of(connection: Connection, first: int, last: int) -> list[tuple[str, str | None]]:
    """The leaf and the room of each number. For a private game, and for an amendment to it, the
    room is None."""
    said = games.c.room, games.c.access
    of_games = select(games.c.feed, games.c.signature, *said).where(
        games.c.feed.between(first, last)
    )
    amended = amendments.join(games, amendments.c.game == games.c.feed)
    of_amendments = (
        select(amendments.c.feed, amendments.c.signature, *said)
        .select_from(amended)
        .where(amendments.c.feed.between(first, last))
    )
    rows = {row.feed: row for row in connection.execute(union_all(of_games, of_amendments))}
    leaves: list[tuple[str, str | None]] = []
    for number in range(first, last + 1):
        row = rows.get(number)
        room = None if row is None or row.access == "private" else row.room
        leaves.append((leaf_of(row.signature if row else None), room))
    return leaves


def revoke(connection: Connection, key: str, until: str | None = None) -> str:
    """Stop trusting a key after the latest digest, or after the digest `until`. Returns the hash of
    the last digest for which it is trusted, NO_DIGEST for none. Raises LookupError."""
    named = signing_keys.c.id == key
    if connection.scalar(select(signing_keys.c.id).where(named)) is None:
        raise LookupError(f"no key {key} has signed in this archive")
    wanted = select(digests.c.hash).order_by(digests.c.number.desc()).limit(1)
    if until is not None:
        wanted = wanted.where(digests.c.hash == until)
    found = connection.scalar(wanted)
    if found is None and until not in (None, NO_DIGEST):
        raise LookupError(f"there is no digest {until}")
    found = found or NO_DIGEST
    connection.execute(update(signing_keys).where(named), {"until": found})
    return str(found)
