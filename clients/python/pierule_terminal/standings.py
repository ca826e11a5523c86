"""Ratings beside names (SPEC 30.5, 30.6): a name may be cut, its number is not."""

from __future__ import annotations

from typing import Any

from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Card
from pierule_terminal.screen import clean, columns, fit

LEAST = 8
"""Columns that are left of a name, however little room there is."""


def beside(standing: Standing | None) -> str:
    """What stands behind the name of a player: a number, or while it is provisional the interval in
    which it lies; nothing for whoever is not rated."""
    if standing is None:
        return ""
    between = standing.interval
    return f" {standing.rating}" if between is None else f" {between[0]}-{between[1]}"


def rating_text(told: dict[str, Any]) -> str:
    """A rating as the archive tells it, in the same way."""
    value, unsure = float(told["rating"]), float(told["deviation"])
    if not told["provisional"]:
        return f"{round(value)}"
    return f"{round(value - 2 * unsure)}-{round(value + 2 * unsure)}"


def change_text(told: dict[str, Any]) -> str:
    """What a game did to a rating, as the archive tells it."""
    return f"{rating_text(told['before'])} -> {rating_text(told['after'])}"


def players(card: Card, width: int) -> list[str | None]:
    """Who sits in a room, each name in at most so many columns; None for a free seat."""
    return [
        None if name is None else fit(clean(name), width) + ", bot" * bot + beside(standing)
        for name, bot, standing in zip(card.names, card.bots, card.standings, strict=True)
    ]


def together(card: Card, width: int) -> str:
    """The players of a room side by side, in so many columns if that is possible."""

    def joined(each: int) -> str:
        return " - ".join(name for name in players(card, each) if name is not None)

    whole, seated = joined(width), 2 - card.names.count(None)
    if not seated or columns(whole) <= width:
        return whole
    return joined(max((width - columns(joined(0))) // seated, LEAST))
