"""A game as a package gives it: the rules in every version, and all that clients show and say.

A package names its `Game` in the entry-point group `pierule.games`. Texts lie beside it as
`texts/en.json`, `texts/es.json` and so on, each a `PackageTexts`; what every game says alike is
added from the texts beside this file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

import msgspec

from pierule_games.description import (
    Account,
    BoardDescriptor,
    BoardShape,
    Change,
    Example,
    Lesson,
    PackageTexts,
    Piece,
)
from pierule_games.game import Cells, Fields, Position, Rules
from pierule_games.refusal import Refusal
from pierule_games.sight import Sight
from pierule_games.symmetry import Symmetry, identity

FALLBACK = "en"
"""The language that every game has, and that stands in for one that is missing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """A game. `rules` has every version that was ever released, by its number; new rooms take the
    highest one."""

    id: str
    package: str
    """The module beside which the texts lie: `__name__`."""
    rules: Mapping[int, type[Rules]]
    phases: Sequence[str]
    descriptor: BoardDescriptor
    pieces: Sequence[Piece]
    segments: bool = False
    """Whether `a1-a4` names all points from one to the other, picked from either end."""
    changes: Sequence[Change] = ()
    sample: Example
    examples: Sequence[Example] = ()
    lessons: Sequence[Lesson] = ()
    sight: Sight | None = None
    anchors: Mapping[str, int] = field(default_factory=dict)
    """The fixed ratings of house bots, by level (SPEC 30.9); a game without any rates no games
    against them."""
    preview: Callable[[Any, Sequence[str]], Cells] = lambda _, __: []
    """What points that may be picked for an action, in this order, would put on the board."""
    account: Callable[[Any], Account] = lambda _: Account()
    """Where the score of a position comes from."""
    symmetries: Callable[[int], Sequence[Symmetry]] = identity
    """The symmetries that the rules have on a board of this size, the identity first."""

    @property
    def version(self) -> int:
        """The version of the rules that new rooms take."""
        return max(self.rules)

    @property
    def newest(self) -> type[Rules]:
        """The rules that new rooms take."""
        return self.rules[self.version]

    @property
    def sizes(self) -> Sequence[int]:
        """The sizes that new rooms can have."""
        return self.newest.sizes

    @property
    def default_size(self) -> int:
        """The size of a room whose maker names none."""
        return self.newest.default_size

    @property
    def draws(self) -> bool:
        """Whether a game can end in a draw."""
        return self.newest.draws

    def opening(self, size: int) -> Position:
        """The position before the first action. Raises ValueError for a size that is none."""
        return self.newest.opening(size)

    def restore(self, fields: Fields, rules: int | None = None) -> Position:
        """The position that has these fields, by a version of the rules (None: the newest). Raises
        KeyError for a version that is none, and ValueError where no position has such fields."""
        return self.rules[rules or self.version].restore(fields)

    def shape(self, size: int) -> BoardShape:
        """The board of a size. Raises KeyError for one that is none."""
        return self._shapes[size]

    @cached_property
    def _shapes(self) -> dict[int, BoardShape]:
        return {board.size: board for board in self.descriptor.boards}

    @cached_property
    def texts(self) -> Mapping[str, PackageTexts]:
        """What is said of the game, by language. Raises msgspec.ValidationError and OSError."""
        common = _texts(__package__)
        return {
            language: _checked(language, _merged(common.get(language, {}), own))
            for language, own in _texts(self.package).items()
        }

    def sentence(self, refusal: Refusal, language: str = FALLBACK) -> str:
        """Why something is not legal, in words; the rule's name where there are none."""
        texts = self.texts.get(language) or self.texts[FALLBACK]
        return fill_points(texts.refusals.get(refusal.rule, refusal.rule), refusal.points)


def fill(text: str, values: Sequence[str]) -> str:
    """A text with `{0}`, `{1}`, … filled in; one for which there is no value becomes nothing
    (SPEC 26.7)."""
    return _PLACE.sub(lambda place: dict(enumerate(values)).get(int(place[1]), ""), text)


def fill_points(text: str, points: Sequence[str], between: str = " and ") -> str:
    """The text of a refusal: its highest placeholder takes all the points that are left."""
    last = max((int(place) for place in _PLACE.findall(text)), default=0)
    return fill(text, [*points[:last], between.join(points[last:])])


_PLACE = re.compile(r"\{([0-9])\}")


def _texts(package: str) -> dict[str, dict[str, Any]]:
    """The files of texts beside a module, by language."""
    folder = resources.files(package) / "texts"
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text("utf-8"))
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".json")
    }


def _checked(language: str, texts: dict[str, Any]) -> PackageTexts:
    """The texts of a language. Raises msgspec.ValidationError, which names the file."""
    try:
        return msgspec.convert(texts, PackageTexts)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(f"texts/{language}.json: {error}") from error


def _merged(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The game's own texts, and what all games say where it says nothing of its own."""
    merged = {**common, **own}
    for key in common.keys() & own.keys():
        merged[key] = {**common[key], **own[key]}
    return merged
