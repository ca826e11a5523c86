"""Lessons are played to the first game, by tapping and by keyboard, as the trees in the game's
document have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import PHONE
from browser.newcomers import Newcomers
from browser.person import BOUND_MS, Person
from browser.test_keyboard import Typist
from pierule_protocol.games.document import (
    GameLessons,
    LessonChoice,
    LessonTree,
    read_lessons,
)
from pierule_protocol.games.writing import documents
from support.browsers import FIREFOX, Kind
from support.serving import Serving

LANGUAGE = "en"
POINT = re.compile(r"[a-z]\d+")


def course(name: str) -> GameLessons:
    written = documents()[name].lessons
    assert written is not None
    return read_lessons(written.text)


def good_way(tree: LessonTree) -> Iterator[tuple[list[LessonChoice], LessonChoice]]:
    """The first good choice of each step to the end, with what would be wrong there."""
    at: int | None = 0
    while at is not None:
        choices = tree.nodes[at].choices
        good = next(choice for choice in choices if choice.good)
        yield [choice for choice in choices if not choice.good], good
        at = good.next


def go_through(person: Person, of: GameLessons, hands: Finger | Keys, wrongs: int) -> None:
    """All lessons in order; in the first `wrongs` of them something wrong is tried before."""
    told = of.texts[LANGUAGE]
    for number, (tree, texts) in enumerate(zip(of.lessons, told, strict=True)):
        expect(person.page.get_by_role("heading", name=texts.title)).to_be_visible()
        for step, (wrong, good) in enumerate(good_way(tree)):
            if wrong and step == 0 and number < wrongs:
                hands.play(wrong[0].played[0].action)
                person.sees(texts.says[wrong[0].says])
                hands.retry(wrong[0].played[0].action, by_board=number % 2 > 0)
                goes_on(person)
            hands.play(good.played[0].action)
            person.sees(texts.says[good.says])
            if good.next is not None:
                hands.press("Continue")
                goes_on(person)
        person.sees("You finished this lesson.")
        if number + 1 < len(told):
            hands.press(f"Next lesson: {told[number + 1].title}")


def goes_on(person: Person) -> None:
    """Until what came of the last try is gone."""
    told = person.page.locator(".told.right, .told.wrong")
    expect(told).to_have_count(0)


def finished(person: Person, of: GameLessons) -> None:
    """All marks are there, also after a reload."""
    many = len(of.lessons)
    person.page.goto(f"{person.page.url.split('#')[0]}#/learn/{of.game}")
    for reloads in (False, True):
        if reloads:
            person.page.reload()
        person.sees(f"{many} of {many} done")
        expect(person.page.locator(".titles .done")).to_have_count(many)


class Finger:
    """Somebody who taps. Where a button was tapped just before, the page takes a quick tap for the
    second one of a double tap."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._was_button = False

    def press(self, name: str) -> None:
        self._tap(self.person.button(name))

    def play(self, action: str) -> None:
        for point in POINT.findall(action):
            self.person.press(self.person.point(point))
            self._was_button = False
        if not_played(self.person, action):
            self._tap(button_of(self.person, action))

    def retry(self, wrong: str, *, by_board: bool) -> None:
        """Take a wrong try back: by its button, or by a tap anywhere on the board."""
        if by_board:
            self.person.pause()
            self.person.press(self.person.point(POINT.findall(wrong)[0]))
            self._was_button = False
        else:
            self.press("Try again")

    def _tap(self, button: Locator) -> None:
        if self._was_button:
            self.person.pause()
        self.person.press(button)
        self._was_button = True


class Keys:
    """Somebody who types: the focus is where they go on, so that Enter alone leads on."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.typist = Typist(person)

    def press(self, name: str) -> None:
        expect(self.person.button(name)).to_be_focused()
        self.person.page.bring_to_front()  # a Firefox in the back presses no buttons
        self.typist.press("Enter")

    def retry(self, wrong: str, *, by_board: bool) -> None:
        assert not by_board, wrong
        self.press("Try again")

    def play(self, action: str) -> None:
        for point in POINT.findall(action):
            self.typist.choose(point)
        if not_played(self.person, action):
            self.typist.reach(button_of(self.person, action))
            self.typist.press("Enter")


def button_of(person: Person, action: str) -> Locator:
    return person.page.locator(f'[data-action="{action}"]')


def not_played(person: Person, action: str) -> bool:
    """Whether it waits for a button, once that is known."""
    button = button_of(person, action)
    told = person.page.locator(".told.right, .told.wrong")
    expect(told.or_(button).first).to_be_visible()
    return button.count() > 0


def test_all_lessons_are_done_by_finger_up_to_the_first_game(
    newcomers: Newcomers, server: Serving
) -> None:
    of = course("taugo")
    person = newcomers.get(server, PHONE)
    page = person.page
    person.open()
    person.sees("To replay a downloaded record,")  # no finger can drop one
    person.press(page.get_by_role("link", name="Learn to play"))
    person.press(page.locator('a.course[href="#/learn/taugo"]'))
    person.press(page.get_by_role("link", name=f"Start: {of.texts[LANGUAGE][0].title}"))
    go_through(person, of, Finger(person), 2)
    finished(person, of)
    person.press(person.button("Play your first game"))
    page.wait_for_url(re.compile("#[a-z]{2,}$"), timeout=BOUND_MS)
    expect(page.locator(".seats, .player").first).to_be_visible()


@pytest.mark.parametrize("engine", [FIREFOX], ids=[FIREFOX.name])
def test_all_lessons_are_done_by_keyboard(
    newcomers: Newcomers, server: Serving, engine: Kind
) -> None:
    of = course("loose")
    keys = Keys(newcomers.get(server, engine=engine))
    person = keys.person
    person.open(f"#/learn/{of.game}")
    title = of.texts[LANGUAGE][0].title
    keys.typist.reach(person.page.get_by_role("link", name=f"Start: {title}"))
    keys.typist.press("Enter")
    go_through(person, of, keys, 1)
    expect(person.button("Play your first game")).to_be_focused()
    finished(person, of)
    keys.typist.push("Begin again")
    person.sees("Forget which lessons of this game you have done?")
    keys.typist.push("Begin again")
    person.sees(f"0 of {len(of.lessons)} done")
