"""The lobby on the whole terminal: the real app against a real server, by keys and mouse."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

import pierule
from e2e.conftest import Starter
from pierule_terminal.fullscreen.form import GameChoice, GameForm
from pierule_terminal.fullscreen.lobby import LobbyApp
from support.serving import Serving

BOUND = 60.0


class Visitor:
    """Somebody who looks at the lobby."""

    def __init__(self, app: LobbyApp, pilot: Pilot[pierule.Room]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        """All that stands on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it is so."""
        try:
            async with asyncio.timeout(BOUND):
                while not holds():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            pytest.fail(f"it never came to that:\n{self.text}")

    async def sees(self, *texts: str) -> None:
        """Wait until all of these stand on the screen."""
        await self.until(lambda: all(text in self.text for text in texts))

    async def go_to(self, text: str) -> None:
        """Move the cursor to the line with this text."""
        for _ in range(300):  # tests that ran before have left rooms here
            option = self.app.rooms.highlighted_option
            if option is not None and text in str(option.prompt):
                return
            await self.pilot.press("down")
        pytest.fail(f"no line has {text}:\n{self.text}")

    async def chosen(self) -> pierule.Room:
        """The room with which it ends."""
        await self.until(lambda: self.app.return_value is not None)
        assert self.app.return_value is not None
        return self.app.return_value


@asynccontextmanager
async def visiting(
    client: pierule.Client, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Visitor]:
    app = LobbyApp(client)
    async with app.run_test(size=size) as pilot:
        yield Visitor(app, pilot)


async def test_an_empty_lobby_suggests_what_to_do(start: Starter) -> None:
    async with pierule.connect(start().url, name="Ada") as ada, visiting(ada) as visitor:
        await visitor.sees("Nobody is here yet", "n creates a game", "pierule serve --bots search")
        await visitor.sees("New game", "Seek", "Quit", "as Ada; connected")
        await visitor.pilot.press("enter", "w", "escape")
        assert visitor.app.return_value is None


async def test_the_lobby_explains_its_keys(start: Starter) -> None:
    async with pierule.connect(start().url, name="Ada") as ada, visiting(ada) as visitor:
        await visitor.sees("Nobody is here yet")
        await visitor.pilot.press("question_mark")
        await visitor.sees("the leaderboards", "Escape goes back to the lobby.")
        for key in ("w", "d", "n", "s", "g", "o", "m", "r", "q"):
            assert re.search(rf"^ ?(\S+ )?{key} ", visitor.text, re.MULTILINE), visitor.text
        await visitor.pilot.press("escape")
        await visitor.sees("Nobody is here yet", "? Help")


async def test_the_lobby_updates_and_keeps_its_cursor(start: Starter) -> None:
    url = start().url
    async with (
        pierule.connect(url, name="Ada") as ada,
        pierule.connect(url, name="Bert") as bert,
        pierule.connect(url, name="Robot", bot=True) as robot,
        visiting(ada) as visitor,
    ):
        room = await bert.create("loose", 5, seat=0, clock="5+3")
        await visitor.sees("Players who wait for an opponent", "Loose 5", "5+3", "Bert", room.id)
        await visitor.until(lambda: visitor.app.rooms.highlighted == 1)
        house = await robot.create("taugo", 8, seat=1)
        await visitor.sees("Bots that wait for an opponent", "Robot, bot", house.id)
        option = visitor.app.rooms.highlighted_option
        assert option is not None
        assert room.id in str(option.prompt)
        seeking = asyncio.create_task(bert.seek("veletas", 7))
        await visitor.sees("Players who seek a game", "1 player seeks this")
        seeking.cancel()
        await visitor.until(lambda: "seek a game" not in visitor.text)
        async with pierule.connect(url, name="Carl") as carl:
            await carl.join(room.id, seat="any")
            await visitor.sees("Being played", "Bert - Carl", "turn 0")
            async with pierule.connect(url, name="Dora") as dora:
                await dora.join(room.id)
                await visitor.sees("1 watching")
        await bert.join(room.id)
        await (await bert.join(room.id)).resign()
        await visitor.until(lambda: room.id not in visitor.text)


async def test_the_commands_are_shown_anew_only_if_they_change(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """News come all the time."""
    url = start().url
    async with (
        pierule.connect(url, name="Ada") as ada,
        pierule.connect(url, name="Bert") as bert,
        visiting(ada) as visitor,
    ):
        await visitor.sees("Nobody is here yet", "Watch")
        shown = []
        monkeypatch.setattr(visitor.app, "refresh_bindings", lambda: shown.append(1))
        for size in (5, 7, 9):
            room = await bert.create("loose", size, seat=0)
            await visitor.sees(room.id)
        assert not shown
        asking = asyncio.create_task(bert.challenge(ada.user, "taugo", 6))
        await visitor.sees("Players who challenge you")
        await visitor.go_to("Bert asks you")
        await visitor.until(lambda: bool(shown))
        asking.cancel()


@pytest.mark.parametrize("way", ["enter", "mouse", "watch"])
async def test_a_room_is_joined_or_watched_from_the_lobby(server: Serving, way: str) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
    ):
        theirs = await bert.create("loose", 7, seat=0)
        async with visiting(ada, (120, 40)) as visitor:
            await visitor.sees(theirs.id)
            if way == "mouse":
                line = next(y for y, row in enumerate(visitor.text.split("\n")) if theirs.id in row)
                await visitor.pilot.click(offset=(10, line))
            else:
                await visitor.go_to(theirs.id)
                await visitor.pilot.press("w" if way == "watch" else "enter")
            room = await visitor.chosen()
            assert room.id == theirs.id
            assert room.seats == ([] if way == "watch" else [1])
        if way != "watch":
            async with visiting(ada) as visitor:
                await visitor.sees("Your games", "not your turn")
                await visitor.go_to(theirs.id)
                await visitor.pilot.press("enter")
                assert (await visitor.chosen()).seats == [1]
            await room.abort()


async def test_a_new_game_is_made_by_keys(server: Serving) -> None:
    async with pierule.connect(server.url, name="Ada") as ada, visiting(ada) as visitor:
        await visitor.sees("connected")
        await visitor.pilot.press("n")
        await visitor.sees("A new game", "your seat", "who may join")
        form = visitor.app.screen
        assert isinstance(form, GameForm)
        await visitor.pilot.press("enter", "down", "down", "enter")
        await visitor.sees("Veletas", "10")
        form.query_one(Input).focus()
        await visitor.pilot.press(*"soon", "enter")
        await visitor.sees("soon is not a clock")
        await visitor.pilot.press("ctrl+u", *"5+3", "enter")
        room = await visitor.chosen()
        assert (room.position.game, room.position.size, room.seats) == ("veletas", 10, [0])
        assert room.state.control == await _control(ada, room)
        await room.abort()


async def _control(client: pierule.Client, room: pierule.Room) -> object:
    """The clock of a room, as the list of one's own rooms has it."""
    return next(mine.card.control for mine in await client.my_rooms() if mine.card.room == room.id)


