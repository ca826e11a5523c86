"""Rooms of a real server, exported and verified as people do it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

import pierule
from pierule_archive.keys import kept_signers
from pierule_protocol.log.events import Credited, Flagged, decode_record
from pierule_protocol.log.record import RoomRecord, read_record, write_record
from pierule_protocol.log.verify import verify
from pierule_protocol.state.position import position_text
from pierule_terminal.commands.export import record_room
from support.preloaded import terminal
from support.serving import Serving

BOUND = 60.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("export")) as serving:
        yield serving


def program(server: str, *arguments: str, data: bytes | None = None) -> tuple[int, bytes, str]:
    """Run `pierule` to its end: status, output, errors."""
    done = subprocess.run(
        [*terminal(), *arguments],
        env={**os.environ, "PIERULE_SERVER": server},
        input=data, capture_output=True, timeout=BOUND,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr.decode()


def export(server: Serving, room: str) -> RoomRecord:
    """What `pierule export` writes, found true without any server."""
    status, data, errors = program(server.url, "export", room)
    assert (status, errors) == (0, "")
    record = read_record(data)
    assert data == write_record(record)
    nobody = "ws://127.0.0.1:9/ws"
    status, out, errors = program(nobody, "verify", "-", data=data)
    options, events = record.options, len(record.events)
    said = f"-: true: {room}, {options.game} {options.size}, {events} events, {record.final.status}"
    assert (status, out.decode(), errors) == (0, f"{said}\n", "")
    return record


@asynccontextmanager
async def players(server: Serving) -> AsyncIterator[tuple[pierule.Client, pierule.Client]]:
    async with (
        asyncio.timeout(BOUND),
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(server.url, name="Bob", codec="json") as bob,
    ):
        yield ada, bob


async def seated(
    ada: pierule.Client, bob: pierule.Client, game: str = "loose", size: int = 5, clock: str = "5+3"
) -> tuple[pierule.Room, pierule.Room]:
    hers = await ada.create(game, size, seat=0, clock=clock or None)
    return hers, await bob.join(hers.id, seat=1)


OPENING = 14
"""Plies in which nobody passes: a game of two passes would be over before a second record."""


async def random_play(room: pierule.Room, rng: random.Random, allowed: asyncio.Semaphore) -> None:
    async for _ in room.turns():
        await allowed.acquire()
        action = await pierule.random_action(room, rng)
        while action == "pass" and room.state.ply < OPENING:
            action = await pierule.random_action(room, rng)
        await room.act(action)


async def ended(room: pierule.Room) -> pierule.RoomState:
    async for _ in room:
        pass
    return room.state


async def check(server: Serving, state: pierule.RoomState) -> RoomRecord:
    record = await asyncio.to_thread(export, server, state.room)
    assert record.seats == state.seats
    assert record.options.control == state.control
    final = record.final
    assert (final.place, final.status, final.result) == (state.place, state.status, state.result)
    assert (final.position, final.clock) == (position_text(state.position), state.clock)
    return record


@pytest.mark.parametrize("clock", ["", "5+3", "0s+3x10s", "1h/action", "3d"])
async def test_records_of_a_game_verify_at_every_stage(
    server: Serving, clock: str, seed: int
) -> None:
    async with players(server) as (ada, bob), pierule.connect(server.url) as eve:
        hers, his = await seated(ada, bob, clock=clock)
        watching = await eve.join(hers.id)
        allowed = asyncio.Semaphore(0)
        games = [
            asyncio.create_task(random_play(room, random.Random(seed), allowed))
            for room in (hers, his)
        ]
        lengths = []
        while not all(task.done() for task in games):
            record = await record_room(eve, watching)
            assert verify(record) is None
            lengths.append(len(record.events))
            for _ in range(3):  # they play on while the next record is made
                allowed.release()
        await asyncio.gather(*games)
        assert lengths == sorted(lengths)
        assert len(set(lengths)) > 3
        await check(server, await ended(watching))


async def test_records_of_open_and_running_rooms_verify(server: Serving) -> None:
    async with players(server) as (ada, bob):
        hers = await ada.create("veletas", clock="10m+3x30s")
        await check(server, hers.state)
        hers, _ = await seated(ada, bob, "veletas", 7)
        await hers.act("d4/d5")
        record = await check(server, hers.state)
        assert record.final.status == "running"
        assert record.final.clock is not None
        assert record.final.clock.running == 1


async def test_the_record_of_a_resigned_game_verifies(server: Serving) -> None:
    async with players(server) as (ada, bob):
        hers, his = await seated(ada, bob)
        await hers.act("komi:12")
        record = await check(server, await his.resign())
        assert record.final.result == pierule.Result(0, "resigned")


async def test_records_of_flagged_and_aborted_games_verify(server: Serving) -> None:
    async with players(server) as (ada, bob):
        (hers, his), (idle, _) = [await seated(ada, bob, clock="1s/action") for _ in range(2)]
        await hers.act("komi:12")
        await his.act("black", turn=1)
        record = await check(server, await ended(hers))
        assert record.final.result == pierule.Result(0, "flagged")
        assert isinstance(decode_record(record.events[-1].record), Flagged)
        with pytest.raises(pierule.Refused, match="finished"):
            await his.act("c3", turn=2)
        record = await check(server, await ended(idle))
        assert record.final.result == pierule.Result(None, "aborted")


def credited(record: RoomRecord) -> bool:
    kinds = (decode_record(event.record) for event in record.events)
    return any(isinstance(kind, Credited) for kind in kinds)


async def test_an_outage_credit_is_verified(tmp_path: Path) -> None:
    serving = Serving(tmp_path)
    try:
        await asyncio.to_thread(serving.start)
        async with players(serving) as (ada, bob):
            hers, _ = await seated(ada, bob, clock="30s/action")
            await hers.act("komi:12")
            room = hers.id
        serving.kill()
        await asyncio.sleep(2.5)
        await asyncio.to_thread(serving.start)
        async with asyncio.timeout(BOUND), pierule.connect(serving.url) as eve:
            watching = await eve.join(room)
            while not credited(await record_room(eve, watching)):  # noqa: ASYNC110 - it is asked
                await asyncio.sleep(0.05)
            assert credited(await check(serving, watching.state))
    finally:
        serving.clear()


async def test_a_forged_export_fails_verification(server: Serving, tmp_path: Path) -> None:
    async with players(server) as (ada, bob):
        hers, his = await seated(ada, bob)
        await hers.act("komi:12")
        await his.act("black", turn=1)
        file = tmp_path / "room.json"
        status, out, _ = await asyncio.to_thread(
            program, server.url, "export", hers.id, "-o", str(file)
        )
        assert (status, out.decode()) == (0, f"4 events of room {hers.id}: {file}\n")
    record = read_record(file.read_bytes())
    events = list(record.events)
    said = json.loads(events[2].record)
    events[2] = msgspec.structs.replace(
        events[2], record=json.dumps({**said, "action": "komi:14"}, separators=(",", ":"))
    )
    file.write_bytes(write_record(msgspec.structs.replace(record, events=events)))
    status, out, _ = await asyncio.to_thread(program, server.url, "verify", str(file))
    assert status == 1
    assert out.decode().startswith(f"{file}: not true: event 3 (acted komi:14): its chain is ")


def test_exporting_an_unknown_room_fails(server: Serving, tmp_path: Path) -> None:
    status, out, errors = program(server.url, "export", "zzz")
    assert (status, out) == (1, b"")
    assert errors == "pierule: there is no room with this id\n"
    file = tmp_path / "none" / "room.json"
    status, out, errors = program(server.url, "export", "zzz", "-o", str(file))
    assert status == 1


async def test_a_receipt_is_checked_offline_with_a_pinned_key(
    server: Serving, tmp_path: Path
) -> None:
    async with players(server) as (ada, bob):
        hers, his = await seated(ada, bob)
        await hers.act("komi:12")
        await his.act("black", turn=1)
        file = tmp_path / "room.json"
        status, _, errors = await asyncio.to_thread(
            program, server.url, "export", hers.id, "--receipt", "-o", str(file)
        )
        assert (status, errors) == (0, "")
    [signer] = kept_signers(server.data)
    nobody, pinned = "ws://127.0.0.1:9/ws", ("--key", signer.public.hex())
    status, out, _ = await asyncio.to_thread(program, nobody, "verify", str(file), *pinned)
    assert (status, out.decode()) == (
        0, f"{file}: true: {hers.id}, loose 5, 4 events, running, acknowledged by {signer.id}\n"
    )  # fmt: skip
    record = read_record(file.read_bytes())
    file.write_bytes(write_record(msgspec.structs.replace(record, room="losatefa")))
    status, out, _ = await asyncio.to_thread(program, nobody, "verify", str(file), *pinned)
    assert (status, "altered" in out.decode()) == (1, True)
