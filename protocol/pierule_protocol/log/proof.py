"""The exact bytes that a server signs, and whether a signature is right (SPEC 28).

Everything here is pure, and only `is_signed` needs the package `cryptography`. A statement is a
list of netstrings. The first names the kind of statement, so two different statements never have
the same bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from hashlib import sha256

import msgspec

from pierule_protocol.log.events import Created, Linked, Place, decode_record, line_of
from pierule_protocol.log.record import Amendment, RoomRecord
from pierule_protocol.steps import at_once

CLOSED = '{"kind":"closed"}'
"""What is signed of a `closed` event. Its text is left out, so operators can remove it later."""

KEY_ID_DIGITS = 16


class Unsignable(ValueError):
    """No server signs such a record; the text says why."""


class _Kind(msgspec.Struct):
    kind: str


_kinds = msgspec.json.Decoder(_Kind)


def netstrings(*fields: str) -> bytes:
    """Each text as its length in bytes, a colon, its UTF-8 bytes and a comma."""
    several = [field.encode() for field in fields]
    return b"".join(b"%d:%b," % (len(field), field) for field in several)


def log_hash(events: Iterable[Linked]) -> str:
    """The SHA-256 over the SHA-256 of each event's line (SPEC 28.1), in 64 hexadecimal digits."""
    return at_once(hashing(events))


def hashing(events: Iterable[Linked]) -> Generator[None, None, str]:
    """Compute `log_hash` in steps, one for each event."""
    whole = sha256()
    for event in events:
        whole.update(sha256(_signed_line(event)).digest())
        yield
    return whole.hexdigest()


def _signed_line(event: Linked) -> bytes:
    # Most records need not be parsed: a JSON text with the word "closed" contains it, or escapes.
    if "closed" not in event.record and "\\" not in event.record:
        return line_of(event)
    try:
        closed = _kinds.decode(event.record).kind == "closed"
    except (msgspec.DecodeError, RecursionError):
        closed = False
    if closed:
        return f"{event.epoch} {event.seq} {CLOSED} {event.at}".encode()
    return line_of(event)


def game_statement(
    room: str, log: str, rules: int, winner: str | None, reason: str, players: tuple[str, str]
) -> bytes:
    """The bytes to sign for a game. `log` is its `log_hash`; `winner` is `0`, `1`, `draw` or
    None."""
    return netstrings("pierule game 1", room, log, str(rules), winner or "", reason, *players)


def record_statement(record: RoomRecord) -> bytes:
    """The bytes that the server has signed if the record is genuine. Raises Unsignable."""
    result, (first, second) = record.final.result, record.seats
    if result is None or first is None or second is None:
        raise Unsignable("it is not a finished game of two players")
    try:
        created = decode_record(record.events[0].record)
    except (msgspec.DecodeError, RecursionError, IndexError):
        created = None
    if not isinstance(created, Created):
        raise Unsignable("its first event does not make the room")
    winner = None if result.winner is None else str(result.winner)
    players = first.user, second.user
    log = log_hash(record.events)
    return game_statement(record.room, log, created.rules, winner, result.reason, players)


def receipt_statement(room: str, log: str, place: Place) -> bytes:
    """The bytes to sign for a room's log up to a place. `log` is the `log_hash` of its events."""
    numbers = str(place.epoch), str(place.seq), str(place.chain)
    return netstrings("pierule receipt 1", room, log, *numbers)


def amendment_statement(amendment: Amendment) -> bytes:
    """The bytes to sign for an amendment: everything but its text."""
    at = str(amendment.at)
    return netstrings("pierule amendment 1", amendment.room, amendment.log, amendment.kind, at)


def key_id(public: bytes) -> str:
    """The id of a public key: the first 16 digits of its SHA-256."""
    return sha256(public).hexdigest()[:KEY_ID_DIGITS]


def is_signed(public: bytes, statement: bytes, signature: bytes) -> bool:
    """Whether the signature of the statement is by this key (Ed25519, RFC 8032). Raises ValueError
    if `public` is not a key, and ModuleNotFoundError without `cryptography`."""
    # Imported here, because the light client has `cryptography` only with an extra.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, statement)
    except InvalidSignature:
        return False
    return True
