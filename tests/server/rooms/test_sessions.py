"""A real server answers as the sessions of the vectors have it (protocol/vectors/sessions.json)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from support.raw import Raw
from support.session import listening
from support.vectors.files import FOLDER

SESSIONS = {
    transcript["name"]: transcript["steps"]
    for transcript in json.loads((FOLDER / "sessions.json").read_text("utf-8"))["transcripts"]
}
VARIES = {"at", "chain", "now", "started", "deadline", "welcome", "proof"}
ROOM, REMATCH = "kobadimu", "lomitaze"


class Replay:
    """Sends what the client of a transcript sends, and lets Bob do what he does in it."""

    def __init__(self, url: str) -> None:
        self.ada, self.bob = Raw(url, "json"), Raw(url, "json")
        self.names = {self.bob.hello(name="Bob")["user"]: "bob"}
        self.room = ""
        self.bob_sits = False
        self.turn = 0

    def run(self, steps: list[dict[str, Any]]) -> None:
        """Compare what comes between two requests, in whatever order."""
        with self.ada, self.bob:
            expected: list[Any] = []
            for step in steps:
                if "send" in step:
                    self.compare(expected)
                    expected = []
                    self.ada.send(**self.real(step["send"]))
                elif "receive" in step and step["receive"]["type"] != "presence":
                    request = self.of_bob(step["receive"])
                    if request is not None:
                        self.compare(expected)  # what came before he acted has come
                        expected = []
                        answer = self.bob.ask(id=1, room=self.room, **request)
                        assert answer["type"] == "ok", answer
                    expected.append(step["receive"])
            self.compare(expected)

    def real(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**request, "room": self.room} if "room" in request else request

    def of_bob(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """What Bob has asked for, if this tells of it."""
        record = json.loads(message.get("record", "{}"))
        if record.get("user") == "bob":
            self.bob_sits = True
            return {"type": "join", "seat": 1, "nonce": record["nonce"]}
        before, self.turn = self.turn, message.get("diff", {}).get("turn", self.turn)
        if not self.bob_sits or record.get("seat") != 1:
            return None
        nonce = record.get("nonce")
        match record["kind"]:
            case "acted":
                return {"type": "act", "turn": before, "action": record["action"]}
            case "offered":
                return {"type": "offer", "what": record["what"], "nonce": nonce}
            case "taken_back" | "rematching" as kind:
                what = "takeback" if kind == "taken_back" else "rematch"
                return {"type": "accept", "what": what, "turn": before, "nonce": nonce}
        return None

    def compare(self, expected: list[Any]) -> None:
        found: list[Any] = []
        while len(found) < len(expected):
            message = self.ada.message()
            if "welcome" in message:
                self.names[message["welcome"]["user"]] = "ada"
            if rematch := message.get("diff", {}).get("rematch"):
                self.names[rematch] = REMATCH
            if not self.room and "room" in message:
                self.room = message["room"]
            if message["type"] != "presence":
                found.append(message)
        assert ordered(map(self.alike, found)) == ordered(map(self.alike, expected))

    def alike(self, value: Any) -> Any:
        """A message without what differs from run to run."""
        if isinstance(value, dict):
            return {key: 0 if key in VARIES else self.alike(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.alike(item) for item in value]
        if isinstance(value, str):
            value = value.replace(self.room or ROOM, ROOM)
            for user, name in self.names.items():
                value = value.replace(f'"{user}"', f'"{name}"')
            return self.names.get(value, value)
        return value


def ordered(messages: Any) -> list[str]:
    return sorted(json.dumps(message, sort_keys=True) for message in messages)


@pytest.mark.parametrize("name", ["both-seats", "resigning", "agreeing"])
async def test_a_real_server_answers_as_the_recorded_sessions(name: str) -> None:
    async with listening() as (_, url):
        await asyncio.to_thread(lambda: Replay(url).run(SESSIONS[name]))
