"""Tells systemd our state (`sd_notify(3)`), so a rolling restart waits until each node serves.
Without systemd it does nothing."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def tell(state: str) -> None:
    """Send `READY=1` or `STOPPING=1` to systemd, if it asked for that."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):  # an abstract socket's address begins with a zero byte
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect(address)
        channel.send(state.encode())
