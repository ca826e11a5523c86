"""Every screen of the page on a sheet of its own: both appearances, at the widths of a phone, a
laptop and a large screen. `make pictures` draws them into clients/web/screenshots/sheets.

With names as arguments, `python -m browser.sheets home ending-taugo` draws only those.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from archive.games import START, a_game
from browser.conftest import FLAGS
from browser.person import Person
from browser.rooms import known_as, prepare
from browser.screen import SCHEMES
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, find
from support.games import game
from support.serving import Serving

FOLDER = Path(__file__).parents[2] / "clients" / "web" / "screenshots" / "sheets"

WINDOWS: tuple[tuple[dict[str, Any], int], ...] = (
    ({"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}, 560),
    ({"viewport": {"width": 1366, "height": 768}}, 560),
    ({"viewport": {"width": 3840, "height": 2160}}, 560),
)
"""Windows, and how high each is on a sheet."""

QUALITY = 50
MONTH = 30 * 86_400_000


@dataclass(frozen=True)
class Screen:
    """A screen: its path, what has to be there, who looks at it, and what they do first."""

    name: str
    path: str
    seen: str
    token: str | None = None
    act: Callable[[Person], None] | None = None


def plain() -> Iterator[Screen]:
    """The screens that need no room."""
    yield Screen("home", "", ".show .board >> nth=2")
    yield Screen("home-more", "", ".new details", act=lambda person: person.more())
    yield Screen(
        "settings", "", ".settings", act=lambda person: person.page.locator(".gear").click()
    )
    yield Screen("learn", "#/learn", ".course .board >> nth=2")
    yield Screen("learn-course", "#/learn/taugo", ".titles li")
    yield Screen("learn-lesson", "#/learn/veletas/choose", ".board")
    for name in ("loose", "veletas", "taugo"):
        yield Screen(f"rules-{name}", f"#/rules/{name}", ".rules .board")
    yield Screen("replay", "#/replay", ".drop")
    yield Screen("analyses", "#/analysis", "h1")
    yield Screen("games", "#/games", ".list li")
    yield Screen("game", "#/game/7/2", ".explorer li")
    yield Screen("player", "#/player/ada", ".activity")
    yield Screen("ratings", "#/ratings/loose", "h1")
    yield Screen("cuts", "#/cuts/loose?size=5", ".cuts li")
    yield Screen("broken", "#kobadimutelosa.x", ".banner")


PHASES = (
    ("cut-loose", "loose", 9, 0), ("cut-veletas", "veletas", 10, 0), ("cut-taugo", "taugo", 11, 0),
    ("color", "veletas", 7, 1), ("play-loose", "loose", 9, 46), ("play-veletas", "veletas", 10, 41),
    ("play-taugo", "taugo", 16, 70), ("ending-loose", "loose", 7, -1),
    ("ending-veletas", "veletas", 7, -1), ("ending-taugo", "taugo", 11, -1),
)  # fmt: skip
"""Rooms in each phase: a name, the game, its size, and the turn; -1 is its end."""


def rooms(serving: Serving) -> Iterator[Screen]:
    """A room that waits for a player, and rooms in each phase, as whoever is to act sees them."""
    for name, which, size, turn in PHASES:
        of = game(which, size)
        turns = of.turns if turn < 0 else turn
        room, tokens = prepare(serving, of, turns, clock="20+10")
        seen = ".result" if turn < 0 else ".board-box .board"
        yield Screen(name, f"#{room}", seen, tokens[of.positions[turns].to_act or 0])
    yield Screen(
        "room-open",
        "",
        ".share input",
        act=lambda person: person.press(person.button("Create game")),
    )


def draw(browser: Browser, serving: Serving, screen: Screen) -> None:
    """One sheet: a row for each appearance, with its three windows side by side."""
    rows = []
    for scheme in SCHEMES[::-1]:
        shots = [shot(browser, serving, screen, how, scheme, high) for how, high in WINDOWS]
        rows.append(beside(shots))
    sheet = Image.new("RGB", (rows[0].width, sum(row.height for row in rows)))
    for at, row in enumerate(rows):
        sheet.paste(row, (0, at * row.height))
    sheet.save(FOLDER / f"{screen.name}.webp", quality=QUALITY, method=6)


def shot(
    browser: Browser, serving: Serving, screen: Screen, how: dict[str, Any], scheme: Any, high: int
) -> Image.Image:
    context = browser.new_context(reduced_motion="reduce", color_scheme=scheme, **how)
    person = Person(context, f"http://{serving.http}", tap="has_touch" in how)
    if screen.token:
        known_as(person, screen.token)
    person.open(screen.path)
    if screen.act:
        screen.act(person)
    person.page.locator(screen.seen).first.wait_for()
    person.page.locator("svg.art").wait_for(state="attached")
    picture = Image.open(io.BytesIO(person.page.screenshot(animations="disabled")))
    context.close()
    return picture.convert("RGB").resize((picture.width * high // picture.height, high))


def beside(shots: list[Image.Image]) -> Image.Image:
    row = Image.new("RGB", (sum(each.width for each in shots), shots[0].height))
    left = 0
    for each in shots:
        row.paste(each, (left, 0))
        left += each.width
    return row


def fill(serving: Serving) -> None:
    """An archive with the games of some months."""
    serving.data.mkdir(parents=True)
    archive = Archive(opened(url_in(serving.data)))
    pairs = [("ada", "bo"), ("cleo", "ada"), ("bo", "cleo"), ("ada", "dora")]
    archive.add(
        a_game(f"room{chr(97 + at % 26)}{chr(97 + at // 26)}", seed=at, players=pairs[at % 4],
               plies=(None, 13, None)[at % 3], at=START + at * MONTH // 6)
        for at in range(60)
    )  # fmt: skip
    archive.engine.dispose()


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        serving = Serving(Path(folder), "--api-port", "0", "--bots", "random,one-step,search")
        serving.patience = 120.0
        fill(serving)
        browser = playwright.chromium.launch(executable_path=find(CHROMIUM), args=FLAGS)
        with serving:
            for screen in chain(plain(), rooms(serving)):  # a player who is gone long is told of
                if not names or screen.name in names:
                    draw(browser, serving, screen)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
