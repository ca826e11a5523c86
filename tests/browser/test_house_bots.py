"""A game against a bot, from its card on the first screen to its end, and the next one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import registered
from browser.screen import check
from pierule_games import GAMES
from support.browsers import CHROMIUM, Kind
from support.serving import Serving

SMALL = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
STARTING_MS = 60_000
"""For a bot that has to start, on a busy machine, in milliseconds."""


@pytest.fixture(scope="module")
def hosting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose bots nobody else keeps busy."""
    with Serving(tmp_path_factory.mktemp("hosting"), "--bots", "random") as serving:
        yield serving


def test_a_bot_is_played_from_its_card(
    newcomers: Newcomers, engine: Kind, hosting: Serving
) -> None:
    """On a phone with a finger, and in Firefox with nothing but keys. The choice is remembered."""
    touches = engine is CHROMIUM
    how = SMALL if touches else {"viewport": SMALL["viewport"]}
    person = newcomers.get(hosting, how, engine=engine)
    act = person.press if touches else strike
    person.wish("veletas", 7)
    person.page.get_by_role("combobox", name="Clock").select_option("10 min + 5 s")
    card = person.page.get_by_role("button", name="Play Pip: Beginner, free")
    expect(card).to_be_visible(timeout=STARTING_MS)
    act(card)
    expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible()
    person.sees(re.compile("Veletas 7 . 7, 10 min . 5 s"))
    person.sees("This game is not rated: one player is a bot.")
    resign(person, act)
    again = person.button("Play Pip again")
    for seen in (person.page.locator(".result"), again):
        expect(seen).to_be_in_viewport(ratio=0.99)
    expect(person.page.locator(".player.winner .name")).to_contain_text("Pip")
    first = person.page.url
    person.pause()
    act(again)
    expect(person.page).not_to_have_url(first)
    resign(person, act)
    person.open()
    mine = person.page.locator(".list li").filter(has_text="you lost")
    expect(mine).to_have_count(2)
    expect(person.page.get_by_role("combobox", name="Size")).to_have_value("7")
    expect(person.page.locator(".game.checked .game-name")).to_have_text("Veletas")


def test_the_page_says_that_games_against_bots_are_rated(
    newcomers: Newcomers, tmp_path: Path
) -> None:
    """Before the game, during it, and in the list of the bots' ratings."""
    flags = "--bots", "random", "--rate-bots", "on", "--api-port", "0"
    with Serving(tmp_path, *flags) as serving:
        ada = registered(serving, "Ada")
        person = newcomers.get(serving, SMALL, keeps={"token": ada.token, "registered": ada.user})
        person.wish("loose", 5)
        card = person.page.get_by_role("button", name="Play Pip: Beginner, free")
        expect(card).to_be_visible(timeout=STARTING_MS)
        person.sees("Games against these bots are rated.")
        check(person)
        person.press(card)
        expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible()
        person.sees("This game is rated.")
        fixed = str(GAMES["loose"].anchors["random"])
        expect(person.page.locator(".player .rating [aria-hidden]")).to_have_text([fixed])
        person.open("#/ratings/loose")
        person.sees("On this server, games against bots are rated if you have registered a name.")
        check(person)


def strike(target: Locator) -> None:
    """Press a button with a key."""
    target.focus()
    target.press("Enter")


def resign(person: Person, act: Callable[[Locator], None]) -> None:
    """Once it is one's turn: what the bot plays meanwhile would move the buttons."""
    mine = person.page.locator(".player.acts", has=person.page.locator(".tag", has_text="you"))
    expect(mine).to_be_visible(timeout=STARTING_MS)
    act(person.button("Resign"))
    person.pause()
    act(person.button("Yes, I resign"))
    expect(person.page.locator(".result")).to_have_text(re.compile("^You lost"))
