"""The event loop of a simulation: time passes only here, and one seed decides who runs next.

Nodes, clients and the store are `Process`es of one loop. Each has its own queue of callbacks, which
run in their order, as asyncio promises; which process runs next is drawn. When nobody has anything
to do, the time jumps to the next timer. Executors do their work at once, and tell of it later.

No selector, socket or thread exists here. What a process that was killed still had to do is never
done: no `finally`, no farewell.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from itertools import count
from random import Random
from typing import Any

PROCESS: ContextVar[Process] = ContextVar("process")

BEGIN = 1_000.0
"""The loop's time when it begins."""


class Process:
    """What would be a process of its own: its name and address, and what it has to do."""

    def __init__(self, loop: SimulatedLoop, name: str, address: str, number: int) -> None:
        self.name = name
        self.address = address
        self.alive = True
        self.ready: deque[Handle] = deque()
        self.queued = False
        """Whether it waits for its turn."""
        self.frozen = 0.0
        """Until when it does nothing (SIGSTOP)."""
        self.offset = 0.0
        """By how much its wall clock is ahead, in seconds."""
        self.number = number
        self.tasks: dict[int, Task] = {}
        self._loop = loop

    def __repr__(self) -> str:
        return self.name

    def freeze(self, seconds: float) -> None:
        """Let it hang for so long."""
        self.frozen = max(self.frozen, self._loop.time() + seconds)
        self._loop.call_at(self.frozen, self._loop.queue, self)

    def ended(self, task: Any) -> None:
        self.tasks.pop(task.number, None)

    def kill(self) -> None:
        """It does nothing any more."""
        self.alive = False
        for handle in self.ready:
            handle.forget()
        self.ready.clear()
        for task in self.tasks.values():
            task.forget()


class Task(asyncio.Task[Any]):
    """A task that hashes by its number, so that sets of tasks have an order."""

    def __init__(self, coro: Any, *, loop: SimulatedLoop, **options: Any) -> None:
        self.number = next(loop.numbers)
        super().__init__(coro, loop=loop, **options)

    def __hash__(self) -> int:
        return self.number

    def forget(self) -> None:
        """It will never be done, and nobody need hear of that."""
        self._log_destroy_pending = False


class Handle:
    """What is to be called; asyncio's own does more, and a simulation makes millions."""

    __slots__ = ("_args", "_callback", "_cancelled", "_context")

    def __init__(self, callback: Any, args: tuple[Any, ...], context: Context) -> None:
        self._callback, self._args, self._context = callback, args, context
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True
        self._callback, self._args = None, ()

    def cancelled(self) -> bool:
        return self._cancelled

    def forget(self) -> None:
        """It will never be called, so nobody hears of the failures that it is about."""
        for each in self._args:
            if isinstance(each, asyncio.Future) and each.done() and not each.cancelled():
                each.exception()


class Timer(Handle):
    """The same at a time."""

    __slots__ = ("_loop", "_when", "waits")

    def __init__(
        self, when: float, loop: SimulatedLoop, callback: Any, args: tuple[Any, ...],
        context: Context,
    ) -> None:  # fmt: skip
        self._callback, self._args, self._context = callback, args, context
        self._cancelled = False
        self._when, self._loop = when, loop
        self.waits = True

    def when(self) -> float:
        return self._when

    def cancel(self) -> None:
        if not self._cancelled and self.waits:
            self._loop.timer_cancelled()
        super().cancel()


class Future(asyncio.Future[Any]):
    """The same of futures. Few are ever in a set, so only those get a number."""

    number = 0

    def __hash__(self) -> int:
        if not self.number:
            loop: Any = self.get_loop()
            self.number = next(loop.numbers)
        return self.number


