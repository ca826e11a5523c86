"""Every screen of the page on a sheet of its own: both appearances, at the widths of a phone, a
laptop and a large screen. `make pictures` draws them into clients/web/screenshots/sheets, and the
picture of the README beside them.

With names as arguments, `python -m browser.sheets home ending-taugo` draws only those. A screen
that cannot be drawn is named at the end, and the others are drawn.
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
from playwright.sync_api import Browser, Error, expect, sync_playwright

from archive.games import START, a_game
from browser.conftest import FLAGS
from browser.person import Person
from browser.rooms import known_as, prepare
from browser.screen import SCHEMES
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, find
from support.games import Game, game
from support.serving import Serving

FOLDER = Path(__file__).parents[2] / "clients" / "web" / "screenshots" / "sheets"
README = ("play-veletas", FOLDER.parent / "veletas.webp")
"""The screen whose light laptop view is the picture of the README, and the file of that picture."""

WINDOWS: tuple[tuple[dict[str, Any], int], ...] = (
    ({"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}, 560),
    ({"viewport": {"width": 1366, "height": 768}}, 560),
    ({"viewport": {"width": 3840, "height": 2160}}, 560),
)
"""The windows, and the height of each on a sheet."""

QUALITY = 50
MONTH = 30 * 86_400_000


@dataclass(frozen=True)
class Screen:
    """A screen: its path, what must be on it, who looks at it, and what they do first."""

    name: str
    path: str
    seen: str
    token: str | None = None
    rival: str | None = None
    """The token of the opponent, who is present, too."""
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
    ("color", "veletas", 7, 1), ("draft", "veletas", 10, 40), ("play-loose", "loose", 9, 46),
    ("play-veletas", "veletas", 10, 41), ("play-taugo", "taugo", 16, 70),
    ("ending-loose", "loose", 7, -1), ("ending-veletas", "veletas", 7, -1),
    ("ending-taugo", "taugo", 11, -1),
)  # fmt: skip
"""Rooms in each phase: a name, the game, its size, and the turn; -1 means the end."""


def drafting(of: Game, turn: int) -> Callable[[Person], None]:
    """Pick the first two points of a turn, and send nothing."""

    def act(person: Person) -> None:
        for point in of.actions[turn].replace("-", "/").split("/")[:2]:
            expect(person.page.locator(f'.target[data-point="{point}"]')).to_be_attached()
            person.press(person.point(point))

    return act


def rooms(serving: Serving, names: list[str]) -> Iterator[Screen]:
    """A room that waits for a player, and rooms in each phase, as the player to act sees them."""
    for name, which, size, turn in PHASES:
        if names and name not in names:
            continue
        of = game(which, size)
        turns = of.turns if turn < 0 else turn
        room, tokens = prepare(serving, of, turns, clock="20+10")
        seen = ".result" if turn < 0 else ".board-box .board"
        to_act = of.positions[turns].to_act or 0
        act = drafting(of, turns) if name == "draft" else None
        yield Screen(name, f"#{room}", seen, tokens[to_act], tokens[1 - to_act], act)
    yield Screen(
        "room-open",
        "",
        ".share input",
        act=lambda person: person.press(person.button("Create game")),
    )


def visit(browser: Browser, serving: Serving, token: str | None, **how: Any) -> Person:
    context = browser.new_context(reduced_motion="reduce", **how)
    person = Person(context, f"http://{serving.http}", tap="has_touch" in how)
    if token:
        known_as(person, token)
    return person


def draw(browser: Browser, serving: Serving, screen: Screen) -> None:
    """Draw one sheet: a row for each color scheme, with three windows side by side."""
    rival = visit(browser, serving, screen.rival)
    if screen.rival:
        rival.open(screen.path)
    shots = {
        scheme: [
            shot(browser, serving, screen, how | {"color_scheme": scheme}) for how, _ in WINDOWS
        ]
        for scheme in SCHEMES[::-1]
    }
    rival.page.context.close()
    name, path = README
    if screen.name == name:
        shots["light"][1].save(path, quality=80, method=6)
    rows = [beside(row) for row in shots.values()]
    sheet = Image.new("RGB", (rows[0].width, sum(row.height for row in rows)))
    for at, row in enumerate(rows):
        sheet.paste(row, (0, at * row.height))
    sheet.save(FOLDER / f"{screen.name}.webp", quality=QUALITY, method=6)


def shot(browser: Browser, serving: Serving, screen: Screen, how: dict[str, Any]) -> Image.Image:
    person = visit(browser, serving, screen.token, **how)
    person.open(screen.path)
    if screen.act:
        screen.act(person)
    person.page.locator(screen.seen).first.wait_for()
    person.page.locator("svg.art").wait_for(state="attached")
    if screen.rival:
        expect(person.page.locator(".player .presence.here")).to_have_count(2)
    picture = Image.open(io.BytesIO(person.page.screenshot(animations="disabled")))
    person.page.context.close()
    return picture.convert("RGB")


def beside(shots: list[Image.Image]) -> Image.Image:
    shots = [
        each.resize((each.width * high // each.height, high))
        for each, (_, high) in zip(shots, WINDOWS, strict=True)
    ]
    row = Image.new("RGB", (sum(each.width for each in shots), shots[0].height))
    left = 0
    for each in shots:
        row.paste(each, (left, 0))
        left += each.width
    return row


def fill(serving: Serving) -> None:
    """Fill the archive with games of some months."""
    serving.data.mkdir(parents=True)
    archive = Archive(opened(url_in(serving.data)))
    pairs = [("ada", "bo"), ("cleo", "ada"), ("bo", "cleo"), ("ada", "dora")]
    archive.add(
        a_game(f"room{chr(97 + at % 26)}{chr(97 + at // 26)}", seed=at, players=pairs[at % 4],
               plies=(None, 13, None)[at % 3], at=START + at * MONTH // 6)
        for at in range(60)
    )  # fmt: skip
    archive.engine.dispose()


def main(names: list[str]) -> int:
    """Draw the sheets with these names, or all; return the exit status."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        serving = Serving(Path(folder), "--api-port", "0", "--bots", "random,one-step,search")
        serving.patience = 120.0
        fill(serving)
        browser = playwright.chromium.launch(executable_path=find(CHROMIUM), args=FLAGS)
        with serving:
            for screen in chain(plain(), rooms(serving, names)):
                if names and screen.name not in names:
                    continue
                try:
                    draw(browser, serving, screen)
                except (Error, AssertionError) as error:
                    failed.append(screen.name)
                    print(f"{screen.name}: {error}", file=sys.stderr)
        browser.close()
    if failed:
        print(f"not drawn: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
