"""Rules for every message of every check: messages are judged as they arrive.

Each rule has its own result at the end, so that a fault that all checks meet is reported once, with
its section.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pierule_conform.checks import shapes
from pierule_conform.checks.mirror import applied, chained, completed, digest_of, place_of
from pierule_conform.checks.registry import Failed
from pierule_conform.report import Finding


@dataclass(slots=True)
class Watch:
    """One such rule: how many messages it has judged, and the first failure."""

    name: str
    section: str
    title: str
    judged: int = 0
    failed: Failed | None = None


def watches() -> list[Watch]:
    """All watches, fresh."""
    return [Watch(name, section, title) for name, (section, title) in _ROWS.items()]


_ROWS = {
    "every-message-a-map": ("1.2", "every message is a map with a type, without floats"),
    "every-message-bounded": ("1.7", "no message is longer than 1 MiB"),
    "every-value-plain": ("1.8", "keys are text, and numbers are integers of 32 bits or times"),
    "every-welcome-complete": ("1.3", "every welcome has its fields"),
    "every-notice-complete": ("1.5", "every notice has its kind"),
    "every-answer-once": ("2.1", "every answer belongs to a request that waits for it"),
    "every-error-complete": ("2.2", "every error has its code and text"),
    "every-ok-complete": ("2.3", "every ok carries what the table of requests says"),
    "every-event-next": ("3.2", "every event's seq is the next, and its time never falls"),
    "every-record-known": ("3.3", "every record is JSON of a known kind with its fields"),
    "every-chain-right": ("3.4", "every event continues the chain"),
    "every-turn-counted": ("3.5", "turn rises with actions and takebacks; ply counts actions"),
    "every-snapshot-complete": ("4.1", "every snapshot's state has all its fields"),
    "every-diff-exact": ("4.2", "every diff holds fields that changed, and no others"),
    "every-state-one": ("4.3", "all who come to the same place have the same state"),
    "every-position-complete": ("5.1", "every position has its fields"),
    "every-board-full": ("5.2", "every board has size * size cells"),
    "every-digest-right": ("5.4", "every digest is that of the position's text"),
    "every-join-in-order": ("6.1", "nothing comes before the ok, no event before the snapshot"),
    "every-presence-complete": ("6.5", "every presence has its fields"),
    "every-chat-complete": ("21.4", "every chat has its fields, after the ok of a join"),
    "every-paired-complete": ("23.4", "every paired has its fields"),
    "every-challenge-complete": ("23.10", "every challenge has its fields"),
    "every-lobby-complete": ("23.6", "every lobby has its fields"),
    "every-change-complete": ("23.7", "every change of the lobby has its fields"),
}  # fmt: skip


class Watcher:
    """All watches of one run, and the states that were reached, by room and place."""

    def __init__(self) -> None:
        self._watches = {watch.name: watch for watch in watches()}
        self._states: dict[tuple[Any, ...], dict[str, Any]] = {}

    def findings(self) -> list[Finding]:
        """How each watch came out."""
        return [_finding(watch) for watch in self._watches.values()]

    def judge(self, name: str, holds: bool, expected: str, received: Any, sent: Any = None) -> bool:
        """Let one watch judge one message. Returns whether the rule holds."""
        watch = self._watches[name]
        watch.judged += 1
        if not holds and watch.failed is None:
            watch.failed = Failed(expected, received, sent)
        return holds

    def fits(self, name: str, value: Any, shape: Any, message: Any, sent: Any = None) -> bool:
        """Let a watch judge the shape of a message."""
        wrong = shapes.misfit(value, shape)
        return self.judge(name, wrong is None, wrong or "", message, sent)

    def snapshot(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The state of a snapshot; None if its shape is wrong."""
        if not self.fits("every-snapshot-complete", message, shapes.SNAPSHOT, message):
            return None
        state = message["state"]
        position = state["position"]
        if not self.fits("every-position-complete", position, shapes.POSITION, message):
            return None
        if not self.fits(
            "every-board-full", position["cells"], (shapes.CELL,) * position["size"] ** 2, message
        ):
            return None
        state = completed(state)
        self._judge_state(state, message)
        return state

    def event(self, before: dict[str, Any], event: Mapping[str, Any]) -> dict[str, Any] | None:
        """The state after an event that follows `before`; None if it cannot be applied."""
        diff = event["diff"]
        if not self.fits("every-diff-exact", diff, shapes.DIFF, event):
            return None
        carried = chained(before["chain"], event)
        self.judge("every-chain-right", event["chain"] == carried, f"chain {carried}", event)
        later = event["at"] >= before["at"]
        self.judge("every-event-next", later, f"a time of {before['at']} or later", event)
        self.record(event)
        try:
            after = applied(before, event)
        except IndexError:
            self.judge("every-diff-exact", False, "cells that the board has", event)
            return None
        same = _unchanged(before, diff)
        self.judge("every-diff-exact", not same, f"only what changed, not {', '.join(same)}", event)
        self._judge_state(after, event)
        risen = after["turn"] - before["turn"]
        counts = any(f'"kind":"{kind}"' in event["record"] for kind in ("acted", "taken_back"))
        self.judge("every-turn-counted", risen == counts, f"turn {before['turn'] + counts}", event)
        return after

    def record(self, entry: Mapping[str, Any]) -> dict[str, Any] | None:
        """The record of an event or entry; None if it does not fit a known kind."""
        try:
            record = json.loads(entry["record"])
            shape = shapes.RECORDS[record["kind"]]
        except (ValueError, KeyError, TypeError):
            self.judge("every-record-known", False, "JSON text with a kind of 3.3", entry)
            return None
        fits = self.fits("every-record-known", record, shape, entry)
        return record if fits else None

    def _judge_state(self, state: dict[str, Any], message: Any) -> None:
        digest = digest_of(state["position"])
        self.judge("every-digest-right", digest == state["digest"], f"digest {digest}", message)
        counted = state["ply"] == len(state["actions"])
        self.judge("every-turn-counted", counted, f"ply {len(state['actions'])}", message)
        state = _nameless(state)
        known = self._states.setdefault((state["room"], *place_of(state).values()), state)
        parts = [name for name in known if known[name] != state.get(name)]
        expected = ", ".join(f"{name} {known[name]}" for name in parts)
        self.judge(
            "every-state-one", not parts, f"what others have at this place: {expected}", message
        )


