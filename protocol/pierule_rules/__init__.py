"""The rules of the games: pure functions on immutable positions (law 1)."""

from __future__ import annotations

from pierule_rules.game import Rules
from pierule_rules.loose import Loose
from pierule_rules.taugo import Taugo
from pierule_rules.veletas import Veletas

GAMES: dict[str, type[Rules]] = {"loose": Loose, "veletas": Veletas, "taugo": Taugo}
"""The games that can be played, by name."""
