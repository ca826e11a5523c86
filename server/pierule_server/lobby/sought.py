"""What a user's inbox says of their seeks (SPEC 23.2, 23.4).

A seek is noted before it goes to the store's pools, and its pairing when there is a room: so every
node knows what a seek that is sent again came to, or that it waits.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pierule_protocol.log.events import Rated
from pierule_protocol.messages import Ok, Paired
from pierule_server.store.tables.pools import PoolKey

LAST = "last:"
"""The name of the note that says with whom a user was last paired, by id."""

LAST_MS = 21_600_000
"""Milliseconds for which that is kept: six hours, an evening."""


class _Sought(PoolKey, frozen=True, omit_defaults=True):
    rated: Rated = "either"


def noted(pool: PoolKey, rated: Rated) -> str:
    """The text of the note that a seek waits. Two seeks have the same one only if they want the
    same: a seek that waits must not become another, which would not have been allowed."""
    sought = _Sought(pool.game, pool.size, pool.clock, pool.bot_level, rated)
    return msgspec.json.encode(sought).decode()


def pool_of(text: str) -> PoolKey:
    """The pool in which a seek waits, by its note."""
    return msgspec.json.decode(text, type=PoolKey)


def paired_of(notes: Mapping[str, str], nonce: str) -> Paired | None:
    """What a seek came to; None if it was not paired."""
    text = notes.get(f"paired:{nonce}")
    return None if text is None else msgspec.json.decode(text, type=Paired)


def waits(notes: Mapping[str, str], nonce: str) -> bool:
    """Whether a seek was accepted before, and is sent again."""
    return f"seek:{nonce}" in notes


def answer(request_id: int, paired: Paired) -> Ok:
    """The answer to whoever asks for a seek that was paired."""
    return Ok(id=request_id, room=paired.room, seats=[paired.seat])
