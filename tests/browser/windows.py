"""Windows that the tests of a module use one after the other. To open one costs as much as most of
what a test does in it, so these go from room to room. A module may have other
`names` for the players, and another server as the `host`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import pytest
from playwright.sync_api import expect

from browser import wire
from browser.conftest import LAPTOP, PHONE, Browsers, needs_firefox
from browser.person import Person, room_of
from browser.rooms import NAMES, QUIET, TOKEN, apart, both_seats, continued, known_as, user
from support.browsers import CHROMIUM, FIREFOX, Kind
from support.games import Game
from support.serving import Serving

Whose = tuple[int, str, bool]
"""The number of a player, their browser, and whether they have a finger."""

LEAVE = """room => {
  document.querySelector(".table")?.classList.add("left");
  if (window.wire) wire.length = 0;
  location.hash = room;
}"""
"""Leaves a room, whose screen is marked, and forgets what was sent."""


class Kept:
    """Windows that stay open from test to test."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers
        self._open: dict[Any, Person] = {}

    def borrow(self, request: pytest.FixtureRequest) -> Iterator[Self]:
        """For one test. Its errors inside a page fail it, and after a failed test windows begin
        anew."""
        if not needs_firefox(request.node):
            self._browsers.close(FIREFOX)  # it works even while nobody looks
        failed = request.session.testsfailed
        yield self
        faults = [fault for person in self._open.values() for fault in person.faults]
        if faults or request.session.testsfailed > failed:
            self.close()
        assert faults == []

    def close(self) -> None:
        for person in self._open.values():
            person.page.context.close()
        self._open.clear()


class Windows(Kept):
    """Opens each window when it is first asked for. They have names, and a token each."""

    def __init__(
        self, browsers: Browsers, serving: Serving, *, names: Sequence[str] = NAMES
    ) -> None:
        super().__init__(browsers)
        self._serving = serving
        self._names = names
        self._tokens: dict[Whose, str] = {}

    def get(self, number: int = 0, engine: Kind = CHROMIUM, *, finger: bool = False) -> Person:
        """The window of the player with this number, who has a finger or a mouse."""
        whose = number, engine.name, finger
        if whose not in self._open or self._open[whose].page.is_closed():
            how = PHONE if finger else LAPTOP
            context = self._browsers.get(engine).new_context(
                reduced_motion="reduce", service_workers="block", **how
            )
            person = Person(context, f"http://{self._serving.http}", tap=finger)
            wire.tap(person)
            known_as(person, self.token(number, engine, finger=finger))
            person.open(QUIET)
            self._open[whose] = person
        return self._open[whose]

    def token(self, number: int = 0, engine: Kind = CHROMIUM, *, finger: bool = False) -> str:
        """The token of this player, who may have no window."""
        whose = number, engine.name, finger
        if whose not in self._tokens:
            self._tokens[whose] = apart(user(self._serving.url, self._names[number]))
        return self._tokens[whose]

    def alone(
        self, of: Game, turns: int, engine: Kind = CHROMIUM, *, finger: bool = False
    ) -> Person:
        """Somebody who plays both sides, at a turn of a reference game; what they send there is
        recorded."""
        token = self.token(engine=engine, finger=finger)
        room, _ = apart(both_seats(self._serving.url, token, of, turns))
        person = self.get(engine=engine, finger=finger)
        enter(person, room, of, turns)
        person.sees("You play both sides.")
        choices = ".board-box .target, .controls :is(.choice, .amount)"
        expect(person.page.locator(choices).first).to_be_attached()
        return person


def enter(person: Person, room: str, of: Game, turns: int) -> None:
    """Go to another room, and wait until it is there at this turn of its game."""
    person.page.evaluate(LEAVE, room)
    expect(person.page.locator(".table:not(.left)")).to_be_attached()
    person.sees_actions(of.actions[:turns])


def go_on_unseen(
    people: Sequence[Person],
    serving: Serving,
    of: Game,
    moves: Sequence[tuple[int, str]],
    begin: int,
) -> None:
    """The two players continue a game elsewhere by these moves, each a seat and its action, while
    their windows show something else: to draw every turn in both takes longer than to play them."""
    room = room_of(people[0].page.url)
    tokens = [person.page.evaluate(TOKEN) for person in people]
    for person in people:
        person.open(QUIET)
    apart(continued(serving.url, room, tokens, moves, begin))
    for person in people:
        enter(person, room, of, begin + len(moves))


def resize(person: Person, size: tuple[int, int]) -> None:
    width, height = size
    person.page.set_viewport_size({"width": width, "height": height})
