"""How games changed the ratings of their players (SPEC 27.16). They are read by the games' feed
numbers, because lists are found by indexes without ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, select

from pierule_archive.api.answers import Rated, RatingValue
from pierule_archive.rating import AT_ONCE
from pierule_archive.schema import rating_steps
from pierule_protocol.house_bots import level_of
from pierule_ratings import MODELS, VERSION
from pierule_ratings.arithmetic import PLACES, to_units

Changes: TypeAlias = Mapping[int, tuple[Rated, Rated]]
"""How games changed the ratings of seat 0 and seat 1, by feed number. Games that are not rated, or
not yet, are missing."""

_SETTLED = to_units(MODELS[VERSION].settled)

_KEY = rating_steps.c.feed, rating_steps.c.seat
_BEFORE = rating_steps.c.value0, rating_steps.c.deviation0, rating_steps.c.games0
_STEPS = select(
    rating_steps.c.feed,
    rating_steps.c.player,
    *_BEFORE,
    rating_steps.c.value,
    rating_steps.c.deviation,
)


def changes_of(connection: Connection, feeds: Sequence[int]) -> Changes:
    """How each of these games changed ratings."""
    seats: dict[int, list[Rated]] = {}
    for first in range(0, len(feeds), AT_ONCE):
        some = rating_steps.c.feed.in_(feeds[first : first + AT_ONCE])
        for feed, *step in connection.execute(_STEPS.where(some).order_by(*_KEY)):
            seats.setdefault(feed, []).append(_rated(*step))
    return {feed: (both[0], both[1]) for feed, both in seats.items() if len(both) == 2}


def _rated(
    player: str, value0: int, deviation0: int, games0: int, value: int, deviation: int
) -> Rated:
    return Rated(
        before=_value(value0, deviation0, games0),
        after=_value(value, deviation, games0 + (level_of(player) is None)),
    )


def _value(value: int, deviation: int, games: int) -> RatingValue:
    return RatingValue(
        rating=_text(value), deviation=_text(deviation), games=games,
        provisional=deviation > _SETTLED,
    )  # fmt: skip


def _text(units: int) -> str:
    """`from_units` as text. Decimals would be slow for lists of thousands."""
    digits = f"{abs(units):0{PLACES + 1}}"
    return f"{'-' * (units < 0)}{digits[:-PLACES]}.{digits[-PLACES:]}"
