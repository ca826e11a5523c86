"""An action that is being put together, point by point, before it is sent. Pure.

Nothing here knows rules: what may come next is what the server says to `legal` (SPEC 6.4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from pierule_protocol.messages import Legal, LegalPart

_POINT = re.compile(r"[a-z][1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Steps:
    """An action out of those that are legal: `text` is what there is of it, `first` all that can
    begin, `onward` all that goes on from `text`."""

    first: Legal
    onward: Legal
    text: str = ""

    @property
    def turn(self) -> int:
        """The turn for which it is thought out."""
        return self.first.turn

    @property
    def picked(self) -> tuple[str, ...]:
        """The points that it has."""
        return tuple(_POINT.findall(self.text))

    @property
    def complete(self) -> bool:
        """Whether it can be sent as it is."""
        return self.text in (self.onward.actions or ())

    @property
    def options(self) -> dict[str, str]:
        """Each point that may be picked next, with the text that it leads to. An action of two
        points, such as a segment, may be begun at either end."""
        following = {
            piece.lstrip("-/,"): self.text + piece
            for piece in self.onward.next
            if _POINT.search(piece)
        }
        for action in self.first.actions or ():
            ends = _POINT.findall(action)
            if len(ends) == 2 and action == "-".join(ends):
                if not self.text:
                    following.setdefault(ends[1], ends[1])
                elif self.text == ends[1]:
                    following[ends[0]] = action
        return following

    @property
    def targets(self) -> frozenset[str]:
        """The points that may be picked next."""
        return frozenset(self.options)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are legal now: `pass`, `black`, `white`."""
        return tuple(word for word in self.first.next if word.isalpha())

    def pick(self, point: str) -> str | None:
        """The text with that point; the text as it is if it ends there; None if it cannot come
        next."""
        if self.complete and self.picked[-1:] == (point,):
            return self.text
        return self.options.get(point)

    def undo(self) -> Steps | None:
        """As it was before anything was picked; None if nothing was."""
        return replace(self, onward=self.first, text="") if self.text else None


@dataclass(frozen=True, slots=True)
class Parts:
    """A set-up put together from a template: stones and shooters on points of one's choice."""

    turn: int
    template: tuple[LegalPart, ...]
    picked: tuple[str, ...] = ()

    @property
    def _counts(self) -> list[int]:
        """How many of the points picked are of each part."""
        left, counts = len(self.picked), []
        for part in self.template:
            counts.append(min(left, part.count))
            left -= counts[-1]
        return counts

    @property
    def part(self) -> tuple[LegalPart, int] | None:
        """What the next point is for, and how many of its kind stand; None if nothing lacks."""
        for part, count in zip(self.template, self._counts, strict=True):
            if count < part.count:
                return part, count
        return None

    @property
    def targets(self) -> frozenset[str]:
        """The points that may be picked next."""
        return frozenset(self.part[0].points) - set(self.picked) if self.part else frozenset()

    @property
    def complete(self) -> bool:
        """Whether it can be sent."""
        return self.part is None

    @property
    def text(self) -> str:
        """The action as far as it goes; points of a part by column, then row (SPEC 8.2)."""
        spelled, begin = [], 0
        for count in self._counts:
            points = sorted(self.picked[begin : begin + count], key=lambda p: (p[0], int(p[1:])))
            spelled.append(",".join(points))
            begin += count
        return "/".join(filter(None, spelled))

    def pick(self, point: str) -> Parts | None:
        """With that point, or without it if it was picked before; None if it cannot be."""
        if point in self.picked:
            return replace(self, picked=tuple(one for one in self.picked if one != point))
        return replace(self, picked=(*self.picked, point)) if point in self.targets else None

    def undo(self) -> Parts | None:
        """Without the latest point; None if there is none."""
        return replace(self, picked=self.picked[:-1]) if self.picked else None


@dataclass(frozen=True, slots=True)
class Number:
    """A number such as the komi, to be raised and lowered."""

    turn: int
    part: LegalPart
    value: int

    @property
    def text(self) -> str:
        """The action."""
        return f"{self.part.what}:{self.value}"

    def change(self, steps: int) -> Number:
        """So many steps more, within the bounds."""
        first, last, step = self.part.first or 0, self.part.last or 0, self.part.step or 1
        return replace(self, value=min(max(self.value + steps * step, first), last))


Draft: TypeAlias = Steps | Parts | Number


def begin(legal: Legal) -> Draft:
    """The empty draft for what is legal at a turn."""
    if not legal.template:
        return Steps(legal, legal)
    number = legal.template[0]
    if number.first is not None:
        return Number(legal.turn, number, number.first)
    return Parts(legal.turn, tuple(legal.template))
