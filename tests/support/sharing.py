"""What all test processes of a run share, since each of them would start the same.

They are forked off one process (`support.collected`), which starts it for all when the first of
them asks. A process that was not forked off it starts its own.
"""

from __future__ import annotations

import marshal
import socket
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module

host: str | None = None
"""Where the process answers that starts it for all."""


def shared(start: Callable[[str], str]) -> Callable[[str], str]:
    """A function that starts something, once for all test processes, and returns its address."""

    @cache
    @wraps(start)
    def once(what: str) -> str:
        if host is None:
            return start(what)
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rb") as answer:
            line.connect(host)
            line.sendall(marshal.dumps((start.__module__, start.__name__, what)))
            line.shutdown(socket.SHUT_WR)
            address: str = marshal.loads(answer.read())
            return address

    return once


def answer(listener: socket.socket) -> None:
    """In the process that starts it for all: answer one of them."""
    line, _ = listener.accept()
    with line, line.makefile("rb") as question:
        module, name, what = marshal.loads(question.read())
        line.sendall(marshal.dumps(getattr(import_module(module), name)(what)))
