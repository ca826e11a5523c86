"""The process that runs the workers. It owns the port, the embedded store, the archive's API and
the house bots, but no room."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from pierule_server.identity.tokens import Keys
from pierule_server.node import authority, keys_of, naming, store_of, url_of
from pierule_server.operations.api_process import running_api
from pierule_server.operations.health import chosen_port, serve_operators
from pierule_server.settings import Settings
from pierule_server.workers.crew import Crew, WorkersEnded
from pierule_server.workers.door import Door, listen
from pierule_server.workers.ledger import Ledger
from pierule_server.workers.messages import Setup
from pierule_server.workers.report import Report

LAST_MOMENT = 5.0
"""Seconds that a worker may take to end, on top of what the settings allow for each step of it."""


@dataclass(frozen=True, slots=True)
class Supervisor:
    """A serving supervisor. For its fields see `node.Node`."""

    url: str
    operations: str | None
    api: str | None
    keys: Keys
    crew: Crew
    report: Report

    @property
    def workers(self) -> int:
        """The number of workers."""
        return len(self.crew.posts)

    async def drain(self) -> None:
        """Send all clients away."""
        self.report.stopping = True
        await self.crew.drain()


@asynccontextmanager
async def running_supervisor(
    settings: Settings, count: int, lost: Callable[[], None]
) -> AsyncIterator[Supervisor]:
    """Serve with `count` workers while the context lasts. It takes the ports before it starts
    anything else. If every worker is given up, it calls `lost`. Raises what `running_node` raises,
    and WorkersEnded."""
    async with AsyncExitStack() as stack:
        with naming("--host and --port"):
            listening = stack.enter_context(listen(settings))
        url = url_of(settings.host, listening.getsockname()[1])
        patience = sum((settings.drain_seconds, settings.close_seconds, settings.store_seconds,
                        LAST_MOMENT))  # fmt: skip
        crew = Crew(count, settings_of_workers(settings), settings.worker_restarts, patience,
                    Ledger(settings), lost)  # fmt: skip
        restart_on_hangup(crew, lost)
        report = Report(crew)
        operations = await _operations(stack, settings, report)
        api = await stack.enter_async_context(running_api(settings))
        store, keys = await store_of(stack, settings), keys_of(settings)
        stack.push_async_callback(crew.stop)
        await crew.start(Setup(url, store, api))
        door = Door(settings, listening, crew.usable)
        crew.pass_on = door.pass_on
        door.start()
        stack.push_async_callback(door.stop)
        yield Supervisor(url, operations, api, keys, crew, report)
        if crew.lost:
            raise WorkersEnded("every worker keeps ending; the log says why", 1)


async def _operations(stack: AsyncExitStack, settings: Settings, report: Report) -> str | None:
    port = chosen_port(settings)
    if port is None:
        return None
    with naming("--operations-host and --operations-port"):
        server = await serve_operators(settings.operations_host, port, report.page)

    async def stop() -> None:
        server.close()
        await server.wait_closed()

    stack.push_async_callback(stop)
    port = next(iter(server.sockets)).getsockname()[1]
    return f"http://{authority(settings.operations_host, port)}"


def restart_on_hangup(crew: Crew, end: Callable[[], None]) -> None:
    """From now on, restart the workers one after the other on SIGHUP. A terminal that closes sends
    SIGHUP, too: then call `end`, unless `nohup` keeps this process alive."""
    kept = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    terminal = _has_terminal()

    def signalled() -> None:
        if not terminal or _has_terminal():
            crew.restart()
        elif not kept:
            end()

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, signalled)


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


OWN = {
    "workers": "1", "operations_port": "off", "bots": "",
}  # fmt: skip
"""These settings differ at a worker: the supervisor does what they ask for."""


def settings_of_workers(settings: Settings) -> dict[str, str]:
    """The settings of a worker, as environment variables."""
    values = {each.name: str(getattr(settings, each.name)) for each in fields(settings)}
    values["data"] = str(Path(settings.data).expanduser().resolve())
    return {f"PIERULE_{name.upper()}": value for name, value in {**values, **OWN}.items()}
