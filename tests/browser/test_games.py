"""Whole games in real browsers: one player has a mouse, one a finger, and somebody watches."""

from __future__ import annotations

import functools
import json
import re

import pytest
from playwright.sync_api import FilePayload, expect

from browser.company import Company, Three
from browser.conftest import Visit
from browser.person import Person, alternate, room_of
from browser.rooms import go_on, known_as, prepare
from browser.screen import violations
from pierule_games import GAMES
from pierule_games.game import Position
from support.games import Game, game
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


def begin(company: Company, of: Game) -> Three:
    """A game that the first makes, and the second joins by the link. The third finds it by
    themselves."""
    people = first, second, third = company.people
    second.page.goto(first.create(of.game, of.size))
    second.press(second.button("Play here"))
    first.sees("You cut")
    third.open("#/")
    room = room_of(first.page.url)
    third.press(third.page.get_by_role("link", name=re.compile(f"^Watch: {room},")))
    return people


BEGINNING, END = 4, 3
"""How many actions of a game two people play in their browsers: each of its first and of its last.
That is every kind of action, as the test makes sure.
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
    first, second, third = begin(company, of)
    played = (*of.actions[2:BEGINNING], *of.actions[-END:])
    assert {FORM(action) for action in played} == {FORM(action) for action in of.actions[2:]}
    alternate((first, second), of, 0, BEGINNING)
    go_on((first, second), server, of, BEGINNING, of.turns - END)
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


def test_an_illegal_action_is_explained(company: Company) -> None:
    of = game("veletas", 7)
    first, second, _ = company.sit(of, 3)
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


def test_an_illegal_set_up_is_explained(company: Company) -> None:
    first, _, _ = company.sit(game("veletas", 7))
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


def test_both_sides_are_played_in_one_window(company: Company) -> None:
    of = game("loose", 5)
    alone, _, _ = company.people
    alone.create(of.game, of.size)
    alone.press(alone.button("Take the other seat too"))
    alone.sees("You play both sides.")
    alternate((alone, alone), of, 0, 4)
    assert alone.board() == shown(of.positions[4])


def test_without_confirmation_a_click_sends_the_action(visit: Visit, server: Serving) -> None:
    of = game("loose", 5)
    room, tokens = prepare(server, of, 2)
    mover = visit()
    known_as(mover, tokens[of.positions[2].to_act or 0])
    mover.open(f"#{room}")
    point = of.actions[2]
    expect(mover.page.locator(f'.board-box .target[data-point="{point}"]')).to_be_attached()
    mover.settings()
    mover.page.get_by_label("Ask before sending an action").uncheck()
    mover.press(mover.button("Close"))
    mover.press(mover.point(point))
    mover.sees_actions(of.actions[:3])


def test_resigning_asks_for_confirmation(company: Company) -> None:
    people = first, *_ = company.sit(game("loose", 5))
    first.press(first.button("Resign"))
    first.press(first.button("No, continue"))
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    for person in people:
        person.sees(re.compile("resigned"))
