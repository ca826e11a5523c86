"""The archive's leaderboard of a game, as lines of text (SPEC 30.5)."""

from __future__ import annotations

import datetime
from typing import Any

from pierule_terminal.screen import clean, pad
from pierule_terminal.standings import rating_text

NOBODY = "nobody has enough recent rated games"

NAME = 24
"""Columns for a name."""


def head(table: dict[str, Any]) -> str:
    """The heading of a table: its game, and how and when it was computed."""
    return f"{clean(table['game'])}, {computed(table)}"


def computed(table: dict[str, Any]) -> str:
    """The model, the last game and the time for which ratings were computed."""
    upto = f"model {table['version']}, up to number {table['through']}"
    return f"{upto}, at {_day(table['at'], '%Y-%m-%d %H:%M')} UTC"


def rows(table: dict[str, Any], me: str | None = None) -> list[str]:
    """A line for each player, below a heading. `me` is the id of the user, whose line is
    marked."""
    if not table["players"]:
        return [NOBODY]
    mark = "  " if me is not None else ""
    lines = [f"{mark}{'':>4}  {'player':{NAME}}  {'rating':>9}  {'games':>5}  last game"]
    for row in table["players"]:
        mine = row["player"]["id"] == me
        name = clean(row["player"]["name"] or "deleted account")
        lines.append(
            f"{'> ' if mine else mark}{row['rank']:>4}  {pad(name, NAME)}  {rating_text(row):>9}  "
            f"{row['games']:>5}  {_day(row['last'])}{'  you' * mine}"
        )
    return lines


def bots(table: dict[str, Any]) -> list[str]:
    """A line for each house bot, below a heading; nothing if there are none. Bots are not on the
    leaderboard, because their ratings are fixed (SPEC 30.9)."""
    told = table.get("bots", [])  # earlier servers do not send it
    return ["House bots, whose ratings never change:"] * bool(told) + [
        f"{'':>4}  {pad(_called(bot), NAME)}  {bot['rating']:>9}" for bot in told
    ]


def _called(bot: dict[str, Any]) -> str:
    return clean(f"{bot['name']} ({bot['level']})" if bot["name"] else bot["level"])


def place(table: dict[str, Any], me: str) -> str:
    """The user's rank, or what it takes to get on the leaderboard."""
    rank = next((row["rank"] for row in table["players"] if row["player"]["id"] == me), None)
    if rank is not None:
        return f"You are number {rank}."
    return "You are not on this list. It takes 10 rated games, the last within 90 days."


def _day(at: int, form: str = "%Y-%m-%d") -> str:
    return f"{datetime.datetime.fromtimestamp(at / 1_000, datetime.UTC):{form}}"
