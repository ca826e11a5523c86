"""What lessons teach: one idea each on the smallest board, up to the end of a game and its cut.

That their boards follow from the rules is looked at with the documents; that their steps have good
choices and say why of the others, `pierule conform game` looks at for any package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pierule_conform.game_checks import Broken, Sample, taught
from pierule_games import GAMES
from pierule_games.description import Choice, Lesson, Step
from pierule_games.game import Position
from pierule_games.package import Game
from pierule_games.refusal import Refusal

every_game = pytest.mark.parametrize(
    "game", [GAMES[name] for name in sorted(GAMES)], ids=sorted(GAMES)
)
LONGEST = 200
"""The most characters that a lesson says at once: what is read on a phone beside a board."""
POINT = re.compile(r"[a-z]\d+")


def played(position: Position, actions: list[str]) -> Position:
    for action in actions:
        after = position.play(action)
        assert not isinstance(after, Refusal), action
        position = after
    return position


def moments(game: Game, lesson: Lesson) -> Iterator[tuple[Position, Choice, Position]]:
    """Each choice, with the positions before it and after all replies to it."""
    root = played(game.opening(lesson.size), lesson.actions.split())
    waiting = [("start", root)]
    for name, before in waiting:
        for choice in lesson.steps[name].choices:
            after = played(before, [choice.action, *choice.replies])
            yield before, choice, after
            if choice.next is not None:
                waiting.append((choice.next, after))


@every_game
def test_each_game_has_six_to_eight_lessons_on_its_smallest_board(game: Game) -> None:
    assert 6 <= len(game.lessons) <= 8
    assert {lesson.size for lesson in game.lessons} == {min(game.sizes)}


@every_game
def test_every_step_is_reached_and_every_good_way_ends(game: Game) -> None:
    for lesson in game.lessons:
        found = [*moments(game, lesson)]
        reached = {choice.next for _, choice, _ in found if choice.next is not None}
        assert {"start", *reached} == set(lesson.steps)
        assert any(choice.good and choice.next is None for _, choice, _ in found)
        assert all(choice.good or choice.next is None for _, choice, _ in found)


@every_game
def test_a_learner_cuts_and_chooses_and_sees_a_game_end(game: Game) -> None:
    ways = [moment for lesson in game.lessons for moment in moments(game, lesson)]
    assert any(before.phase == game.phases[0] for before, _, _ in ways)
    assert any(before.phase == "color" for before, _, _ in ways)
    assert any(after.winner == before.to_act for before, _, after in ways if after.winner in (0, 1))


@every_game
def test_the_learner_is_to_act_again_after_replies(game: Game) -> None:
    for lesson in game.lessons:
        for before, choice, after in moments(game, lesson):
            if choice.next is not None:
                assert after.to_act == before.to_act


@every_game
def test_where_every_choice_is_good_the_text_names_their_points(game: Game) -> None:
    """A learner cannot guess which of many legal points a lesson knows."""
    for texts in game.texts.values():
        for lesson, told in zip(game.lessons, texts.lessons, strict=True):
            for step in lesson.steps.values():
                if all(choice.good for choice in step.choices):
                    points = {p for each in step.choices for p in POINT.findall(each.action)}
                    assert points <= {*POINT.findall(told.says[step.says])}, lesson.name


@every_game
def test_texts_of_lessons_are_short(game: Game) -> None:
    for texts in game.texts.values():
        for lesson in texts.lessons:
            assert {key for key, text in lesson.says.items() if len(text) > LONGEST} == set()
            assert len(lesson.title) <= 32


ENDLESS = Step(says="take", choices=[Choice(action="pass", says="away", good=False)])
UNSAID = Step(
    says="take",
    choices=[Choice(action="c3", says="taken"), Choice(action="a5", says="take", good=False)],
)


@pytest.mark.parametrize("step", [ENDLESS, UNSAID], ids=["endless", "unsaid"])
def test_a_package_with_a_lesson_that_teaches_nothing_is_found(step: Step) -> None:
    bad = Lesson(name="bad", size=5, actions="komi:6 black", steps={"start": step})
    with pytest.raises(Broken):
        taught(Sample(replace(GAMES["loose"], lessons=[bad]), []))
