"""People at the full-screen terminal, in rooms of a real server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.pilot import Pilot

import pierule
from pierule_games.board import board
from pierule_terminal.document import Document
from pierule_terminal.fullscreen.app import RoomApp
from pierule_terminal.fullscreen.controller import Controller
from pierule_terminal.fullscreen.view import guide
from pierule_terminal.fullscreen.widgets import Board
from pierule_terminal.style import Style
from support.serving import Serving

BOUND = 60.0
KEYS = f"k1:{'1f' * 32}"
STEPS = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}


class Seated:
    """Somebody at a terminal of their own."""

    def __init__(self, app: RoomApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.controller = app, pilot, app.controller
        self._news = asyncio.Event()
        shows = self.controller.changed

        self.connected: set[bool] = set()

        def changed() -> None:
            shows()
            self.connected.add(self.controller.view.connected)
            self._news.set()

        self.controller.changed = changed

    @property
    def text(self) -> str:
        """All text on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines)

    async def until(self, holds: Callable[[], bool], bound: float = BOUND) -> None:
        """Wait until the condition holds."""
        try:
            async with asyncio.timeout(bound):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pytest.fail(f"it never came to that: {self.controller.view}")
        await self.pilot.pause()

    async def until_turn(self, turn: int) -> None:
        """Wait until that turn may be played."""
        await self.until(
            lambda: (
                (view := self.controller.view).draft is not None
                and not view.sending
                and view.state.turn == turn
            )
        )

    async def go_to(self, point: str) -> None:
        """Move the cursor there by arrow keys."""
        self.type(*self._way(self.controller.view.point, point))
        await self.until(lambda: self.controller.view.point == point)

    def type(self, *keys: str) -> None:
        """Type faster than anything can be drawn, unlike pressing each key in turn."""
        for key in keys:
            self.app.post_message(events.Key(key, None))

    async def play(self, action: str, *, backwards: bool = False) -> None:
        """Play an action by keys, confirmed once it is seen; a segment from its far end, if
        `backwards`."""
        view = self.controller.view
        if action.startswith("komi:"):
            steps = int(action.removeprefix("komi:")) // 2
            self.type(*["right"] * (steps // 5), *["up"] * (steps % 5), "enter")
            return
        points, at = re.findall(r"[a-z]\d+", action), view.point
        for point in reversed(points) if backwards else points:
            self.type(*self._way(at, point), "enter")
            at = point
        if not points:
            self.type(action[0])
        await self.until_drafted(action)
        assert f"{action}: {'Enter' if points else action[0]} sends it" in guide(
            self.controller.view
        )
        self.type("enter" if points else action[0])

    async def click(self, point: str) -> None:
        """Click on a point of the board."""
        assert await self.pilot.click(Board, offset=self.spot(point))

    def spot(self, point: str) -> tuple[int, int]:
        """Where a point is drawn on the board."""
        plan = self.app.query_one(Board).plan
        return plan.points[board(plan.size).index[point]]

    def _way(self, begin: str, end: str) -> list[str]:
        """The keys that take the cursor from one point to another."""
        plan = self.app.query_one(Board).plan
        index = board(plan.size).index
        ways: dict[int, list[str]] = {index[begin]: []}
        for cell in (waiting := [index[begin]]):
            for key, step in STEPS.items():
                if (to := plan.toward(cell, *step)) not in ways:
                    ways[to] = [*ways[cell], key]
                    waiting.append(to)
        return ways[index[end]]

    async def until_drafted(self, text: str) -> None:
        """Wait until the draft of an action is `text`."""
        await self.until(
            lambda: (
                (view := self.controller.view).draft is not None
                and not view.sending
                and view.draft.text == text
            )
        )


@asynccontextmanager
async def seated(
    client: pierule.Client,
    room: pierule.Room,
    *,
    size: tuple[int, int] = (80, 24),
    rematch: bool = False,
    follow: bool = False,
    confirms: bool = True,
) -> AsyncIterator[Seated]:
    document = await Document.ask(client, room.position.game)
    controller = Controller(
        client, document, room, rematch=rematch, follow=follow, confirms=confirms
    )
    app = RoomApp(client, controller, Style())
    async with app.run_test(size=size) as pilot:
        yield Seated(app, pilot)


@asynccontextmanager
async def alone(
    server: Serving, name: str, size: int
) -> AsyncIterator[tuple[pierule.Client, pierule.Room]]:
    """A user who plays both seats."""
    async with pierule.connect(server.url, name="Ada") as client:
        room = await client.create(name, size, seat=0, clock="5+3")
        yield client, await client.join(room.id, seat=1)


@asynccontextmanager
async def two(
    server: Serving, name: str, size: int, clock: str | None = None
) -> AsyncIterator[tuple[pierule.Client, pierule.Room, pierule.Room]]:
    """Ada in seat 0, her room, and the room of Bert, who has no terminal."""
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
    ):
        room = await ada.create(name, size, seat=0, clock=clock)
        yield ada, room, await bert.join(room.id, seat=1)
