"""The page without a connection, and after an update: its service worker in real browsers."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from archive.games import a_game
from browser.conftest import PAGE, Visit
from browser.person import Person
from browser.screen import violations
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, Kind
from support.serving import Serving
from support.stores import free_port

BOUND_MS = 60_000
"""For what happens in the background, where nobody waits for it."""
SHELLS = "caches.keys().then(all => all.filter(each => each.startsWith('pierule-shell-')))"
LOADED = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
    .filter(each => !each.name.includes('/api/')).map(each => [each.name, each.encodedBodySize])"""
LATER = re.compile("/assets/(RoomScreen|history|title|attempt|Sure)-")
"""The parts of the room's screen, which come when the page has nothing else to do. On a slow
machine that may be before they are counted."""
BUILT = 1_700_000_000
"""The time of all files of all builds, in seconds."""
MOST = 100_000
"""The most bytes of a first visit."""


@pytest.fixture
def going(tmp_path: Path) -> Iterator[Serving]:
    """A server at ports of its own, to which it comes back, with a game in its archive."""
    serving = Serving(tmp_path, "--port", str(free_port()), "--api-port", str(free_port()))
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    archive.add([a_game("rooma")])
    archive.engine.dispose()
    with serving:
        yield serving


def until(page: Page, expression: str) -> None:
    """Wait until something is true in the page, of which nothing on the screen tells. Playwright's
    own way needs `eval` in Firefox, which the page forbids."""
    end = monotonic() + BOUND_MS / 1000
    while not page.evaluate(expression):
        assert monotonic() < end, expression
        page.wait_for_timeout(150)  # to ask costs more than to wait


def has_worker(person: Person) -> None:
    """Wait until the worker has taken over this page."""
    until(person.page, "!!navigator.serviceWorker.controller")


def kept(person: Person, name: str, many: int) -> None:
    """Wait until so much is kept."""
    count = f"caches.open('pierule-{name}').then(c => c.keys()).then(all => all.length >= {many})"
    until(person.page, count)


def go(person: Person, where: str) -> None:
    """Go to another screen of the page that was loaded."""
    person.page.evaluate("where => { location.hash = where }", where)


def load(person: Person, path: str) -> None:
    """Load the page at an address, also where only what is behind `#` differs."""
    person.page.evaluate("history.replaceState(null, '', '/elsewhere')")
    person.page.goto(f"{person.address}/{path}")


def test_opened_screens_work_without_a_server(visit: Visit, engine: Kind, going: Serving) -> None:
    person = visit(f"http://{going.http}", engine=engine, service_workers="allow")
    page = person.page
    person.open()
    expect(page.locator(".show .sample svg")).to_have_count(3, timeout=BOUND_MS)
    if engine is CHROMIUM:
        loaded = {name: size for name, size in page.evaluate(LOADED) if not LATER.search(name)}
        assert sum(loaded.values()) <= MOST, loaded
    has_worker(person)
    go(person, "#/learn/loose")
    page.get_by_role("link", name=re.compile("^Start: ")).wait_for()
    go(person, "#/game/rooma")
    person.sees("Record of rooma")
    page.goto(f"{person.address}/game/1")
    person.sees("Every board matches the record.")
    kept(person, "games", 1)
    kept(person, "documents", 4)
    until(
        page,
        """caches.open('pierule-games').then(c => c.match('https://kept.invalid/1'))
           .then(found => found?.json()).then(game => !!game?.positions && !!game.account)""",
    )
    assert going.terminate() == 0
    away(person)
    going.start()
    person.online()
    expect(person.button("Play now")).to_be_enabled(timeout=BOUND_MS)
    expect(page.get_by_text("The server cannot be reached.")).to_have_count(0)


