"""Reads and writes the notes about seeks in a user's inbox (SPEC 23.2, 23.4).

A node notes a seek before it puts the seek into a pool, and notes the pairing once there is a room.
So if a client sends a seek again, any node knows the outcome, or that it still waits.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pierule_protocol.log.events import Rated
from pierule_protocol.messages import Ok, Paired
from pierule_server.store.tables.pools import PoolKey

LAST = "last:"
"""The name of the note with the id of the user's last opponent by pairing."""

LAST_MS = 21_600_000
"""Milliseconds for which that note is kept: six hours, an evening."""


class _Sought(PoolKey, frozen=True, omit_defaults=True):
    rated: Rated = "either"


def noted(pool: PoolKey, rated: Rated) -> str:
    """The text of the note about a waiting seek. Two seeks have the same text only if they want the
    same game: a client must not turn a waiting seek into another seek, which the server might not
    allow."""
    sought = _Sought(pool.game, pool.size, pool.clock, pool.bot_level, rated)
    return msgspec.json.encode(sought).decode()


def pool_of(text: str) -> PoolKey:
    """The pool in which a seek waits, read from the text of its note."""
    return msgspec.json.decode(text, type=PoolKey)


def paired_of(notes: Mapping[str, str], nonce: str) -> Paired | None:
    """The pairing of a seek; None if there is none."""
    text = notes.get(f"paired:{nonce}")
    return None if text is None else msgspec.json.decode(text, type=Paired)


def waits(notes: Mapping[str, str], nonce: str) -> bool:
    """Whether the seek with this nonce is noted already, so the client sends it again."""
    return f"seek:{nonce}" in notes


def answer(request_id: int, paired: Paired) -> Ok:
    """The answer to a request about a seek that was paired."""
    return Ok(id=request_id, room=paired.room, seats=[paired.seat])