class SimulatedLoop(asyncio.BaseEventLoop):
    """See above."""

    def __init__(self, seed: int | str) -> None:
        super().__init__()
        self.rng = Random(f"{seed} loop")
        self.numbers = count(1)
        self._trace = blake2b(digest_size=16)
        self._noted = bytearray()
        self.traced = False
        self.faults: list[dict[str, Any]] = []
        """What was reported to the loop: exceptions that nobody has retrieved."""
        self._now = BEGIN
        self._timers: list[tuple[float, int, Timer]] = []
        self._cancelled = 0
        self._queue: list[Process] = []
        self._numbers_of_processes = count()
        self.processes: list[Process] = []
        self.outside = self.process("outside", "10.0.0.1")
        self.set_task_factory(_task)
        self.set_exception_handler(lambda _, fault: self.faults.append(fault))

    def time(self) -> float:
        return self._now

    def process(self, name: str, address: str) -> Process:
        made = Process(self, name, address, next(self._numbers_of_processes))
        self.processes.append(made)
        return made

    def bury(self) -> None:
        """Nothing runs any more: end what was never done, unseen."""
        for process in self.processes:
            process.kill()
        with muted():
            for process in self.processes:
                for task in process.tasks.values():
                    coroutine = task.get_coro()
                    if coroutine is not None:
                        with suppress(BaseException):
                            coroutine.close()

    def in_process(self, process: Process) -> Context:
        """A context in which what is begun belongs to this process."""
        context = copy_context()
        context.run(PROCESS.set, process)
        return context

    # --- what asyncio asks of a loop ---------------------------------------------------------

    get_debug = staticmethod(bool)  # never; futures ask for it all the time

    def create_future(self) -> Any:
        return Future(loop=self)

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        handle = Handle(callback, args, context or copy_context())
        process = handle._context.get(PROCESS, self.outside)
        if process.alive:
            process.ready.append(handle)
            if not process.queued and process.frozen <= self._now:
                process.queued = True
                self._queue.append(process)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        timer = Timer(when, self, callback, args, context or copy_context())
        heappush(self._timers, (when, next(self.numbers), timer))
        return timer

    def timer_cancelled(self) -> None:
        """Throw cancelled ones away when they are many."""
        self._cancelled += 1
        if self._cancelled > 200 and self._cancelled > len(self._timers) // 2:
            self._timers = [each for each in self._timers if not each[2]._cancelled]
            heapify(self._timers)
            self._cancelled = 0

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> Any:
        """Done at once; told when the disk, or whatever it is, may have been ready."""
        future = self.create_future()
        try:
            tell, told = future.set_result, func(*args)
        except Exception as error:  # noqa: BLE001 - it is whoever waits that is to see it
            tell, told = future.set_exception, error
        seconds = self.rng.expovariate(1_000.0)

        def done() -> None:
            if not future.done():
                tell(told)

        self.call_later(seconds, done)
        return future

    def _process_events(self, event_list: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass

    def close(self) -> None:
        self._timers.clear()
        self._queue.clear()
        super().close()

    # --- turns -------------------------------------------------------------------------------

    def queue(self, process: Process) -> None:
        """It may have something to do."""
        if process.alive and not process.queued and process.frozen <= self._now and process.ready:
            process.queued = True
            self._queue.append(process)

    def _run_once(self) -> None:
        """Turns, until somebody wants it to end."""
        queue, chance = self._queue, self.rng.random
        while not self._stopping:  # type: ignore[attr-defined]
            if not queue:
                self._advance()
            process = queue.pop()
            if queue:
                chosen = int(chance() * (len(queue) + 1))
                if chosen < len(queue):
                    queue[chosen], process = process, queue[chosen]
            process.queued = False
            ready = process.ready
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle._cancelled:
                    try:
                        handle._context.run(handle._callback, *handle._args)
                    except Exception as error:  # noqa: BLE001 - as asyncio's handles do
                        self.call_exception_handler(
                            {"message": f"Exception in {handle._callback}", "exception": error}
                        )
                if not ready or process.frozen > self._now:
                    break
            if ready:
                self.queue(process)

    def _advance(self) -> None:
        """Let the time pass until somebody has something to do."""
        queue, outside = self._queue, self.outside
        while not queue:
            timers = self._timers
            if not timers:
                raise RuntimeError("everybody waits, and nothing will come")
            now = self._now = max(self._now, timers[0][0])
            while timers and timers[0][0] <= now:
                timer = heappop(timers)[2]
                if timer._cancelled:
                    self._cancelled -= 1
                    continue
                timer.waits = False
                process = timer._context.get(PROCESS, outside)
                if process.alive:
                    process.ready.append(timer)
                    if not process.queued and process.frozen <= now:
                        process.queued = True
                        queue.append(process)

    # --- what happened -----------------------------------------------------------------------

    def note(self, number: int, piece: bytes) -> None:
        """A process, by its number, has got these bytes now."""
        noted = self._noted
        noted += b"%d@%d " % (number, self._now * 1e6)
        noted += piece
        if len(noted) > 1 << 16:
            self._trace.update(noted)
            noted.clear()

    @property
    def trace(self) -> str:
        """A hash over every delivered byte, and when who got it."""
        self._trace.update(self._noted)
        self._noted.clear()
        return self._trace.hexdigest()


@contextmanager
def muted() -> Iterator[None]:
    """What is torn down inside is not heard: it was killed, and its farewells go nowhere."""
    kept, sys.unraisablehook = sys.unraisablehook, lambda _: None
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = kept
        logging.disable(logging.NOTSET)


def _task(loop: Any, coro: Any, **options: Any) -> Task:
    context = options.get("context")
    process = context.get(PROCESS, None) if context is not None else PROCESS.get(None)
    task = Task(coro, loop=loop, **options)
    if process is not None:
        if not process.alive:
            task.forget()
        process.tasks[task.number] = task
        task.add_done_callback(process.ended)
    return task