def away(person: Person) -> None:
    """Everything that works, and what says why it does not: by a screen's address, by a path, and
    on the first screen, and from there to others."""
    page = person.page
    load(person, "#/learn")  # the lessons of one game were opened, and those of the others not
    expect(page.locator(".course", has_text="Loose")).to_be_visible()
    go(person, "#/learn/loose")
    page.get_by_role("link", name=re.compile("^Start: ")).click()
    expect(page.locator(".lesson-table .board")).to_be_visible()
    go(person, "#/rules/veletas")
    page.get_by_role("heading", name="Veletas").wait_for()
    go(person, "#/games")
    person.sees("Games that you opened here")
    expect(page.locator(".list li", has_text="Ada")).to_have_count(1, timeout=BOUND_MS)
    assert violations(person) == []
    load(person, "game/1")
    person.sees("Every board matches the record.")
    go(person, "#/analysis")
    person.sees("Only the server knows the rules.")
    load(person, "")
    person.sees("The server cannot be reached.")
    person.sees("To play, you need a connection.")
    expect(person.button("Play now")).to_be_disabled()
    expect(page.locator(".show .sample svg")).to_have_count(3)
    assert violations(person) == []


class Static(SimpleHTTPRequestHandler):
    """A web server of files, which says nothing of itself. It sends each file whole: by the time of
    a file, which HTTP tells in whole seconds, two builds can look the same."""

    def send_head(self) -> Any:
        del self.headers["If-Modified-Since"]
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def static(folder: Path, port: int = 0) -> Iterator[str]:
    """The address of a server of these files."""
    with ThreadingHTTPServer(("127.0.0.1", port), partial(Static, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def build(folder: Path, number: int) -> None:
    """The page as a later build would be: all files that carry a hash have another name."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PAGE.parent, folder, ignore=shutil.ignore_patterns("*.br", "*.gz"))
    assets = [path.name for path in (folder / "assets").iterdir()]
    names = {name: re.sub(r"(.{4})(\.\w+)$", rf"_{number:03}\2", name) for name in assets}
    for name, later in names.items():
        (folder / "assets" / name).rename(folder / "assets" / later)
    for path in folder.rglob("*.*"):
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text("utf-8")
            for name, later in names.items():
                text = text.replace(name, later)
            path.write_text(text, "utf-8")
    index = folder / "index.html"
    index.write_text(index.read_text("utf-8").replace("<html", f'<html data-build="{number}"'))
    worker = folder / "sw.js"
    worker.write_text(re.sub(r'"name":"\w+"', f'"name":"build{number}"', worker.read_text("utf-8")))
    assert f"build{number}" in worker.read_text("utf-8")
    for path in folder.rglob("*.*"):  # as if all builds were of the same second
        os.utime(path, (BUILT, BUILT))


def shows(page: Page, number: int) -> None:
    """The page is of this build, and so is all that it runs."""
    expect(page.locator(".home")).to_be_visible(timeout=BOUND_MS)
    expect(page.locator("html")).to_have_attribute("data-build", str(number))
    files = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assets = [name for name in files if "/assets/" in name]
    assert assets
    assert all(f"_{number:03}." in name for name in assets), assets


def keeps(page: Page, *numbers: int) -> None:
    """These builds are kept, and no other."""
    wanted = json.dumps([f"pierule-shell-build{number}" for number in numbers])
    alike = f"all => JSON.stringify(all) === JSON.stringify({wanted})"
    until(page, f"{SHELLS}.then({alike})")
    whole = (
        f"caches.match('/index.html').then(found => !!found === {'true' if numbers else 'false'})"
    )
    until(page, whole)


def test_an_update_is_taken_at_the_next_load(visit: Visit, tmp_path: Path) -> None:
    """Also by a page without a server, and without anything of an older build; and the worker goes
    if the server has none any more."""
    folder = tmp_path / "site"
    build(folder, 1)
    with static(folder) as address:
        person = visit(address, service_workers="allow")
        page = person.page
        page.goto(address)
        has_worker(person)
        keeps(page, 1)
        for number, before in ((2, [1]), (3, [2])):
            build(folder, number)
            page.reload()
            shows(page, number)
            keeps(page, *before, number)
    page.reload()
    shows(page, 3)
    person.sees("The server cannot be reached.")
    (folder / "sw.js").unlink()
    with static(folder, int(address.rpartition(":")[2])):
        page.reload()
        shows(page, 3)
        keeps(page)
        until(page, "navigator.serviceWorker.getRegistrations().then(all => all.length === 0)")
    person.faults.clear()  # what the server does not have
