"""What one connection receives: it judges messages as they come, and mirrors rooms (SPEC 6.1,
6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pierule_conform.checks import shapes
from pierule_conform.checks.mirror import place_of
from pierule_conform.checks.raw_connection import RawConnection
from pierule_conform.checks.watch import Watcher

Message = Mapping[str, Any]

MOST_BYTES = 1 << 20
"""The size that a client must accept, and the most that a server sends at once (SPEC 1.7)."""

_WHOLE = {
    "notice": ("every-notice-complete", shapes.NOTICE),
    "paired": ("every-paired-complete", shapes.PAIRED),
    "challenged": ("every-challenge-complete", shapes.CHALLENGED),
    "lobby": ("every-lobby-complete", shapes.LOBBY),
    "lobby_change": ("every-change-complete", shapes.LOBBY_CHANGE),
}
"""Messages whose shape alone is judged."""


_PASSING = {"presence": shapes.PRESENCE, "chat": shapes.CHAT}


class Inbound:
    """`inbox` holds all messages that came, `states` all states of each room in order, `asked` the
    requests that wait for an answer, `answers` those that came."""

    def __init__(self, connection: RawConnection, watcher: Watcher) -> None:
        self.inbox: list[Message] = []
        self.states: dict[str, list[dict[str, Any]]] = {}
        self.asked: dict[int, Message] = {}
        self.answers: dict[int, Message] = {}
        self._connection = connection
        self._watcher = watcher
        self._following: set[str] = set()
        self._fresh: set[str] = set()

    def take(self, data: str | bytes) -> None:
        judge = self._watcher.judge
        judge("every-message-bounded", len(data) <= MOST_BYTES, f"{MOST_BYTES} bytes", len(data))
        try:
            message = self._connection.read(data)
        except ValueError as error:
            judge(
                "every-message-a-map", False, f"{self._connection.codec}: {error}", repr(data[:200])
            )
            return
        good = isinstance(message, dict) and isinstance(message.get("type"), str)
        good = good and not shapes.has_float(message)
        if not judge("every-message-a-map", good, "a map with a type and no floats", message):
            return
        odd = shapes.oddity(message)
        judge("every-value-plain", odd is None, odd or "", message)
        self.inbox.append(message)
        match message["type"]:
            case "ok" | "error":
                self._take_answer(message)
            case "snapshot":
                self._take_snapshot(message)
            case "event":
                self._take_event(message)
            case "presence" | "chat" as kind:
                if self._watcher.fits(f"every-{kind}-complete", message, _PASSING[kind], message):
                    self._judge_order(message["room"], message)
            case "notice" | "paired" | "challenged" | "lobby" | "lobby_change" as kind:
                name, shape = _WHOLE[kind]
                self._watcher.fits(name, message, shape, message)

    def _take_answer(self, message: Message) -> None:
        id_ = message.get("id")
        if message["type"] == "error":
            self._watcher.fits("every-error-complete", message, shapes.ERROR, message)
            if id_ is None:
                return
        sent = self.asked.pop(id_, None) if type(id_) is int else None
        if sent is None or type(id_) is not int:
            self._watcher.judge("every-answer-once", False, "an id that waits for it", message)
            return
        self._watcher.judge("every-answer-once", True, "", message)
        self.answers[id_] = message
        if message["type"] == "ok":
            kind = sent["type"]
            name = "every-welcome-complete" if kind == "hello" else "every-ok-complete"
            self._watcher.fits(name, message, shapes.OK.get(kind, {}), message, sent)
            if kind == "join":
                self._following.add(sent.get("room", ""))
                if not message.get("resumed"):
                    self._fresh.add(sent.get("room", ""))
            elif kind == "leave":
                self._following.discard(sent.get("room", ""))

    def _judge_order(self, room: str, message: Message) -> None:
        words = f"the ok of a join of {room} first"
        self._watcher.judge("every-join-in-order", room in self._following, words, message)

    def _take_snapshot(self, message: Message) -> None:
        state = self._watcher.snapshot(message)
        if state is not None:
            self._judge_order(state["room"], message)
            self._fresh.discard(state["room"])
            self.states.setdefault(state["room"], []).append(state)

    def _take_event(self, event: Message) -> None:
        watcher = self._watcher
        if not watcher.fits("every-event-next", event, shapes.EVENT, event):
            return
        room = event["room"]
        self._judge_order(room, event)
        early = room in self._fresh
        watcher.judge("every-join-in-order", not early, "the snapshot before events", event)
        if early or not self.states.get(room):
            return
        known = self.states[room][-1]
        if event["epoch"] == known["epoch"] and event["seq"] <= known["seq"]:
            return  # a duplicate (SPEC 6.2)
        expected = f"seq {known['seq'] + 1} after {place_of(known)}"
        if watcher.judge("every-event-next", event["seq"] == known["seq"] + 1, expected, event):
            after = watcher.event(known, event)
            if after is not None:
                self.states[room].append(after)
