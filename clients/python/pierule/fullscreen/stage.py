"""Where commands hand a room over to the whole terminal, and get the terminal back."""

from __future__ import annotations

import os
from dataclasses import replace

import pierule
from pierule.fullscreen.app import RoomApp
from pierule.fullscreen.hands import Hands
from pierule.terminal.drawing import Style


class Stage:
    """What is told while there is no view yet, and the view afterwards."""

    def __init__(self, style: Style) -> None:
        self._style = replace(style, shapes=True)
        self._told = ""
        self._hands: Hands | None = None

    def warn(self, *lines: str) -> None:
        """Show it, or keep it for when there is a view."""
        self._told = " ".join(lines)
        if self._hands is not None:
            self._hands.say(self._told)

    def connection(self, news: pierule.ConnectionNews) -> None:
        """Show it, if there is a view: otherwise nobody has seen a connection yet."""
        if self._hands is not None:
            self._hands.heard(news)

    async def show(
        self, client: pierule.Client, room: pierule.Room, *, rematch: bool = False
    ) -> tuple[int, pierule.Room]:
        """Show the room until its user leaves; the exit status, and the room that was left, which
        may be a rematch. Raises what ended it otherwise."""
        self._hands = Hands(client, room, rematch=rematch, message=self._told)
        # Textual asks the environment, and nobody else, whether there are to be colors.
        os.environ.pop("NO_COLOR", None)
        if not self._style.color:
            os.environ["NO_COLOR"] = "1"
        app = RoomApp(client, self._hands, self._style)
        await app.run_async()
        if app.trouble is not None:
            raise app.trouble
        return app.return_code or 0, self._hands.room
