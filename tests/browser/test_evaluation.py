"""Evaluations on the analysis board: a curve, the largest swings, and what was better."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from archive.games import a_game
from browser.conftest import PHONE
from browser.newcomers import Newcomers
from browser.screen import check, overflow
from browser.test_keyboard import Typist
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.serving import Serving

GAME = "evaluatedgame"
"""A short game that was played at random, so that there are swings."""

EVALUATED_MS = 150_000
"""In this time the process has started and evaluated the game, though all else comes first."""


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose archive has a game."""
    serving = Serving(tmp_path_factory.mktemp("keeping"), "--api-port", "0")
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    archive.add([a_game(GAME, game="taugo", size=6, seed=8)])
    archive.engine.dispose()
    with serving:
        yield serving


@pytest.mark.timeout(600)
def test_a_game_is_evaluated_and_a_better_action_can_be_tried(
    newcomers: Newcomers, keeping: Serving
) -> None:
    person = newcomers.get(keeping)
    typist, page = Typist(person), person.page
    person.open(f"#/game/{GAME}")
    typist.push("Evaluate")
    section = page.locator("section.evaluation")
    swings = section.locator(".swings li")
    expect(swings).to_have_count(3, timeout=EVALUATED_MS)
    expect(section.locator("progress")).to_have_count(0, timeout=EVALUATED_MS)
    nodes = page.locator(".tree .node")
    count = nodes.count()
    check(person)

    slider = section.get_by_role("slider", name="Along the line")
    typist.reach(slider)
    typist.press("End")
    told = re.compile(rf"^Action {count - 1}: .*\. Black [0-9]+%")
    expect(slider).to_have_attribute("aria-valuetext", told)
    typist.press("ArrowLeft")
    expect(page.locator('.tree .node[aria-current="true"]')).to_have_accessible_name(
        re.compile(f"^Action {count - 2}:")
    )

    better = swings.first.get_by_role("button", name=re.compile("^Show "))
    action = re.fullmatch("Show (.*) as action .*", better.get_attribute("aria-label") or "")
    assert action is not None
    person.press(better)
    expect(nodes).to_have_count(count + 1)
    expect(page.locator('.tree .node[aria-current="true"]')).to_have_accessible_name(
        re.compile(f": {re.escape(action[1])}, variation 2 of 2")
    )
    expect(section.locator(".expected")).to_be_visible(timeout=EVALUATED_MS)
    expect(swings).to_have_count(3)

    reader = newcomers.get(keeping, PHONE)
    reader.open(f"#/game/{GAME}")
    reader.press(reader.button("Evaluate"))
    expect(reader.page.locator(".swings li")).to_have_count(3, timeout=EVALUATED_MS)
    expect(reader.page.locator(".trend svg")).to_be_in_viewport(ratio=1)
    board = reader.page.locator(".board-box")
    expect(board).not_to_be_in_viewport()
    reader.press(reader.page.locator(".swings li .link").last)
    expect(board).to_be_in_viewport(ratio=1)
    assert overflow(reader) == 0
