"""The installed games: every package that names itself in the entry-point group `pierule.games`.

Packages are trusted code. A package that fails to import is left out, and the others can be played.
Two packages with the same game id are a mistake in the installation: nothing starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from pierule_games.package import Game

GROUP = "pierule.games"


class DuplicateGame(ValueError):
    """Two packages have a game of the same id."""


class Games(Mapping[str, Game]):
    """The games by id. They are loaded on first use. `failures` says why a game is left out, by the
    name of its entry point."""

    def __init__(self) -> None:
        self.failures: dict[str, Exception] = {}

    def leave_out(self, game: str, why: Exception) -> None:
        """Remove a game whose package contradicts itself."""
        del self._found[game]
        self.failures[game] = why

    def __getitem__(self, game: str) -> Game:
        return self._found[game]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def _found(self) -> dict[str, Game]:
        found: dict[str, Game] = {}
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
            game = self._load(entry)
            if game is None:
                continue
            if game.id in found:
                raise DuplicateGame(
                    f"two packages have the game {game.id}: {found[game.id].package} and "
                    f"{game.package}; uninstall one of them"
                )
            found[game.id] = game
        return found

    def _load(self, entry: EntryPoint) -> Game | None:
        try:
            game = entry.load()
        except Exception as error:  # noqa: BLE001 - any fault of a package is the package's alone
            self.failures[entry.name] = error
            return None
        if isinstance(game, Game):
            return game
        self.failures[entry.name] = TypeError(f"{entry.value} is not a pierule_games.package.Game")
        return None


GAMES = Games()
"""The installed games, by id."""
