"""The example clients, each as a process of its own, live through every transcript of the vectors:
the server's part is replayed to them, and what they send and the boards that they report are
those of the transcript."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pierule_conform.contract import Task
from pierule_conform.process import running
from support.nodejs import NODE
from support.preloaded import forked
from support.replaying import BOUND, Json, Replay, elsewhere, transcripts

EXAMPLES = Path(__file__).parents[2] / "clients" / "examples"
CLIENTS: dict[str, list[str]] = {
    "plain": [sys.executable, str(EXAMPLES / "plain_client.py")],
    "node": [str(NODE), str(EXAMPLES / "node_client.mjs")],
    "reference-msgpack": [sys.executable, str(EXAMPLES / "reference_client.py")],
    "reference-json": [sys.executable, str(EXAMPLES / "reference_client.py"), "json"],
}
TRANSCRIPTS = transcripts("resume.json", "sessions.json")


class Reports:
    """What a client has said and how it ended."""

    def __init__(self) -> None:
        self.boards: list[Json] = []
        self.fault: str | None = None
        self.status: int | None = None
        self._news = asyncio.Event()

    def line(self, line: bytes) -> None:
        said = json.loads(line)
        if "fault" in said:
            self.fault = said["fault"]
        else:
            self.boards.append(said)
        self._news.set()

    def end(self, status: int) -> None:
        self.status = status
        self._news.set()

    async def shows(self, shown: Json) -> None:
        """Wait for a board: no other may come after it."""
        await self._until(lambda: bool(self.boards) and _same(self.boards[-1], shown), shown)

    async def ended(self) -> int:
        await self._until(lambda: self.status is not None, "the client's end")
        assert self.status is not None
        return self.status

    async def _until(self, holds: Any, what: Any) -> None:
        try:
            async with asyncio.timeout(BOUND):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"no {what}, but {self.boards[-1:]}, {self.fault}") from None


def _same(board: Json, shown: Json) -> bool:
    return all(board[name] == shown[name] for name in shown.keys() - {"chain", "digest"})


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: str(transcript["name"]))
@pytest.mark.parametrize("client", CLIENTS)
async def test_example_clients_live_through_every_transcript(client: str, transcript: Json) -> None:
    others, seat, actions = elsewhere(transcript)
    replay, reports = Replay(transcript, others), Reports()
    hello = next(step["send"] for step in replay.steps if "send" in step)
    task = Task("kobadimu", 0 if seat == 0 else None, actions, hello.get("token"))
    async with replay.listening():
        environment = task.environment([replay.url])
        async with running(forked(CLIENTS[client]), environment, reports.line, reports.end) as tail:
            stopped = await _live_through(replay, reports)
            status = await reports.ended()
    assert (status != 0, reports.fault is not None) == (stopped, stopped), tail.text


async def _live_through(replay: Replay, reports: Reports) -> bool:
    """Whether the client had to give up."""
    for step in replay.steps:
        ((kind, what),) = step.items()
        match kind:
            case "open":
                await replay.open()
            case "shows":
                await reports.shows(what)
                replay.shown = what
            case "stopped":
                return True
            case "closed" if what == 1000:
                break
            case _:
                await getattr(replay, kind)(what)
    await replay.finish()
    return False
