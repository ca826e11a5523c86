"""A game without a mouse, from the first screen to the result, and what is said aloud."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from browser.person import Person, called
from browser.rooms import apart, meeting
from browser.windows import Windows, enter, go_on_unseen
from browser.wire import acts
from support.browsers import Kind
from support.games import game
from support.serving import Serving

MOST_TABS = 80
"""So many times Tab is pressed at most to come to anything."""
BEGINNING, END = 4, 1
"""How many actions of a game are played by keyboard: its first and its last. They have
all forms that actions have."""

GONE = "gone"
"""Instead of a key: the page has drawn the element anew."""
WAY = """element => {
  if (!element.isConnected) return ["gone", 0];
  const here = document.activeElement;
  if (here === element) return ["", 0];
  const isPast = (one, other) =>
    !!(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  const isAhead = isPast(here, element);
  const [first, last] = isAhead ? [here, element] : [element, here];
  const stops = "a[href], button, input, select, textarea, summary, [tabindex]";
  const between = [...document.querySelectorAll(stops)].filter((each) =>
    each.tabIndex >= 0 && !each.disabled && !(each.type === "radio" && !each.checked)
    && isPast(first, each) && isPast(each, last) && each.checkVisibility());
  return [isAhead ? "Tab" : "Shift+Tab", Math.ceil((between.length + 1) / 2)];
}"""
"""The key that leads to an element, within the page, and how often to press it before asking again:
half of what seems to be the way, since what comes after the page's end is the browser's."""


class Typist:
    """A person who has a keyboard and nothing else."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._keys = person.page.keyboard

    def press(self, *keys: str) -> None:
        for key in keys:
            self._keys.press(key)

    def reach(self, target: Locator) -> None:
        """Go to something by Tab or back."""
        expect(target).to_be_visible()
        self.person.page.bring_to_front()  # a Firefox in the back presses no buttons
        found = target.element_handle()  # once, not for each key
        left = MOST_TABS
        while left > 0:
            key, times = found.evaluate(WAY)
            left -= max(times, 1)
            if key == GONE:
                found = target.element_handle()
            elif key:
                self.press(*[key] * times)
            else:
                return
        pytest.fail(f"Tab does not lead to {target}")

    def push(self, name: str) -> None:
        """Press a button."""
        button = self.person.button(name)
        expect(button).to_be_enabled()
        self.reach(button)
        self.press("Enter")

    def create(self, game: str, size: int) -> str:
        """Make a game from the first screen; its link."""
        self.person.open()
        page = self.person.page
        radio = page.get_by_role("radio", name=re.compile(f"^{game}", re.IGNORECASE))
        self.reach(page.get_by_role("radio", checked=True))
        while not radio.is_checked():
            self.press("ArrowDown")
        sizes = page.get_by_role("combobox", name="Size")
        self.reach(sizes)
        self.press(str(size))
        expect(sizes).to_have_value(str(size))
        self.push("Create game")
        return page.get_by_label("Send this link").input_value()

    def choose(self, point: str) -> None:
        """Choose a point of the board."""
        self.find(point)
        self.press("Enter")

    def hold(self, key: str) -> None:
        """Press a key for so long that it repeats."""
        self._keys.down(key)
        self._keys.down(key)
        self._keys.up(key)

    def find(self, point: str) -> None:
        """Go to a point of the board that may be chosen."""
        cell = self.person.page.locator('.board-box [role="gridcell"][tabindex="0"]')
        self.reach(cell)
        up = int(point[1:]) - int(self._focused()[1:])
        self.press(*["ArrowUp" if up > 0 else "ArrowDown"] * abs(up))
        right = ord(point[0]) - ord(self._focused()[0])  # where columns lean, rows lead elsewhere
        self.press(*["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right))
        target = self.person.page.locator(f'.board-box .target[data-point="{point}"]')
        expect(target).to_be_attached()

    def _focused(self) -> str:
        """The point that has the focus."""
        return str(self.person.page.evaluate("document.activeElement.dataset.point"))

    def confirm(self, chosen: str) -> None:
        """Confirm what a button of its own has chosen: the focus is there already."""
        expect(self.person.button(f"Confirm: {chosen}")).to_be_focused()
        self.press("Enter")

    def play(self, action: str, turn: int) -> None:
        """Play an action, and wait until it is kept."""
        if action.startswith("komi:"):
            self.reach(self.person.page.get_by_label("Komi for White"))
            self.press("Control+A", *action.removeprefix("komi:"), "Enter")
            self.confirm(f"Komi {action.removeprefix('komi:')}")
        elif action in ("black", "white"):
            self.push(f"Play {action.capitalize()}")
            self.confirm(action.capitalize())
        elif action == "pass":
            self.push("Pass")
            self.confirm("Pass")
        else:
            for point in re.findall(r"[a-z]\d+", action):
                self.choose(point)
            expect(self.person.button(f"Play {action}")).to_be_enabled()
            self.press("Enter")  # the same point again confirms
        listed = self.person.page.locator(".actions ol button").nth(turn)
        expect(listed).to_have_text(f"{turn + 1} {called(action)}")


def test_every_phase_of_a_game_is_played_by_keyboard(
    windows: Windows, engine: Kind, server: Serving
) -> None:
    """From the first screen through the cut, the choice, the set-up and actions of every form, and
    to the result. Between its beginning and its end, the game goes on elsewhere."""
    of = game("veletas", 7)
    first, second = (Typist(windows.get(number, engine)) for number in range(2))
    people = first.person, second.person
    link = first.create(of.game, of.size)
    second.person.page.goto(link)
    second.push("Play here")
    beginning, end = range(BEGINNING), range(of.turns - END, of.turns)
    played = [of.actions[turn] for turn in (*beginning, *end)]
    assert {re.sub(r"\w\d", "x", action) for action in played[2:]} == {
        re.sub(r"\w\d", "x", action) for action in of.actions[2:]
    }
    for turn in beginning:
        (first, second)[of.positions[turn].to_act or 0].play(of.actions[turn], turn)
    middle = range(beginning.stop, end.start)
    moves = [(of.positions[turn].to_act or 0, of.actions[turn]) for turn in middle]
    go_on_unseen(people, server, of, moves, middle.start)
    for turn in end:
        (first, second)[of.positions[turn].to_act or 0].play(of.actions[turn], turn)
    for person in people:
        expect(person.page.locator(".result")).to_contain_text("wins")


def test_escape_takes_back_and_questions_are_answered_by_keyboard(
    windows: Windows, engine: Kind, server: Serving
) -> None:
    of = game("loose", 5)
    tokens = [windows.token(number, engine) for number in range(2)]
    room = apart(meeting(server.url, of, 0, tokens))
    first, second = (Typist(windows.get(number, engine)) for number in range(2))
    for typist in (first, second):
        enter(typist.person, room, of, 0)
    for turn in range(2):
        (first, second)[turn].play(of.actions[turn], turn)
    mover = (first, second)[of.positions[2].to_act or 0]
    point = of.actions[2]
    button = mover.person.button(f"Play {point}")
    mover.choose(point)
    expect(button).to_be_enabled()
    mover.press("Escape")
    expect(button).to_have_count(0)
    cell = mover.person.page.locator('.board-box [role="gridcell"][tabindex="0"]')
    mover.choose(point)
    mover.reach(button)
    mover.press("Escape")
    expect(button).to_have_count(0)
    expect(cell).to_be_focused()  # what had the focus is gone
    mover.choose(point)
    mover.push("Undo")
    expect(cell).to_be_focused()
    mover.push("Pass")
    expect(mover.person.button("Confirm: Pass")).to_be_focused()
    mover.press("Escape")
    expect(cell).to_be_focused()
    mover.choose(point)
    expect(button).to_be_enabled()
    mover.person.page.evaluate("document.activeElement.blur()")
    mover.press("Escape")
    expect(button).to_have_count(0)
    mover.choose(point)
    expect(button).to_be_enabled()
    mover.press("Enter")
    mover.person.sees_actions(of.actions[:3])
    other = second if mover is first else first
    aloud = other.person.page.locator("[aria-live].aloud")
    expect(aloud).to_contain_text(f"played {point}.")
    mover.push("Ask for a takeback")
    expect(mover.person.button("Withdraw")).to_be_focused()
    other.push("Accept")
    other.person.sees("Agreed: a takeback.")
    focused = other.person.page.locator('.board-box [tabindex="0"]')
    expect(focused).to_be_focused()
    for key in ("Enter", "Escape"):
        mover.push("Resign")
        expect(mover.person.button("No, continue")).to_be_focused()
        mover.press(key)
        expect(mover.person.button("Resign")).to_be_focused()
    mover.push("Resign")
    mover.push("Yes, I resign")
    mover.person.sees(re.compile("resigned"))
    mover.press("?")
    keys = mover.person.page.get_by_role("dialog", name="Keys")
    expect(keys.get_by_role("button", name="Close")).to_be_focused()
    mover.press("Escape")
    expect(keys).to_have_count(0)


def test_the_board_is_one_stop_and_keys_move_on_it(windows: Windows, engine: Kind) -> None:
    """Where the focus is, stays where it is while the board is drawn anew."""
    typist = Typist(windows.alone(game("taugo", 6), 0, engine))
    person, page = typist.person, typist.person.page
    expect(page.locator('.board-box [tabindex="0"]')).to_have_count(1)
    typist.reach(page.locator('.board-box [data-point="d4"]'))
    for key, point in (
        ("ArrowLeft", "c4"), ("ArrowDown", "c3"), ("ArrowRight", "d3"), ("ArrowUp", "d4"),
        ("Home", "a4"), ("End", "f4"), ("PageUp", "f5"), ("PageDown", "f2"),  # no corners
        ("Control+Home", "b6"), ("Control+End", "e1"), ("ArrowRight", "e1"),
    ):  # fmt: skip
        typist.press(key)
        expect(page.locator(f'.board-box [data-point="{point}"]')).to_be_focused()
        expect(page.locator('.board-box [tabindex="0"]')).to_have_attribute("data-point", point)
    typist.press("ArrowUp", "ArrowUp")
    cell = page.locator('.board-box [data-point="e3"]')
    expect(cell).to_be_focused()
    width = "cell => parseFloat(getComputedStyle(cell.querySelector('.hit')).strokeWidth)"
    assert cell.evaluate(width) > 0  # the focus is seen
    expect(cell).to_have_attribute("aria-label", "e3, empty, can be chosen")
    typist.press(" ")
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(cell).to_have_attribute("aria-label", "e3, empty, chosen: black stone")
    typist.press("Tab", "Shift+Tab")
    expect(cell).to_be_focused()
    typist.press("Enter")
    person.sees_actions(["e3"])
    expect(cell).to_be_focused()
    expect(cell).to_have_attribute("aria-label", "e3, black stone, last action")
    assert acts(person) == [(0, "e3")]


def test_the_list_of_actions_is_one_stop_and_follows_your_steps(windows: Windows) -> None:
    typist = Typist(windows.alone(game("taugo", 6), 4))
    person, page = typist.person, typist.person.page
    actions = page.locator(".actions ol button")
    typist.reach(actions.nth(3))
    typist.press("ArrowLeft")
    expect(actions.nth(2)).to_be_focused()
    expect(page.locator('.actions ol :is([tabindex="0"], button:not([tabindex]))')).to_have_count(1)
    person.sees("Action 3 of 4")
    typist.press("Tab")
    expect(page.locator(".actions .keys")).to_be_focused()
    typist.press("Shift+Tab")
    expect(actions.nth(2)).to_be_focused()
    typist.press(*["ArrowLeft"] * 3)
    expect(actions.first).to_be_focused()


def test_a_held_key_confirms_nothing(windows: Windows, engine: Kind) -> None:
    """It chooses a point, as if it was pressed once; and what it confirms was chosen before."""
    typist = Typist(windows.alone(game("taugo", 6), 0, engine))
    person = typist.person
    for point, key in (("d4", "Enter"), ("c3", " ")):
        typist.find(point)
        typist.hold(key)
        expect(person.button(f"Play {point}")).to_be_enabled()
        if key == "Enter":
            typist.press("Escape")
    for key in ("Enter", " "):
        typist.hold(key)
        person.sees_actions(["c3"])
    assert acts(person) == [(0, "c3")]
