"""Veletas (Luis Bolaños Mures, 2013): shooters that nobody owns, claimed by walling them in.

Only the rules of SPEC 12 may enter here.

Set-up actions are not turns, so they claim nothing. They could not: the two stones of the set-up
block at most two of the eight directions in which an inner point sees the outermost ring.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import comb
from typing import ClassVar

from pierule_games.board import board, indices, rays, refuse_name, visible
from pierule_games.game import BLACK, WHITE, Fields, Part, check_agreement, check_board
from pierule_games.refusal import Refusal
from pierule_games.veletas.standing import SHOOTER, SHOOTERS, WHITE_SHOOTER, Standing

_POINT = "[a-z](?:0|[1-9][0-9]?)"  # whether the board has it is checked later
_SET_UP = re.compile(f"({_POINT}(?:,{_POINT})*)/({_POINT})")
_TURN = re.compile(f"(?:({_POINT})-({_POINT})/)?({_POINT})")


@dataclass(frozen=True, slots=True)
class Veletas(Standing):
    """A position of Veletas."""

    game: ClassVar[str] = "veletas"
    sizes: ClassVar[Sequence[int]] = tuple(SHOOTERS)
    default_size: ClassVar[int] = 10
    draws: ClassVar[bool] = False

    @classmethod
    def opening(cls, size: int) -> Veletas:
        """The empty board. Raises ValueError for a size that the game does not have."""
        if size not in SHOOTERS:
            raise ValueError(f"Veletas has no board of size {size}")
        return cls(size)

    @classmethod
    def restore(cls, fields: Fields) -> Veletas:
        """The position with these fields. Raises ValueError if no game can lead to it."""
        check_board(cls, fields, WHITE_SHOOTER)
        if fields.black not in (None, 0, 1):
            raise ValueError(f"Black's seat is {fields.black}, not 0 or 1")
        sets = [0] * (WHITE_SHOOTER + 1)
        for i, value in enumerate(fields.cells):
            sets[value] |= 1 << i
        position = cls(fields.size, fields.black, *sets[BLACK:])
        if fault := position._fault():
            raise ValueError(fault)
        check_agreement(fields, position)
        return position

    def play(self, action: str) -> Veletas | Refusal:
        """The position after `action`, or why it is not legal here."""
        match self.phase:
            case "play":
                return self._turn(action)
            case "color":
                return self._choose(action)
            case "over":
                return Refusal("over")
            case _:
                return self._set_up(action)

    def refuse_points(self, points: Sequence[str]) -> Refusal | None:
        """Why no legal action begins with these points: shooters, then a stone, in a set-up; or
        where a shooter moves from and to, then the shot; or the shot alone."""
        match self.phase:
            case "play":
                return self._refuse_names(points) or self._refuse_steps(points)
            case "color":
                return Refusal("color")
            case "over":
                return Refusal("over")
        if len(points) > self._batch + 1:
            return Refusal("spelling")
        return self._refuse_names(points) or self._refuse_places(points)

    def actions(self) -> Iterator[str]:
        """Every legal action. Set-up actions come lazily, because there are millions."""
        match self.phase:
            case "play":
                yield from self._turns()
            case "color":
                yield from ("black", "white")
            case "first" | "second":
                shooter, stone = self.template()
                for chosen in combinations(shooter.points, shooter.count):
                    head = ",".join(chosen) + "/"
                    yield from (head + point for point in stone.points if point not in chosen)

    def count(self) -> int:
        """How many actions are legal."""
        match self.phase:
            case "play":
                return self._count_turns()
            case "color":
                return 2
            case "over":
                return 0
        shooter, stone = self.template()
        return comb(len(shooter.points), shooter.count) * (len(stone.points) - shooter.count)

    def template(self) -> tuple[Part, ...]:
        """The shooters and the stone of a set-up phase. Points are by column, then by row, as an
        action must name them."""
        if self.phase not in ("first", "second"):
            return ()
        names, inner = board(self.size).names, self._inner
        by_column = sorted(indices(self._empty), key=lambda i: (i % self.size, i))
        return (
            Part(
                "shooter",
                self._batch,
                tuple(names[i] for i in by_column if inner >> i & 1),
                cell=SHOOTER,
            ),
            Part(
                "stone",
                1,
                tuple(names[i] for i in by_column),
                cell=BLACK if self.phase == "first" else WHITE,
            ),
        )

    def _set_up(self, action: str) -> Veletas | Refusal:
        spelled = _SET_UP.fullmatch(action)
        if spelled is None:
            return Refusal("spelling")
        shooters, stone = spelled[1].split(","), spelled[2]
        if refusal := self._refuse_set_up(shooters, stone):
            return refusal
        index = board(self.size).index
        placed = self.shooters | sum(1 << index[name] for name in shooters)
        if self.phase == "first":
            return replace(self, shooters=placed, black_stones=1 << index[stone])
        return replace(self, shooters=placed, white_stones=1 << index[stone])

    def _refuse_set_up(self, shooters: list[str], stone: str) -> Refusal | None:
        named = [*shooters, stone]
        if refusal := self._refuse_names(named):
            return refusal
        if len(shooters) != self._batch:
            return Refusal(f"shooter_count_{self._batch}")
        if refusal := self._refuse_places(named):
            return refusal
        allowed = self.template()[0].points
        for one, following in pairwise(shooters):
            if allowed.index(following) < allowed.index(one):
                return Refusal("shooter_order", (following, one))
        return None

    def _refuse_places(self, points: Sequence[str]) -> Refusal | None:
        """Why the shooters of a set-up and then its stone cannot stand on these points."""
        index = board(self.size).index
        for i, name in enumerate(points):
            if name in points[:i]:
                return Refusal("named_twice", (name,))
            if not self._empty >> index[name] & 1:
                return Refusal("occupied", (name,))
        for name in points[: self._batch]:
            if not self._inner >> index[name] & 1:
                return Refusal("shooter_on_ring", (name,))
        return None

    def _choose(self, action: str) -> Veletas | Refusal:
        """Seat 1 takes a color, and seat 0 gets the other."""
        if action not in ("black", "white"):
            return Refusal("color")
        return replace(self, black=1 if action == "black" else 0)

    def _turn(self, action: str) -> Veletas | Refusal:
        spelled = _TURN.fullmatch(action)
        if spelled is None:
            return Refusal("spelling")
        if refusal := self._refuse_names(name for name in spelled.groups() if name):
            return refusal
        index = board(self.size).index
        shot = index[spelled[3]]
        if spelled[1] is None:
            return self._refuse_shot(shot) or self._shoot(self.shooters, shot)
        start, to = index[spelled[1]], index[spelled[2]]
        return (
            self._refuse_move(start, to)
            or self._refuse_shot_after(start, to, shot)
            or self._shoot(self.shooters ^ (1 << start | 1 << to), shot)
        )

    def _refuse_names(self, names: Iterable[str]) -> Refusal | None:
        index = board(self.size).index
        for name in names:
            if name not in index:
                return refuse_name(name)
        return None

    def _refuse_steps(self, points: Sequence[str]) -> Refusal | None:
        """Why no turn begins with these points. A shooter that moves can always shoot: at the point
        that it left."""
        match [board(self.size).index[name] for name in points]:
            case [point] if self.shooters >> point & 1:
                return None
            case [point]:
                return self._refuse_claimed(point) or self._refuse_shot(point)
            case [start, to]:
                return self._refuse_move(start, to)
            case [start, to, shot]:
                return self._refuse_move(start, to) or self._refuse_shot_after(start, to, shot)
            case _:
                return Refusal("spelling")

    def _refuse_claimed(self, point: int) -> Refusal | None:
        if not (self.black_shooters | self.white_shooters) >> point & 1:
            return None
        return Refusal("shooter_claimed", (board(self.size).names[point],))

    def _refuse_shot(self, shot: int) -> Refusal | None:
        """Why no shooter can shoot at a point. A shooter sees the point if the point sees it."""
        name = board(self.size).names[shot]
        if not self._empty >> shot & 1:
            return Refusal("occupied", (name,))
        if not visible(rays(self.size)[shot], self._stones) & self.shooters:
            return Refusal("no_shooter_sees", (name,))
        return None

    def _refuse_move(self, start: int, to: int) -> Refusal | None:
        names = board(self.size).names
        if refusal := self._refuse_claimed(start):
            return refusal
        if not self.shooters >> start & 1:
            return Refusal("no_shooter", (names[start],))
        if not self._empty >> to & 1:
            return Refusal("occupied", (names[to],))
        return self._refuse_sight(start, to)

    def _refuse_shot_after(self, start: int, to: int, shot: int) -> Refusal | None:
        """Why a shooter that has moved from `start` to `to` cannot shoot at `shot`."""
        name = board(self.size).names[shot]
        if shot == to:
            return Refusal("shot_at_itself", (name,))
        if not (self._empty | 1 << start) >> shot & 1:
            return Refusal("occupied", (name,))
        return self._refuse_sight(to, shot)

    def _refuse_sight(self, origin: int, point: int) -> Refusal | None:
        """Why `origin` does not see `point`: it is not in line, or a stone is in the way."""
        rising, falling = lines = rays(self.size)[origin]
        if visible(lines, self._stones) >> point & 1:
            return None
        names = board(self.size).names
        for ray in rising + falling:
            if ray >> point & 1:
                blockers = indices(ray & self._stones)
                nearest = blockers[0] if ray in rising else blockers[-1]
                return Refusal("sight_blocked", (names[nearest], names[origin], names[point]))
        return Refusal("not_in_line", (names[point], names[origin]))

    def _shoot(self, shooters: int, shot: int) -> Veletas:
        """The position after a turn that leaves the unclaimed shooters on `shooters` and shoots at
        `shot`."""
        black, white = self.black_stones, self.white_stones
        if self._blacks_turn:
            black |= 1 << shot
        else:
            white |= 1 << shot
        after = Veletas(
            self.size, self.black, black, white, shooters, self.black_shooters, self.white_shooters
        )
        trapped = after._trapped()
        return after._claim(trapped) if trapped else after

    def _turns(self) -> Iterator[str]:
        names, lines = board(self.size).names, rays(self.size)
        stones, empty = self._stones, self._empty
        reach = {i: visible(lines[i], stones) & empty for i in indices(self.shooters)}
        shots = 0
        for seen in reach.values():
            shots |= seen
        yield from (names[shot] for shot in indices(shots))
        for start, seen in reach.items():
            free = empty | 1 << start
            for to in indices(seen):
                head = f"{names[start]}-{names[to]}/"
                for shot in indices(visible(lines[to], stones) & free):
                    yield head + names[shot]

    def _count_turns(self) -> int:
        """How many turns are legal: each empty square that a shooter sees counts once as a shot,
        and once for each move to it and shot from there."""
        lines, stones, empty = rays(self.size), self._stones, self._empty
        total = 0
        for i in indices(empty):
            seen = visible(lines[i], stones)
            if movers := (seen & self.shooters).bit_count():
                # The `+ 1`: the shooter may also shoot back at the square that it left.
                total += 1 + movers * ((seen & empty).bit_count() + 1)
        return total
