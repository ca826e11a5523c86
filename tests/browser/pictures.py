"""Pictures of the main states, for whoever reviews how the page looks: make pictures

They go to clients/web/screenshots, and those of every screen to sheets in it. Games come from the
reference games, so that all stays as it is from one run to the next but for what was changed on
purpose.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from archive.games import START, a_game
from browser import sheets
from browser.conftest import FLAGS
from browser.person import Person
from browser.rooms import known_as, prepare
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, find
from support.games import games
from support.serving import Serving

FOLDER = Path(__file__).parents[2] / "clients" / "web" / "screenshots"

SIZES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "small": {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True},
    "flat": {"viewport": {"width": 740, "height": 360}, "has_touch": True, "is_mobile": True},
    "tablet": {"viewport": {"width": 768, "height": 1024}, "has_touch": True, "is_mobile": True},
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "large": {"viewport": {"width": 3840, "height": 2160}},
}


HOME = (("laptop", "light"), ("phone", "dark"), ("small", "light"), ("large", "light"))


class Studio:
    """Takes pictures of one server's page."""

    def __init__(self, browser: Browser, serving: Serving) -> None:
        self._browser = browser
        self._serving = serving

    def visit(self, size: str, scheme: str, token: str | None = None, **more: Any) -> Person:
        how = {"reduced_motion": "reduce", "color_scheme": scheme, **SIZES[size], **more}
        context = self._browser.new_context(**how)
        person = Person(context, f"http://{self._serving.http}", tap="has_touch" in how)
        if token:
            known_as(person, token)
        return person

    def take(self, person: Person, name: str) -> None:
        person.page.evaluate("document.fonts.ready")
        person.page.mouse.move(0, 0)
        how: dict[str, Any] = {"animations": "disabled", "path": FOLDER / f"{name}.png"}
        if "-large-" in name:  # a PNG of that size would be half a megabyte
            how |= {"path": FOLDER / f"{name}.jpg", "type": "jpeg", "quality": 70}
        person.page.screenshot(**how)
        person.page.context.close()

    def offer(self) -> None:
        """A draw that is offered, as it is seen on a phone in Spanish."""
        of = next(each for each in games() if (each.game, each.size) == ("taugo", 6))
        first, second = self.visit("laptop", "light"), self.visit("phone", "light", locale="es")
        link = first.create(of.game, of.size, clock="5 min + 3 s")
        second.page.goto(link)
        second.press(second.page.locator(".seats .primary"))
        first.play(of.actions[0], 0)
        second.press(second.page.locator(f".color.{of.actions[1]}"))
        first.press(first.button("Offer a draw"))
        second.page.locator(".offers .primary").wait_for()
        self.take(second, "offer-phone-light")
        first.page.context.close()

    def game(
        self, name: str, size: int, turns: int, seen: list[str], clock: str | None = None
    ) -> None:
        """A game at a turn, as the player whose turn it is sees it."""
        of = next(each for each in games() if (each.game, each.size) == (name, size))
        room, tokens = prepare(self._serving, of, turns, clock=clock)
        to_act = of.positions[turns].to_act or 0
        other = self.visit("laptop", "light", tokens[1 - to_act])
        other.open(f"#{room}")
        for each in seen:
            screen, scheme = each.split("-")[-2:]
            person = self.visit(screen, scheme, tokens[to_act])
            person.open(f"#{room}")
            if turns == of.turns:
                person.page.locator(".result").wait_for()
            else:
                here = person.page.locator(".player .presence.here")
                expect(here).to_have_count(2)
            if each.startswith("draft") and turns < of.turns:
                for point in of.actions[turns].replace("-", "/").split("/")[:2]:
                    target = person.page.locator(f'.board-box .target[data-point="{point}"]')
                    expect(target).to_be_attached()
                    person.press(person.point(point))
            self.take(person, each if each.startswith(("draft", "cut", "color", "over"))
                      else f"{name}-{each}")  # fmt: skip
        other.page.context.close()


ARCHIVE = (
    ("player-laptop-light", "#/player/ada", ".activity"),
    ("cuts-phone-dark", "#/cuts/loose?size=5", ".cuts li"),
    ("position-laptop-dark", "#/game/7/2", ".explorer li"),
)
"""Pictures of the archive: where they are taken, and what has to be there."""


def take_archive(browser: Browser, folder: Path) -> None:
    """Pictures of a server that has kept games for some months."""
    serving = Serving(folder, "--api-port", "0")
    serving.data.mkdir(parents=True)
    archive = Archive(opened(url_in(serving.data)))
    month = 30 * 86_400_000
    pairs = [("ada", "bo"), ("cleo", "ada"), ("bo", "cleo"), ("ada", "dora")]
    archive.add(
        a_game(f"room{chr(97 + at % 26)}{chr(97 + at // 26)}", seed=at, players=pairs[at % 4],
               plies=(None, 13, None)[at % 3], at=START + at * month // 6)
        for at in range(60)
    )  # fmt: skip
    archive.engine.dispose()
    with serving:
        studio = Studio(browser, serving)
        for name, path, seen in ARCHIVE:
            _, size, scheme = name.split("-")
            person = studio.visit(size, scheme)
            person.open(path)
            person.page.locator(seen).first.wait_for()
            studio.take(person, name)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    program = find(CHROMIUM)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        serving = Serving(Path(folder))
        serving.start()
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            studio = Studio(browser, serving)
            studio.game(
                "veletas",
                10,
                41,
                ["laptop-light", "phone-dark", "small-light", "large-dark"],
                "10+5",
            )
            studio.game("veletas", 10, 40, ["draft-phone-light"], "10+5")
            studio.game("loose", 9, 46, ["laptop-dark", "phone-light", "flat-light"], "5+3")
            studio.game("taugo", 16, 70, ["laptop-light", "phone-dark", "tablet-light"])
            studio.game("veletas", 7, 0, ["cut-phone-light"])
            studio.game("loose", 9, 1, ["color-laptop-light"])
            studio.game("taugo", 11, 62, ["over-laptop-dark"])
            studio.offer()
            for size, scheme in HOME:
                person = studio.visit(size, scheme)
                person.open()
                person.page.get_by_role("link", name="Watch").first.wait_for()
                studio.take(person, f"home-{size}-{scheme}")
            person = studio.visit("laptop", "dark")
            person.open("#/rules/taugo")
            person.page.get_by_role("heading", name="Taugo").wait_for()
            studio.take(person, "rules-laptop-dark")
            take_archive(browser, Path(folder) / "archive")
        finally:
            browser.close()
            serving.clear()
    sheets.main([])


if __name__ == "__main__":
    main()
