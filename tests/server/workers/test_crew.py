"""Which workers get connections, and what operators are told of the others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from pierule_protocol.buckets import BUCKETS
from pierule_server.settings import Settings
from pierule_server.workers import lives
from pierule_server.workers.crew import Crew, WorkersEnded
from pierule_server.workers.ledger import Ledger
from pierule_server.workers.life import Life
from pierule_server.workers.messages import Setup, State
from pierule_server.workers.report import Report

SETUP = Setup("ws://here/ws", "unix:///store", None)


def life(**marks: Any) -> Life:
    """A worker that serves, but for what is said of it."""
    serving: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    serving.set_result(True)
    usual = {"serves": True, "stuck": False, "draining": False, "state": State(None, []),
             "serving": serving, "process": SimpleNamespace(pid=7)}  # fmt: skip
    marks = {**usual, **marks}
    marks["well"] = marks["serves"] and not marks["stuck"]
    return cast("Life", SimpleNamespace(**marks))


def crew_of(*found: Life | None) -> Crew:
    crew = Crew(len(found), {}, 3, 60, Ledger(Settings()), lambda: None)
    for post, each in zip(crew.posts, found, strict=True):
        post.life = each
    return crew


async def test_healthy_workers_get_connections_before_others() -> None:
    assert list(crew_of(life(), life(stuck=True), life(draining=True), None).usable()) == [1]
    assert list(crew_of(life(serves=False), life(stuck=True), life(draining=True)).usable()) == [3]
    assert list(crew_of(life(stuck=True), None).usable()) == [1]
    assert list(crew_of(None, None).usable()) == []


async def test_workers_are_told_when_their_buckets_change() -> None:
    told: list[tuple[int, int]] = []

    def worker(number: int) -> Life:
        return life(tell=lambda message: told.append((number, len(message.buckets))))

    crew = crew_of(worker(1), worker(2), None)
    crew._assign()
    crew._assign()
    assert [number for number, _ in told] == [1, 2]
    assert sum(buckets for _, buckets in told) == BUCKETS
    told.clear()
    crew.posts[2].life = worker(3)
    crew._assign()
    assert [number for number, _ in told] == [1, 2, 3]
    told.clear()
    crew.posts[0].life = crew.posts[2].life = None
    crew._assign()
    assert told == [(2, BUCKETS)]


async def test_operators_are_told_which_worker_has_a_problem() -> None:
    trouble = State("the store does not answer", [])
    late = State(None, ["the archive is away"])
    crew = crew_of(life(state=late), life(stuck=True), None, life(state=trouble), life(state=late))
    crew.posts[2].status = -9
    status, text = Report(crew).ready()
    assert status is HTTPStatus.OK
    assert text.splitlines() == [
        "ready",
        "the archive is away",
        "worker 2 (pid 7) does not answer",
        "worker 3 has ended with status -9, and will start again",
        "worker 4: the store does not answer",
    ]
    crew.posts[2].given_up = True
    assert "worker 3 has ended 0 times in a row" in Report(crew).ready()[1]


async def test_the_server_is_ready_only_if_a_worker_is() -> None:
    report = Report(crew_of(life(state=State("the store does not answer", [])), None))
    status, text = report.ready()
    assert status is HTTPStatus.SERVICE_UNAVAILABLE
    assert text.startswith("no worker is ready\n")
    report = Report(crew_of(life()))
    report.stopping = True
    assert report.ready() == (HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")


async def test_what_every_worker_says_of_the_store_stands_there_once() -> None:
    full = "store 127.0.0.1:6379 refuses writes because its memory is full"
    crew = crew_of(*(life(number=n, state=State(full, [full, "more"])) for n in (1, 2)))
    _, text = Report(crew).ready()
    assert text.splitlines() == ["no worker is ready", full, "more"]


@pytest.fixture
def ends_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make workers programs that end at once with a status."""

    def make(status: int) -> None:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))

    monkeypatch.setattr(lives, "SHORTEST_PAUSE", 0.01)
    return make


async def test_the_server_ends_if_the_first_worker_does_not_start(
    ends_with: Callable[[int], None],
) -> None:
    ends_with(2)
    crew = crew_of(None, None)
    with pytest.raises(WorkersEnded, match="with status 2") as ended:
        await crew.start(SETUP)
    assert ended.value.status == 2
    await crew.stop()


