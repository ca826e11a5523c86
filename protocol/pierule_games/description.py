"""How a game looks and what it says: plain data. A package provides it, and clients draw from it.

Nothing here draws or decides anything. A game document carries these types (SPEC 26). With them, a
client that has never heard of a game draws its boards, names its pieces and shows its texts.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

Color: TypeAlias = Literal["black", "white"]
Tint: TypeAlias = Literal["black", "white", "neutral"]
Grid: TypeAlias = Literal["square", "hexagonal"]
Surface: TypeAlias = Literal["points", "cells"]
SHAPES = ("disc", "ring", "star", "square", "diamond", "triangle", "cross", "hexagon")
"""The shapes that clients draw. Later versions may have more: a client draws a shape that it does
not know as a disc with the piece's `plain` character in it."""

MOTIONS = ("appear", "vanish", "turn", "claim")
"""How clients animate a change. They draw a motion that they do not know without animation."""

Character: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1)]
Phrase: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
"""A short text: a name, a label, a prompt."""
Paragraph: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1000)]


class Described(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a game's description. Readers ignore unknown fields: later versions may have
    more."""


class Piece(Described, frozen=True, kw_only=True):
    """A kind of piece: what a cell of this value shows. Two kinds never differ in color alone.
    Terminals show `glyph`, or `plain` without UTF-8."""

    cell: Annotated[int, Meta(ge=1, le=62)]
    name: str
    tint: Tint
    shape: str
    owner: Color | None = None
    glyph: Character
    plain: Character


class Edge(Described, frozen=True, kw_only=True):
    """A part of the board's border that belongs to a color: those sides of the points that have no
    neighbor."""

    points: list[str]
    color: Color


class BoardShape(Described, frozen=True, kw_only=True):
    """The board of one size: a box of `size` * `size` without the `missing` points. Each line runs
    straight from each of its points to the next. `strong` lines are thicker. `dots` are marked
    points."""

    size: int
    missing: list[str] = []
    lines: list[list[str]] = []
    strong: list[list[str]] = []
    dots: list[str] = []
    edges: list[Edge] = []


class BoardDescriptor(Described, frozen=True, kw_only=True):
    """How to draw boards: the grid, whether pieces stand on the points of lines or in cells, where
    the coordinates stand, and the board of each size."""

    grid: Grid
    surface: Surface
    columns: Literal["below", "above"] = "below"
    rows: Literal["left", "right"] = "left"
    boards: list[BoardShape]


class Change(Described, frozen=True, kw_only=True):
    """How clients show a cell's change from a value in `of` to a value in `to`: as `motion`, and in
    words if the texts have any for it. `named` says whether the action names the point; null fits
    both. The first entry that fits a change applies."""

    of: list[int]
    to: list[int]
    named: bool | None = None
    motion: str


class PhaseTexts(Described, frozen=True, kw_only=True):
    """The texts of a phase for the player whose turn it is: `prompt` on a board, `typed` in a
    terminal, and `steps` for each next pick (26.8)."""

    prompt: Paragraph
    typed: str = ""
    steps: dict[str, Phrase] = {}


class WordTexts(Described, frozen=True, kw_only=True):
    """A word that is an action: its button's label, and what to say about it while `passes` is
    above 0."""

    label: Phrase
    again: Phrase | None = None


class NumberTexts(Described, frozen=True, kw_only=True):
    """A number that is an action: its label, the button that sets it, and how to show it once it
    is set."""

    label: Phrase
    set: Phrase
    shown: Phrase


class ResultTexts(Described, frozen=True, kw_only=True):
    """How a game ended by its rules (26.9): the winner is `ahead` in score, the scores are `level`
    and there is a winner all the same, or it is a `draw`."""

    ahead: Phrase
    level: Phrase | None = None
    draw: Phrase | None = None


class LessonTexts(Described, frozen=True, kw_only=True):
    """What a lesson says. Its nodes and choices name the entries of `says`."""

    title: Phrase
    says: dict[str, Paragraph]


class GameTexts(Described, frozen=True, kw_only=True):
    """All texts of a game in one language. They are plain text with placeholders `{0}`, `{1}`,
    …"""

    name: Phrase
    by: Phrase
    about: Phrase
    aim: Paragraph
    size: Phrase
    pieces: list[Phrase]
    phases: dict[str, PhaseTexts]
    words: dict[str, WordTexts] = {}
    numbers: dict[str, NumberTexts] = {}
    changes: list[Phrase | None]
    result: ResultTexts
    marks: dict[str, Phrase] = {}
    sums: dict[str, Phrase] = {}
    refusals: dict[str, Phrase]
    rules: list[Paragraph]
    captions: list[Paragraph] = []


class PackageTexts(GameTexts, frozen=True, kw_only=True):
    """A package's file of texts: those of the game document, and those of the lessons."""

    lessons: list[LessonTexts] = []


class Mark(Described, frozen=True, kw_only=True):
    """Points that count for a color, and how much they count together (null: show no number)."""

    kind: str
    color: Color
    points: list[str]
    value: int | None = None


class Sum(Described, frozen=True, kw_only=True):
    """A part of a color's score. `numbers` fill the placeholders of its text."""

    kind: str
    color: Color
    value: int
    numbers: list[int] = []


class Account(Described, frozen=True, kw_only=True):
    """Where a score comes from: what to mark on the board, and the sums that add up to each color's
    score."""

    marks: list[Mark] = []
    sums: list[Sum] = []


class Example(Described, frozen=True, kw_only=True):
    """A drawn example of the rules: the board after `actions` and, if `action` is not empty, the
    board after it too. `pointed` are the points that it is about."""

    size: int
    actions: str
    action: str = ""
    pointed: list[str] = []


class Choice(Described, frozen=True, kw_only=True):
    """What a learner may play at a step of a lesson, what the lesson then says, the `replies` that
    it plays, and the `next` step (null: the lesson is done). A choice that is not `good` is taken
    back after the learner has seen it."""

    action: str
    says: str
    good: bool = True
    replies: list[str] = []
    next: str | None = None


class Step(Described, frozen=True, kw_only=True):
    """A moment of a lesson: what it asks for, and the choices."""

    says: str
    choices: list[Choice]


class Lesson(Described, frozen=True, kw_only=True):
    """A lesson as a package writes it. It begins with the step `start`, after `actions`. Clients
    remember by its `name` that a learner has done it, so keep the name when you change a lesson."""

    name: Annotated[str, Meta(pattern="^[a-z]{1,32}$")]
    size: int
    actions: str = ""
    steps: dict[str, Step]
