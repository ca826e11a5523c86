"""Makes rows, and shows them as JSON lines, or as text that is safe for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import msgspec

from pierule_protocol.messages import Card
from pierule_server.identity.bans import moment
from pierule_server.store.tables.moderation import MessageReport

Row: TypeAlias = Mapping[str, Any]


def card_row(card: Card) -> Row:
    """A room in a list."""
    return {
        "room": card.room, "game": f"{card.game} {card.size}", "status": card.status,
        "turn": card.turn, "latest": moment(card.at),
        "players": " - ".join(name or "(free)" for name in card.names),
    }  # fmt: skip


def report_row(name: str, report: MessageReport) -> Row:
    """A report in a list."""
    return {
        "report": name, "times": report.count, "at": moment(report.message.at),
        "said by": report.message.user, "called": report.message.name,
        "line": report.message.text, "why": report.text,
    }  # fmt: skip


def as_json(rows: Iterable[Row]) -> str:
    """One JSON object a line."""
    return "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)


def as_text(rows: Sequence[Row]) -> str:
    """Tables for a terminal. Consecutive rows with the same columns make one table."""
    if not rows:
        return "There is nothing.\n"
    tables = (_table(list(group)) for _, group in groupby(rows, key=tuple))
    return "\n".join(tables)


def _table(rows: list[Row]) -> str:
    cells = [[name.upper() for name in rows[0]]]
    cells += [[_plain(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in cells
    )


def _plain(value: Any) -> str:
    """A value without characters that could control a terminal: strangers wrote some texts."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in text)
