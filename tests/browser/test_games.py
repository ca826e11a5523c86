"""Whole games in real browsers: one player has a mouse, one a finger, and somebody watches."""

from __future__ import annotations

import functools
import json
import re

import pytest
from playwright.sync_api import FilePayload, expect

from browser.company import Company
from browser.person import Person, alternate, room_of
from browser.rooms import QUIET, TOKEN, apart, go_on, opened
from browser.screen import violations
from browser.windows import go_on_unseen
from pierule_games import GAMES
from pierule_games.game import Position
from support.games import game
from support.serving import Serving

CELLS = ["empty", "black stone", "white stone", "shooter", "shooter claimed by Black",
         "shooter claimed by White"]  # fmt: skip


def shown(position: Position) -> dict[str, str]:
    """What a board has to show of a position, point by point."""
    size = position.size
    names = [f"{chr(97 + i % size)}{i // size + 1}" for i in range(size * size)]
    told = {name: CELLS[cell] for name, cell in zip(names, position.cells, strict=True)}
    for missing in GAMES[position.game].shape(size).missing:
        del told[missing]
    return told


def test_a_game_is_found_by_its_link_and_in_the_list_until_somebody_resigns(
    company: Company,
) -> None:
    """The first makes it, and the second joins by the link. The third finds it by themselves."""
    people = first, second, third = company.people
    second.page.goto(first.create("loose", 5))
    second.press(second.button("Play here"))
    first.sees("You cut")
    third.open("#/")
    room = room_of(first.page.url)
    third.press(third.page.get_by_role("link", name=re.compile(f"^Watch: {room},")))
    third.sees("You are watching")
    first.press(first.button("Resign"))
    first.press(first.button("No, continue"))
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    for person in people:
        person.sees(re.compile("resigned"))
        aloud = person.page.get_by_role("status").filter(has_text="resigned")
        expect(aloud).to_have_count(1)
        expect(aloud).to_have_attribute("aria-live", "polite")
    third.page.reload()
    third.sees(re.compile("resigned"))
    expect(third.page.locator("[aria-live].aloud")).to_be_empty()  # it ended before


BEGINNING, END = 4, 3
"""How many actions of a game two people play in their browsers: each of its first and of its last.
That is every kind of action, as the test makes sure. Of those between, only the third sees each.
A bot's whole game is played in test_finding, and that of a package in test_package."""
FORM = functools.partial(re.sub, r"[a-z]\d", "x")
"""What an action looks like, wherever it is."""


@pytest.mark.parametrize(
    ("name", "size", "result"),
    [
        ("loose", 5, "White wins by 40: 40 to 0"),
        ("veletas", 7, "White wins: 2 shooters claimed to 0"),
        ("taugo", 6, None),
    ],
)
def test_two_people_play_a_game_and_a_third_watches(
    company: Company, server: Serving, name: str, size: int, result: str
) -> None:
    of = game(name, size)
    first, second, third = company.sit(of)
    played = (*of.actions[2:BEGINNING], *of.actions[-END:])
    assert {FORM(action) for action in played} == {FORM(action) for action in of.actions[2:]}
    alternate((first, second), of, 0, BEGINNING)
    between = range(BEGINNING, of.turns - END)
    moves = [(of.positions[turn].to_act or 0, of.actions[turn]) for turn in between]
    go_on_unseen((first, second), server, of, moves, BEGINNING)
    third.sees_actions(of.actions[:-END])
    alternate((first, second), of, of.turns - END, of.turns)
    for person in (first, second, third):
        person.sees_actions(of.actions)
        assert person.board() == shown(of.positions[-1])
        text = person.page.locator(".result")
        expect(text).to_contain_text(result or re.compile(r"wins|draw"))


