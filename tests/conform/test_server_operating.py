"""What a check cannot bring about by itself. With the operator's hand `pierule conform server`
tries it on our server; faults are put into our server here, because nothing else brings them about.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.watch import Watcher
from pierule_protocol.codes import Close, Code
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.node import running_node
from pierule_server.rooms.rooms import Rooms
from pierule_server.settings import Settings
from support import stores
from support.preloaded import terminal
from support.serving import Serving

KEYS = f"conform:{'x' * 40}"
BOUND = 60.0


async def conform(url: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the findings of `pierule conform server`, by name."""
    process = await asyncio.create_subprocess_exec(
        *terminal(), "conform", "server", url, "--json", "-", *arguments,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    told, _ = await asyncio.wait_for(process.communicate(), BOUND)
    assert process.returncode is not None
    return process.returncode, {one["name"]: one for one in json.loads(told)["findings"]}


@pytest.mark.long(12)
async def test_the_check_of_a_store_outage_passes(tmp_path: Path) -> None:
    with stores.single_on_port() as store:
        assert store.process is not None
        pid = store.process.pid
        serving = Serving(tmp_path, "--store-seconds", "1", store=store.url,
                          environment={"PIERULE_KEYS": KEYS})  # fmt: skip
        try:
            await asyncio.to_thread(serving.start)
            status, found = await conform(
                serving.url, "--check", "store-away",
                "--with", f"store-away=kill -STOP {pid}", "--with", f"store-back=kill -CONT {pid}",
            )  # fmt: skip
        finally:
            store.resume()
            serving.clear()
    assert found["store-away"]["status"] == "passed", found
    assert status == 0


async def test_the_check_of_a_restart_passes(tmp_path: Path) -> None:
    """The command is what ends the node; what starts it again is a supervisor, as with systemd."""
    serving = Serving(tmp_path, "--port", str(stores.free_port()))
    try:
        await asyncio.to_thread(serving.start)
        process = serving.process
        assert process is not None
        trying = asyncio.create_task(
            conform(serving.url, "--check", "restart-told",
                    "--with", f"restart=kill -TERM {process.pid}")
        )  # fmt: skip
        await asyncio.to_thread(process.wait, BOUND)
        await asyncio.to_thread(serving.start)
        status, found = await trying
    finally:
        serving.clear()
    assert found["restart-told"]["status"] == "passed", found
    assert status == 0


@pytest.mark.parametrize(
    ("command", "words"), [("false", "status 0 of `restart`"), ("true", "notice")]
)
async def test_an_operator_command_without_effect_is_reported(
    tmp_path: Path, command: str, words: str
) -> None:
    serving = Serving(tmp_path)
    try:
        await asyncio.to_thread(serving.start)
        status, found = await conform(serving.url, "--check", "restart-told", "--timeout", "1",
                                      "--with", f"restart={command}")  # fmt: skip
    finally:
        serving.clear()
    assert (status, found["restart-told"]["status"]) == (1, "failed")
    assert words in found["restart-told"]["expected"]


# --- faults of the server itself -----------------------------------------------------------------


@asynccontextmanager
async def node(store: stores.Server) -> AsyncIterator[CheckContext]:
    settings = Settings(
        port=0,
        store=store.url,
        keys=KEYS,
        address_budget=0,
        abandoned_per_address=0,
        handshakes_per_address=0,
    )
    async with running_node(settings) as running:
        yield CheckContext(running.url, "json", 10, 10, Watcher(), {})


async def create(peer: Peer) -> Any:
    return await peer.ask("create", nonce=nonce(), game="loose")


async def test_a_failing_request_is_answered_with_internal(
    store_of_nodes: stores.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(store_of_nodes) as context:
        peer = await context.peer()
        with monkeypatch.context() as fault:
            fault.setattr(Rooms, "create", _fails)
            assert (await create(peer))["code"] == Code.INTERNAL
        assert (await create(peer))["type"] == "ok"
        await context.close()


async def test_a_fault_in_dispatch_closes_the_connection(
    store_of_nodes: stores.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(store_of_nodes) as context:
        peer = await context.peer()
        with monkeypatch.context() as fault:
            fault.setattr(Dispatch, "answer", _fails)
            await peer.send("ping")
            await peer.until_closed(Close.INTERNAL)
        await (await context.again(peer)).ok("ping")
        await context.close()


async def test_a_node_that_stops_without_draining_closes_with_going_away(
    store_of_nodes: stores.Server,
) -> None:
    async with node(store_of_nodes) as context:
        peer = await context.peer()
    await peer.until_closed(Close.GOING_AWAY)


async def _fails(*_: Any) -> None:
    raise ZeroDivisionError