async def test_a_seek_is_made_cancelled_and_paired_by_keys(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
        visiting(ada) as visitor,
    ):
        for stops in (True, False):
            await visitor.pilot.press("s")
            await visitor.sees("Seek a game")
            await visitor.pilot.click("#go")
            await visitor.sees("Waiting for an opponent: Loose 9, no clock")
            if stops:
                await visitor.pilot.press("escape")
                await visitor.until(lambda: "You wait" not in visitor.text)
        theirs = await bert.seek("loose", 9)
        room = await visitor.chosen()
        assert room.id == theirs.id
        await room.abort()


async def test_another_seek_replaces_the_first(server: Serving) -> None:
    async with pierule.connect(server.url, name="Ada") as ada, visiting(ada) as visitor:
        for size in (5, 7):
            visitor.app._seek(GameChoice("loose", size, None))
            await visitor.sees(f"Waiting for an opponent: Loose {size}")
        async with pierule.connect(server.url, name="Bert") as bert:
            (pool,) = [view.pools async for view in _until_sought(bert, 7)][-1]
            assert pool.size == 7
        assert "Waiting for an opponent: Loose 7" in visitor.text
        assert "seeks this" not in visitor.text
        await visitor.pilot.press("escape")
        await visitor.until(lambda: "You wait" not in visitor.text)


async def _until_sought(client: pierule.Client, size: int) -> AsyncIterator[pierule.LobbyView]:
    async for view in client.lobby():
        yield view
        if [pool.size for pool in view.pools] == [size]:
            return


