"""The port of a supervisor."""

from __future__ import annotations

import asyncio
import errno
import socket

import pytest

from pierule_server.settings import Settings
from pierule_server.workers import door as doors
from pierule_server.workers.door import Door


class Full(socket.socket):
    """A socket of a system that opens no more files."""

    def accept(self) -> tuple[socket.socket, object]:
        raise OSError(errno.EMFILE, "too many open files")


async def test_a_closed_door_does_not_open_again_after_being_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doors, "FULL", 0)
    opened: list[bool] = []
    with Full() as listening:
        door = Door(Settings(), listening, dict)
        monkeypatch.setattr(door, "start", lambda: opened.append(True))
        door._accept()
        await asyncio.sleep(0.01)
        assert opened == [True]
        door._accept()
        await door.stop()
        await asyncio.sleep(0.01)
        assert opened == [True]
