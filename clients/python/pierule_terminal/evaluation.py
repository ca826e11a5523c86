"""How good the positions of a finished game were, as lines of text, by the archive's evaluation
(SPEC 27.17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pierule_terminal.screen import clean, pad

BAR = 20
"""Columns of a full bar."""

LEAST_LOSS = 0.05
"""Actions that cost their players more than this are listed."""

MOST_SWINGS = 3

ACTION = 16
"""Columns for an action."""


@dataclass(frozen=True, slots=True)
class Swing:
    """An action that cost its player much. `ply` is its number. `before` is the score that the
    player could expect with the best action, `after` the score after this one."""

    ply: int
    action: str
    best: str
    before: float
    after: float


def seat_of(positions: Iterable[dict[str, Any]]) -> int:
    """The seat whose chances are shown: Black's, or seat 0 while nobody is Black."""
    return next((each["black"] for each in positions if each["black"] is not None), 0)


def for_seat(seat: int, expected: float) -> float:
    """The score that a seat may expect, from the score that seat 0 may expect."""
    return expected if seat == 0 else 1 - expected


def rows(positions: Sequence[dict[str, Any]], actions: Sequence[str]) -> list[str]:
    """A line for each position: the action that led to it, a bar, and what Black may expect."""
    seat = seat_of(positions)
    lines = []
    for each in positions:
        share = for_seat(seat, each["expected"])
        action = clean(actions[each["ply"] - 1]) if each["ply"] else "the opening"
        bar = pad("#" * round(share * BAR), BAR)
        lines.append(f"{each['ply']:>4}  {pad(action, ACTION)}  |{bar}| {_percent(share):>5}")
    return lines


def swings(positions: Iterable[dict[str, Any]], actions: Sequence[str]) -> list[Swing]:
    """The actions that cost most, the greatest loss first."""
    found = []
    for each in positions:
        seat = each["to_act"]
        if seat is None or each["best"] is None or each["played"] is None:
            continue
        before, after = for_seat(seat, each["expected"]), for_seat(seat, each["played"])
        if before - after >= LEAST_LOSS:
            ply = each["ply"]
            found.append(Swing(ply + 1, actions[ply], each["best"], before, after))
    found.sort(key=lambda swing: (swing.after - swing.before, swing.ply))
    return found[:MOST_SWINGS]


def told(swing: Swing) -> str:
    """A swing in words."""
    return (
        f"{swing.ply:>4}  {pad(clean(swing.action), ACTION)}  from {_percent(swing.before)} to "
        f"{_percent(swing.after)}; best was {clean(swing.best)}"
    )


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
