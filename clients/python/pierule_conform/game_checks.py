"""What `pierule conform game` asks of a game. Each check looks at one thing in a sample of
positions, and raises Broken if it is wrong."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from typing import Any

import msgspec

from pierule_games.description import SHAPES
from pierule_games.game import Fields, Position
from pierule_games.package import FALLBACK, Game
from pierule_games.refusal import Refusal
from pierule_protocol.games.writing import document, lessons, write_document
from pierule_protocol.state.position import (
    CELL_LETTERS,
    parse_position,
    position_text,
)

DOCUMENT_BYTES = 256 * 1024
CALL_SECONDS = 0.05
"""Seconds of processor time that one action and the text of its position may take, on average."""
LIST_SECONDS = 2.0
"""Seconds of processor time that it may take to list and count the legal actions of a position."""
LISTED = 3_000
"""How many actions of a position the checks look at; a set-up may have millions."""
MOST_PLIES = 600
WRONG = (
    "",
    " ",
    "zz99",
    "a0",
    "BLACK",
    "-",
    "/",
    ",",
    "a1-",
    "a1/a1",
    "komi:",
    "\0",
    "é",
    "x" * 64,
)
"""Texts that no game accepts as an action."""


class Broken(Exception):
    """A game breaks a rule: what was expected, and what came."""

    def __init__(self, expected: Any, received: Any) -> None:
        super().__init__(f"{expected}: {received}")
        self.expected, self.received = expected, received


def expect(held: bool, expected: Any, received: Any) -> None:
    """Raises Broken unless it held."""
    if not held:
        raise Broken(expected, received)


@dataclass(frozen=True, slots=True)
class Sample:
    """A game, and positions of it in the order in which they were played."""

    game: Game
    lines: list[list[tuple[Position, str]]]

    @property
    def positions(self) -> Iterator[tuple[Position, str]]:
        """Each position with the action that was played in it; the last has an empty action."""
        for line in self.lines:
            yield from line


def pure(sample: Sample) -> None:
    for position, action in sample.positions:
        before = position_text(position), hash(position)
        first, second = position.play(action or "black"), position.play(action or "black")
        expect(first == second, "the same answer twice", action)
        expect((position_text(position), hash(position)) == before, "an unchanged position", action)
        same = isinstance(first, Refusal) or position_text(first) == position_text(second)  # type: ignore[arg-type]
        expect(same, "the same position twice", action)


def ends(sample: Sample) -> None:
    for line in sample.lines:
        last, _ = line[-1]
        expect(last.to_act is None, f"an end after {MOST_PLIES} actions", position_text(last))
        expect(last.phase == "over", "the phase over", last.phase)
        expect(last.winner in (0, 1, "draw"), "a winner, or a draw", last.winner)
        expect(sample.game.draws or last.winner != "draw", "no draw, as the game says", last.winner)
        expect(not [*last.actions()], "no action after the end", [*last.actions()])


def opened(sample: Sample) -> None:
    for rules in sample.game.rules.values():
        expect(rules.default_size in rules.sizes, f"a size out of {[*rules.sizes]}",
               rules.default_size)  # fmt: skip
        for size in range(-1, max(rules.sizes) + 2):
            if size in rules.sizes:
                opening = rules.opening(size)
                expect(not any(opening.cells), f"an empty board of size {size}", opening.cells)
                expect(opening.to_act == 0, "seat 0, which cuts", opening.to_act)
            else:
                _refuses(partial(rules.opening, size), f"a board of size {size}")


def _refuses(work: Callable[[], Position], what: str) -> None:
    try:
        made = work()
    except ValueError:
        return
    raise Broken(f"a ValueError for {what}", position_text(made))


def spelled_once(sample: Sample) -> None:
    for position, action in sample.positions:
        actions = [*islice(position.actions(), LISTED)]
        expect(len(set(actions)) == len(actions), "each action once", actions[:20])
        if len(actions) < LISTED:
            expect(position.count() == len(actions), len(actions), position.count())
        after = position.play(action)
        for other in _respelled(action):
            if other != action and not isinstance(after, Refusal):
                expect(position.play(other) != after, f"{action} has one spelling", other)


def _respelled(action: str) -> Iterator[str]:
    yield from (
        action.upper(),
        f" {action}",
        f"{action} ",
        f"{action}\n",
        f"{action}/",
        f"{action},",
    )
    points = re.findall(r"[a-z]\d+", action)
    for one, other in pairwise(points):
        yield action.replace(one, "?").replace(other, one).replace("?", other)
    yield re.sub(r"(\d+)", r"0\1", action, count=1)


def refused(sample: Sample) -> None:
    said = sample.game.texts[FALLBACK].refusals
    for position, action in sample.positions:
        for wrong in (*WRONG, *_respelled(action)):
            _worded(position.play(wrong), said)
            if wrong:
                _worded(position.refuse_points([wrong]), said)
        for point in re.findall(r"[a-z]\d+", action)[:1]:
            expect(position.refuse_points([point]) is None or bool(position.template()),
                   f"{point} begins {action}", position.refuse_points([point]))  # fmt: skip


def _worded(answer: object, said: dict[str, str]) -> None:
    if isinstance(answer, Refusal):
        expect(answer.rule in said, f"words for the rule {answer.rule}", sorted(said))
        needed = len(set(re.findall(r"{\d}", said[answer.rule])))
        expect(needed <= len(answer.points), f"{needed} points of {answer.rule}", answer.points)


def restored(sample: Sample) -> None:
    for line in sample.lines:
        restore = type(line[0][0]).restore  # type: ignore[attr-defined]
        for position, _ in line:
            text = position_text(position)
            back = restore(parse_position(text))
            expect(position_text(back) == text, text, position_text(back))
            expect(back == position, "an equal position", text)
            for false in _falsified(parse_position(text)):
                _refuses(partial(restore, false), f"fields that no game has: {false}")


def _falsified(said: Fields) -> Iterator[Fields]:
    """Fields of which no game has all, so that a changed log or record is noticed."""
    black, white = said.score
    for change in ({"phase": "later"}, {"score": (black + 1, white)}, {"size": said.size + 40},
                   {"winner": 0 if said.winner is None else None}):  # fmt: skip
        yield replace(said, **change)


def shaped(sample: Sample) -> None:
    known = {0, *(piece.cell for piece in sample.game.pieces)}
    for position, _ in sample.positions:
        missing = sample.game.shape(position.size).missing
        expect(len(position.cells) == position.size**2, position.size**2, len(position.cells))
        expect(set(position.cells) <= known, f"cells out of {sorted(known)}", set(position.cells))
        for point in missing:
            at = (int(point[1:]) - 1) * position.size + ord(point[0]) - 97
            expect(
                position.cells[at] == 0, f"nothing on {point}, which is missing", position.cells[at]
            )
        expect(position.phase in sample.game.phases, list(sample.game.phases), position.phase)
    expect(max(known) < len(CELL_LETTERS), f"values below {len(CELL_LETTERS)}", max(known))
    expect(
        re.fullmatch("[a-z]{1,32}", sample.game.id) is not None,
        "an id of letters a to z",
        sample.game.id,
    )


def accounted(sample: Sample) -> None:
    texts = sample.game.texts[FALLBACK]
    for position, _ in sample.positions:
        account = sample.game.account(position)
        for color, score in zip(("black", "white"), position.score, strict=True):
            found = [each.value for each in account.sums if each.color == color]
            expect(not found or sum(found) == score, f"{color}'s {score}", found)
        kinds = {each.kind for each in account.sums} - set(texts.sums)
        kinds |= {each.kind for each in account.marks} - set(texts.marks)
        expect(not kinds, "texts of all `marks` and `sums`", sorted(kinds))


def previewed(sample: Sample) -> None:
    for position, action in sample.positions:
        points = re.findall(r"[a-z]\d+", action)
        if points and position.refuse_points(points) is None:
            shown = sample.game.preview(position, points)
            inside = all(0 <= at < len(position.cells) for at, _ in shown)
            expect(inside and bool(shown), f"cells that {action} puts on the board", shown)
            after = position.play(action)
            if not isinstance(after, Refusal):  # what it puts there may change at once, but not all
                same = any(after.cells[at] == cell for at, cell in shown)
                expect(same, f"what is there after {action}", shown)


def documented(sample: Sample) -> None:
    written = write_document(sample.game)
    for file in filter(None, (written, written.lessons)):
        size = len(file.text.encode())
        expect(size <= DOCUMENT_BYTES, f"{DOCUMENT_BYTES} bytes", size)
    made = document(sample.game)
    expect(FALLBACK in made.texts, f"texts in {FALLBACK}", sorted(made.texts))
    expect([b.size for b in made.board.boards] == made.sizes, made.sizes, "other boards")
    shapes = {piece.shape for piece in made.pieces} - set(SHAPES)
    expect(not shapes, f"shapes out of {', '.join(SHAPES)}", sorted(shapes))
    given = msgspec.to_builtins(dict(sample.game.texts))
    wanted = given[FALLBACK]
    phases = [phase for phase in made.phases if phase != "over"]
    expect({*wanted["phases"]} == {*phases}, f"texts for {phases}", sorted(wanted["phases"]))
    for name, many in (("pieces", made.pieces), ("changes", made.changes),
                       ("captions", made.examples), ("lessons", sample.game.lessons)):  # fmt: skip
        expect(len(wanted.get(name, [])) == len(many), f"{len(many)} {name}", wanted.get(name))
    set_ups = {position.phase for position, _ in sample.positions if position.template()}
    for language, texts in made.texts.items():
        for phase in set_ups:
            typed = texts.phases[phase].typed
            expect(not re.search(r"\b[a-z]\d", typed), f"no points in `typed` of {phase}", typed)
        said = given[language]
        expect(
            _outline(said) == _outline(wanted), f"the fields of {FALLBACK}, in {language}", "others"
        )
        for line in _strings(said):
            plain = not any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") for c in line)
            expect(plain, "no control characters", line)


def _outline(value: Any) -> Any:
    """The structure of texts: fields and placeholders, without the words."""
    if isinstance(value, dict):
        return {key: _outline(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_outline(inner) for inner in value]
    return sorted(set(re.findall(r"{\d}", value))) if value else value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def taught(sample: Sample) -> None:
    names = [lesson.name for lesson in sample.game.lessons]
    expect(len({*names}) == len(names), "a name of its own for each lesson", names)
    for tree in lessons(sample.game).lessons:
        for node in tree.nodes:
            good = {choice.says for choice in node.choices if choice.good}
            expect(bool(good), f"a good choice at each step of {tree.name}", node.says)
            wrong = {choice.says for choice in node.choices if not choice.good}
            told = wrong & {*good, node.says}
            expect(not told, f"why not, at each wrong choice of {tree.name}", sorted(told))


def quick(sample: Sample) -> None:
    calls, begun = 0, time.process_time()
    for position, action in sample.positions:
        position.play(action)
        position_text(position)
        calls += 1
    mean = (time.process_time() - begun) / calls
    expect(mean <= CALL_SECONDS, f"{CALL_SECONDS} s for an action and a text", f"{mean:.4f} s")
    for position, _ in islice(sample.positions, 0, None, 10):
        begun = time.process_time()
        for _ in islice(position.actions(), LISTED):
            pass
        position.count()
        took = time.process_time() - begun
        expect(took <= LIST_SECONDS, f"{LIST_SECONDS} s to list actions", f"{took:.2f} s")


@dataclass(frozen=True, slots=True)
class Check:
    """One check, and the section of SPEC that demands it."""

    section: str
    name: str
    title: str
    work: Callable[[Sample], None]


CHECKS = [
    Check("8.1", "pure", "the same position and action give the same answer", pure),
    Check("8.1", "ends", "games end with a winner or a draw, and no action follows", ends),
    Check("8.1", "opened", "a game opens on its own sizes only, with an empty board", opened),
    Check("8.1", "spelled-once", "every action has one spelling, and is listed once", spelled_once),
    Check("8.3", "refused", "every refusal names a rule that has words", refused),
    Check("5.3", "restored", "positions can be restored from their text", restored),
    Check("26.5", "shaped", "boards have the cells, pieces and phases they describe", shaped),
    Check("26.3", "documented", "the document is complete and plain in every language", documented),
    Check("26.11", "taught", "each step has a good choice, and wrong choices say why", taught),
    Check("26.12", "accounted", "accounts add up to the score", accounted),
    Check("26.13", "previewed", "points that begin an action have a preview", previewed),
    Check("1.11", "quick", "no call takes too long", quick),
]
