"""The rules of the games: pure functions on immutable positions (law 1)."""

from __future__ import annotations

from pierule_games.game import Rules
from pierule_games.loose.rules import Loose
from pierule_games.taugo.rules import Taugo
from pierule_games.veletas.rules import Veletas

GAMES: dict[str, type[Rules]] = {"loose": Loose, "veletas": Veletas, "taugo": Taugo}
"""The games that can be played, by name."""
