"""The lists of games of others: what somebody looks for is found among many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from threading import Event

import pytest
from playwright.sync_api import Locator, expect

import pierule
from browser.person import Person
from browser.screen import check
from browser.windows import Windows
from support.browsers import Kind
from support.serving import Serving

OPEN = 210
"""Two full lobbies, and some."""


class Crowd:
    """Five guests who wait in `OPEN` rooms of Taugo, and one who waits for Veletas since before."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.url = serving.url
        self.veletas = self.oldest = ""
        self.leaves = Event()

    async def wait(self, there: Event) -> None:
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            ada = await enter(pierule.connect(self.url, name="Ada"))
            self.veletas = (await ada.create("veletas", 7, seat=1)).id
            self.oldest = (await ada.create("taugo", 6, seat=0)).id
            guests = [await enter(pierule.connect(self.url)) for _ in range(5)]
            for number in range(OPEN - 1):
                await guests[number % 5].create("taugo", 6, seat=0)
            there.set()
            await asyncio.to_thread(self.leaves.wait)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    serving = Serving(tmp_path_factory.mktemp("crowd"))
    serving.start()
    crowd, there = Crowd(serving), Event()
    with ThreadPoolExecutor(1) as apart:  # Playwright's own loop runs in this thread
        waiting = apart.submit(asyncio.run, crowd.wait(there))
        waiting.add_done_callback(lambda _: there.set())
        try:
            there.wait()
            yield crowd
        finally:
            crowd.leaves.set()
            waiting.result()
            serving.clear()


@pytest.fixture(scope="module")
def host(crowd: Crowd) -> Serving:
    return crowd.serving


def lists(windows: Windows, *engine: Kind, finger: bool = False) -> Person:
    """The first screen, with the lists of all games."""
    person = windows.get(0, *engine, finger=finger)
    person.page.evaluate("location.hash = '#/'")
    expect(field(person, "Game")).to_be_visible()
    if person.button("Show all").is_visible():  # as another test left it
        person.press(person.button("Show all"))
    expect(listed(person)).to_have_count(50)
    return person


def listed(person: Person, title: str = "Waiting for a player") -> Locator:
    return person.page.locator(".list", has_text=title).locator("li")


def field(person: Person, label: str) -> Locator:
    return person.page.locator(".filters").get_by_role("combobox", name=label, exact=True)


def choose(person: Person, label: str, option: str) -> None:
    field(person, label).select_option(option)


def test_a_room_is_found_among_many(windows: Windows, crowd: Crowd, engine: Kind) -> None:
    """By filters, and by keyboard among all."""
    person = lists(windows, engine)
    by_filters(person, crowd)
    by_keyboard(person, crowd)


def by_filters(person: Person, crowd: Crowd) -> None:
    veletas = person.page.get_by_role("link", name=re.compile(crowd.veletas))
    expect(veletas).to_have_count(0)
    choose(person, "Game", "Veletas")
    expect(veletas).to_be_visible()
    expect(listed(person)).to_have_count(1)
    choose(person, "Show", "waiting: you choose the color")
    person.sees("No games match right now.")
    choose(person, "Show", "waiting: you cut")
    expect(veletas).to_be_visible()
    choose(person, "Show", "being played")
    expect(listed(person)).to_have_count(0)
    person.press(person.button("Show all"))
    expect(listed(person)).to_have_count(50)
    expect(field(person, "Game")).to_be_focused()


def by_keyboard(person: Person, crowd: Crowd) -> None:
    """To the very last. The focus goes to the first of those that are new."""

    def press(more: Locator, shown: int) -> None:
        more.focus()
        person.page.keyboard.press("Enter")
        new = listed(person).nth(shown).get_by_role("link")
        expect(new).to_be_focused()

    show_more(person, crowd, press)


def show_more(person: Person, crowd: Crowd, ask: Callable[[Locator, int], None]) -> None:
    """Ask for more until all of the rooms are there; `ask` is given how many there are."""
    choose(person, "Game", "Taugo")
    more = person.button("Show more: Waiting for a player")
    for shown in (50, 100, 150, 200):
        expect(listed(person)).to_have_count(shown)
        ask(more, shown)
    expect(listed(person)).to_have_count(OPEN)
    oldest = listed(person).last.get_by_role("link", name=re.compile(crowd.oldest))
    expect(oldest).to_be_visible()
    expect(more).to_have_count(0)


def test_the_last_room_is_reached_by_touch(windows: Windows, crowd: Crowd) -> None:
    person = lists(windows, finger=True)
    show_more(person, crowd, lambda more, _: more.tap())


def test_filtered_lists_fit_and_are_kept_over_a_game(windows: Windows) -> None:
    person = lists(windows)
    choose(person, "Show", "waiting for a player")
    expect(listed(person)).to_have_count(50)
    check(person)
    choose(person, "Game", "Veletas")
    person.press(person.page.get_by_role("link", name="Rules"))
    person.page.go_back()
    expect(listed(person)).to_have_count(1)
    expect(field(person, "Game")).to_have_value("veletas")
    expect(field(person, "Show")).to_have_value("open")
