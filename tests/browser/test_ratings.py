"""Ratings on the page: leaderboards, a player's curve, and what a game did (SPEC 30)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from archive.test_rating import rate_all, rated_game
from browser.conftest import PHONE, Visit
from browser.person import BOUND_MS
from browser.screen import WIDTHS, check, overflow
from browser.test_keyboard import Typist
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, Kind
from support.serving import Serving

GAMES = 44


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose archive has rated games of four players, of whom one has too few."""
    folder = tmp_path_factory.mktemp("rated")
    serving = Serving(folder, "--api-port", "0")
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    archive.add([rated_game(number, today=True) for number in range(GAMES)])
    archive.add([rated_game(GAMES, rated="no")])
    rate_all(archive)
    archive.engine.dispose()
    with serving:
        yield serving


def test_from_the_first_screen_to_a_curve_by_keyboard(
    visit: Visit, keeping: Serving, engine: Kind
) -> None:
    person = visit(f"http://{keeping.http}", engine=engine)
    typist, page = Typist(person), person.page
    person.open("#/games")
    typist.reach(page.get_by_role("link", name="Ratings"))
    typist.press("Enter")
    rows = page.locator(".board-of-players tbody tr")
    expect(rows).to_have_count(3, timeout=BOUND_MS)
    expect(rows.first).to_have_text(re.compile(r"^1\. [A-Z][a-z]+1[4-7]\d\d\d+"))
    if engine is CHROMIUM:
        check(person)
    typist.reach(rows.first.get_by_role("link"))
    typist.press("Enter")
    person.sees(re.compile(r"\d+ games from .* between \d+ and \d+"))
    expect(page.get_by_role("heading", name="Ratings")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("games from"))).to_be_visible()
    if engine is CHROMIUM:
        check(person)


def test_a_game_says_what_it_did_or_why_nothing(visit: Visit, keeping: Serving) -> None:
    person = visit(f"http://{keeping.http}")
    person.open("#/game/1")
    person.sees(re.compile(r"Ada: 1000.2000 → \d+.\d+\. Bob: 1000.2000 → \d+.\d+\."))
    person.open(f"#/game/{GAMES + 1}")
    person.sees("This game is not rated: a player wanted no rated game.")


def test_a_game_that_nobody_plays_has_an_empty_list(visit: Visit, keeping: Serving) -> None:
    person = visit(f"http://{keeping.http}", **PHONE)
    person.open("#/ratings/taugo")
    person.sees("Nobody has enough rated games yet.")
    check(person)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_screens_fit(visit: Visit, keeping: Serving, width: int) -> None:
    person = visit(f"http://{keeping.http}", viewport={"width": width, "height": 700})
    for path, text in (("#/ratings/loose", "Version 1 of the model"), ("#/player/Ada", "Ratings")):
        person.open(path)
        person.sees(text)
        assert overflow(person) <= 0


def test_a_guest_who_wants_a_rated_game_is_told_what_is_missing(
    visit: Visit, server: Serving
) -> None:
    person = visit(f"http://{server.http}", **PHONE)
    page = person.page
    person.open()
    person.more()
    page.get_by_label("Rated").select_option("yes")
    for button in ("Create game", "Play now"):
        person.press(person.button(button))
        person.sees("This game could not be rated. Register a name, or play without ratings.")
        assert not page.url.partition("#")[2].strip("/")
    page.get_by_label("Rated").select_option("no")
    person.press(person.button("Create game"))
    person.sees("This game is not rated: a player wanted no rated game.")
