"""How a game looks and what it says: plain data that a package gives and clients draw from.

Nothing here is drawn or decided. A client that never heard of a game takes these types, as its game
document carries them (SPEC 26), and draws its boards, names its pieces and speaks its texts.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

Tint: TypeAlias = Literal["black", "white", "neutral"]
Grid: TypeAlias = Literal["square", "hexagonal"]
Surface: TypeAlias = Literal["points", "cells"]
SHAPES = ("disc", "ring", "star", "square", "diamond", "triangle", "cross", "hexagon")
"""The shapes that clients draw. There may come more: a client draws one it does not know as a disc
with the piece's `plain` character in it."""

MOTIONS = ("appear", "vanish", "turn", "claim")
"""How clients animate a change. One they do not know is drawn without motion."""

Character: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1)]
Phrase: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
"""A short text: a name, a label, a prompt."""
Paragraph: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1000)]


class Described(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the description of a game. It is read tolerantly: later versions have more."""


class Piece(Described, frozen=True, kw_only=True):
    """A kind of piece: what a cell of this value shows. Shapes differ where colors do, so that
    color alone says nothing; `glyph` and `plain` stand for it in terminals."""

    cell: Annotated[int, Meta(ge=1, le=62)]
    name: str
    tint: Tint
    shape: str
    owner: Literal["black", "white"] | None = None
    glyph: Character
    plain: Character


class Edge(Described, frozen=True, kw_only=True):
    """A stretch of the board's outside that belongs to a color: the sides of these points beyond
    which there is no point."""

    points: list[str]
    color: Literal["black", "white"]


class BoardShape(Described, frozen=True, kw_only=True):
    """The board of one size: a box of `size` * `size` without the `missing` points. A line runs
    straight from each of its points to the next; `strong` ones are drawn thicker; `dots` are
    points that are marked."""

    size: int
    missing: list[str] = []
    lines: list[list[str]] = []
    strong: list[list[str]] = []
    dots: list[str] = []
    edges: list[Edge] = []


class BoardDescriptor(Described, frozen=True, kw_only=True):
    """How boards are drawn: on which grid, whether pieces stand on points of lines or in cells,
    where coordinates are written, and each size."""

    grid: Grid
    surface: Surface
    columns: Literal["below", "above"] = "below"
    rows: Literal["left", "right"] = "left"
    boards: list[BoardShape]


class Change(Described, frozen=True, kw_only=True):
    """A change of a cell that is shown as `motion`, and told if the texts have words for it: from
    a value among `of` to one among `to`; `named` is whether the action names the point, or null
    for either. The first that fits a change is meant."""

    of: list[int]
    to: list[int]
    named: bool | None = None
    motion: str


class PhaseTexts(Described, frozen=True, kw_only=True):
    """What whoever is to act is told in a phase: at first, what can be typed, and by `steps` what
    the next pick is for (26.8)."""

    prompt: Paragraph
    typed: str = ""
    steps: dict[str, Phrase] = {}


class WordTexts(Described, frozen=True, kw_only=True):
    """A word that is an action: its button, and what it does when `passes` is over 0 already."""

    label: Phrase
    again: Phrase | None = None


class NumberTexts(Described, frozen=True, kw_only=True):
    """A number that is an action: what it is, its button, and how it is told once it is set."""

    label: Phrase
    set: Phrase
    shown: Phrase


class ResultTexts(Described, frozen=True, kw_only=True):
    """How a game ended by its rules, if the winner's score is the higher one, if scores are level
    and there is a winner all the same, and if it is a draw (26.9)."""

    ahead: Phrase
    level: Phrase | None = None
    draw: Phrase | None = None


class LessonTexts(Described, frozen=True, kw_only=True):
    """What a lesson says, by the names that its nodes and choices give."""

    title: Phrase
    says: dict[str, Paragraph]


class GameTexts(Described, frozen=True, kw_only=True):
    """All that is said of a game in one language: plain text, with `{0}`, `{1}`, … to be filled
    in."""

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
    """A file of texts in a package: what its game's document says, and what its lessons say."""

    lessons: list[LessonTexts] = []


class Mark(Described, frozen=True, kw_only=True):
    """Points that count for a color, and how much they count together (null: no number)."""

    kind: str
    color: Literal["black", "white"]
    points: list[str]
    value: int | None = None


class Sum(Described, frozen=True, kw_only=True):
    """A part of a color's score; `numbers` fill the placeholders of its text."""

    kind: str
    color: Literal["black", "white"]
    value: int
    numbers: list[int] = []


class Account(Described, frozen=True, kw_only=True):
    """Where a score comes from: what is marked on the board, and sums that add up to each color's
    score."""

    marks: list[Mark] = []
    sums: list[Sum] = []


class Example(Described, frozen=True, kw_only=True):
    """A drawn example of the rules: the board after `actions`, and the one after `action`, if
    there is one; `pointed` are the points that it is about."""

    size: int
    actions: str
    action: str = ""
    pointed: list[str] = []


class Choice(Described, frozen=True, kw_only=True):
    """What a learner may play at a step of a lesson, what is said then, the `replies` that are
    played, and the step that comes next (null: the lesson is done). One that is not `good` is
    taken back once it was looked at."""

    action: str
    says: str
    good: bool = True
    replies: list[str] = []
    next: str | None = None


class Step(Described, frozen=True, kw_only=True):
    """A moment of a lesson: what is asked for, and the choices that there are."""

    says: str
    choices: list[Choice]


class Lesson(Described, frozen=True, kw_only=True):
    """A lesson as a package writes it down: it begins with the step `start` after `actions`. By
    its `name` clients keep that it is done, so the name stays when the lesson changes."""

    name: Annotated[str, Meta(pattern="^[a-z]{1,32}$")]
    size: int
    actions: str = ""
    steps: dict[str, Step]
