"""A game as its package defines it: every version of its rules, and all that clients show.

A package names its `Game` in the entry-point group `pierule.games`. Its texts are files beside it:
`texts/en.json`, `texts/es.json` and so on, each a `PackageTexts`. The texts beside this file are
common to all games, and fill in what a game's own texts leave out.
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
"""The language that every game has. It replaces a language that is missing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """A game. `rules` has every version that was ever released, by its number. New rooms use the
    highest."""

    id: str
    package: str
    """The module whose folder holds `texts`: `__name__`."""
    rules: Mapping[int, type[Rules]]
    phases: Sequence[str]
    descriptor: BoardDescriptor
    pieces: Sequence[Piece]
    segments: bool = False
    """Whether `a1-a4` means all points from a1 to a4. A player may pick either end first."""
    changes: Sequence[Change] = ()
    sample: Example
    examples: Sequence[Example] = ()
    lessons: Sequence[Lesson] = ()
    sight: Sight | None = None
    anchors: Mapping[str, int] = field(default_factory=dict)
    """The fixed ratings of house bots, by level (SPEC 30.9). Without an entry, games against that
    bot are not rated."""
    preview: Callable[[Any, Sequence[str]], Cells] = lambda _, __: []
    """What an action that begins with these points, picked in this order, puts on the board. The
    points are legal (`Position.refuse_points`)."""
    account: Callable[[Any], Account] = lambda _: Account()
    """Where the score of a position comes from."""
    symmetries: Callable[[int], Sequence[Symmetry]] = identity
    """The symmetries of the rules on a board of this size, the identity first."""

    @property
    def version(self) -> int:
        """The version of the rules that new rooms use."""
        return max(self.rules)

    @property
    def newest(self) -> type[Rules]:
        """The rules that new rooms use."""
        return self.rules[self.version]

    @property
    def sizes(self) -> Sequence[int]:
        """The sizes that new rooms can have."""
        return self.newest.sizes

    @property
    def default_size(self) -> int:
        """The size of a room if its creator chooses none."""
        return self.newest.default_size

    @property
    def draws(self) -> bool:
        """Whether a game can end in a draw."""
        return self.newest.draws

    def opening(self, size: int) -> Position:
        """The position before the first action. Raises ValueError if the rules lack the size."""
        return self.newest.opening(size)

    def restore(self, fields: Fields, rules: int | None = None) -> Position:
        """The position with these fields, by a version of the rules (None: the newest). Raises
        KeyError for an unknown version, and ValueError if no game can lead to such fields."""
        return self.rules[rules or self.version].restore(fields)

    def shape(self, size: int) -> BoardShape:
        """The board of a size. Raises KeyError if the descriptor has no such board."""
        return self._shapes[size]

    @cached_property
    def _shapes(self) -> dict[int, BoardShape]:
        return {board.size: board for board in self.descriptor.boards}

    @cached_property
    def texts(self) -> Mapping[str, PackageTexts]:
        """The game's texts, by language. Raises msgspec.ValidationError for a file that does not
        fit, and OSError for one that cannot be read."""
        common = _texts(__package__)
        return {
            language: _checked(language, _merged(common.get(language, {}), own))
            for language, own in _texts(self.package).items()
        }

    def sentence(self, refusal: Refusal, language: str = FALLBACK) -> str:
        """A refusal in words; the name of its rule if the texts have none for it."""
        texts = self.texts.get(language) or self.texts[FALLBACK]
        return fill_points(texts.refusals.get(refusal.rule, refusal.rule), refusal.points)


def fill(text: str, values: Sequence[str]) -> str:
    """Fill in the placeholders `{0}`, `{1}`, … of a text. A placeholder without a value is removed
    (SPEC 26.7)."""
    return _PLACE.sub(lambda place: dict(enumerate(values)).get(int(place[1]), ""), text)


def fill_points(text: str, points: Sequence[str], between: str = " and ") -> str:
    """Fill points into the text of a refusal. The highest placeholder takes all remaining
    points."""
    last = max((int(place) for place in _PLACE.findall(text)), default=0)
    return fill(text, [*points[:last], between.join(points[last:])])


_PLACE = re.compile(r"\{([0-9])\}")


def _texts(package: str) -> dict[str, dict[str, Any]]:
    """The parsed files of `texts` in a package's folder, by language."""
    folder = resources.files(package) / "texts"
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text("utf-8"))
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".json")
    }


def _checked(language: str, texts: dict[str, Any]) -> PackageTexts:
    """The typed texts of a language. Raises msgspec.ValidationError, which names the file, and all
    that it lacks."""
    fields = msgspec.structs.fields(PackageTexts)
    lacking = [each.name for each in fields if each.required and each.name not in texts]
    if lacking:
        raise msgspec.ValidationError(f"texts/{language}.json lacks {', '.join(lacking)}")
    try:
        return msgspec.convert(texts, PackageTexts)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(f"texts/{language}.json: {error}") from error


def _merged(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The game's own texts, completed by those that all games have in common."""
    merged = {**common, **own}
    for key in common.keys() & own.keys():
        merged[key] = {**common[key], **own[key]}
    return merged
