"""Where commands give the lobby or a room the whole terminal, and get the terminal back."""

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
        """Show something important, until there is something else."""
        ...

    def heard(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is there again."""
        ...


class Launcher:
    """One terminal, on which the lobby and rooms are shown one after the other."""

    def __init__(self, style: Style, *, confirms: bool = True) -> None:
        self._confirms = confirms
        self._style = replace(style, shapes=True)
        self._notice = ""
        self._shown: Shown | None = None
        # Textual asks the environment, and nobody else, whether there are to be colors.
        os.environ.pop("NO_COLOR", None)
        if not style.color:
            os.environ["NO_COLOR"] = "1"

    def warn(self, *lines: str) -> None:
        """Show it, now and on all that is shown later."""
        self._notice = " ".join(lines)
        if self._shown is not None:
            self._shown.notice(self._notice)

    def connection(self, news: pierule.ConnectionStatus) -> None:
        """Show it, or write it where there is no view yet."""
        if self._shown is not None:
            self._shown.heard(news)
        else:
            sys.stderr.write(f"-- {clean(news.text)}\n")

    async def lobby(
        self, client: pierule.Client, told: str = ""
    ) -> tuple[int, pierule.Room | None]:
        """Show the lobby until its user leaves or has chosen a room; the exit status, and that
        room. Raises what ended it otherwise."""
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
        """Show the room, in the words of its game's document, until its user leaves; the exit
        status, and the room that was left, which may be a rematch. Raises what ended it
        otherwise."""
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