def _nameless(state: dict[str, Any]) -> dict[str, Any]:
    """The state without the players' names, which can change at the same place (24.4)."""
    seats = state["seats"]
    if not (isinstance(seats, list) and all(isinstance(each, dict | None) for each in seats)):
        return state
    return {**state, "seats": [each and {**each, "name": None} for each in seats]}


def _finding(watch: Watch) -> Finding:
    about = Finding(watch.section, watch.name, watch.title, "passed")
    failed = watch.failed
    if failed is not None:
        return replace(
            about, status="failed", reason="the first such message", sent=failed.sent,
            expected=failed.expected, received=failed.received,
        )  # fmt: skip
    if not watch.judged:
        return replace(about, status="skipped", reason="no such message came")
    return about


def _unchanged(before: Mapping[str, Any], diff: Mapping[str, Any]) -> list[str]:
    """The fields of a diff whose value is the one that they had before."""
    same = [
        name for name, value in diff.items()
        if name not in ("actions", "position") and name in before
        and completed_value(before[name]) == completed_value(value)
    ]  # fmt: skip
    position = before["position"]
    for name, value in (diff.get("position") or {}).items():
        if name == "cells":
            same += [
                f"cell {index}"
                for index, to in value
                if index < len(position["cells"]) and position["cells"][index] == to
            ]
        elif name in position and position[name] == value:
            same.append(f"position.{name}")
    return same


def completed_value(value: Any) -> Any:
    """A value without the nulls in it, so that what is left out equals what is null."""
    if isinstance(value, Mapping):
        return {k: completed_value(v) for k, v in value.items() if v is not None}
    return value
