"""The register of checks: each tests one sentence of the SPEC on a server.

A check is a coroutine over a `CheckContext` (see `context`). It returns if the sentence holds,
raises Failed if it does not, and Skipped if it cannot be tested on this server.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pierule_conform.checks.context import CheckContext

Body: TypeAlias = "Callable[[CheckContext], Awaitable[None]]"

_MODULES = ("connecting", "framing", "malformed", "requests", "retries", "logs", "following",
            "acting", "seating", "limits", "games", "clocks", "operating", "agreements",
            "audience", "chatting", "lobby", "paging", "names", "unknown_games",
            "webhooks", "rating", "house_bots")  # fmt: skip


class Failed(Exception):
    """The server did something that the SPEC forbids."""

    def __init__(self, expected: str, received: Any, sent: Any = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.received = received
        self.sent = sent


class Skipped(Exception):
    """The sentence cannot be tested on this server; the text says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """`section` is the paragraph of SPEC; `name` is unique and stays the same. A check with
    `codecs` 1 does not depend on the codec, and runs only in the first; `codes` are the error and
    close codes that it provokes, `also` further paragraphs that it tests. A check that is `alone`
    disturbs the others, and runs after them."""

    name: str
    section: str
    title: str
    body: Body
    codecs: int = 2
    codes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    alone: bool = False


CHECKS: dict[str, Check] = {}
"""Every check by its name, in the order of registration."""


def check(
    section: str,
    title: str,
    *,
    codecs: int = 2,
    codes: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    alone: bool = False,
) -> Callable[[Body], Body]:
    """Register a check; its name is the function's."""

    def register(body: Body) -> Body:
        name = body.__name__.replace("_", "-")
        assert name not in CHECKS, name
        CHECKS[name] = Check(name, section, title, body, codecs, codes, also, alone)
        return body

    return register


def load() -> dict[str, Check]:
    """All checks."""
    for module in _MODULES:
        importlib.import_module(f"pierule_conform.checks.{module}")
    return CHECKS


def covers(selection: str, section: str) -> bool:
    """Whether `section` is the selected one or lies within it: 6 covers 6.1, but not 61."""
    return section == selection or section.startswith(f"{selection}.")


def section_key(section: str) -> tuple[int, ...]:
    """The key by which sections are sorted."""
    return tuple(int(part) for part in section.split("."))


def expect(holds: bool, expected: str, received: Any, sent: Any = None) -> None:
    """Raise Failed unless it holds."""
    if not holds:
        raise Failed(expected, received, sent)
