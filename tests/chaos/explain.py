"""Evidence for a broken promise, kept in the report: what its client sent and received just then,
how the room's log ends, and the faults of the nodes that the client used. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chaos.journal import Journal, JournalEntry
from chaos.reading import READ, WRITTEN
from chaos.truth import Violation
from chaos.world import Happened
from pierule_protocol.messages import LogEntry, Notice, Snapshot

BEFORE = 60.0
AFTER = 40.0
"""Seconds around the moment in question, for faults and entries: before and after it."""
LINES = 60
"""Lines of the journal, and entries of the log, at most."""
TOLD = ("id", "seat", "turn", "action", "epoch", "seq", "place", "since", "resumed", "code", "kind")


def explain(
    violation: Violation,
    journals: Mapping[str, Journal],
    logs: Mapping[str, Sequence[LogEntry]],
    happened: Sequence[Happened],
    nodes: Mapping[int, str],
) -> dict[str, Any]:
    """The evidence for the report. `nodes` names the node behind each door's port. All times are in
    seconds from the moment in question."""
    journal = journals.get(violation.client)
    log = logs.get(violation.room, [])
    at = violation.at or (log[-1].at / 1_000 if log else 0.0)
    lines = [line for line in journal.lines if line.at < at + AFTER] if journal else []
    told = list(_about(violation.room, lines))[-LINES:]
    ports = _ports(lines, at)
    return {
        "promise": violation.promise,
        "room": violation.room,
        "text": violation.text,
        "moment": at,
        "journal": [f"{line.at - at:+.3f} {_line(line, text, nodes)}" for line, text in told],
        "log": [
            f"{entry.at / 1_000 - at:+.3f} ({entry.epoch}, {entry.seq}) {entry.record}"
            for entry in log
            if at - BEFORE < entry.at / 1_000 < at + AFTER
        ][-LINES:],
        "faults": [
            f"{fault.began - at:+.3f} to {fault.ended - at:+.3f} {fault.kind}: {fault.target}"
            for fault in sorted(happened, key=lambda each: each.began)
            if fault.ended > at - BEFORE
            and fault.began < at + AFTER
            and (not ports or ports & set(fault.ports))
        ],
    }  # fmt: skip


def _about(room: str, lines: Sequence[JournalEntry]) -> Iterator[tuple[JournalEntry, str]]:
    """The lines about a room (without one, all lines), the server, or the connection."""
    asked: set[tuple[int, int]] = set()
    for line in lines:
        if line.what in ("opened", "closed"):
            yield line, ""
            continue
        message: Any = (WRITTEN if line.what == "sent" else READ).decode(line.data)  # type: ignore[arg-type]
        shown = message.state if isinstance(message, Snapshot) else message
        key = line.connection, getattr(message, "id", None) or -1
        if not room or getattr(shown, "room", None) == room or isinstance(message, Notice):
            if line.what == "sent":
                asked.add(key)
        elif line.what == "sent" or key not in asked:
            continue
        fields = ((name, getattr(shown, name, None)) for name in TOLD)
        told = (f"{name}={value}" for name, value in fields if value is not None)
        yield line, " ".join([type(message).__name__, *told])


def _line(line: JournalEntry, text: str, nodes: Mapping[int, str]) -> str:
    where = f" at {nodes.get(int(line.data), line.data)}" if line.what == "opened" else ""
    return f"connection {line.connection} {line.what}{where} {text}".rstrip()


def _ports(lines: Sequence[JournalEntry], at: float) -> set[int]:
    """The doors that it used from `BEFORE` on."""
    ended = {line.connection for line in lines if line.what == "closed" and line.at < at - BEFORE}
    return {
        int(line.data) for line in lines if line.what == "opened" and line.connection not in ended
    }
