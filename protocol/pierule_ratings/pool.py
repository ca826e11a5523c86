"""The ratings of all players of one game, from its results in the order of their feed numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pierule_ratings.model import Model, Rating, rate, widened


@dataclass(frozen=True, slots=True)
class Result:
    """A rated game: its feed number, the ids of its players, the `score` of seat 0 (1, 0 or a
    half), and when it ended (ms since 1970). `anchors` has for each seat the fixed rating of a
    house bot, or None for a person (SPEC 30.9)."""

    feed: int
    players: tuple[str, str]
    score: Decimal
    ended: int
    anchors: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Step:
    """A result, and the ratings of both players before and after it. A game does not change the
    rating of a house bot."""

    result: Result
    before: tuple[Rating, Rating]
    after: tuple[Rating, Rating]


def before(model: Model, result: Result, known: Mapping[str, Rating]) -> tuple[Rating, Rating]:
    """The ratings of both players before a game. `known` has those of players with games."""
    one, other = (
        known.get(player) or Rating.fresh(model) if anchor is None else Rating.anchor(model, anchor)
        for player, anchor in zip(result.players, result.anchors, strict=True)
    )
    return one, other


def step(model: Model, result: Result, known: Mapping[str, Rating]) -> Step:
    """What a game does to the `known` ratings. Raises ValueError for a score that is not 0, 1 or a
    half."""
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
    """The ratings after the game with the feed number `through`. Voided results are left out, as if
    the games had never been played."""

    model: Model
    ratings: dict[str, Rating] = field(default_factory=dict)
    through: int = 0

    @classmethod
    def of(cls, model: Model, results: Iterable[Result], voided: Collection[int] = ()) -> Pool:
        """The pool of these results, without those whose feed numbers are `voided`. Raises
        ValueError if they are not in the order of the feed, or cannot be rated."""
        pool = cls(model)
        for result in results:
            if result.feed not in voided:
                pool.add(result)
        return pool

    def rating(self, player: str) -> Rating:
        """A player's rating after their last game."""
        return self.ratings.get(player) or Rating.fresh(self.model)

    def add(self, result: Result) -> Step:
        """Rate one more game. Raises ValueError if it is not later in the feed, or cannot be
        rated."""
        if result.feed <= self.through:
            raise ValueError(
                f"result {result.feed} comes after {self.through}; sort results by feed number"
            )
        one, other = result.players
        if one == other:
            raise ValueError(f"result {result.feed} has the same player in both seats: {one}")
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
