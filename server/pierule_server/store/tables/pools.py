"""Who waits for whom: the seeks of all users, over all nodes, grouped into pools.

A pool is what its seekers want: a game, a size, a clock, as JSON text. All seeks of a pool lie in
one bucket, so one script decides who plays whom and records it (`seek.lua`). What was decided is
carried out by whoever asks next, until somebody says that it was (`carried_out`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

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
from pierule_server.store.driver.access import Script

LEASE_MS = 6_000
"""Milliseconds for which a seek may be paired after it was last sought."""

LIFE_MS = 1_800_000
"""Milliseconds for which a seek may wait (SPEC 23.2)."""

GRACE_MS = 30_000
"""Milliseconds after the end of its lease in which a seek keeps its place."""

KEPT_MS = 600_000
"""Milliseconds for which it is known how a seek was paired."""

OVERDUE_MS = 2_000
"""The age in milliseconds at which a pairing is carried out by whoever finds it."""

TRAFFIC_MS = 300_000
"""Milliseconds after which those who came into a pool count for nothing: less than 1 % is left of
their weight."""

MOST = 1_000
"""Seeks that wait in one bucket, and pools of a bucket whose traffic is counted."""

NAMED = 10
"""Pairings of a bucket that are named at a time."""

FEW = 5
SPREAD = 8_000
SLOPE = 100
PATIENCE_MS = 15_000
"""Two users may differ by `SPREAD` points divided by the number of those who came into their pool
in the last minute or so, and by `SLOPE` points more for each second that the longer one of them has
waited. They may differ by any number where fewer than `FEW` came, and after `PATIENCE_MS`."""

UNRATED = int(MODELS[VERSION].rating)
"""The rating for which those count in pairing who have none."""


class PoolKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the seekers of a pool want. With a `bot_level`, each wants a house bot of this level and
    nobody else: they are not paired with each other (SPEC 23.20)."""

    game: str
    size: int
    clock: ClockOptions | None
    bot_level: str | None = None


STAND_IN = PoolKey("*", 0, None)
"""Where house bots wait that are free: there nobody is paired (SPEC 23.16). Those that tell a level
wait in a pool of this name with their level."""

RUN = PoolKey("+", 0, None)
"""Its pools with a level are where every connected house bot of that level is, free or not."""


class Seeker(msgspec.Struct, frozen=True):
    """A user who waits; `nonce` is the seek's. `bot_after` seconds later a house bot may be the
    partner (None: never). Whoever `stands` in `STAND_IN` is a house bot that is free. Two whose
    wishes `rated` contradict are not paired, nor is one who insists on `yes` with somebody with
    whom the game would not count (SPEC 30.1). Their `last` opponent comes behind all others."""

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
    """Two seekers who were found for each other; `first` waited when `second` asked. `token` is of
    nobody's choosing and names the pairing."""

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
    """A pairing that was not carried out, and the text by which the store knows it."""

    pairing: Pairing
    text: bytes


class Pools(Protocol):
    """The seeks that wait. Every method may raise `StoreUnavailable`."""

    async def seek(
        self,
        verb: Verb,
        pool: PoolKey,
        seeker: Seeker,
        token: str,
        avoids: Collection[str] = (),
    ) -> Overdue | SeekState:
        """`seek`: wait in the pool, or go on waiting, and be paired with whoever waits there;
        `renew`: the same, if it still waits; `away`: be not paired until then; `withdraw`: wait no
        longer, and be `gone` to a `seek` that comes behind this, for `KEPT_MS`; `prune`: the same,
        if it is there and its lease is over, else it is `waiting`; `take`: be paired with whoever
        has waited long enough for a bot, or else be `gone`. What was paired is told whatever the
        verb, for `KEPT_MS`. The pairing, if it comes to one now, is called `token`. While it waits
        it is paired with none of
        the users that it `avoids`, as they were last said."""
        ...

    async def carried_out(self, overdue: Overdue) -> None:
        """Both have a room and were told so."""
        ...

    async def sweep(self) -> tuple[list[Overdue], set[PoolKey]]:
        """Pairings that should have been carried out by now, and pools in which somebody has waited
        long enough for a bot; what is over is forgotten."""
        ...


class RedisPools:
    """Pools in Redis or Valkey. `request(bucket, *command)` asks the primary of a bucket,
    `everywhere(script, rest_of)` runs a script for each."""

    def __init__(
        self,
        request: Callable[..., Awaitable[Any]],
        everywhere: Callable[..., Awaitable[list[Any]]],
    ) -> None:
        self._request = request
        self._everywhere = everywhere

    async def seek(
        self,
        verb: Verb,
        pool: PoolKey,
        seeker: Seeker,
        token: str,
        avoids: Collection[str] = (),
    ) -> Overdue | SeekState:
        text = _encode(pool)
        bucket = bucket_of(text.decode())
        reply = await _SEEK.run(
            self._request, bucket, 5, *_keys(bucket), verb, seeker.user, seeker.nonce, text,
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
        bucket = bucket_of(_encode(overdue.pairing.pool).decode())
        await self._request(bucket, "ZREM", pairings_key(bucket), overdue.text)

    async def sweep(self) -> tuple[list[Overdue], set[PoolKey]]:
        limits = (GRACE_MS, KEPT_MS, OVERDUE_MS, NAMED, TRAFFIC_MS)
        replies = await self._everywhere(_MIND, lambda each: (5, *_keys(each), *limits))
        overdue = [Overdue(_pairings.decode(text), text) for made, _ in replies for text in made]
        return overdue, {_pools.decode(text) for _, welcoming in replies for text in welcoming}


def _keys(bucket: int) -> tuple[str, ...]:
    return (
        seeks_key(bucket), paired_key(bucket), pairings_key(bucket), avoids_key(bucket),
        traffic_key(bucket),
    )  # fmt: skip


_MIND = Script("sweep_pools.lua")
_SEEK = Script("seek.lua")
