"""Three people whose windows stay open for all tests of a module. To open a window costs more than
most tests do in it. Each test seats these people in a room of its own."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

import pierule
from browser.conftest import LAPTOP, PHONE, Browsers
from browser.person import Person
from browser.rooms import NAMES, apart, known_as, meeting, user
from support.browsers import CHROMIUM
from support.games import Game
from support.serving import Serving

Three = tuple[Person, Person, Person]
WINDOWS: tuple[dict[str, Any], ...] = (LAPTOP, PHONE, LAPTOP)


class Company:
    """The first and the second play: one has a mouse, one a finger. The third watches."""

    def __init__(self, browsers: Browsers, serving: Serving) -> None:
        self._browsers = browsers
        self._serving = serving
        self._tokens = [apart(user(serving.url, name)) for name in NAMES]
        first, second, third = map(self._arrive, WINDOWS)
        self._people: Three = first, second, third
        for person, token in zip(self._people, self._tokens, strict=False):
            known_as(person, token)

    def _arrive(self, how: dict[str, Any]) -> Person:
        calm: dict[str, Any] = {"reduced_motion": "reduce", "service_workers": "block"}
        context = self._browsers.get(CHROMIUM).new_context(**calm, **how)
        return Person(context, f"http://{self._serving.http}", tap="has_touch" in how)

    @property
    def people(self) -> Three:
        """All three, wherever they are."""
        for person, how in zip(self._people, WINDOWS, strict=True):
            if person.page.viewport_size != how["viewport"]:  # after a check
                person.page.set_viewport_size(how["viewport"])
        return self._people

    def sit(
        self, of: Game, turns: int = 0, *, clock: str | None = None, watched: bool = True
    ) -> Three:
        """All three in a new room, at a turn of its game; the third later, unless it is `watched`.
        Their games before it are over: nobody is reminded of them."""
        room = apart(_next(self._serving.url, self._tokens, of, turns, clock))
        people = self.people
        there = people if watched else people[:2]
        if not watched:
            people[2].page.goto("about:blank")
        for person in there:
            person.open(f"#{room}")
        for person in there:
            person.sees_actions(of.actions[:turns])
            expect(person.page.locator(".player .presence.here")).to_have_count(2)
        if watched:
            people[2].sees("You are watching")
        return people

    def faults(self) -> list[str]:
        """What went wrong in the pages since this was asked last."""
        found = [fault for person in self._people for fault in person.faults]
        for person in self._people:
            person.faults.clear()
        return found

    def close(self) -> None:
        for person in self._people:
            person.page.context.close()


async def _next(url: str, tokens: list[str], of: Game, turns: int, clock: str | None) -> str:
    """A new room at a turn of its game; all others of its players are over."""
    for token in tokens:
        async with pierule.connect(url, token=token) as player:
            for mine in await player.my_rooms():
                last = await player.join(mine.card.room)
                await (last.abort() if mine.card.status == "open" else last.resign())
    return await meeting(url, of, turns, tokens, clock)