def test_past_positions_and_the_record_are_shown(company: Company) -> None:
    """Every position of the past is shown, to who came late, too; the file tells the same."""
    of = game("loose", 5)
    first, second, late = company.sit(of, 8, watched=False)
    late.page.goto(first.page.url + "/3")
    late.sees("You are looking at action 3 of 8.")
    assert late.board() == shown(of.positions[3])
    back, forth = "One action back", "One action forward"
    for ply, step in ((2, back), (1, back), (2, forth), (0, "To the beginning")):
        late.press(late.button(step))
        late.sees(f"You are looking at action {ply} of 8.")
        assert late.board() == shown(of.positions[ply])
    alternate((first, second), of, 8, 9)  # the game goes on meanwhile
    late.sees("You are looking at action 0 of 9.")
    late.press(late.button("Back to the latest action"))
    late.sees_actions(of.actions[:9])
    assert late.board() == shown(of.positions[9])

    with late.page.expect_download() as saved:
        late.press(late.button("Download record"))
    record = json.loads(saved.value.path().read_text())
    assert record["format"] == "pierule.room"
    late.open("#/replay")
    late.page.locator("input[type=file]").set_input_files(saved.value.path())
    late.sees("Every board matches the record.")
    assert violations(late) == []
    late.sees_actions(of.actions[:9])
    late.press(late.button("To the latest action"))
    assert late.board() == shown(of.positions[9])
    record["events"][4]["digest"] ^= 1
    choose(late, json.dumps(record))
    late.sees(re.compile("This record is wrong"))
    assert violations(late) == []
    choose(late, "{}")
    late.sees("This file is not a record of a game.")


def choose(person: Person, text: str) -> None:
    """Choose a file with this text."""
    file = FilePayload(name="a.json", mimeType="application/json", buffer=text.encode())
    person.page.locator("input[type=file]").set_input_files(file)


def test_what_is_illegal_is_explained(company: Company, server: Serving) -> None:
    """In the set-up, and of an action."""
    of = game("veletas", 7)
    first, second, _ = company.sit(of)
    set_up_illegally(first)
    go_on((first, second), server, of, 0, 3)
    mover = (first, second)[of.positions[3].to_act or 0]
    stone = next(point for point, cell in shown(of.positions[3]).items() if "stone" in cell)
    expect(mover.page.locator(".board-box .target").first).to_be_attached()
    mover.press(mover.point(stone))
    mover.sees(f"{stone} is not empty.")
    mover.sees_actions(of.actions[:3])
    from_, to, _ = re.findall(r"[a-z]\d", of.actions[3])
    mover.press(mover.point(from_))
    mover.sees(f"Where does the shooter from {from_} go?")
    mover.press(mover.point(to))
    mover.press(mover.button("Undo"))
    mover.sees(f"Where does the shooter from {from_} go?")
    mover.press(mover.button("Undo"))
    mover.play(of.actions[3], 3)


def set_up_illegally(first: Person) -> None:
    expect(first.page.locator('.board-box .target[data-point="d4"]')).to_be_attached()
    first.press(first.point("a1"))
    first.sees("a1 is on the outermost ring, where you may not set up shooters.")
    first.press(first.point("d4"))
    first.sees("Now tap a square for the black stone.")
    first.press(first.point("d4"))  # takes it back
    first.sees("Tap a square for a shooter (1 left).")
    for point in ("d4", "c3", "d4"):  # a piece before the last one is taken back alone
        first.press(first.point(point))
    first.sees("Tap a square for a shooter (1 left).")
    assert first.page.locator('.board-box [data-point="c3"]').get_attribute("aria-selected")
    first.press(first.point("e5"))
    expect(first.button("Play e5/c3")).to_be_enabled()


def test_both_sides_are_played_in_one_window_without_confirmation(
    company: Company, server: Serving
) -> None:
    """At last: one click sends an action once nobody wants to be asked."""
    of = game("loose", 5)
    alone, _, _ = company.people
    alone.open(QUIET)
    room = apart(opened(server.url, alone.page.evaluate(TOKEN), of))
    alone.open(f"#{room}")
    alone.press(alone.button("Take the other seat too"))
    alone.sees("You play both sides.")
    alternate((alone, alone), of, 0, 4)
    assert alone.board() == shown(of.positions[4])
    asks(alone, False)
    point = of.actions[4]
    expect(alone.page.locator(f'.board-box .target[data-point="{point}"]')).to_be_attached()
    alone.press(alone.point(point))
    alone.sees_actions(of.actions[:5])
    asks(alone, True)


def asks(person: Person, wanted: bool) -> None:
    """Choose in the settings whether the page asks."""
    person.settings()
    person.page.get_by_label("Ask before sending an action").set_checked(wanted)
    person.press(person.button("Close"))
    person.closed()
