"""Telling systemd how we are (`sd_notify(3)`), so that a restart of one node after the other waits
until each of them serves. Without systemd nothing happens."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def tell(state: str) -> None:
    """Say `READY=1` or `STOPPING=1` to whoever has started us and asked for it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):  # an abstract socket's address begins with a zero byte
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect(address)
        channel.send(state.encode())
