"""The process that evaluates positions for the API: one task after the other, in their order. It
bounds how many tasks wait, and how long each takes."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import Sequence
from http import HTTPStatus

import msgspec
import structlog

from pierule_archive.api.problems import Failure, away
from pierule_archive.evaluating import READY, Task
from pierule_search.evaluation import Evaluation

PROGRAM = (sys.executable, "-m", "pierule_archive.evaluating")

SECONDS = 120.0
"""How long a search may take. A search that computes normally ends much earlier, by its number of
actions."""

STARTING = 60.0
"""How long the program may take to start."""

WAITING = 16
"""The most tasks that run or wait."""

KEPT = 10_000
"""The most answers in the cache."""

_logger = structlog.get_logger(__name__)


class Evaluator:
    """Evaluates positions. The process starts with the first task; `close` ends it."""

    def __init__(self, program: Sequence[str] = PROGRAM, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._program = program
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._known: OrderedDict[Task, Evaluation] = OrderedDict()

    async def evaluate(self, task: Task) -> Evaluation:
        """The answer to a task. Raises Failure if too many wait, or a search does not end."""
        known = self._recalled(task)
        if known is not None:
            return known
        if self._waiting >= WAITING:
            raise away("too many evaluations are waiting; try again later")
        self._waiting += 1
        try:
            async with self._turn:
                return self._recalled(task) or await self._solved(task)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the process."""
        async with self._turn:
            await self._end()

    def _recalled(self, task: Task) -> Evaluation | None:
        if task in self._known:
            self._known.move_to_end(task)
        return self._known.get(task)

    async def _solved(self, task: Task) -> Evaluation:
        try:
            answer = await self._asked(task)
        except (TimeoutError, OSError, EOFError, msgspec.DecodeError) as error:
            _logger.error("an evaluation failed", position=task.position, why=repr(error))  # noqa: TRY400
            await self._end()
            detail = "the server failed; its log has the details"
            raise Failure(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail) from error
        except BaseException:
            await self._end()  # its late answer could be mistaken for that to another task
            raise
        self._known[task] = answer
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return answer

    async def _asked(self, task: Task) -> Evaluation:
        if self._process is not None and self._process.returncode is not None:
            await self._end()  # it has died since its last answer
        if self._process is None:
            self._process = await self._started()
            async with asyncio.timeout(STARTING):
                if await _line(self._process) != READY:
                    raise EOFError
        async with asyncio.timeout(self.seconds):
            assert self._process.stdin is not None
            self._process.stdin.write(msgspec.json.encode(task) + b"\n")
            await self._process.stdin.drain()
            return msgspec.json.decode(await _line(self._process), type=Evaluation)

    async def _started(self) -> Process:
        # The environment may hold passwords, which the process does not need.
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
        return await asyncio.create_subprocess_exec(
            *self._program, stdin=PIPE, stdout=PIPE, env=kept, start_new_session=True
        )

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _line(process: Process) -> bytes:
    """The next line of the program. Raises EOFError if it has ended."""
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return line
