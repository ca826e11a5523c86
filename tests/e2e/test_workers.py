"""Several workers behind one port: they die and are replaced, and no game loses anything by it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import InvalidStatus

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.messages import Create, Hello, Ok
from pierule_server.workers.choosing import choose
from support.games import game
from support.matches import Match, playing
from support.peer import Peer, fresh_nonce
from support.serving import Serving
from support.stores import wait_for

MATCHES = [game("loose", 9), game("taugo", 11)]


def started(serving: Serving) -> list[tuple[int, int]]:
    """The numbers and processes of workers, in the order in which they were started."""
    return [
        (entry["worker"], entry["pid"])
        for entry in serving.logged
        if entry["event"] == "a worker starts"
    ]


def hang_up(serving: Serving) -> None:
    """Have all workers replaced."""
    assert serving.process is not None
    serving.process.send_signal(signal.SIGHUP)


async def logged(serving: Serving, event: str) -> None:
    """Wait until this is in the log."""
    await asyncio.to_thread(
        wait_for, lambda: any(entry["event"] == event for entry in serving.logged), event, 150
    )


async def all_ready(serving: Serving) -> None:
    """Wait until no worker has a problem."""
    await asyncio.to_thread(
        wait_for, lambda: serving.asked("/readyz") == (200, "ready\n"), "every worker"
    )


async def test_games_go_on_while_a_worker_is_killed_and_all_are_replaced(start: Starter) -> None:
    serving = start("--workers", "2")

    async def door() -> str:
        return serving.url

    matches = [Match(door, of) for of in MATCHES]
    for match in matches:
        match.limit = 20
    async with playing(matches):
        for match in matches:
            await match.reach(10)
        (_, pid), _ = started(serving)
        os.kill(pid, signal.SIGKILL)
        for match in matches:
            match.allow(40)
        for match in matches:
            await match.reach(30)
        assert any(match.interruptions for match in matches)
        before = sum(match.interruptions for match in matches)
        hang_up(serving)
        await logged(serving, "all workers are restarted")
        for match in matches:
            match.allow(match.of.turns)
    assert sum(match.interruptions for match in matches) > before
    await all_ready(serving)
    assert serving.measured("pierule_worker_ends_total") == 1
    assert serving.terminate() == 0


async def test_a_worker_that_keeps_dying_is_given_up_and_the_others_go_on(start: Starter) -> None:
    serving = start("--workers", "2", "--worker-restarts", "1")
    killed: set[int] = set()

    def given_up() -> bool:
        for number, pid in started(serving):
            if number == 2 and pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        return "it is not started again" in serving.output

    await asyncio.to_thread(wait_for, given_up, "the worker's end", 150)
    sentence = "worker 2 has ended 2 times in a row, the last time with status -9"

    def told() -> bool:
        status, text = serving.asked("/readyz")
        return status == 200 and sentence in text

    await asyncio.to_thread(wait_for, told, sentence)
    assert serving.measured('pierule_workers{state="given_up"}') == 1

    async def door() -> str:
        return serving.url

    match = Match(door, game("loose", 5))
    async with playing([match]):
        pass
    assert match.interruptions == 0
    hang_up(serving)  # the operator has found the cause
    await logged(serving, "all workers are restarted")
    await all_ready(serving)


async def test_limits_hold_over_all_workers(start: Starter, opener: Opener) -> None:
    """An address, and a user, have over all workers what they have at one node."""
    serving = start(
        *("--workers", "2", "--connections-per-address", "8", "--connections-per-user", "2"),
        *("--address-budget", "1", "--address-budget-burst", "60"),
    )

    def at(worker: int) -> str:
        """Where this worker is met."""
        loads = {1: 0, 2: 0}
        return f"{serving.url}?bucket={next(n for n in range(64) if choose(loads, n) == worker)}"

    began = time.monotonic()
    peers = [await opener(at(1), f"Guest {number}") for number in range(5)]
    assert serving.measured('pierule_connections_passed_total{by="bucket"}') == 5
    twice = [await opener(at(2), token=peers[0].token)]
    other = await Peer.connect(at(2), "msgpack")
    answer = await other.ask(Hello, token=peers[0].token)
    while isinstance(answer, Ok):  # The other worker has not heard of it yet.
        await other.close()
        other = await Peer.connect(at(2), "msgpack")
        answer = await other.ask(Hello, token=peers[0].token)
    assert answer.code == "limit"
    await asyncio.to_thread(
        wait_for, lambda: serving.measured("pierule_connections") == 7, "seven connections"
    )

    made = 0
    for _ in range(3):
        answer = await twice[0].ask(Create, nonce=fresh_nonce(), game="loose")
        made += isinstance(answer, Ok)
    # Of 60, and one more a second, five new guests have spent 50; a room costs 20.
    assert 20 * made <= 60 - 50 + time.monotonic() - began
    await opener(at(2), token=peers[1].token)
    with pytest.raises(InvalidStatus) as refused:
        await Peer.connect(at(1))
    assert refused.value.response.status_code == 429
    assert serving.measured("pierule_connections") == 8
    await other.close()


async def test_the_players_of_a_room_meet_at_one_worker(start: Starter) -> None:
    """They connect before they know their room, and are sent on without a word."""
    serving = start("--workers", "2")
    told: list[str] = []
    tables = 6
    async with AsyncExitStack() as stack:

        async def player() -> pierule.Client:
            connecting = pierule.connect(
                serving.url, on_connection=lambda news: told.append(news.text)
            )
            return await stack.enter_async_context(connecting)

        for _ in range(tables):
            first = await (await player()).create("loose", size=5, seat=0)
            second = await (await player()).join(first.id, seat=1)
            await first.act("komi:14")
            async for state in second:
                if state.turn == 1:
                    break
        # Each room would be in the memory of both workers if its players had not met.
        assert serving.measured('pierule_rooms{state="followed"}') == tables
        sent = serving.measured('pierule_refusals_total{code="goto"}')
        assert sent == serving.measured('pierule_connections_passed_total{by="bucket"}')
    assert told == []
