"""Keys are exchanged under way, node by node, and nobody is sent away (deploy/README.md, Keys)."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pierule_protocol.messages import Ping
from support import stores
from support.peer import Peer
from support.preloaded import terminal
from support.serving import Serving

ONE, TWO = f"k1:{'1' * 64}", f"k2:{'2' * 64}"
STEPS = (f"{ONE},{TWO}", f"{TWO},{ONE}", TWO)


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single() as server:
        yield server


async def test_keys_are_rotated_node_by_node_without_losing_a_client(
    store: stores.Server, tmp_path: Path
) -> None:
    nodes: list[Serving] = []
    names = iter(range(20))

    def started(keys: str) -> Serving:
        folder = tmp_path / f"n{next(names)}"
        folder.mkdir()
        node = Serving(folder, store=store.url, environment={"PIERULE_KEYS": keys})
        nodes.append(node)
        node.start()
        return node

    try:
        living = [started(ONE), started(ONE)]
        async with await Peer.open(living[0].url, "Ada") as ada:
            user, token = ada.user, ada.token
        for keys in STEPS:
            for number, node in enumerate(living):
                assert node.terminate() == 0
                living[number] = started(keys)
                for each in living:  # whichever key has signed it, and whoever it is asked
                    async with await Peer.open(each.url, token=token) as ada:
                        assert ada.user == user
                        await ada.do(Ping)
                        fresh = ada.token
                token = fresh
        refused = await asyncio.to_thread(
            subprocess.run,
            [*terminal(), "serve", "--port", "0", "--store", store.url],
            env={"PIERULE_KEYS": ONE, "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert refused.returncode != 0
        assert "does not accept the key 'k1'" in refused.stderr
        assert "1" * 64 not in refused.stdout + refused.stderr
    finally:
        for node in nodes:
            node.clear()
            print(node.output)
