"""A whole game without a mouse, from the first screen to the result, and what is said aloud."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import Visit
from browser.person import BOUND_MS, Person
from support.games import Game, game

SET_UPS = (0, 2)
"""The turns in which Veletas is set up: there the same point again takes a piece back."""

MOST_TABS = 80
"""So many times Tab is pressed at most to come to anything."""


class Typist:
    """A person who has a keyboard and nothing else."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._keys = person.page.keyboard

    def press(self, *keys: str) -> None:
        for key in keys:
            self._keys.press(key)

    def reach(self, target: Locator) -> None:
        """Go to something by Tab."""
        expect(target).to_be_visible(timeout=BOUND_MS)
        for _ in range(MOST_TABS):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.press("Tab")
        pytest.fail(f"Tab does not lead to {target}")

    def push(self, name: str) -> None:
        """Press a button."""
        button = self.person.button(name)
        expect(button).to_be_enabled(timeout=BOUND_MS)
        self.reach(button)
        self.press("Enter")

    def create(self, of: Game) -> str:
        """Make a game from the first screen; its link."""
        self.person.open()
        page = self.person.page
        radio = page.get_by_role("radio", name=re.compile(f"^{of.game}", re.IGNORECASE))
        self.reach(page.get_by_role("radio", checked=True))
        while not radio.is_checked():
            self.press("ArrowDown")
        size = page.get_by_role("combobox", name="Size")
        self.reach(size)
        self.press(str(of.size))
        expect(size).to_have_value(str(of.size))
        self.push("Create game")
        return page.get_by_label("Send this link").input_value()

    def choose(self, point: str) -> None:
        """Choose a point of the board."""
        cell = self.person.page.locator('.board-box [role="gridcell"][tabindex="0"]')
        self.reach(cell)
        here = cell.get_attribute("data-point") or ""
        right, up = ord(point[0]) - ord(here[0]), int(point[1:]) - int(here[1:])
        self.press(*["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right))
        self.press(*["ArrowUp" if up > 0 else "ArrowDown"] * abs(up))
        target = self.person.page.locator(f'.board-box .target[data-point="{point}"]')
        expect(target).to_be_attached(timeout=BOUND_MS)
        self.press("Enter")

    def play(self, action: str, turn: int) -> None:
        """Play an action, and wait until it is kept."""
        if action.startswith("komi:"):
            self.reach(self.person.page.get_by_label("Komi for White"))
            self.press("Control+A", *action.removeprefix("komi:"), "Enter")
        elif action in ("black", "white"):
            self.push(f"Play {action.capitalize()}")
        elif action == "pass":
            self.push("Pass")
        else:
            for point in re.findall(r"[a-z]\d+", action):
                self.choose(point)
            if turn in SET_UPS:
                self.push(f"Play {action}")
            else:  # the same point again confirms
                expect(self.person.button(f"Play {action}")).to_be_enabled(timeout=BOUND_MS)
                self.press("Enter")
        listed = self.person.page.locator(".actions ol button").nth(turn)
        expect(listed).to_have_text(f"{turn + 1} {action}", timeout=BOUND_MS)


def test_a_whole_game_by_keyboard(visit: Visit) -> None:
    of = game("veletas", 7)
    first, second = Typist(visit()), Typist(visit())
    link = first.create(of)
    second.person.page.goto(link)
    second.push("Play here")
    for turn, action in enumerate(of.actions):
        (first, second)[of.positions[turn].to_act or 0].play(action, turn)
    for typist in (first, second):
        expect(typist.person.page.locator(".result")).to_contain_text("wins", timeout=BOUND_MS)


def test_escape_takes_back_and_questions_are_answered_by_keyboard(visit: Visit) -> None:
    of = game("loose", 5)
    first, second = Typist(visit()), Typist(visit())
    link = first.create(of)
    second.person.page.goto(link)
    second.push("Play here")
    for turn in range(2):
        (first, second)[turn].play(of.actions[turn], turn)
    mover = (first, second)[of.positions[2].to_act or 0]
    point = of.actions[2]
    button = mover.person.button(f"Play {point}")
    mover.choose(point)
    expect(button).to_be_enabled()
    mover.press("Escape")
    expect(button).to_have_count(0)
    mover.choose(point)
    expect(button).to_be_enabled()
    mover.press("Enter")
    mover.person.sees_actions(of.actions[:3])
    other = second if mover is first else first
    aloud = other.person.page.locator("[aria-live].aloud")
    expect(aloud).to_contain_text(f"played {point}.", timeout=BOUND_MS)
    mover.push("Resign")
    expect(mover.person.button("No, go on")).to_be_focused(timeout=BOUND_MS)
    mover.press("Enter")
    mover.push("Resign")
    mover.push("Yes, I resign")
    mover.person.sees(re.compile("has resigned"))
