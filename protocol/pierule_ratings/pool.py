"""The ratings of all players of one game, from its results in the order of their feed numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pierule_ratings.model import Model, Rating, rate, widened


@dataclass(frozen=True, slots=True)
class Result:
    """A rated game: its feed number, the ids of its players, the `score` of seat 0 (1, 0 or a
    half), and when it ended (ms since 1970). `anchors` has the fixed rating of a house bot in the
    place of its seat (SPEC 30.9)."""

    feed: int
    players: tuple[str, str]
    score: Decimal
    ended: int
    anchors: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Step:
    """A result, and the ratings of both players before and after it. An anchor has the same ones,
    of 0 games."""

    result: Result
    before: tuple[Rating, Rating]
    after: tuple[Rating, Rating]


def before(model: Model, result: Result, known: Mapping[str, Rating]) -> tuple[Rating, Rating]:
    """The ratings of the players of a game before it, by what is known of them."""
    one, other = (
        known.get(player) or Rating.fresh(model) if anchor is None else Rating.anchor(model, anchor)
        for player, anchor in zip(result.players, result.anchors, strict=True)
    )
    return one, other


def step(model: Model, result: Result, known: Mapping[str, Rating]) -> Step:
    """What a game does to ratings of which these are known. Raises ValueError for a wrong score."""
    was = before(model, result, known)
    one, other = (
        became if anchor is None else old
        for old, became, anchor in zip(
            was, rate(model, *was, result.score, result.ended), result.anchors, strict=True
        )
    )
    return Step(result, was, (one, other))


@dataclass(slots=True)
class Pool:
    """The ratings after the game `through`. A result that was voided is left out as if the game had
    never been."""

    model: Model
    ratings: dict[str, Rating] = field(default_factory=dict)
    through: int = 0

    @classmethod
    def of(cls, model: Model, results: Iterable[Result], voided: Collection[int] = ()) -> Pool:
        """The pool of these results, without those whose feed numbers are `voided`. Raises
        ValueError unless they are in the order of the feed."""
        pool = cls(model)
        for result in results:
            if result.feed not in voided:
                pool.add(result)
        return pool

    def rating(self, player: str) -> Rating:
        """What is known of a player."""
        return self.ratings.get(player) or Rating.fresh(self.model)

    def add(self, result: Result) -> Step:
        """Rate one more game. Raises ValueError for a result that cannot be."""
        if result.feed <= self.through:
            raise ValueError(f"result {result.feed} comes after {self.through}")
        one, other = result.players
        if one == other:
            raise ValueError(f"result {result.feed} has one player twice")
        done = step(self.model, result, self.ratings)
        for player, anchor, rating in zip(result.players, result.anchors, done.after, strict=True):
            if anchor is None:
                self.ratings[player] = rating
        self.through = result.feed
        return done

    def table(self, at: int) -> list[tuple[str, Rating]]:
        """All players at a time (ms since 1970), the highest rating first, then by id."""
        found = [(player, widened(self.model, it, at)) for player, it in self.ratings.items()]
        return sorted(found, key=lambda each: (-each[1].value, each[0]))
