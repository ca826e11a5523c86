"""The table of seeks: all users who wait, over all nodes, grouped into pools.

A pool is what its seekers want: a game, a size and a clock, as JSON text. All seeks of a pool are
in one bucket, so one script decides who plays whom and records it (`seek.lua`). Every node that
learns of a pairing carries it out, until a node reports that it is done (`carried_out`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Rated, Standing
from pierule_protocol.messages import RatingRange
from pierule_ratings import MODELS, VERSION
from pierule_server.store.buckets import (
    avoids_key,
    bucket_of,
    paired_key,
    pairings_key,
    seeks_key,
    traffic_key,
)
from pierule_server.store.driver.access import Access, Script

LEASE_MS = 6_000
"""Milliseconds for which a seek may be paired after it was last renewed."""

LIFE_MS = 1_800_000
"""Milliseconds for which a seek may wait (SPEC 23.2)."""

GRACE_MS = 30_000
"""Milliseconds for which a seek keeps its place after its lease has ended."""

KEPT_MS = 600_000
"""Milliseconds for which the store keeps the pairing of a seek."""

OVERDUE_MS = 2_000
"""The age in milliseconds from which on any node carries a pairing out."""

TRAFFIC_MS = 300_000
"""Milliseconds after which the store forgets who came into a pool: less than 1 % of their weight is
left."""

MOST = 1_000
"""The most waiting seeks of a bucket, and the most pools of a bucket whose traffic is counted."""

NAMED = 10
"""The most pairings of a bucket that one sweep names."""

FEW = 5
SPREAD = 8_000
SLOPE = 100
PATIENCE_MS = 15_000
"""The ratings of two users may differ by `SPREAD` points, divided by the number of users who came
into their pool in about the last minute; and by `SLOPE` points more for each second that the longer
of them has waited. They may differ by any number if fewer than `FEW` users came, or after
`PATIENCE_MS`."""

UNRATED = int(MODELS[VERSION].rating)
"""In pairing, users without a rating count as having this one."""


class PoolKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the seekers of a pool want. With a `bot_level`, each wants a house bot of this level and
    nobody else, so they are not paired with each other (SPEC 23.20)."""

    game: str
    size: int
    clock: ClockOptions | None
    bot_level: str | None = None


STAND_IN = PoolKey("*", 0, None)
"""The pool in which free house bots wait (SPEC 23.16). Nobody is paired there. Bots that tell their
level wait in a pool of this name with the level."""

RUN = PoolKey("+", 0, None)
"""With a level: the pool of all connected house bots of that level, free or not."""


class Seeker(msgspec.Struct, frozen=True):
    """A user who waits. `nonce` is the seek's. After `bot_after` seconds the opponent may be a
    house bot (None: never). `stands` marks a free house bot in `STAND_IN`. Two seekers are not
    paired if their wishes `rated` contradict each other, or if one wants `yes` and the game would
    not count (SPEC 30.1). The `last` opponent comes after all others."""

    user: str
    nonce: str
    name: str
    bot: bool = False
    bot_after: int | None = None
    stands: bool = False
    registered: bool = False
    rated: Rated = "either"
    standing: Standing | None = None
    range: RatingRange | None = None
    last: str | None = None


class Pairing(msgspec.Struct, frozen=True):
    """Two seekers who will play each other. `first` waited when `second` asked. `token` is random
    and names the pairing."""

    token: str
    pool: PoolKey
    first: Seeker
    second: Seeker


Verb: TypeAlias = Literal["seek", "renew", "away", "withdraw", "prune", "take"]
SeekState: TypeAlias = Literal["waiting", "expired", "full", "gone"]

_pools: msgspec.json.Decoder[PoolKey] = msgspec.json.Decoder(PoolKey)
_pairings: msgspec.json.Decoder[Pairing] = msgspec.json.Decoder(Pairing)
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Overdue:
    """A pairing that nobody has carried out yet, and its text in the store."""

    pairing: Pairing
    text: bytes


class Pools:
    """The waiting seeks. Every method may raise `StoreUnavailable`."""

    def __init__(self, store: Access) -> None:
        self._store = store

    async def seek(
        self,
        verb: Verb,
        pool: PoolKey,
        seeker: Seeker,
        token: str,
        avoids: Collection[str] = (),
    ) -> Overdue | SeekState:
        """Change or renew a seek, and pair it if possible. The verbs:

        - `seek`: wait in the pool, or go on waiting, and be paired with a seeker who waits there;
        - `renew`: the same, but only if the seek waits there;
        - `away`: do not be paired until the next `seek` or `renew`;
        - `withdraw`: stop waiting. For `KEPT_MS`, a `seek` that comes late is `gone`;
        - `prune`: `withdraw` if the seek is there and its lease is over; otherwise `waiting`;
        - `take`: be paired with a seeker who has waited long enough for a bot; otherwise `gone`.

        If the seek was paired in the last `KEPT_MS`, every verb returns the pairing. A new pairing
        gets the name `token`. The seek is never paired with a user whom it `avoids`; each call
        replaces that list."""
        text = _encode(pool)
        bucket = bucket_of(text.decode())
        reply = await _SEEK.run(
            self._store.request, bucket, 5, *_keys(bucket), verb, seeker.user, seeker.nonce, text,
            _encode(seeker), LEASE_MS, LIFE_MS, MOST, token,
            f" {' '.join(avoids)} " if avoids else "",
            FEW, SPREAD, SLOPE, PATIENCE_MS, UNRATED,
        )  # fmt: skip
        match reply:
            case [b"paired", bytes(pairing)]:
                return Overdue(_pairings.decode(pairing), pairing)
        state: SeekState = reply[0].decode()
        return state

    async def carried_out(self, overdue: Overdue) -> None:
        """The pairing is done: both players have the room and were told."""
        bucket = bucket_of(_encode(overdue.pairing.pool).decode())
        await self._store.request(bucket, "ZREM", pairings_key(bucket), overdue.text)

    async def sweep(self) -> tuple[list[Overdue], set[PoolKey]]:
        """Forget what is over. Returns the pairings that should have been carried out by now, and
        the pools in which somebody has waited long enough for a bot."""
        limits = (GRACE_MS, KEPT_MS, OVERDUE_MS, NAMED, TRAFFIC_MS)
        replies = await self._store.everywhere(_MIND, lambda each: (5, *_keys(each), *limits))
        overdue = [Overdue(_pairings.decode(text), text) for made, _ in replies for text in made]
        return overdue, {_pools.decode(text) for _, welcoming in replies for text in welcoming}


def _keys(bucket: int) -> tuple[str, ...]:
    return (
        seeks_key(bucket), paired_key(bucket), pairings_key(bucket), avoids_key(bucket),
        traffic_key(bucket),
    )  # fmt: skip


_MIND = Script("sweep_pools.lua")
_SEEK = Script("seek.lua")
