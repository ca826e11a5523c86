"""Fixtures of the browser tests: a real Chromium or Firefox, a real server, and the built page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from browser.person import Person
from support.browsers import CHROMIUM, FIREFOX, KINDS, Kind, find
from support.serving import Serving

if TYPE_CHECKING:
    from browser.company import Company
    from browser.newcomers import Newcomers
    from browser.windows import Windows

PAGE = Path(__file__).parents[2] / "server" / "pierule_server" / "page" / "index.html"
FEATURES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
            "SpareRendererForSitePerProcess", "AvoidUnnecessaryBeforeUnloadCheckSync",
            "DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "GlobalMediaControls",
            "HttpsUpgrades", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints",
            "PaintHolding", "Translate"]  # fmt: skip
"""Features of Chromium that are switched off. The first four cost each window nearly half of its
time: pages of an address bar that nobody sees, and a spare renderer. The others are Playwright's
own list, which these flags replace."""
# A window shows its first page in the process that it began with. No script runs long enough to be
# worth optimizing. A few large tiles are drawn faster than many small ones.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--renderer-process-limit=1", "--disable-background-networking",
         "--disable-component-update", "--js-flags=--no-opt,--no-maglev",
         "--default-tile-width=1024", "--default-tile-height=1024",
         f"--disable-features={','.join(FEATURES)}"]  # fmt: skip

LEAN: dict[str, str | float | bool] = {
    "app.normandy.enabled": False,
    "browser.newtab.preload": False,
    "browser.newtabpage.enabled": False,
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "extensions.enabledScopes": 0,
    "extensions.webextensions.remote": False,
    "fission.webContentIsolationStrategy": 0,
    "layout.frame_rate": 15,
    "nimbus.rollouts.enabled": False,
}
"""A start of Firefox takes nearly a third less without what no page sees: extensions, experiments,
new tabs, and processes for windows that nobody opens. A load takes a quarter less if no other
process has to take the page over. To draw 15 frames a second instead of 60 takes a ninth less."""

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}

Visit = Callable[..., Person]


def launch(playwright: Playwright, kind: Kind, program: str) -> Browser:
    """Start a browser. Firefox is the released one, driven by WebDriver BiDi, not the build that
    Playwright patches; settings that a context cannot make are made here."""
    if kind is CHROMIUM:
        return playwright.chromium.launch(executable_path=program, args=FLAGS)
    return playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=program,
        firefox_user_prefs={"ui.prefersReducedMotion": 1, **LEAN},
    )


def needs_firefox(test: pytest.Item) -> bool:
    """By its name: "[Firefox]" or "in_firefox"."""
    return FIREFOX.name.lower() in test.name.lower()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need Firefox come first, so that few workers start one."""
    items.sort(key=needs_firefox, reverse=True)


class Browsers:
    """Each browser is started when it is first asked for, and runs until it is closed."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._running: dict[Kind, Browser] = {}

    def get(self, kind: Kind) -> Browser:
        if kind not in self._running:
            self._running[kind] = launch(self._playwright, kind, find(kind))
        return self._running[kind]

    def close(self, kind: Kind) -> None:
        if kind in self._running:
            self._running.pop(kind).close()


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    assert PAGE.exists(), "the page is not built: make page"
    with sync_playwright() as playwright:
        yield Browsers(playwright)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest) -> Kind:
    """A test with this fixture runs in each browser: `visit(engine=engine)`."""
    kind: Kind = request.param
    return kind


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with a house bot, shared by all tests."""
    with Serving(tmp_path_factory.mktemp("page"), "--bots", "random") as serving:
        yield serving


@pytest.fixture
def visit(browsers: Browsers, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Open a browser for a new person: `visit(**context options, address=None, engine=CHROMIUM)`.
    Errors inside the page fail the test. Only tests about the service worker allow it: it would
    load files while other tests watch the network."""
    people: list[Person] = []
    if not needs_firefox(request.node):
        browsers.close(FIREFOX)  # it works even while nobody looks

    def arrive(address: str | None = None, engine: Kind = CHROMIUM, **how: Any) -> Person:
        if address is None:
            address = f"http://{request.getfixturevalue('server').http}"
        calm = {"reduced_motion": "reduce", "service_workers": "block", **LAPTOP}
        context = browsers.get(engine).new_context(**{**calm, **how})
        people.append(Person(context, address, tap=bool(how.get("has_touch"))))
        return people[-1]

    yield arrive
    faults = [fault for person in people for fault in person.faults]
    for person in people:
        person.page.context.close()
    assert faults == []


@pytest.fixture(scope="module")
def names() -> tuple[str, ...]:
    """The names of the players in a module's windows."""
    return "Ada", "Bo"


@pytest.fixture(scope="module")
def host(server: Serving) -> Serving:
    """The server that they show."""
    return server


@pytest.fixture(scope="module")
def opened(browsers: Browsers, host: Serving, names: tuple[str, ...]) -> Iterator[Windows]:
    from browser.windows import Windows  # which imports this module

    windows = Windows(browsers, host, names=names)
    yield windows
    windows.close()


@pytest.fixture
def windows(opened: Windows, request: pytest.FixtureRequest) -> Iterator[Windows]:
    """Windows that stay open from test to test."""
    yield from opened.borrow(request)


@pytest.fixture(scope="session")
def hall(browsers: Browsers, server: Serving) -> Iterator[Newcomers]:
    from browser.newcomers import Newcomers

    newcomers = Newcomers(browsers, server)
    yield newcomers
    newcomers.close()


@pytest.fixture
def newcomers(hall: Newcomers, request: pytest.FixtureRequest) -> Iterator[Newcomers]:
    """Windows that stay open from test to test, in each of which somebody new arrives."""
    yield from hall.borrow(request)


@pytest.fixture(scope="module")
def gathered(browsers: Browsers, server: Serving) -> Iterator[Company]:
    from browser.company import Company

    company = Company(browsers, server)
    yield company
    company.close()


@pytest.fixture
def company(gathered: Company, visit: Visit) -> Iterator[Company]:
    """Errors inside the pages fail the test, as those of the test's own visitors do."""
    gathered.faults()
    yield gathered
    assert gathered.faults() == []
