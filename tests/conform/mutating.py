"""Servers with one fault each, and where in the SPEC `pierule conform server` must find it.

A mutation patches one function of the real server while it runs in this process. Nothing that the
checks stand on may be patched: only what the server alone uses.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from pierule_protocol.messages import Event
from pierule_server.connections.connection import Broadcast, Connection

Patch = AbstractContextManager[Any]


@dataclass(frozen=True, slots=True)
class Mutation:
    """`section` must be among those that fail when the checks named in `checks` are run."""

    name: str
    section: str
    checks: tuple[str, ...]
    patched: Callable[[], Patch]


MUTATIONS: list[Mutation] = []


def mutation(section: str, *checks: str) -> Callable[[Callable[[], Patch]], Callable[[], Patch]]:
    """Register a mutation; its name is the function's."""

    def register(patched: Callable[[], Patch]) -> Callable[[], Patch]:
        MUTATIONS.append(Mutation(patched.__name__, section, checks, patched))
        return patched

    return register


def told(change: Callable[[Any], Any]) -> Patch:
    """Every event that is told to followers is changed."""
    real = Broadcast.send

    def send(self: Broadcast, followers: Any) -> None:
        message = self.message
        real(Broadcast(change(message)) if isinstance(message, Event) else self, followers)

    return patch.object(Broadcast, "send", send)


def changed(change: Callable[[Any], Any]) -> Patch:
    """Every message to one client alone is changed."""
    real = Connection.send
    return patch.object(Connection, "send", lambda self, message: real(self, change(message)))


def unsent(condition: Callable[[Any], bool]) -> Patch:
    """Some messages to one client alone are not sent."""
    real = Connection.send

    def send(self: Any, message: Any) -> None:
        if not condition(message):
            real(self, message)

    return patch.object(Connection, "send", send)