async def test_a_challenge_is_accepted(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
        visiting(ada) as visitor,
    ):
        await visitor.sees("connected")
        asking = asyncio.create_task(bert.challenge(ada.user, "taugo", 6, seat=0))
        await visitor.sees("Players who challenge you", "Bert asks you to take seat 1")
        await visitor.go_to("Bert asks you")
        await visitor.pilot.press("enter")
        room = await visitor.chosen()
        assert (room.id, room.seats) == ((await asking).id, [1])
        await room.abort()


async def test_challenges_are_declined_and_withdrawn(start: Starter) -> None:
    server = start()  # the rooms of other tests would be on the screen
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
        pierule.connect(server.url, name="Carl") as carl,
        visiting(ada) as visitor,
    ):

        def asked(game: str) -> bool:
            return any(game in line and "asks you" in line for line in visitor.text.splitlines())

        await visitor.sees("connected")
        waiting = asyncio.create_task(bert.create("loose", 5, seat=0))
        await visitor.sees((await waiting).id, "Watch only")
        asking = [asyncio.create_task(bert.challenge(ada.user, "taugo", size)) for size in (6, 7)]
        other = asyncio.create_task(carl.challenge(ada.user, "taugo", 8))
        await visitor.sees("Enter accepts, d declines", "Taugo 6", "Taugo 7", "Taugo 8")
        visitor.app._seek(GameChoice("veletas", 7, None))
        await visitor.sees("Waiting for an opponent: Veletas 7")
        await visitor.go_to("Taugo 7")
        await visitor.sees("d Decline")
        assert "Watch only" not in visitor.text
        await visitor.pilot.press("d")
        with pytest.raises(pierule.Refused) as refused:
            await asking[1]
        assert refused.value.code == pierule.Code.DECLINED
        await visitor.sees("You declined the challenge.", "Waiting for an opponent: Veletas 7")
        await visitor.until(lambda: not asked("Taugo 7"))
        asking[0].cancel()
        await visitor.until(lambda: not asked("Taugo 6"))
        assert asked("Taugo 8")
        other.cancel()
        await visitor.until(lambda: "Players who challenge you" not in visitor.text)
        await visitor.go_to((await waiting).id)
        await visitor.sees("Watch only")
        await visitor.pilot.press("d")
        assert "Decline" not in visitor.text
        await (await waiting).abort()


async def test_refusals_and_announcements_are_shown_together(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bert") as bert,
        visiting(ada) as visitor,
    ):
        visitor.app.notice("-- the operators: a restart at noon")
        await visitor.sees("the operators: a restart at noon")
        command: Awaitable[pierule.Room] = bert.join("nosuchro")
        visitor.app._do(command)
        await visitor.sees("there is no room with this id")
        await visitor.sees("the operators: a restart at noon")


async def test_a_room_is_found_among_many_by_filters(start: Starter) -> None:
    """Five guests have open 210 rooms of another game."""
    async with AsyncExitStack() as stack:
        url = start("--rooms-followed", "50").url
        guests = [await stack.enter_async_context(pierule.connect(url)) for _ in range(5)]
        ada = await stack.enter_async_context(pierule.connect(url, name="Ada"))
        veletas = await guests[0].create("veletas", 7, seat=1)
        oldest = await guests[0].create("taugo", 6, seat=0)
        for number in range(209):
            await guests[number % 5].create("taugo", 6, seat=0)
        visitor = await stack.enter_async_context(visiting(ada))

        def listed() -> list[str]:
            return [entry.room for entry in visitor.app._entries.values()]

        await visitor.until(lambda: len(listed()) == 100)
        assert veletas.id not in listed()
        await visitor.sees("There may be more rooms: m lists them.", "m More", "q Quit")
        await visitor.pilot.press("g", "g", "g")
        await visitor.sees("only Veletas", veletas.id)
        assert listed() == [veletas.id]
        assert "m More" not in visitor.text
        await visitor.pilot.press("o", "o", "o")
        await visitor.sees("only Veletas, waiting, you choose", "No games match right now.")
        await visitor.pilot.press("g", "g", "g", "o", "o")
        await visitor.sees("only Taugo")
        for many in (100, 200, 210):
            await visitor.until(lambda many=many: len(listed()) == many)  # type: ignore[misc]
            await visitor.pilot.press("m")
        assert listed()[-1] == oldest.id
        await visitor.until(lambda: "m More" not in visitor.text)
        await visitor.pilot.press("end")
        await visitor.sees(oldest.id)
        await visitor.pilot.press("enter")
        assert (await visitor.chosen()).id == oldest.id
