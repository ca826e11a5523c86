"""Game documents, and the lessons beside them (SPEC 26). Like everything that a server sends, they
may have fields that their readers do not know."""

from __future__ import annotations

from typing import Literal

import msgspec

from pierule_games.description import (
    BoardDescriptor,
    Change,
    GameTexts,
    LessonTexts,
    Piece,
)
from pierule_protocol.state.diff import PositionDiff
from pierule_protocol.state.position import PositionState


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a game document."""


class Picture(Part, frozen=True, kw_only=True):
    """A board to draw: its `cells`, the `changes` that an `action` then makes, if there is one, and
    the points to mark."""

    size: int
    cells: list[int]
    action: str | None = None
    changes: list[tuple[int, int]] = []
    pointed: list[str] = []


class Played(Part, frozen=True, kw_only=True):
    """An action of a lesson, and what it changes."""

    action: str
    diff: PositionDiff


class LessonChoice(Part, frozen=True, kw_only=True):
    """An action that the learner may play: what the lesson then says, what the action and the
    replies to it change, and the next node (null: the lesson is done). A choice that is not `good`
    leads back to its own node."""

    says: str
    good: bool = True
    played: list[Played]
    next: int | None = None


class Why(Part, frozen=True, kw_only=True):
    """Why no action can begin with a point, as in `illegal` (8.3)."""

    rule: str
    points: list[str] = []


class LessonNode(Part, frozen=True, kw_only=True):
    """A moment of a lesson: what to do, the choices, and why no action begins at certain points."""

    says: str
    choices: list[LessonChoice]
    refusals: dict[str, Why] = {}


class LessonTree(Part, frozen=True, kw_only=True):
    """A lesson: its name, the position at its node 0, and its nodes. Only one way leads to each
    node, so its position follows from the diffs on that way."""

    name: str = ""
    position: PositionState
    nodes: list[LessonNode]


class GameDocument(Part, frozen=True, kw_only=True):
    """Everything about a game that a client needs to draw and explain it. `rules` are the versions
    that this server can play; new rooms use the last. `lessons_hash` names its lessons (26.16)."""

    format: Literal["pierule.game"]
    version: int
    game: str
    rules: list[int]
    sizes: list[int]
    default_size: int
    draws: bool = False
    phases: list[str]
    segments: bool = False
    board: BoardDescriptor
    pieces: list[Piece]
    changes: list[Change] = []
    sample: Picture
    examples: list[Picture] = []
    lessons_hash: str | None = None
    texts: dict[str, GameTexts]


class GameLessons(Part, frozen=True, kw_only=True):
    """The lessons of a game, and their texts by language, in the same order."""

    format: Literal["pierule.lessons"]
    version: int
    game: str
    lessons: list[LessonTree]
    texts: dict[str, list[LessonTexts]]


def read_document(text: str | bytes) -> GameDocument:
    """A document from its JSON. Raises msgspec.ValidationError and msgspec.DecodeError."""
    return msgspec.json.decode(text, type=GameDocument)


def read_lessons(text: str | bytes) -> GameLessons:
    """Lessons from their JSON. Raises like `read_document`."""
    return msgspec.json.decode(text, type=GameLessons)
