"""The games: their rules, which are pure functions on immutable positions (law 1), and their looks
and texts. Each game is one folder. `GAMES` holds all games that are installed."""

from __future__ import annotations

from pierule_games.found import GAMES

__all__ = ["GAMES"]
