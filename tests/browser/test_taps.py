"""What a tap means: the same in every phase of every game, and nothing is sent that the player has
not seen and confirmed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.person import Person
from browser.windows import Windows
from browser.wire import acts
from support.games import game


def waits(person: Person, action: str) -> None:
    """This action is shown, and may be confirmed."""
    expect(person.button(f"Play {action}")).to_be_enabled()


TAPS = [
    ("veletas", 7, 0, ["c3", "e4", "d5"], ["", "c3/e4", "c3/d5"]),
    ("veletas", 7, 2, ["c4", "e3", "b1", "f2"], ["", "", "c4,e3/b1", "c4,e3/f2"]),
    ("taugo", 6, 0, ["c3", "d4"], ["c3", "d4"]),
    ("loose", 5, 2, ["b2", "d4"], ["b2", "d4"]),
]
"""Games, sizes, turns; what is tapped, and the action that is shown after each tap."""


@pytest.mark.parametrize("finger", [False, True], ids=["mouse", "touch"])
def test_a_tap_elsewhere_moves_the_piece_and_sends_nothing(windows: Windows, finger: bool) -> None:
    for name, size, turn, taps, shown in TAPS:
        of = game(name, size)
        person = windows.alone(of, turn, finger=finger)
        first = person.page.locator(f'.board-box .target[data-point="{taps[0]}"]')
        expect(first).to_be_attached()
        for point, action in zip(taps, shown, strict=True):
            person.press(person.point(point))
            if action:
                waits(person, action)
        assert acts(person) == [], (name, turn)
        person.press(person.button(f"Play {shown[-1]}"))
        person.sees_actions([*of.actions[:turn], shown[-1]])
        assert acts(person) == [(turn, shown[-1])]


def test_a_pass_asks_first_and_a_tap_on_the_board_replaces_it(windows: Windows) -> None:
    person = windows.alone(game("taugo", 6), 2)
    person.press(person.button("Pass"))
    person.sees("Confirm, or undo.")
    person.press(person.point("d3"))
    waits(person, "d3")
    person.press(person.button("Undo"))
    person.press(person.button("Pass"))
    assert acts(person) == []
    person.press(person.button("Confirm: Pass"))
    person.sees("A second pass in a row ends the game.")
    assert acts(person) == [(2, "pass")]


def test_the_komi_and_the_color_wait_for_their_confirmation(windows: Windows) -> None:
    person = windows.alone(game("loose", 5), 0)
    komi = person.page.get_by_label("Komi for White")
    person.press(person.point("c3"))
    refusal = person.page.locator(".refusal")
    expect(refusal).to_have_text("First set this beside the board: Komi for White.")
    komi.fill("6")
    komi.press("Enter")
    expect(person.button("Confirm: Komi 6")).to_be_focused()
    person.press(person.button("Undo"))
    expect(komi).to_have_value("6")
    expect(komi).to_be_focused()  # where it came from
    person.press(person.button("Set komi"))
    expect(person.button("Confirm: Komi 6")).to_be_focused()
    person.page.keyboard.press("Escape")
    expect(person.button("Set komi")).to_be_focused()
    assert acts(person) == []
    person.play("komi:6", 0)
    person.press(person.button("Play White"))
    expect(person.button("Confirm: White")).to_be_focused()
    person.press(person.button("Undo"))
    expect(person.button("Play White")).to_be_focused()
    person.play("black", 1)
    assert acts(person) == [(0, "komi:6"), (1, "black")]


def test_a_segment_of_taugo_does_not_begin_at_your_own_stone(windows: Windows) -> None:
    of = game("taugo", 6)
    person = windows.alone(of, 3)
    position = of.positions[3]
    own = 1 if position.black == position.to_act else 2
    refusal = person.page.locator(".refusal")
    for cell, told in ((own, "name the two ends of the new stones"), (3 - own, "is not empty")):
        row, column = divmod(position.cells.index(cell), 6)
        person.press(person.point(f"{'abcdef'[column]}{row + 1}"))
        expect(refusal).to_have_text(re.compile(rf"{told}\.$"))


def test_a_double_click_counts_as_one_tap(windows: Windows) -> None:
    person = windows.alone(game("loose", 5), 2)
    person.point("b2").dblclick()
    waits(person, "b2")
    assert acts(person) == []
    person.press(person.point("b2"))
    person.sees("3 b2")
    assert acts(person) == [(2, "b2")]
