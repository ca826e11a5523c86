"""`pierule conform server` passes the real server and finds each of the faults put into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random

import pytest

from conform.mutations import MUTATIONS, Mutation
from pierule_archive.keys import Signer
from pierule_conform.checks import registry
from pierule_conform.checks.raw_connection import CodecName
from pierule_conform.checks.registry import Check
from pierule_conform.checks.run import Plan, run_all
from pierule_conform.report import Finding, human
from pierule_server.node import running_node
from pierule_server.settings import Settings
from support.examples import up_to
from support.stores import Server

KEYS = f"conform:{'x' * 40}"


@asynccontextmanager
async def node(store_of_nodes: Server) -> AsyncIterator[str]:
    """The real server in this process, with timers short enough to be waited for."""
    settings = Settings(
        port=0,
        store=store_of_nodes.url,
        keys=KEYS,
        archive_keys=Signer(bytes(32)).written,
        hello_seconds=5,  # as long as a check may wait
        ping_seconds=2,
        rooms_followed=6,
        store_seconds=20,
        webhooks="any",
        address_budget=0,
        abandoned_per_address=0,
        handshakes_per_address=0,
    )
    async with running_node(settings) as running:
        yield running.url


async def tried(
    url: str, checks: Sequence[Check], seconds: float, codecs: tuple[CodecName, ...]
) -> list[Finding]:
    return await run_all(Plan(url, codecs, seconds, wait=5), checks)


@pytest.mark.long(27)
@pytest.mark.timeout(900)
async def test_our_server_passes_every_check(store_of_nodes: Server, rng: Random) -> None:
    """In both codecs; of most checks, a quick run tries only the first."""
    checks = list(registry.load().values())
    for number in rng.sample(range(len(checks)), len(checks) - up_to(len(checks))):
        checks[number] = replace(checks[number], codecs=1)
    async with node(store_of_nodes) as url:
        findings = await tried(url, checks, 15, ("msgpack", "json"))
    assert human_failures(findings) == ""
    skipped = {finding.name for finding in findings if finding.status == "skipped"}
    assert skipped <= NOT_HERE


NOT_HERE = {
    "every-notice-complete", "restart-told", "sent-elsewhere", "slow-closed", "store-away",
    "unknown-games-played",
}  # fmt: skip
"""What this server gives no occasion for: no news, no operator's hand (test_server_operating.py),
no other worker, too short a ping to stop reading for long (the last test here), and no game beside
those that the kit knows."""


def human_failures(findings: Sequence[Finding]) -> str:
    """What failed, in words."""
    failed = [finding for finding in findings if finding.status == "failed"]
    return human("server", failed) if failed else ""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
async def test_a_mutation_is_found(mutation: Mutation, store_of_nodes: Server) -> None:
    checks = [registry.load()[name] for name in mutation.checks]
    with mutation.patched():
        async with node(store_of_nodes) as url:
            findings = await tried(url, checks, 4, ("msgpack",))
    failed = [finding for finding in findings if finding.status == "failed"]
    assert mutation.section in {finding.section for finding in failed}
    assert all(finding.expected and finding.received is not None for finding in failed)


async def test_a_client_that_does_not_read_is_closed_as_slow(store_of_nodes: Server) -> None:
    """With the timers of the defaults."""
    check = registry.load()["slow-closed"]
    settings = Settings(
        port=0,
        store=store_of_nodes.url,
        keys=KEYS,
        outbox_bytes=200_000,
        address_budget=0,
        abandoned_per_address=0,
        handshakes_per_address=0,
    )
    async with running_node(settings) as running:
        [found, *_] = await tried(running.url, [check], 15, ("msgpack",))
    assert found.status == "passed", found
