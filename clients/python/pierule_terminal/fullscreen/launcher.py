"""Gives the whole terminal to the lobby or a room, and takes it back."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Protocol

import pierule
from pierule_terminal.document import Document
from pierule_terminal.fullscreen.app import RoomApp
from pierule_terminal.fullscreen.controller import Controller
from pierule_terminal.fullscreen.lobby import LobbyApp
from pierule_terminal.screen import clean
from pierule_terminal.style import Style


class Shown(Protocol):
    """What is on the terminal now."""

    def notice(self, text: str) -> None:
        """Show something important, until the next notice."""
        ...

    def heard(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is back."""
        ...


class Launcher:
    """A terminal that shows the lobby and rooms one after the other."""

    def __init__(self, style: Style, *, confirms: bool = True) -> None:
        self._confirms = confirms
        self._style = replace(style, shapes=True)
        self._notice = ""
        self._shown: Shown | None = None
        # Textual reads only from the environment whether to use colors.
        os.environ.pop("NO_COLOR", None)
        if not style.color:
            os.environ["NO_COLOR"] = "1"

    def warn(self, *lines: str) -> None:
        """Show a warning, now and on all later screens."""
        self._notice = " ".join(lines)
        if self._shown is not None:
            self._shown.notice(self._notice)

    def connection(self, news: pierule.ConnectionStatus) -> None:
        """Show news about the connection, or write it to stderr before the first screen."""
        if self._shown is not None:
            self._shown.heard(news)
        else:
            sys.stderr.write(f"-- {clean(news.text)}\n")

    async def lobby(
        self, client: pierule.Client, told: str = ""
    ) -> tuple[int, pierule.Room | None]:
        """Show the lobby until the user leaves or chooses a room. Returns the exit status and the
        room. Raises the error that ended it otherwise."""
        app = LobbyApp(client, told, self._notice)
        self._shown = app
        room = await app.run_async()
        if app.trouble is not None:
            raise app.trouble
        return app.return_code or 0, room

    async def show(
        self,
        client: pierule.Client,
        document: Document,
        room: pierule.Room,
        *,
        rematch: bool = False,
        follow: bool = False,
        message: str = "",
    ) -> tuple[int, pierule.Room]:
        """Show the room until the user leaves. Returns the exit status, and the last room, which
        may be a rematch. Raises the error that ended it otherwise."""
        controller = Controller(
            client,
            document,
            room,
            rematch=rematch,
            follow=follow,
            confirms=self._confirms,
            message=message,
            notice=self._notice,
        )
        self._shown = controller
        app = RoomApp(client, controller, self._style)
        await app.run_async()
        if app.trouble is not None:
            raise app.trouble
        return app.return_code or 0, controller.room
