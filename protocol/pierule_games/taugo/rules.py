"""Taugo (Saïd Gadwen, 2023): strings that grow along the lines and cut each other.

Only the rules of SPEC 13 may enter here. `_growth` walks along a line and decides what a segment
may do, both when a segment is played and when all are listed. So the two cannot disagree.

If a segment is legal in neither direction, the refusal is that of the direction that grows from a
stone of the mover; if both do, of the one that gets further; on a tie, of the one that begins at
the point named first. A knot is named by the point placed last and the stone diagonally across.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pierule_games.board import cells_of, indices, refuse_name, set_of
from pierule_games.game import (
    BLACK,
    OTHER,
    WHITE,
    Fields,
    Part,
    Seat,
    Winner,
    check_agreement,
    check_board,
)
from pierule_games.refusal import Refusal
from pierule_games.taugo.geometry import Lines, Strings, joined, lines, parted


@dataclass(frozen=True, slots=True)
class Taugo:
    """A position of Taugo. `stones` are the sets of Black's and of White's stones.

    `strings` are the same stones, divided into strings. A position keeps them because an action
    changes few of them, and finding all of them takes longer than everything else.
    """

    game: ClassVar[str] = "taugo"
    sizes: ClassVar[Sequence[int]] = range(6, 20)
    default_size: ClassVar[int] = 16
    draws: ClassVar[bool] = True

    size: int
    to_act: Seat | None = 0
    black: Seat | None = None
    passes: int = 0
    stones: tuple[int, int] = (0, 0)
    strings: tuple[Strings, Strings] = field(default=((), ()), compare=False, repr=False)

    @classmethod
    def opening(cls, size: int) -> Taugo:
        """The empty board. Raises ValueError for a size that the game does not have."""
        if size not in cls.sizes:
            raise ValueError(f"Taugo has no board of size {size}")
        return cls(size)

    @classmethod
    def restore(cls, fields: Fields) -> Taugo:
        """The position with these fields. Raises ValueError if no game can lead to it."""
        check_board(cls, fields, WHITE)
        size, cells = fields.size, fields.cells
        black, white = set_of(cells, BLACK), set_of(cells, WHITE)
        strings = lines(size).strings(black), lines(size).strings(white)
        position = cls(size, fields.to_act, fields.black, fields.passes, (black, white), strings)
        if fault := position._fault():
            raise ValueError(fault)
        check_agreement(fields, position)
        return position

    @property
    def phase(self) -> str:
        """`first`, `color`, `play` or `over`."""
        if self.black is None:
            return "color" if self.stones[0] else "first"
        return "over" if self.passes == 2 else "play"

    @property
    def komi(self) -> int | None:
        """Taugo has none."""
        return None

    @property
    def cells(self) -> bytes:
        """The board: size * size cell values."""
        black, white = self.stones
        return cells_of(self.size, (black, BLACK), (white, WHITE))

    @property
    def score(self) -> tuple[int, int]:
        """The points of (Black, White): 1 + 2 + ... for the edge and for each string."""
        return self._score(0), self._score(1)

    @property
    def winner(self) -> Winner | None:
        """The color with the higher score, or on a tie with fewer strings; None before the end."""
        if self.passes < 2 or self.black is None:
            return None
        black, white = ((self._score(color), -len(self.strings[color])) for color in (0, 1))
        if black == white:
            return "draw"
        return self.black if black > white else OTHER[self.black]

    def play(self, action: str) -> Taugo | Refusal:
        """The position after `action`, or why it is not legal here."""
        match self.phase:
            case "play":
                if action == "pass":
                    return self._pass()
                return self._segment(action) if "-" in action else self._single(action)
            case "color":
                return self._choose(action)
            case "first":
                return self._first(action)
            case _:
                return Refusal("over")

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action begins with these points: a single point, or a segment's ends."""
        index, playing = lines(self.size).index, self.phase == "play"
        two = playing and len(points) == 2
        ordered = sorted(points, key=lambda name: index.get(name, -1)) if two else points
        after = self.play(("-" if two else "/").join(ordered))
        if not isinstance(after, Refusal):
            return None
        one = playing and len(points) == 1 and points[0] in index
        if one and self._ends_segment(index[points[0]]):
            return None
        # Many players try to begin a segment at their own stone, so that is the reason to give.
        own = one and self._sides()[0] >> index[points[0]] & 1
        return Refusal("own_stone", (points[0],)) if own else after

    def actions(self) -> Iterator[str]:
        """Every legal action: points by index, then segments by their ends, then `pass`."""
        plan = lines(self.size)
        match self.phase:
            case "play":
                mine, _ = self._sides()
                for i in indices(plan.inner & self._empty()):
                    if not plan.knot(i, mine):
                        yield plan.names[i]
                for first, last in self._segments():
                    yield f"{plan.names[first]}-{plan.names[last]}"
                yield "pass"
            case "color":
                yield from ("black", "white")
            case "first":
                yield from (plan.names[i] for i in indices(plan.inner))

    def count(self) -> int:
        """How many actions are legal."""
        return sum(1 for _ in self.actions())

    def template(self) -> tuple[Part, ...]:
        """The first stone, until it is placed."""
        if self.phase != "first":
            return ()
        return (Part("stone", 1, tuple(self.actions()), cell=BLACK),)

    def _sides(self) -> tuple[int, int]:
        """The stones of the color to act, and those of the other color."""
        black, white = self.stones
        return (black, white) if self.to_act == self.black else (white, black)

    def _empty(self) -> int:
        black, white = self.stones
        return lines(self.size).full ^ (black | white)

    def _score(self, color: int) -> int:
        plan = lines(self.size)
        perimeter = plan.perimeter
        total = _sum_to((self.stones[color] & plan.edges).bit_count())
        for string in self.strings[color]:
            total += _sum_to((string & perimeter).bit_count())
        return total

    def _first(self, action: str) -> Taugo | Refusal:
        point = self._open_point(action)
        if isinstance(point, Refusal):
            return point
        stone = 1 << point
        return Taugo(self.size, 1, stones=(stone, 0), strings=((stone,), ()))

    def _choose(self, action: str) -> Taugo | Refusal:
        """Seat 1 takes a color, and seat 0 gets the other. White acts next."""
        if action not in ("black", "white"):
            return Refusal("color")
        black: Seat = 1 if action == "black" else 0
        return replace(self, to_act=OTHER[black], black=black)

    def _pass(self) -> Taugo:
        to_act = None if self.passes else OTHER[self.to_act]
        return replace(self, to_act=to_act, passes=self.passes + 1)

    def _single(self, action: str) -> Taugo | Refusal:
        point = self._open_point(action)
        if isinstance(point, Refusal):
            return point
        mine, _ = self._sides()
        return lines(self.size).knot(point, mine) or self._placed(1 << point)

    def _open_point(self, name: str) -> int | Refusal:
        """The cell of the inner point `name`, or a refusal if it is not an empty inner point."""
        plan = lines(self.size)
        point = plan.index.get(name)
        if point is None:
            return refuse_name(name)
        if not self._empty() >> point & 1:
            return Refusal("occupied", (name,))
        if not plan.inner >> point & 1:
            return Refusal("edge" if plan.edges >> point & 1 else "corner", (name,))
        return point

    def _segment(self, action: str) -> Taugo | Refusal:
        ends = self._ends(action)
        if isinstance(ends, Refusal):
            return ends
        first, last = ends
        plan, (mine, theirs) = lines(self.size), self._sides()
        ways = plan.ways(first, last)
        walks = [list(_growth(plan, mine, theirs, way)) for way in ways if mine >> way[0] & 1]
        if any(walk[-1] is None for walk in walks):
            return self._placed(sum(1 << point for point in ways[0][1:]))
        furthest = max(walks, key=len, default=[None])[-1]
        return furthest or self._sourceless(first, last, ways)

    def _sourceless(self, first: int, last: int, ways: list[range]) -> Refusal:
        """Why a segment is not legal if neither way has a stone of the mover as its source."""
        names, (mine, _) = lines(self.size).names, self._sides()
        if not ways:
            return Refusal("whole_line", (names[first], names[last]))
        for point in sorted(ways[0][1:]):
            if mine >> point & 1:  # the player seems to have included the source in the segment
                return Refusal("own_stone", (names[point],))
        return Refusal("source", tuple(names[way[0]] for way in ways))

    def _ends(self, action: str) -> tuple[int, int] | Refusal:
        """The two ends of a segment, or a refusal if it is misspelled or not on a drawn line."""
        plan = lines(self.size)
        names = action.split("-", 2)
        for name in names:
            if name not in plan.index:
                return refuse_name(name)
        if len(names) != 2:
            return Refusal("spelling")
        first, last = plan.index[names[0]], plan.index[names[1]]
        if first == last:
            return Refusal("one_point", (names[0],))
        step = last - first
        same_row = first // self.size == last // self.size
        if not same_row and step % self.size:
            return Refusal("crooked", (names[0], names[1]))
        if step < 0:
            return Refusal("backwards", (names[1], names[0]))
        if not (plan.across if same_row else plan.upright) >> first & 1:
            return Refusal("along_edge", (names[0], names[1]))
        return first, last

    def _segments(self) -> Iterator[tuple[int, int]]:
        """The ends of every legal segment, in order.

        They come while the search goes on, so that nobody waits for a whole board. No growth
        passes a stone of the mover. So all segments that begin at a point are known as soon as the
        search has grown from the stone before it on the line, and back from the stone after it.
        """
        plan, (mine, theirs) = lines(self.size), self._sides()
        barred = mine | plan.knots(mine) | theirs & ~plan.crowded(theirs)
        lasts: defaultdict[int, set[int]] = defaultdict(set)  # a segment can grow from both sides
        begun = mine | plan.edges
        for cell in indices(plan.inner | plan.edges):
            if begun >> cell & 1:
                for way in plan.growths(cell, mine, barred):
                    start, ends = way[1], _growth(plan, mine, theirs, way)
                    for end, refusal in zip(way[1:], ends, strict=False):
                        if refusal is None and end != start:
                            lasts[min(start, end)].add(max(start, end))
            yield from ((cell, last) for last in sorted(lasts.pop(cell, ())))

    def _ends_segment(self, point: int) -> bool:
        """Whether a legal segment has `point` at one of its ends."""
        plan, (mine, theirs) = lines(self.size), self._sides()
        for source in indices(plan.neighbors[point] & mine):
            ray = next(ray for ray in plan.rays[source] if ray[1] == point)
            if None in list(_growth(plan, mine, theirs, ray))[1:]:
                return True
        for ray in plan.rays[point]:
            # A growth that ends here has the mover's nearest stone as its source.
            length = next((i for i, cell in enumerate(ray) if mine >> cell & 1), 0)
            if length > 1 and list(_growth(plan, mine, theirs, ray[length::-1]))[-1] is None:
                return True
        return False

    def _placed(self, points: int) -> Taugo:
        """The position after the color to act has put stones on these connected points."""
        plan, (mine, theirs) = lines(self.size), self._sides()
        blacks_turn = self.to_act == self.black
        black, white = self.strings
        my_strings, their_strings = (black, white) if blacks_turn else (white, black)
        mine, theirs = mine | points, theirs & ~points
        my_strings = joined(plan, my_strings, points)
        their_strings = parted(plan, their_strings, points)
        return Taugo(
            self.size,
            OTHER[self.to_act],
            self.black,
            0,
            (mine, theirs) if blacks_turn else (theirs, mine),
            (my_strings, their_strings) if blacks_turn else (their_strings, my_strings),
        )

    def _fault(self) -> str | None:
        """Why no game can lead to this position; None if a game can."""
        plan = lines(self.size)
        black, white = self.stones
        if self.black not in (None, 0, 1):
            return f"Black's seat is {self.black}, not 0 or 1"
        if self.passes not in (0, 1, 2):
            return f"there are {self.passes} passes in a row; the game ends after 2"
        if self.black is None:
            if self.passes or white or black.bit_count() > 1 or black & ~plan.inner:
                return "the game has begun before its set-up is complete"
            return None if self.to_act == (1 if black else 0) else "the other seat is to act"
        if (self.to_act is None) != (self.passes == 2) or self.to_act not in (None, 0, 1):
            return f"to_act is {self.to_act} after {self.passes} passes"
        if not white and self.passes < 2 and (self.to_act == self.black) != (self.passes == 1):
            return "White acts first, but White has no stone and it is Black's turn"
        return self._fault_of_stones()

    def _fault_of_stones(self) -> str | None:
        """What is wrong with the stones of a game after its set-up; None if nothing is."""
        plan = lines(self.size)
        black, white = self.stones
        if (black | white) & ~(plan.inner | plan.edges):
            return "a stone stands on a corner"
        if plan.has_knot(black) or plan.has_knot(white):
            return "there is a knot on the board"
        if plan.spread((black | white) & plan.edges) & self._empty():
            return "a stone stands on an edge point, but the point inside of it is empty"
        return None if black else "Black has no stone"


