"""Fixtures of the browser tests: a real Chromium before a real server, with the built page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from browser.person import Person
from support.browsers import CHROMIUM, find
from support.serving import Serving

PAGE = Path(__file__).parents[2] / "server" / "pierule_server" / "page" / "index.html"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]  # fmt: skip

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}

Visit = Callable[..., Person]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    assert PAGE.exists(), "the page is not built: make page"
    program = find(CHROMIUM)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with a house bot, that all tests leave running."""
    serving = Serving(tmp_path_factory.mktemp("page"), "--bots", "random")
    try:
        serving.start()
        yield serving
    finally:
        serving.clear()


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Let somebody open a browser of their own: `visit(**context options, address=None)`. What went
    wrong inside of the page fails the test."""
    people: list[Person] = []

    def arrive(address: str | None = None, **how: Any) -> Person:
        if address is None:
            address = f"http://{request.getfixturevalue('server').http}"
        context = browser.new_context(**{"reduced_motion": "reduce", **LAPTOP, **how})
        people.append(Person(context, address, tap=bool(how.get("has_touch"))))
        return people[-1]

    yield arrive
    faults = [fault for person in people for fault in person.faults]
    for person in people:
        person.page.context.close()
    assert faults == []
