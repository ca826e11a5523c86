"""What a position of Veletas is worth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pierule_games.board import board, indices, rays, visible
from pierule_games.sight import WON, Sight, Step
from pierule_games.veletas.rules import Veletas
from pierule_games.veletas.standing import largest

CLAIM = 1_000
"""The worth of a claimed shooter."""
WALL = 240
"""The worth, to the color with the larger adjacent group, of a shooter that sees no square."""


def value(position: Veletas) -> int:
    """What the position is worth to Black: `CLAIM` for each claimed shooter of lead over White, and
    less for unclaimed ones."""
    plan, lines = board(position.size), rays(position.size)
    black, white = position.black_stones, position.white_stones
    empty = _unmarked(position) & ~position.shooters
    black_score, white_score = position.score
    total = CLAIM * (black_score - white_score)
    for shooter in indices(position.shooters):
        ways = (visible(lines[shooter], black | white) & empty).bit_count()
        total += _pull(ways, largest(plan, shooter, black) - largest(plan, shooter, white))
    return total


def _pull(ways: int, lead: int) -> int:
    """What an unclaimed shooter is worth. `ways` is how many squares it still sees; `lead` is how
    much larger a color's largest adjacent group is. Positive if `lead` is."""
    if not lead:
        return 0
    wall = WALL // (1 + ways)
    return (wall if lead > 0 else -wall) + lead


def _unmarked(position: Veletas) -> int:
    """The points without a stone or a claimed shooter."""
    taken = position.black_stones | position.white_stones
    taken |= position.black_shooters | position.white_shooters
    return board(position.size).full ^ taken


def glance(position: Veletas) -> Iterator[Step] | None:
    """What each turn is worth to the seat that acts, as `value` would say of the position after it,
    but without that position: where a shot blocks lines and joins stones does not depend on where
    the shooters have gone. None outside the phase `play`."""
    return _turns(position) if position.phase == "play" else None


def _turns(position: Veletas) -> Iterator[Step]:
    names, ahead = board(position.size).names, _Ahead(position)
    free, shooters = ahead.unmarked & ~position.shooters, position.shooters
    shots = 0
    for start in indices(shooters):
        shots |= ahead.seen[start] & free
    for shot in indices(shots):
        yield Step(ahead.worth(shooters, shot), names[shot])
    for start in indices(shooters):
        for to in indices(ahead.seen[start] & free):
            moved = shooters ^ (1 << start | 1 << to)
            head = f"{names[start]}-{names[to]}/"
            for shot in indices(ahead.seen[to] & ahead.unmarked & ~moved):
                yield Step(ahead.worth(moved, shot), head + names[shot])


class _Ahead:
    """What all turns from one position have in common. `seen` has, for each point, the points in
    its line of sight. `worth` is for the color that is to shoot."""

    def __init__(self, position: Veletas) -> None:
        plan, lines = board(position.size), rays(position.size)
        mine, theirs = position.black_stones, position.white_stones
        self._claims = position.score
        if mine.bit_count() > theirs.bit_count():  # White is to shoot
            mine, theirs = theirs, mine
            self._claims = position.score[::-1]
        self.unmarked = _unmarked(position)
        self.seen = [visible(line, mine | theirs) for line in lines]
        self._mine = [largest(plan, cell, mine) for cell in range(len(lines))]
        self._theirs = [largest(plan, cell, theirs) for cell in range(len(lines))]
        shooters = position.shooters | position.black_shooters | position.white_shooters
        self._majority = shooters.bit_count() // 2 + 1
        self._shadows = shadows(position.size)
        self._neighbors = plan.neighbors
        self._joined = [plan.group(1 << cell, mine | 1 << cell) for cell in range(len(lines))]

    def worth(self, shooters: int, shot: int) -> int:
        """The worth of the position with the unclaimed shooters on `shooters` and a new stone on
        `shot`, after trapped shooters are claimed."""
        joined, total = self._joined[shot], 0
        size = joined.bit_count()
        mine, theirs = self._claims
        empty = self.unmarked & ~shooters & ~(1 << shot)
        while shooters:
            cell = (shooters & -shooters).bit_length() - 1
            shooters &= shooters - 1
            lead = self._mine[cell]
            if size > lead and self._neighbors[cell] & joined:
                lead = size
            lead -= self._theirs[cell]
            ways = self.seen[cell] & empty & ~self._shadows[cell][shot]
            if ways:
                total += _pull(ways.bit_count(), lead)
            elif lead > 0:
                mine += 1
            else:
                theirs += 1
        if mine >= self._majority or theirs >= self._majority:
            return WON if mine > theirs else -WON
        return total + CLAIM * (mine - theirs)


@cache
def shadows(size: int) -> tuple[tuple[int, ...], ...]:
    """`shadows(size)[a][b]`: the points that cell `a` no longer sees once a stone is on `b`."""
    found = []
    for rising, falling in rays(size):
        hidden = [0] * (size * size)
        for ray in rising:
            for stop in indices(ray):
                hidden[stop] = ray >> stop << stop
        for ray in falling:
            for stop in indices(ray):
                hidden[stop] = ray & (2 << stop) - 1
        found.append(tuple(hidden))
    return tuple(found)


SIGHT = Sight(value, 10, glance, scale=700)
"""How a bot sees Veletas."""
