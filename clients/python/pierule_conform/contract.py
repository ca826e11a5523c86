"""What a client under test and `pierule conform client` say to each other: environment variables
one way, lines on standard output the other (protocol/CONFORM.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from pierule_protocol.messages import Seat

CONTRACT = "contract"
"""Stands for a section if a client breaks CONFORM.md, and not SPEC."""


class Breach(Exception):
    """The client broke a rule: its section, why, and what was expected, received and sent."""

    def __init__(
        self, section: str, reason: str, expected: Any = None, received: Any = None,
        sent: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(reason)
        self.section = section
        self.reason = reason
        self.expected = expected
        self.received = received
        self.sent = sent


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """A line on standard output: the board that the client has after an event or a snapshot."""

    epoch: int
    seq: int
    turn: int
    status: str
    actions: list[str]
    text: str


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line on standard output: the client gives up, and why. `text` is the client's own position
    text, if its digest differs from the server's."""

    fault: str
    text: str | None = None


Said: TypeAlias = Board | Fault


@dataclass(frozen=True, slots=True)
class Task:
    """What the client has to do."""

    room: str
    seat: Seat | None = None
    actions: Sequence[str] = ()
    token: str | None = None
    bot: bool = False

    def environment(self, urls: Sequence[str]) -> dict[str, str]:
        """The variables to start it with; those that do not apply are empty."""
        return {
            "PIERULE_URL": " ".join(urls),
            "PIERULE_ROOM": self.room,
            "PIERULE_SEAT": "" if self.seat is None else str(self.seat),
            "PIERULE_ACTIONS": " ".join(self.actions),
            "PIERULE_TOKEN": self.token or "",
            "PIERULE_BOT": "1" if self.bot else "",
        }


def read_line(line: bytes) -> Said:
    """Parse a line. Raises Breach."""
    try:
        said = msgspec.json.decode(line)
        if isinstance(said, dict) and "fault" in said:
            return msgspec.convert(said, Fault)
        return msgspec.convert(said, Board)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Breach(
            CONTRACT,
            f"a line on standard output is not a report: {error}",
            "a JSON object with epoch, seq, turn, status, actions, text; or with fault",
            line.decode(errors="replace"),
        ) from None
