"""A room as plain maps: what a client without rules makes of snapshots and diffs (SPEC 4 to 6).

Written from SPEC and separate from our own fold; only the function that writes a position's text is
shared. Everything here assumes that the shapes were judged before.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from zlib import crc32

from pierule_protocol.state.position import position_text

NULLABLE = {"control", "clock", "result"}
FIELDS = ("game", "size", "phase", "to_act", "black", "komi", "passes", "score", "winner", "cells")
NULLABLE_POSITION = {"to_act", "black", "komi", "winner"}


def completed(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state in which every null that may be left out is written out (SPEC 1.2)."""
    full: dict[str, Any] = {**dict.fromkeys(NULLABLE), **state}
    full["position"] = {**dict.fromkeys(NULLABLE_POSITION), **state["position"]}
    if full["clock"] is not None:
        full["clock"] = {"running": None, "deadline": None, **full["clock"]}
    if full["result"] is not None:
        full["result"] = {"winner": None, **full["result"]}
    return full


def text_of(position: Mapping[str, Any]) -> str:
    """The position's text."""
    return position_text(SimpleNamespace(**{name: position.get(name) for name in FIELDS}))


def digest_of(position: Mapping[str, Any]) -> int:
    return crc32(text_of(position).encode())


def chained(previous: int, entry: Mapping[str, Any]) -> int:
    """The chain after an entry or event (SPEC 3.4)."""
    text = f"{entry['epoch']} {entry['seq']} {entry['record']} {entry['at']}"
    return crc32(text.encode(), previous)


def applied(state: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    """The state after an event (SPEC 4.2, 4.3). Raises IndexError for cells that no board has."""
    diff = event["diff"]
    after = {**state, **{k: v for k, v in diff.items() if k not in ("actions", "position")}}
    ply = diff.get("ply", state["ply"])
    new = diff.get("actions", [])
    after["actions"] = [*state["actions"][: max(0, ply - len(new))], *new]
    if "position" in diff:
        after["position"] = moved(state["position"], diff["position"])
    for name in ("epoch", "seq", "chain", "at", "digest"):
        after[name] = event[name]
    return completed(after)


def moved(position: Mapping[str, Any], diff: Mapping[str, Any]) -> dict[str, Any]:
    """The position after a position's diff. Raises IndexError for cells that no board has."""
    changes = dict(diff)
    cells = list(position["cells"])
    for index, value in changes.pop("cells", []):
        cells[index] = value
    return {**position, **changes, "cells": cells}


def place_of(state: Mapping[str, Any]) -> dict[str, int]:
    """The place of a state, event or entry, as `since` takes it."""
    return {name: state[name] for name in ("epoch", "seq", "chain")}
