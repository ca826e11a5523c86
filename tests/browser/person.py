"""A person at a browser: what they see, click and type. Nothing here knows the client library or
the protocol."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Page, expect

from support.games import Game

DOUBLE_TAP_MS = 700
"""Time after which a browser no longer counts a tap as the second of a double tap."""
SOCKET = re.compile(r"wss?://\S+/ws\b")
"""The server's address in a text. Firefox says nothing more about a failed connection."""
BOUND_MS = 60_000
"""Bound for all waiting, in milliseconds."""
expect.set_options(timeout=BOUND_MS)
GONE_BACK = """() => new Promise((done) => {
  const look = () => (history.state?.layers ? requestAnimationFrame(look) : done());
  look();
})"""


def called(action: str) -> str:
    """The name of an action in the list of actions."""
    points = re.match(r"[a-z]\d", action)
    return action if points else action.capitalize().replace(":", " ")


def room_of(link: str) -> str:
    """The room in a link, in its path or behind `#`; with its invitation, if it has one."""
    return re.split("#|/game/", link)[-1]


class Person:
    """One window. With `tap` it has a finger instead of a mouse."""

    def __init__(self, context: BrowserContext, address: str, *, tap: bool = False) -> None:
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.address = address
        self._tap = tap
        self.page.set_default_timeout(BOUND_MS)
        self.page.on("pageerror", lambda error: self._fault(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        # What the network does is for the page to show; a fault of the page's own is one.
        # So is what it hears when it asks why it cannot connect.
        # And what the archive does not have.
        url = str(message.location.get("url", ""))
        asked = urlsplit(url).path.endswith("/ws") or "/api/v1/" in url
        if message.type == "error" and not asked:
            self._fault(message.text)

    def _fault(self, text: str) -> None:
        if "WebSocket" not in text and not SOCKET.search(text):
            self.faults.append(text)

    # --- looking --------------------------------------------------------------------------------

    def open(self, path: str = "") -> None:
        """Open the page, or a screen of it, and wait for its connection."""
        self.page.goto(f"{self.address}/{path}")
        self.online()

    def online(self) -> None:
        expect(self.page.locator('[data-status="online"]')).to_be_attached()

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()

    def sees_actions(self, actions: list[str]) -> None:
        """Wait until the list of actions is this one."""
        listed = self.page.locator(".actions ol button")
        wanted = [f"{number} {called(action)}" for number, action in enumerate(actions, 1)]
        expect(listed).to_have_text([re.compile(rf"^{re.escape(w)}$") for w in wanted],
                                    timeout=BOUND_MS)  # fmt: skip

    def board(self) -> dict[str, str]:
        """The contents of every point, by its name, as a screen reader hears them."""
        labels = self.page.locator('.board-box [role="gridcell"]').evaluate_all(
            "cells => cells.map(cell => cell.getAttribute('aria-label'))"
        )
        return {label.split(", ")[0]: label.split(", ")[1] for label in labels}

    def tab(self) -> Person:
        """A second window of the same browser."""
        return Person(self.page.context, self.address, tap=self._tap)

    # --- doing ----------------------------------------------------------------------------------

    def press(self, target: Locator) -> None:
        if self._tap:
            target.tap()
        else:
            target.click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def point(self, name: str) -> Locator:
        return self.page.locator(f'.board-box [data-point="{name}"] .hit')

    def settings(self) -> None:
        """Open the settings, or close them: their button has the person's name."""
        self.press(self.page.locator(".gear"))

    def closed(self) -> None:
        """Wait until nothing lies over the screen, and the browser is back where it was: to go
        back would end a visit that begins meanwhile."""
        self.page.evaluate(GONE_BACK)

    def wish(self, game: str, size: int) -> None:
        """Choose a game on the first screen."""
        self.open()
        self.press(self.page.locator(f'.game:has(input[value="{game}"])'))
        self.page.get_by_role("combobox", name="Size").select_option(str(size))

    def more(self) -> None:
        """Open the options for a new game."""
        self.press(self.page.locator("summary", has_text="More"))

    def create(self, game: str, size: int, *, clock: str = "No clock", finds: str = "") -> str:
        """Make a game from the first screen; return the link for the other player. `finds` says who
        finds it: everybody, if it is empty."""
        self.wish(game, size)
        self.page.get_by_role("combobox", name="Clock").select_option(clock)
        if finds:
            self.more()
            self.page.get_by_role("combobox", name="Who can find it").select_option(finds)
        self.press(self.button("Create game"))
        link = self.page.get_by_label("Send this link")
        return link.input_value()

    def pause(self) -> None:
        """Wait as people do: right after a tap on another button, the page takes a quick tap for
        the second of a double tap, and ignores it."""
        self.page.wait_for_timeout(DOUBLE_TAP_MS)

    def confirm(self, chosen: str) -> None:
        """Confirm a choice that has a button of its own."""
        self.pause()
        self.press(self.button(f"Confirm: {chosen}"))

    def play(self, action: str, turn: int) -> None:
        """Play an action as the page asks for it, and wait until it is acknowledged."""
        if action.startswith("komi:"):
            self.page.get_by_label("Komi for White").fill(action.removeprefix("komi:"))
            self.press(self.button("Set komi"))
            self.confirm(f"Komi {action.removeprefix('komi:')}")
        elif action in ("black", "white"):
            self.pause()
            self.press(self.button(f"Play {action.capitalize()}"))
            self.confirm(action.capitalize())
        elif action == "pass":
            self.pause()
            self.press(self.button("Pass"))
            self.confirm("Pass")
        else:
            for point in re.findall(r"[a-z]\d+", action):
                target = self.page.locator(f'.board-box .target[data-point="{point}"]')
                expect(target).to_be_attached()
                self.press(self.point(point))
            self.press(self.button(f"Play {action}"))
        listed = self.page.locator(".actions ol button").nth(turn)
        expect(listed).to_have_text(f"{turn + 1} {called(action)}")


def alternate(people: tuple[Person, Person], of: Game, begin: int, end: int) -> None:
    """Two people play a reference game from one turn to another; the first has seat 0."""
    for turn in range(begin, end):
        people[of.positions[turn].to_act or 0].play(of.actions[turn], turn)
