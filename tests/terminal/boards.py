"""The positions that stand in `drawings/`: for each game one that shows everything it has.

`PYTHONPATH=tests python tests/terminal/boards.py` draws them anew; look at them
(`cat tests/terminal/drawings/*`) before they are kept.
"""

from __future__ import annotations

from pathlib import Path

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_terminal.drawing import draw_board, last_action
from pierule_terminal.style import Style
from support.documents import document_of

FOLDER = Path(__file__).parent / "drawings"

STYLES = {
    "plain": Style(color=False, unicode=True),
    "ascii": Style(color=False, unicode=False),
    "color": Style(color=True, unicode=True),
}

_VELETAS = """
f2/a7 white b4,d6/e1 b4-b7/b2 b7-b4/f4 b4-a3/b4 d6-f6/c6 f6-g7/e7 g7-g1/g4 c5 f2-d4/f6 a3-b3/d5
b3-d3/a6 d3-b3/a2 d4-e5/g5 e5-e2/d3 g1-e3/g3 e3-c1/d2 e2-e6/e2 b3-a3/c3 e6-e3/f3 a3-a4/b3 a3
a4-b5/c4 a5 c1-d1/c1 g1 e3-f2/d4 f2-e3/f2 e3-e6/f5 e6-e4/e6 e4-e5/e3 b5-a4/b5 e5-c7/b7 c7-e5/e4
e5-d6/e5 d6-c7/d6 d1-c2/d1 c2-b1/a1 c7-d7/c7
"""

_TAUGO = """
e7 white e5 b3 b5-d5 c3-d3 g6 d4 e3 b7 c6 b2 d2 g5 f6 g7 f2 e4 c2 c7-d7 g3 g4 b4 f7 f3-f4 d6 f7-f8
"""

GAMES_PLAYED = {
    "loose": (5, "komi:14 white b4 e4 b1 d4 c2 e5 d3 d2 a2 e1 b2 e2 c5"),
    "veletas": (7, _VELETAS),
    "taugo": (8, _TAUGO),
}
"""Size and actions by game."""


def play(game: str, size: int, actions: list[str]) -> Position:
    """The position after `actions`."""
    position: Position = GAMES[game].opening(size)
    for action in actions:
        after = position.play(action)
        assert not isinstance(after, Refusal), f"{action}: {after}"
        position = after
    return position


def draw(game: str, style: str) -> str:
    """One of the drawings."""
    size, played = GAMES_PLAYED[game]
    actions = played.split()
    document = document_of(game)
    marks = last_action(document, size, actions[-1])
    lines = draw_board(document, size, play(game, size, actions).cells, marks, STYLES[style])
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for game in GAMES_PLAYED:
        for style in STYLES:
            (FOLDER / f"{game}.{style}.txt").write_text(draw(game, style), "utf-8")
