"""The forms for a new game and for a seek, by keys, and what becomes of what they say."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import App
from textual.widgets import Select

import pierule
from pierule_protocol.messages import GameOptions
from pierule_terminal.fullscreen.form import GameChoice, GameForm
from pierule_terminal.fullscreen.lobby import LobbyApp

BOUND = 60.0

GAMES = [GameOptions("loose", [5, 9], 9, False, [1], "")]


class Host(App[None]):
    """Shows a form, and keeps what it ends with."""

    def __init__(self, *, seeking: bool) -> None:
        super().__init__()
        self.form = GameForm(GAMES, seeking=seeking)
        self.chosen: list[GameChoice | None] = []

    def on_mount(self) -> None:
        self.push_screen(self.form, self.chosen.append)


async def chosen(*, seeking: bool, **values: Any) -> GameChoice | None:
    host = Host(seeking=seeking)
    async with host.run_test(size=(80, 24)) as pilot:
        for label, value in values.items():
            field = getattr(host.form, label)
            assert isinstance(field, Select)
            assert field.is_mounted
            field.value = value
        await pilot.press("ctrl+s")
        async with asyncio.timeout(BOUND):
            while not host.chosen:
                await pilot.pause(0.02)
    return host.chosen[0]


async def test_a_seek_asks_for_a_range_and_whether_it_is_rated() -> None:
    usual = await chosen(seeking=True)
    assert usual == GameChoice("loose", 9, None)
    near = await chosen(seeking=True, _points=100, _rated="yes")
    assert near == GameChoice("loose", 9, None, rated="yes", points=100)


async def test_a_new_game_asks_whether_it_is_rated() -> None:
    wanted = await chosen(seeking=False, _rated="no", _seat=1)
    assert wanted == GameChoice("loose", 9, None, 1, rated="no")


@pytest.mark.parametrize("size", [(60, 12), (40, 10)])
async def test_a_small_terminal_reaches_every_field_of_the_form(
    size: tuple[int, int],
) -> None:
    host = Host(seeking=True)
    async with host.run_test(size=size) as pilot:
        points = host.form.query_one("#points", Select)
        points.value = 200
        points.focus()
        await pilot.pause()
        assert "within 200 " in shown(host)
        await pilot.press("tab")
        async with asyncio.timeout(BOUND):
            while "Seek " not in shown(host).replace("Seek a game", ""):
                await pilot.pause(0.02)
        await pilot.press("enter")
        async with asyncio.timeout(BOUND):
            while not host.chosen:
                await pilot.pause(0.02)
    assert host.chosen == [GameChoice("loose", 9, None, points=200)]


def shown(host: Host) -> str:
    return "\n".join(strip.text for strip in host.screen._compositor.render_strips())


async def test_a_select_is_changed_by_keys() -> None:
    host = Host(seeking=True)
    async with host.run_test(size=(80, 24)) as pilot:
        host.form.query_one("#points").focus()
        await pilot.press("enter", "down", "enter", "ctrl+s")
        async with asyncio.timeout(BOUND):
            while not host.chosen:
                await pilot.pause(0.02)
    assert host.chosen == [GameChoice("loose", 9, None, points=200)]


@pytest.mark.parametrize(("points", "sought"), [(None, None), (200, pierule.RatingRange(200, 200))])
def test_a_seek_has_the_range(points: int | None, sought: pierule.RatingRange | None) -> None:
    asked = []

    def seek(*what: object, **how: object) -> None:
        asked.append((what, how))

    lobby = SimpleNamespace(_client=SimpleNamespace(seek=seek), _do=lambda *_: None)
    wanted = GameChoice("loose", 9, None, rated="yes", points=points)
    LobbyApp._seek(cast("LobbyApp", lobby), wanted)
    assert asked == [(("loose", 9, None), {"rated": "yes", "range": sought})]


def test_a_waiting_user_is_shown_the_chosen_wishes() -> None:
    assert GameChoice("loose", 9, None).wishes == ""
    near = GameChoice("loose", 9, None, rated="no", points=100)
    assert near.wishes == ", rating within 100 of yours, not rated"
