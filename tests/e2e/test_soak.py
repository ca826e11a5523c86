"""Housekeeping of a real server: short rooms come and go, and nothing of them stays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.soak import FLAGS, Sample, soak, until_forgotten
from support.examples import up_to
from support.serving import Serving

ROOMS = up_to(1_500)
SECONDS = 60
"""In which a slow machine does fewer."""


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """It waits for its store for as long as a busy machine takes."""
    file = ("--export-file", str(tmp_path / "rooms.jsonl"))
    with Serving(tmp_path, *FLAGS, *file, "--store-seconds", "60") as server:
        yield server


@pytest.mark.long(18)
async def test_nothing_of_forgotten_rooms_is_left(serving: Serving, tmp_path: Path) -> None:
    samples: list[Sample] = []
    await soak(serving, ROOMS, SECONDS, 0.5, samples.append)
    assert await asyncio.to_thread(until_forgotten, serving.store_url, 60) == []
    first = samples[0]
    assert max(sample.store for sample in samples) - first.store < 20 << 20
    assert max(sample.node for sample in samples) - first.node < 100 << 20
    made = samples[-1].rooms
    assert len(set((tmp_path / "rooms.jsonl").read_text().splitlines())) >= made
    # All of them come from one address, which a node remarks on.
    troubles = [entry for entry in serving.logged if entry["level"] in ("warning", "error")]
    assert [entry for entry in troubles if "--trusted-proxies" not in entry["event"]] == []
