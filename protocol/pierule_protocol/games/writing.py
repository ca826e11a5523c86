"""Write the document of a game from its package. The game's rules play its examples and lessons. If
they refuse one, the package has no document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

import msgspec

from pierule_games import GAMES
from pierule_games.description import Example, GameTexts, Lesson, PackageTexts
from pierule_games.game import Position
from pierule_games.package import Game
from pierule_games.refusal import Refusal
from pierule_protocol.games.document import (
    GameDocument,
    GameLessons,
    LessonChoice,
    LessonNode,
    LessonTree,
    Picture,
    Played,
    Why,
)
from pierule_protocol.state.position import position_state
from pierule_protocol.state.room import position_diff

MOST_NODES = 200
"""The most nodes of a lesson. Steps that lead back to earlier steps would make an endless tree."""

HASH_DIGITS = 32


class BadGame(Exception):
    """A package contradicts itself."""


@dataclass(frozen=True, slots=True)
class Written:
    """A game document, or lessons, ready to send: JSON text, and the hash that names it. A document
    also has the `lessons` of the game, if there are any."""

    text: str
    hash: str
    lessons: Written | None = None


@cache
def documents() -> dict[str, Written]:
    """The documents of all installed games. A game whose document cannot be written is removed from
    `GAMES`, and `GAMES.failures` says why."""
    found = {}
    for name, game in list(GAMES.items()):
        try:
            found[name] = write_document(game)
        except Exception as error:  # noqa: BLE001 - any fault of a package is the package's alone
            GAMES.leave_out(name, error)
    return found


def write_document(game: Game) -> Written:
    """The document of a game. Raises BadGame, and ValidationError for invalid texts."""
    beside = _written(lessons(game)) if game.lessons else None
    return _written(document(game, beside), beside)


def _written(part: GameDocument | GameLessons, beside: Written | None = None) -> Written:
    text = msgspec.json.encode(part).decode()
    return Written(text, sha256(text.encode()).hexdigest()[:HASH_DIGITS], beside)


def document(game: Game, beside: Written | None = None) -> GameDocument:
    """The contents of a game's document, which names the lessons `beside`. Raises like
    `write_document`."""
    return GameDocument(
        format="pierule.game",
        version=1,
        game=game.id,
        rules=sorted(game.rules),
        sizes=list(game.sizes),
        default_size=game.default_size,
        draws=game.draws,
        phases=list(game.phases),
        segments=game.segments,
        board=game.descriptor,
        pieces=list(game.pieces),
        changes=list(game.changes),
        sample=_picture(game, game.sample),
        examples=[_picture(game, example) for example in game.examples],
        lessons_hash=None if beside is None else beside.hash,
        texts={language: _told(texts) for language, texts in game.texts.items()},
    )


def lessons(game: Game) -> GameLessons:
    """The contents of a game's lessons. Raises like `write_document`."""
    return GameLessons(
        format="pierule.lessons",
        version=1,
        game=game.id,
        lessons=[_tree(game, lesson) for lesson in game.lessons],
        texts={language: texts.lessons for language, texts in game.texts.items()},
    )


def _told(texts: PackageTexts) -> GameTexts:
    """The texts of a document: all but those of the lessons."""
    return GameTexts(**{name: getattr(texts, name) for name in GameTexts.__struct_fields__})


def _picture(game: Game, example: Example) -> Picture:
    before = _line(game.opening(example.size), example.actions.split())
    changes: list[tuple[int, int]] = []
    if example.action:
        after = _line(before, [example.action])
        pairs = zip(before.cells, after.cells, strict=True)
        changes = [(at, new) for at, (old, new) in enumerate(pairs) if old != new]
    return Picture(
        size=example.size,
        cells=list(before.cells),
        action=example.action or None,
        changes=changes,
        pointed=list(example.pointed),
    )


def _line(position: Position, actions: list[str]) -> Position:
    for action in actions:
        position = _play(position, action)
    return position


def _play(position: Position, action: str) -> Position:
    after = position.play(action)
    if isinstance(after, Refusal):
        raise BadGame(
            f"the rules of {position.game} refuse {action} in its own example or lesson: "
            f"{after.rule}"
        )
    return after


def _tree(game: Game, lesson: Lesson) -> LessonTree:
    """A lesson as a tree. A step becomes a node for each way that leads to it."""
    root = _line(game.opening(lesson.size), lesson.actions.split())
    shape = game.shape(lesson.size)
    points = [name for name in _names(lesson.size) if name not in shape.missing]
    nodes: list[LessonNode] = []
    waiting = [("start", root)]
    for name, position in waiting:
        if len(waiting) > MOST_NODES:
            raise BadGame(
                f"the lesson {lesson.name} of {game.id} has more than {MOST_NODES} nodes; "
                "does a step lead back to an earlier one?"
            )
        step = lesson.steps[name]
        choices = []
        for choice in step.choices:
            played, after = _played(position, [choice.action, *choice.replies])
            following = None
            if choice.next is not None:
                following = len(waiting)
                waiting.append((choice.next, after))
            choices.append(
                LessonChoice(says=choice.says, good=choice.good, played=played, next=following)
            )
        nodes.append(
            LessonNode(says=step.says, choices=choices, refusals=_refused(position, points))
        )
    return LessonTree(name=lesson.name, position=position_state(root), nodes=nodes)


def _played(position: Position, actions: list[str]) -> tuple[list[Played], Position]:
    found = []
    for action in actions:
        after = _play(position, action)
        found.append(Played(action=action, diff=position_diff(position, after)))
        position = after
    return found, position


def _refused(position: Position, points: list[str]) -> dict[str, Why]:
    """The points with which no action begins, and why."""
    refusals = {point: position.refuse_points([point]) for point in points}
    return {
        point: Why(rule=refusal.rule, points=list(refusal.points))
        for point, refusal in refusals.items()
        if refusal is not None
    }


def _names(size: int) -> list[str]:
    return [f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size)]