def _growth(plan: Lines, mine: int, theirs: int, way: range) -> Iterator[Refusal | None]:
    """Follow a growth along `way`, whose first point is the source.

    For each further point, yield why the growth cannot end there, or None if it can. The walk stops
    at the first point that no growth can pass.
    """
    cut: int | None = None  # the point before, if the stone on it is cut
    grown = mine
    for point in way[1:]:
        barrier = _barrier(plan, mine, theirs, way[0], cut, point) or plan.knot(point, grown)
        if barrier:
            yield barrier
            return
        grown |= 1 << point
        cut = point if theirs >> point & 1 else None
        yield None if cut is None else Refusal("cut_end", (plan.names[point],))


def _barrier(
    plan: Lines, mine: int, theirs: int, source: int, cut: int | None, point: int
) -> Refusal | None:
    """Why a growth from `source` cannot step on `point`; None if it can. `cut` is the point before,
    if the growth cut the stone there."""
    name = plan.names[point]
    if mine >> point & 1:
        if cut is None:
            return Refusal("own_stone", (name,))
        return Refusal("cut_point", (name, plan.names[cut]))
    if theirs >> point & 1:
        friends = (plan.neighbors[point] & theirs).bit_count()
        if friends < 2:
            return Refusal("lateral" if friends else "isolated", (name,))
        if (plan.neighbors[source] & mine).bit_count() != 1:
            return Refusal("cut_source", (plan.names[source], name))
    elif cut is None and plan.edges >> point & 1:
        return Refusal("edge", (name,))
    return None


def _sum_to(k: int) -> int:
    """1 + 2 + ... + k."""
    return k * (k + 1) // 2
