"""An action that is being put together, point by point, before it is sent. Pure.

Nothing here knows rules: what may come next is what the server says to `legal` (SPEC 6.4). A tap,
by Enter or the mouse, means the same in every phase of every game, and on the web page. The
pending piece is the point that was picked last.

| tap on             | the draft is an action already        | something is missing             |
|--------------------|---------------------------------------|----------------------------------|
| the pending piece  | confirms it; takes it back if actions | takes it back                    |
|                    | need no confirmation                  |                                  |
| a point that may   | picks it: the action goes on          | picks it; if that completes the  |
| come next          |                                       | action, and it needs no          |
|                    |                                       | confirmation, sends it           |
| an earlier point   | takes it back, and but in a set-up all that came after it, too           |
| a point elsewhere  | the pending piece moves there, or else the one before it; this never     |
|                    | sends. If none can, the server is asked why not                          |
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
    """The draft is another one; that is never sent at once."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The draft is to be sent as it is shown."""


@dataclass(frozen=True, slots=True)
class Ask:
    """No action has these points: the server can say why."""

    points: tuple[str, ...]


Tap: TypeAlias = Picked | Changed | Confirmed | Ask
"""What a tap comes to."""


@dataclass(frozen=True, slots=True)
class Steps:
    """An action out of those that are legal. `text` is what there is of it, `legal` all that goes
    on from there (None: not asked yet), `before` the draft that lacks the latest point."""

    legal: Legal | None
    text: str = ""
    picked: tuple[str, ...] = ()
    before: Steps | None = None
    segments: bool = False
    """Whether an action `a1-a4` may be begun at either end (SPEC 26.8)."""

    @property
    def root(self) -> Steps:
        """The draft before anything was picked."""
        return self if self.before is None else self.before.root

    @property
    def complete(self) -> bool:
        """Whether it can be sent as it is."""
        return self.legal is not None and self.text in (self.legal.actions or ())

    @property
    def options(self) -> dict[str, str]:
        """Each point that may be picked next, with the text that it leads to."""
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
        """A word that is legal, instead of what there is."""
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
        """With that point next; None if it cannot come next."""
        text = self.options.get(point)
        if text is None:
            return None
        return replace(self, legal=None, text=text, picked=(*self.picked, point), before=self)

    def undo(self) -> Steps | None:
        """Without the latest point or the word; None if there is neither."""
        return self.before


@dataclass(frozen=True, slots=True)
class Parts:
    """A set-up put together from a template: pieces on chosen points. `places` says which place in
    the action each of the picked points takes."""

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
        """The first place that nothing takes."""
        return next(place for place in range(len(self.picked) + 1) if place not in self.places)

    @property
    def part(self) -> tuple[LegalPart, int] | None:
        """What the next point is for, and how many of its kind stand; None if nothing lacks."""
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
        """What stands on the points that are picked, by the value of their cells."""
        standing = zip(self.picked, self.places, strict=True)
        return {point: self._parts[place].cell or 0 for point, place in standing}

    @property
    def complete(self) -> bool:
        """Whether it can be sent."""
        return len(self.picked) == len(self._parts)

    @property
    def text(self) -> str:
        """The action as far as it goes; points of a part by column, then row (SPEC 8.2)."""
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
        """Without one point, which has `moved` elsewhere or is gone."""
        picked, places, freed = self.picked, self.places, self.places[at : at + 1]
        return replace(
            self,
            picked=picked[:at] + picked[at + 1 :] + moved,
            places=places[:at] + places[at + 1 :] + freed * len(moved),
        )

    def undo(self) -> Parts | None:
        """Without the latest point; None if there is none."""
        return self._without(len(self.picked) - 1) if self.picked else None


@dataclass(frozen=True, slots=True)
class Number:
    """A number such as the komi, to be raised and lowered."""

    turn: int
    part: LegalPart
    value: int
    complete: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """The action."""
        return f"{self.part.what}:{self.value}"

    def change(self, steps: int) -> Number:
        """So many steps more, within the bounds."""
        first, last, step = self.part.first or 0, self.part.last or 0, self.part.step or 1
        return replace(self, value=min(max(self.value + steps * step, first), last))


Draft: TypeAlias = Steps | Parts | Number


def begin(legal: Legal, *, segments: bool = False) -> Draft:
    """The empty draft for what is legal at a turn."""
    if not legal.template:
        return Steps(legal, segments=segments)
    number = legal.template[0]
    if number.first is not None:
        return Number(legal.turn, number, number.first)
    return Parts(legal.turn, tuple(legal.template))
