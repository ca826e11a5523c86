"""The games: rules, which are pure functions on immutable positions (law 1), and what is shown and
said of them. Each game is one folder; `GAMES` has all that are installed."""

from __future__ import annotations

from pierule_games.found import GAMES

__all__ = ["GAMES"]
