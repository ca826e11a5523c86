"""The analysis board: variations of a finished game, kept, saved, sent and read back."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import PHONE
from browser.newcomers import Newcomers
from browser.person import BOUND_MS, Person
from browser.rooms import prepare
from browser.screen import check
from browser.test_keyboard import Typist
from pierule_terminal import cli
from support.games import game
from support.serving import Serving

COMMENT = "Safer than what was played"

GONE_AT_ONCE = """async node => {
  node.click();
  await new Promise((drawn) => setTimeout(drawn));
  const buttons = [...document.querySelectorAll("button")];
  buttons.find((button) => button.textContent === "Delete from here").click();
}"""
"""Chooses an action and deletes it before the page has said its name."""


def nodes(person: Person) -> Locator:
    return person.page.locator(".tree .row .node")


def at(person: Person, name: str) -> Locator:
    """The action that is looked at, which begins like this."""
    return person.page.locator('.tree .node[aria-current="true"]').and_(
        person.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))
    )


def tree(person: Person) -> list[str]:
    """What a screen reader says of each node."""
    labels: list[str] = nodes(person).evaluate_all(
        "nodes => nodes.map((node) => node.getAttribute('aria-label') ?? '')"
    )
    return labels


def shows(person: Person, labels: list[str]) -> None:
    """That this is the tree, once the page has drawn it: another one may be there until then."""
    end = monotonic() + BOUND_MS / 1000
    while tree(person) != labels and monotonic() < end:
        person.page.wait_for_timeout(50)
    assert tree(person) == labels


def tap_anywhere(person: Person, other: str) -> str:
    """Play on a point that may be chosen, but not this one; the point."""
    free = person.page.locator(f'.board-box .target:not([data-point="{other}"])')
    expect(free.first).to_be_attached()
    point = free.first.get_attribute("data-point")
    assert point is not None
    person.press(person.point(point))
    return point


def test_variations_are_saved_and_read_back(
    newcomers: Newcomers, server: Serving, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = game("loose", 5)
    room, _ = prepare(server, of, of.turns)
    person = newcomers.get(server)
    page = person.page
    person.open(f"#{room}")
    person.press(person.button("Analyze"))
    expect(nodes(person)).to_have_count(of.turns + 1)
    person.press(page.get_by_role("button", name=f"Action 4: {of.actions[3]}"))
    point = tap_anywhere(person, of.actions[4])
    expect(at(person, f"Action 5: {point}, variation 2 of 2")).to_be_visible()
    person.press(person.button("interesting"))
    page.get_by_label("Comment").fill(COMMENT)
    person.press(person.button("Make this the main line"))
    expect(
        at(person, f"Action 5: {point}, interesting, variation 1 of 2, main line")
    ).to_be_visible()
    check(person)
    made = tree(person)

    page.reload()
    expect(at(person, f"Action 5: {point}")).to_be_visible()
    shows(person, made)
    with page.expect_download() as download:
        person.press(person.button("Save as a file"))
    file = tmp_path / "analysis.json"
    download.value.save_as(file)
    assert cli.main(["verify", str(file)]) == 0
    variations = of.turns - 4
    assert f"over, {variations} of {of.turns + 1} in variations" in capsys.readouterr().out

    reader = newcomers.get(server, PHONE)
    reader.open("#/analysis")
    reader.page.locator("input[type=file]").set_input_files(file)
    assert len(made) == of.turns + 2
    shows(reader, made)
    person.press(page.get_by_text("Share by link"))
    link = page.get_by_label("Anyone with this link").input_value()
    reader.page.goto(link)
    reader.sees("Analysis board")
    shows(reader, [label.replace(", played in the game", "") for label in made])


def test_an_empty_board_is_analysed_by_keyboard(newcomers: Newcomers, server: Serving) -> None:
    person = newcomers.get(server)
    typist, page = Typist(person), person.page
    person.open("#/analysis")
    typist.push("Open the board")
    typist.push("Set komi")
    typist.push("Play Black")
    expect(at(person, "Action 2: Black")).to_be_attached()
    expect(page).to_have_title("Analysis board · Pierule")
    for keys, action in ((["Enter"], "e5"), ([","], ""), (["ArrowUp", "Enter"], "e6")):
        typist.reach(page.locator('.board-box [tabindex="0"]'))
        expect(page.locator(".board-box .target").first).to_be_attached()
        typist.press(*keys)
        name = f"Action 3: {action}" if action else "Action 2: Black"
        expect(at(person, name)).to_be_attached()
    typist.reach(at(person, "Action 3: e6"))
    for key, name in (
        ("ArrowUp", "Action 3: e5, variation 1 of 2, main line"),
        ("ArrowLeft", "Action 2: Black"),
        ("ArrowRight", "Action 3: e5"),
        ("ArrowDown", "Action 3: e6, variation 2 of 2"),
    ):
        typist.press(key)
        expect(at(person, name)).to_be_focused()
    typist.push("Delete from here")
    expect(nodes(person)).to_have_count(4)
    typist.push("Undo")
    expect(at(person, "Action 3: e6")).to_be_attached()
    expect(nodes(person)).to_have_count(5)
    page.get_by_role("button", name="Action 3: e5").evaluate(GONE_AT_ONCE)
    expect(nodes(person)).to_have_count(4)
    forgets_by_keyboard(person)


TWIN = """() => {
  const [name] = JSON.parse(localStorage["pierule.analyses"]);
  localStorage["pierule.analysis.twin"] = localStorage[`pierule.analysis.${name}`];
  localStorage["pierule.analyses"] = JSON.stringify([name, "twin"]);
}"""
"""Keeps the analysis a second time."""


def forgets_by_keyboard(person: Person) -> None:
    """What this browser keeps. The focus goes to the next button, or to the screen."""
    page = person.page
    page.evaluate(TWIN)
    person.open("#/analysis")
    forget = page.get_by_role("button", name=re.compile("^Forget "))
    expect(forget).to_have_count(2)
    forget.first.focus()
    page.keyboard.press("Enter")
    expect(forget).to_have_count(1)
    expect(forget).to_be_focused()
    page.keyboard.press("Enter")
    person.sees("No analyses yet")
    expect(page.locator("#main")).to_be_focused()
