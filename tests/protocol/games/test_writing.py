"""Game documents: whole, true to the rules, in every language alike, and plain."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.description import MOTIONS, SHAPES, Choice, Example, Lesson, Step
from pierule_games.loose import GAME
from pierule_games.package import fill_points
from pierule_games.refusal import Refusal
from pierule_protocol.games.document import (
    GameDocument,
    LessonTree,
    read_document,
    read_lessons,
)
from pierule_protocol.games.writing import (
    BadGame,
    Written,
    document,
    documents,
    lessons,
    write_document,
)
from pierule_protocol.state.diff import PositionDiff
from pierule_protocol.state.mirror import apply_position
from pierule_protocol.state.position import (
    PositionState,
    parse_position,
    position_state,
    position_text,
)

DOCUMENTS = {name: read_document(written.text) for name, written in documents().items()}
LESSONS = {
    name: read_lessons(written.lessons.text)
    for name, written in documents().items()
    if written.lessons is not None
}
every_game = pytest.mark.parametrize("name", sorted(GAMES))


def shape_of(value: Any) -> Any:
    """A text's shape without what it says: two languages have the same."""
    if isinstance(value, dict):
        return {key: shape_of(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape_of(inner) for inner in value]
    return sorted(set(re.findall(r"\{\d\}", value))) if value else value


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value


def files(name: str) -> list[Written]:
    """The document of a game, and its lessons."""
    written = documents()[name]
    return [each for each in (written, written.lessons) if each is not None]


def diffs(tree: LessonTree) -> Iterator[tuple[PositionState, str, PositionDiff]]:
    """Each action of a lesson with the position before it."""
    waiting = [(0, tree.position)]
    for at, start in waiting:
        for choice in tree.nodes[at].choices:
            position = start
            for played in choice.played:
                yield position, played.action, played.diff
                position = apply_position(position, played.diff)
            if choice.next is not None:
                waiting.append((choice.next, position))


@every_game
def test_a_document_is_named_by_its_bytes(name: str) -> None:
    for written in files(name):
        assert written.hash == sha256(written.text.encode()).hexdigest()[:32]
        assert len(written.text.encode()) <= 256 * 1024


@every_game
def test_a_document_names_its_lessons_and_has_none_of_them(name: str) -> None:
    written, beside = files(name)
    assert DOCUMENTS[name].lessons_hash == beside.hash
    assert "lessons" not in json.loads(written.text)
    assert all("lessons" not in texts for texts in json.loads(written.text)["texts"].values())
    assert LESSONS[name].game == name


def test_a_game_without_lessons_names_none() -> None:
    written = write_document(replace(GAME, lessons=()))
    assert written.lessons is None
    assert read_document(written.text).lessons_hash is None


@every_game
def test_all_languages_have_the_same_texts(name: str) -> None:
    texts = {
        language: shape_of(msgspec.to_builtins(said))
        for language, said in DOCUMENTS[name].texts.items()
    }
    taught = {
        language: shape_of(msgspec.to_builtins(said))
        for language, said in LESSONS[name].texts.items()
    }
    assert "en" in texts
    assert taught.keys() == texts.keys()
    for language in texts:
        assert texts[language] == texts["en"], language
        assert taught[language] == taught["en"], language


@every_game
def test_texts_are_plain(name: str) -> None:
    for text in strings([json.loads(written.text) for written in files(name)]):
        assert not any(unicodedata.category(character) in ("Cc", "Cf", "Co") for character in text)
        assert not re.search("[<>&]", text), text
        assert "{}" not in text


@every_game
def test_every_phase_piece_change_and_example_has_texts(name: str) -> None:
    of = DOCUMENTS[name]
    for texts in of.texts.values():
        assert set(texts.phases) == set(of.phases) - {"over"}
        assert len(texts.pieces) == len(of.pieces)
        assert len(texts.changes) == len(of.changes)
        assert len(texts.captions) == len(of.examples)
    taught = LESSONS[name]
    for told in taught.texts.values():
        for tree, lesson in zip(taught.lessons, told, strict=True):
            said = {node.says for node in tree.nodes}
            said |= {choice.says for node in tree.nodes for choice in node.choices}
            assert said == set(lesson.says)


@every_game
def test_pieces_and_boards_can_be_drawn(name: str) -> None:
    of = DOCUMENTS[name]
    assert [piece.cell for piece in of.pieces] == list(range(1, len(of.pieces) + 1))
    assert {piece.shape for piece in of.pieces} <= set(SHAPES)
    assert {change.motion for change in of.changes} <= set(MOTIONS)
    assert all(piece.plain.isascii() for piece in of.pieces)
    assert [board.size for board in of.board.boards] == of.sizes


@every_game
def test_missing_points_of_a_board_are_refused(name: str) -> None:
    for board in DOCUMENTS[name].board.boards:
        opening = GAMES[name].opening(board.size)
        for point in board.missing:
            assert opening.refuse_points([point]) is not None


@every_game
def test_lessons_are_what_the_rules_say(name: str) -> None:
    for tree in LESSONS[name].lessons:
        assert any(choice.good for node in tree.nodes for choice in node.choices)
        for before, action, diff in diffs(tree):
            after = GAMES[name].restore(fields_of(before)).play(action)
            assert not isinstance(after, Refusal)
            assert apply_position(before, diff) == position_state(after)


def fields_of(position: PositionState) -> Any:
    return parse_position(position_text(position))


@every_game
def test_refusals_of_a_lesson_are_those_of_the_rules(name: str) -> None:
    for tree in LESSONS[name].lessons:
        position = GAMES[name].restore(fields_of(tree.position))
        for point, why in tree.nodes[0].refusals.items():
            refusal = position.refuse_points([point])
            assert refusal is not None
            assert (refusal.rule, list(refusal.points)) == (why.rule, why.points)
        for choice in tree.nodes[0].choices:
            first = re.search(r"[a-z]\d+", choice.played[0].action)
            assert first is None or first[0] not in tree.nodes[0].refusals


def test_a_client_reads_a_document_with_more_than_it_knows() -> None:
    more = json.loads(write_document(GAME).text)
    more["later"] = more["board"]["later"] = more["texts"]["en"]["later"] = {"x": 1}
    more["pieces"][0]["shape"] = "heptagon"
    assert isinstance(read_document(json.dumps(more)), GameDocument)


def test_a_package_is_refused_whose_example_its_rules_refuse() -> None:
    bad = Example(size=5, actions="komi:2 black a1 a1")
    with pytest.raises(BadGame, match="refuse a1 in its own example or lesson: occupied"):
        document(replace(GAME, examples=[bad]))


def test_a_lesson_without_end_is_refused() -> None:
    round_and_round = Step(says="take", choices=[Choice(action="pass", says="taken", next="start")])
    ever = Lesson(name="ever", size=5, actions="komi:2 black", steps={"start": round_and_round})
    with pytest.raises(BadGame):
        lessons(replace(GAME, lessons=[ever]))


@pytest.mark.parametrize(
    ("text", "values", "filled"),
    [
        ("{0} is not empty", ["a1"], "a1 is not empty"),
        ("{1} comes after {0}", ["a1", "b2"], "b2 comes after a1"),
        ("none on {0}", ["a1", "b2", "c3"], "none on a1 and b2 and c3"),
        ("{0} with {1}", ["a1"], "a1 with "),
        ("plain", ["a1"], "plain"),
    ],
)
def test_placeholders_are_filled(text: str, values: list[str], filled: str) -> None:
    assert fill_points(text, values) == filled
