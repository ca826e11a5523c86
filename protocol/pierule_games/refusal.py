"""Why an action is not legal: data (rule and points), and the one table of words made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not legal: the rule it breaks and the points that show it.

    `rule` is a key of `SENTENCES`. `points` are names such as `e5`, in the order in which the
    rule's sentence speaks of them; the last placeholder takes all the points that are left.
    `str()` gives the sentence.
    """

    rule: str
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        sentence = SENTENCES[self.rule]
        named = sentence.count("{}")
        if not named:
            return sentence
        head, rest = self.points[: named - 1], self.points[named - 1 :]
        return sentence.format(*head, " and ".join(rest))


SENTENCES: dict[str, str] = {
    # Every game.
    "spelling": "that is not how an action of this phase is written",
    "over": "the game is over",
    "color": "choose a color: black or white",
    "off_board": "{} is not on this board",
    "occupied": "{} is not empty",
    # Loose (SPEC 11).
    "komi": "set the komi: komi:N, with N even, 0 or more, and less than the number of points",
    "no_liberty": "your group at {} would have no true liberty",
    "takes_liberty": "the group at {} would be left without a true liberty",
    # Veletas (SPEC 12).
    "shooter_count_1": "this set-up places exactly one shooter",
    "shooter_count_2": "this set-up places exactly two shooters",
    "shooter_count_3": "this set-up places exactly three shooters",
    "shooter_count_4": "this set-up places exactly four shooters",
    "named_twice": "{} is named twice",
    "shooter_on_ring": "{} lies on the outermost ring, where no shooter may be set up",
    "shooter_order": "shooters are named by column, then by row: {} comes before {}",
    "no_shooter": "{} holds no shooter",
    "shooter_claimed": "the shooter on {} is claimed and cannot move",
    "not_in_line": "{} is not in line of sight of {}",
    "sight_blocked": "the stone on {} blocks the way from {} to {}",
    "shot_at_itself": "the shooter itself stands on {} after its move",
    "no_shooter_sees": "no unclaimed shooter sees {}",
    # Taugo (SPEC 13).
    "corner": "{} is a corner, which lies on no line",
    "edge": "{} is an edge point: only a growth gets there, right behind a stone that it cuts",
    "knot": "{} would make a knot with {}",
    "one_point": "a segment has two points or more; to place one stone, write just {}",
    "crooked": "{} and {} do not lie on one row or column",
    "backwards": "a segment begins with its lower letter or number: write {}-{}",
    "along_edge": "no line runs along the edge from {} to {}",
    "whole_line": "the segment from {} to {} leaves no room for a stone to grow from",
    "source": "a segment grows from a stone of yours right before its end; there is none on {}",
    "own_stone": "{} holds a stone of yours, and a segment can neither pass it nor end there",
    "isolated": "{} is an isolated stone and cannot be cut",
    "lateral": "{} is a lateral stone and cannot be cut",
    "cut_source": "{} is no lateral stone, so what grows from it cannot cut {}",
    "cut_end": "a segment cannot end on {}, which it cuts: it must reach the cut point behind",
    "cut_point": "{} is the cut point behind {} and must be empty",
}
