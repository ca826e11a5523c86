"""The feed of an archive, read from dumps: which games count, and why others do not (SPEC 30)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pierule_ratings import Model, Pool, Result


class BadDump(Exception):
    """The files cannot be used; the text names the file, the line and the reason."""


@dataclass(slots=True)
class Feed:
    """What each feed number has: a result, or why it is not rated. `undone` says since which number
    a result no longer counts. `private` has the numbers about which the files say nothing else.
    `whole` says whether a manifest confirms that no later number is missing."""

    results: dict[int, tuple[str, Result]] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    unrated: dict[int, str] = field(default_factory=dict)
    private: set[int] = field(default_factory=set)
    names: dict[str, str | None] = field(default_factory=dict)
    rooms: dict[str, int] = field(default_factory=dict)
    last: int = 0
    whole: bool = False

    @property
    def games(self) -> list[str]:
        """The games with results, sorted."""
        return sorted({game for game, _ in self.results.values()})

    def chosen(self, game: str | None) -> list[str]:
        """The games to show: all, or this one. Raises BadDump if it has no results."""
        if game is None or game in self.games:
            return self.games if game is None else [game]
        there = f"only of {', '.join(self.games)}" if self.games else "and no other rated game"
        raise BadDump(f"the files have no rated game of {game!r}, {there}")

    def end(self, through: int | None) -> int:
        """The last number to count. Raises BadDump if the files do not reach it."""
        if through is not None and through > self.last:
            raise BadDump(f"there is no number {through}; the files end at {self.last}")
        return self.last if through is None else through

    def pool(self, model: Model, game: str, through: int | None = None) -> Pool:
        """The ratings of a game after all numbers up to `through` (None: all)."""
        end = self.last if through is None else through
        pool = Pool(model)
        for feed, (of, result) in self.results.items():
            if of == game and feed <= end and not self.undone.get(feed, end + 1) <= end:
                pool.add(result)
        return pool

    def undo(self, game: int, since: int) -> None:
        """Note that the number `since` says that a game no longer counts."""
        self.undone[game] = min(since, self.undone.get(game, since))
