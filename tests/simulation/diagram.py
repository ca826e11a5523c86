"""A failing story as a sequence diagram (Mermaid): the messages of people and nodes about the room
in which it failed, and the faults meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgpack

from chaos.journal import Journal
from chaos.world import Happened

MOST = 60
"""How many of the last lines are drawn."""


def drawn(
    journals: Sequence[Journal], happened: Sequence[Happened], failures: Sequence[str], began: float
) -> str:
    """The diagram; `began` is when the story began, in seconds since 1970."""
    lines = [line for journal in journals for line in _lines(journal)]
    rooms = {room for _, _, room in lines if room and any(room in each for each in failures)}
    told = [(at, text) for at, text, room in lines if not rooms or room in rooms]
    for each in happened:
        text = f"Note over store: {{at}} {each.kind} of {each.target}, to {each.ended - began:.3f}"
        told.append((each.began, text))
    told.sort(key=lambda line: line[0])
    return "\n".join(
        ["sequenceDiagram", "    participant store"]
        + [f"    {text.replace('{at}', f'{at - began:.3f}')}" for at, text in told[-MOST:]]
        + [f"    Note over store: {failure[:160]}" for failure in failures[:3]]
    )


def _lines(journal: Journal) -> Iterator[tuple[float, str, str]]:
    """What one client sent and got: when, as the diagram has it, and of which room it is."""
    ports: dict[int, int] = {}
    rooms: dict[tuple[int, Any], str] = {}
    for at, connection, what, data in journal.lines:
        if what == "opened":
            assert isinstance(data, int)
            ports[connection] = data
        elif what == "closed":
            yield at, f"Note over {journal.name}: {{at}} connection {connection} is closed", ""
        if not isinstance(data, bytes) or what not in ("sent", "got"):
            continue
        message = msgpack.unpackb(data)
        key = connection, message.get("id")
        if what == "sent":
            rooms[key] = message.get("room") or ""
        room = message.get("room") or rooms.get(key, "")
        node = f"node{ports[connection] - 8_001}"
        arrow = (journal.name, node) if what == "sent" else (node, journal.name)
        yield at, f"{arrow[0]}->>{arrow[1]}: {{at}} {_told(message)}", room


def _told(message: dict[str, Any]) -> str:
    fields = ("id", "turn", "action", "code", "epoch", "seq", "what")
    parts = [str(message.get("type"))]
    parts += [f"{name}={message[name]}" for name in fields if message.get(name) is not None]
    place = message.get("place")
    if place:
        parts.append(f"at {place['epoch']}/{place['seq']}")
    return " ".join(parts).replace(";", ",").replace("#", "")