async def test_the_supervisor_is_told_if_all_workers_keep_ending(
    ends_with: Callable[[int], None],
) -> None:
    ends_with(3)
    lost = asyncio.Event()
    crew = Crew(2, {}, 2, 60, Ledger(Settings()), lost.set)
    crew._setup, crew._begun = SETUP, True
    for post in crew.posts:
        await crew._begin(post)
    async with asyncio.timeout(60):
        await lost.wait()
    assert crew.lost
    assert [post.given_up for post in crew.posts] == [True, True]
    assert [post.status for post in crew.posts] == [3, 3]
    await crew.stop()


class Other:
    """A worker that ends when it is killed; `serves` may come before."""

    number, state, uptime = 1, State(None, []), 0.0
    families: tuple[()] = ()
    process = SimpleNamespace(pid=8)

    def __init__(self, serving: bool | None = None, *, serves: bool = True) -> None:
        loop = asyncio.get_running_loop()
        self.serving: asyncio.Future[bool] = loop.create_future()
        self.ended: asyncio.Future[int] = loop.create_future()
        if serving is not None:
            self.serving.set_result(serving)
        self.serves = serves
        self.stuck = self.draining = False
        self.asked = 0.0

    def set_up(self, setup: Setup) -> None:
        assert setup == SETUP

    def hangs(self, seconds: float) -> bool:
        self.asked = seconds
        return self.stuck

    def drain(self) -> None:
        self.draining = True

    def kill(self) -> None:
        if not self.ended.done():
            self.ended.set_result(-9)


def begun_crew(*found: Any) -> Crew:
    crew = crew_of(*found)
    crew._setup, crew._begun = SETUP, True
    return crew


async def test_a_worker_that_hangs_is_killed() -> None:
    hanging, serving, starting, draining = Other(True), Other(True), Other(), Other(True)
    hanging.stuck = draining.draining = True
    crew = begun_crew(hanging, serving, starting)
    crew._patience = 90
    crew._apart.add(cast("Life", draining))
    with capture_logs() as logs:
        crew._tasks.begin(crew._look_after())
        async with asyncio.timeout(60):
            assert await hanging.ended == -9
    assert [(log["event"], log["worker"]) for log in logs] == [
        ("a worker hangs and is killed", hanging.number)
    ]
    assert (serving.asked, starting.asked, draining.asked) == (60, 120, 90)
    assert not any(each.ended.done() for each in (serving, starting, draining))
    await crew._tasks.stop()


@pytest.mark.parametrize("stopping", [False, True])
async def test_a_worker_whose_place_was_taken_as_it_began_ends(
    stopping: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = begun_crew(None)
    late, fast = Other(), Other(True)

    async def begin(*_: Any) -> Other:
        crew._stopping = stopping
        crew.posts[0].life = None if stopping else cast("Life", fast)
        return late

    monkeypatch.setattr(Life, "begin", begin)
    await crew._begin(crew.posts[0])
    assert late.ended.done()
    assert crew.posts[0].life is (None if stopping else cast("Life", fast))
    await crew._tasks.stop()


async def test_a_worker_that_ended_as_it_began_to_serve_replaces_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = Other(True)
    crew = begun_crew(before)

    async def begin(*_: Any) -> Other:
        return Other(True, serves=False)

    monkeypatch.setattr(Life, "begin", begin)
    await crew._restart(SETUP)
    assert crew.posts[0].life is cast("Life", before)
    assert not before.draining
    await crew._tasks.stop()


async def test_an_impossible_restart_is_logged() -> None:
    crew = crew_of(None)
    crew._setup = SETUP
    with capture_logs() as logs:
        crew.restart()
        crew._begun = crew._stopping = True
        crew.restart()
        crew._stopping = False
        crew._restarting = asyncio.create_task(asyncio.sleep(1_000))
        crew.restart()
    early, late, twice = (log["event"] for log in logs)
    assert early == late == "workers not restarted: the server is still starting, or it stops"
    assert twice == "workers not restarted: another restart is under way"
    crew._restarting.cancel()
