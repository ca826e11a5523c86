"""What a terminal can show, and the colors of boards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """What the terminal can show."""

    color: bool = False
    unicode: bool = True
    shapes: bool = False
    """Whether black and white differ in shape even with colors."""
    few: bool = False
    """Whether there are only 16 colors."""


@dataclass(frozen=True, slots=True)
class Ink:
    """SGR parameters for the parts of a board."""

    board = "48;5;180"
    line = "38;5;137"
    strong = "1;38;5;94"
    black = "38;5;16"
    white = "1;38;5;231"
    neutral = "38;5;124"
    mark = "1;38;5;160"
    label = "2"


FEW = {
    Ink.board: "43", Ink.line: "30", Ink.strong: "1;30", Ink.black: "30", Ink.white: "1;97",
    Ink.neutral: "31", Ink.mark: "1;31",
}  # fmt: skip
"""The same for terminals with 16 colors."""

Run = tuple[str, str]
"""A piece of text and its ink."""


def paint(text: str, ink: str, style: Style) -> str:
    """`text` in a color (SGR parameters), if the style has colors."""
    return f"\x1b[{ink}m{text}\x1b[0m" if style.color else text


def paint_board(runs: list[Run], style: Style) -> str:
    """Runs of text side by side, on the background color of boards."""
    if not style.color:
        return "".join(text for text, _ in runs)
    painted, ink = [], ""
    inks = FEW if style.few else {}
    board = inks.get(Ink.board, Ink.board)
    for text, wanted in runs:
        if wanted != ink and not text.isspace():
            painted.append(f"\x1b[0;{board};{inks.get(wanted, wanted)}m")
            ink = wanted
        elif not ink:
            painted.append(f"\x1b[0;{board}m")
            ink = "board"
        painted.append(text)
    return "".join(painted) + "\x1b[0m"
