"""Chat at the terminal: shows messages as they come, and obeys the user's commands about them."""

from __future__ import annotations

import time
from typing import Protocol

import pierule
from pierule_protocol import world
from pierule_terminal.screen import clean

REMEMBERED = 500
"""How many of the latest messages the user can name by number."""

HELP = "say TEXT, mute NAME, block NAME, hear NAME, report NUMBER TEXT"


class Shows(Protocol):
    """Where messages are shown."""

    def say(self, *messages: str) -> None:
        """Show what has happened."""
        ...

    def warn(self, *messages: str) -> None:
        """Show that something is wrong."""
        ...


class ChatPanel:
    """The chat of a room, on a screen."""

    def __init__(self, client: pierule.Client, room: pierule.Room, screen: Shows) -> None:
        self._client = client
        self._room = room
        self._screen = screen
        self._count = 0
        self._shown: dict[int, pierule.ChatEntry] = {}  # by the number on the screen

    async def listen(self) -> None:
        """Show messages until the user leaves the room."""
        async for spoken in self._room.chat():
            if spoken.message.text is None:
                continue
            self._count += 1
            self._shown[self._count] = spoken
            self._shown.pop(self._count - REMEMBERED, None)
            self._screen.say(show(self._count, spoken))

    async def obey(self, word: str, argument: str) -> None:
        """Carry out a command: `say`, `report`, `mute`, `block` or `hear`. Raises Refused."""
        match word:
            case "say":
                await self._room.say(argument)
            case "report":
                await self._report(argument)
            case "mute":
                await self._set_level(argument, "mute")
            case "block":
                await self._set_level(argument, "block")
            case "hear":
                await self._set_level(argument, None)

    async def _report(self, argument: str) -> None:
        number, _, text = argument.partition(" ")
        spoken = self._shown.get(int(number)) if number.isdecimal() else None
        if spoken is None:
            self._screen.warn("which message? type its number, as in: report 3 spoils the game")
            return
        await self._room.report(spoken, text.strip())
        self._screen.say(f"-- message {number} was reported to the operators")

    async def _set_level(self, name: str, level: pierule.BlockLevel | None) -> None:
        users = self._called(name)
        if len(users) != 1:
            known = "nobody here" if not users else "more than one user here"
            self._screen.warn(f"{known} is called {name}")
            return
        await self._client.block(users.pop(), level)
        told = "no longer see" if level else "see"
        self._screen.say(f"-- you {told} messages from {name}")

    def _called(self, name: str) -> set[str]:
        """The ids of other users with this name who sit here or have written."""
        holders = {h.user for h in self._room.state.seats if h and clean(h.name) == name}
        speakers = {
            spoken.message.user
            for spoken in self._shown.values()
            if clean(spoken.message.name) == name
        }
        return (holders | speakers) - {self._client.user}


def show(number: int, spoken: pierule.ChatEntry) -> str:
    """A message as the screen shows it."""
    message = spoken.message
    return f"[{number}] {clean(message.name)} ({spoken.channel}): {clean(message.text or '')}"


def show_announcement(text: str, at: int | None) -> str:
    """An announcement of the operators, with its time on this computer's clock."""
    when = "" if at is None else f" (at {_moment(at // 1_000)})"
    return f"-- the operators: {clean(text)}{when}"


def _moment(at: int) -> str:
    """A time, with its date if that is not today."""
    then, today = time.localtime(at), time.localtime(world.wall())
    return time.strftime("%H:%M:%S" if then[:3] == today[:3] else "%Y-%m-%d %H:%M:%S", then)
