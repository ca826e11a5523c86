"""Ratings next to names (SPEC 30.5, 30.6). Names may be cut, ratings are not."""

from __future__ import annotations

from typing import Any

from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Card
from pierule_terminal.screen import clean, columns, fit

LEAST = 8
"""The fewest columns of a name, no matter how narrow the space is."""


def beside(standing: Standing | None) -> str:
    """The rating to show after a player's name, and while it is provisional how far it may be off;
    empty for players without a rating."""
    if standing is None:
        return ""
    between = standing.interval
    return f" {standing.rating}" + (f"±{between[1] - standing.rating}" if between else "")


def rating_text(told: dict[str, Any]) -> str:
    """A rating from the archive, in the same form."""
    off = f"±{round(2 * float(told['deviation']))}" if told["provisional"] else ""
    return f"{_points(told)}{off}"


def change_text(told: dict[str, Any]) -> str:
    """A rating after a game, from the archive, and how the game changed it."""
    before, after = told["before"], told["after"]
    if before == after:  # a bot's never changes (SPEC 30.9)
        return rating_text(after)
    return f"{rating_text(after)}, {_points(after) - _points(before):+}"


def _points(told: dict[str, Any]) -> int:
    return round(float(told["rating"]))


def players(card: Card, width: int) -> list[str | None]:
    """The players of a room, each name in at most `width` columns; None for a free seat."""
    return [
        None if name is None else fit(clean(name), width) + ", bot" * bot + beside(standing)
        for name, bot, standing in zip(card.names, card.bots, card.standings, strict=True)
    ]


def together(card: Card, width: int) -> str:
    """The players of a room side by side, in at most `width` columns if possible."""

    def joined(each: int) -> str:
        return " - ".join(name for name in players(card, each) if name is not None)

    whole, seated = joined(width), 2 - card.names.count(None)
    if not seated or columns(whole) <= width:
        return whole
    return joined(max((width - columns(joined(0))) // seated, LEAST))
