"""A draft: an action that the user puts together point by point before sending it. Pure.

Nothing here knows the rules: the server's answer to `legal` says what may come next (SPEC 6.4). A
tap, by Enter or the mouse, means the same in every phase of every game, and on the web page. The
pending piece is the point that was picked last.

| tap on             | the draft is a complete action        | something is missing             |
|--------------------|---------------------------------------|----------------------------------|
| the pending piece  | confirms it; takes it back if actions | takes it back                    |
|                    | need no confirmation                  |                                  |
| a point that may   | picks it: the action goes on          | picks it; if that completes the  |
| come next          |                                       | action, and it needs no          |
|                    |                                       | confirmation, sends it           |
| an earlier point   | takes it back, and except in a set-up, all later points, too             |
| another point      | moves the pending piece there, or if it cannot, the one before it; this  |
|                    | never sends. If none can move there, the server is asked why             |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from pierule_protocol.messages import Legal, LegalPart

_POINT = re.compile(r"[a-z][1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Picked:
    """The draft goes on with the point."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Changed:
    """The draft changes in another way. This never sends it."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Send the draft as it is shown."""


@dataclass(frozen=True, slots=True)
class Ask:
    """No action has these points. Ask the server why."""

    points: tuple[str, ...]


Tap: TypeAlias = Picked | Changed | Confirmed | Ask
"""What a tap leads to."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A draft in phases without a template. `text` is its beginning, `legal` says how it may go on
    (None: not asked yet), and `before` is the draft without the latest point."""

    legal: Legal | None
    text: str = ""
    picked: tuple[str, ...] = ()
    before: Steps | None = None
    segments: bool = False
    """Whether an action `a1-a4` may begin at either end (SPEC 26.8)."""

    @property
    def root(self) -> Steps:
        """The draft before the first pick."""
        return self if self.before is None else self.before.root

    @property
    def complete(self) -> bool:
        """Whether the draft is a legal action."""
        return self.legal is not None and self.text in (self.legal.actions or ())

    @property
    def options(self) -> dict[str, str]:
        """The points that may be picked next, each with the text that it leads to."""
        root = self.root.legal
        following = {
            piece.lstrip("-/,"): self.text + piece
            for piece in (self.legal.next if self.legal else ())
            if _POINT.search(piece)
        }
        for action in (root.actions if root and self.segments else None) or ():
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
        root = self.root.legal
        return tuple(word for word in (root.next if root else ()) if word.isalpha())

    def say(self, word: str) -> Steps:
        """The draft with a legal word instead of points."""
        root = self.root
        turn = root.legal.turn if root.legal else 0
        return replace(
            self, legal=Legal(turn=turn, total=1, actions=[word]), text=word, picked=(), before=root
        )

    def tap(self, point: str, *, confirms: bool) -> Tap:
        """What a tap on a point means."""
        if self.picked[-1:] == (point,) and self.before is not None:
            return Confirmed() if confirms and self.complete else Changed(self.before)
        if (after := self.followed(point)) is not None:
            return Picked(after)
        step = self.before
        while step is not None:
            if point in self.picked and point not in step.picked:
                return Changed(step)
            if point not in self.picked and (after := step.followed(point)) is not None:
                return Picked(after) if self.text in self.words else Changed(after)
            step = step.before
        kept = self.before if self.complete and self.before is not None else self
        return Ask((*kept.picked, point))

    def followed(self, point: str) -> Steps | None:
        """The draft with this point added; None if it cannot come next."""
        text = self.options.get(point)
        if text is None:
            return None
        return replace(self, legal=None, text=text, picked=(*self.picked, point), before=self)

    def undo(self) -> Steps | None:
        """The draft without the latest point or the word; None if there is neither."""
        return self.before


@dataclass(frozen=True, slots=True)
class Parts:
    """A draft of a set-up, by a template: pieces on picked points. `places` has the place of each
    picked point in the action."""

    turn: int
    template: tuple[LegalPart, ...]
    picked: tuple[str, ...] = ()
    places: tuple[int, ...] = ()

    @property
    def _parts(self) -> list[LegalPart]:
        """The part that each place belongs to."""
        return [part for part in self.template for _ in range(part.count)]

    @property
    def _free(self) -> int:
        """The first free place."""
        return next(place for place in range(len(self.picked) + 1) if place not in self.places)

    @property
    def part(self) -> tuple[LegalPart, int] | None:
        """What the next point is for, and how many of its kind are picked; None if the draft is
        complete."""
        if self.complete:
            return None
        part = self._parts[self._free]
        return part, sum(self._parts[place] is part for place in self.places)

    @property
    def targets(self) -> frozenset[str]:
        """The points that may be picked next."""
        return frozenset(self.part[0].points) - set(self.picked) if self.part else frozenset()

    @property
    def pieces(self) -> dict[str, int]:
        """The picked points, with the cell values of their pieces."""
        standing = zip(self.picked, self.places, strict=True)
        return {point: self._parts[place].cell or 0 for point, place in standing}

    @property
    def complete(self) -> bool:
        """Whether all places are taken."""
        return len(self.picked) == len(self._parts)

    @property
    def text(self) -> str:
        """The action so far, with the points of each part by column, then row (SPEC 8.2)."""
        spelled = []
        for part in self.template:
            standing = zip(self.picked, self.places, strict=True)
            points = [point for point, place in standing if self._parts[place] is part]
            spelled.append(",".join(sorted(points, key=lambda p: (p[0], int(p[1:])))))
        return "/".join(spelled).rstrip("/")

    def tap(self, point: str, *, confirms: bool) -> Tap:
        """What a tap on a point means."""
        if self.complete and confirms and self.picked[-1] == point:
            return Confirmed()
        if point in self.picked:
            return Changed(self._without(self.picked.index(point)))
        if point in self.targets:
            return Picked(self._with(point, self._free))
        for at in reversed(range(len(self.picked))):
            if point in self._parts[self.places[at]].points:
                return Changed(self._without(at, point))
        place = self.places[-1] if self.complete else self._free
        before = sorted((p, at) for at, p in enumerate(self.places) if p < place)
        return Ask((*(self.picked[at] for _, at in before), point))

    def _with(self, point: str, place: int) -> Parts:
        return replace(self, picked=(*self.picked, point), places=(*self.places, place))

    def _without(self, at: int, *moved: str) -> Parts:
        """The draft without a picked point, or with the point `moved` in its place."""
        picked, places, freed = self.picked, self.places, self.places[at : at + 1]
        return replace(
            self,
            picked=picked[:at] + picked[at + 1 :] + moved,
            places=places[:at] + places[at + 1 :] + freed * len(moved),
        )

    def undo(self) -> Parts | None:
        """The draft without the latest point; None if there is none."""
        return self._without(len(self.picked) - 1) if self.picked else None


@dataclass(frozen=True, slots=True)
class Number:
    """A draft of a number such as the komi."""

    turn: int
    part: LegalPart
    value: int
    complete: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """The action."""
        return f"{self.part.what}:{self.value}"

    def change(self, steps: int) -> Number:
        """The draft with a number `steps` steps higher, within the bounds."""
        first, last, step = self.part.first or 0, self.part.last or 0, self.part.step or 1
        return replace(self, value=min(max(self.value + steps * step, first), last))


Draft: TypeAlias = Steps | Parts | Number


def begin(legal: Legal, *, segments: bool = False) -> Draft:
    """The empty draft at a turn."""
    if not legal.template:
        return Steps(legal, segments=segments)
    number = legal.template[0]
    if number.first is not None:
        return Number(legal.turn, number, number.first)
    return Parts(legal.turn, tuple(legal.template))
