"""What rooms and connections cost in memory: prints a table of bytes for each.

Run it with `PYTHONPATH=tests python -m bench.memory`; it takes some minutes. In the store, the size
of a room is the growth of `used_memory` over many rooms, which includes its keys, its card and its
index entries. At a node it is the growth of resident memory from a fresh start: for a followed
room, and for a connection that has said hello and follows nothing.
"""

from __future__ import annotations

import asyncio
import random
import resource
import tempfile
from pathlib import Path
from statistics import mean

import redis

from bench.lean import UNLIMITED, Lean, fresh_nonce, resident, used
from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.messages import Act, Create, Join
from pierule_server.store.buckets import log_key, put_away_key
from pierule_server.store.redis_room_log import RedisRoomLog
from support.listening import RecordingListener
from support.serving import Serving

PLIES = (20, 100, 300)
ROOMS = 100
IDLE = 1_000
RETENTION_MS = 3_600_000
FLAGS = (*UNLIMITED, "--rooms-cached", "1", "--fsync", "everysec")


def game(plies: int) -> list[str]:
    """This many actions of a game of Loose, 19 by 19, that is not over after them."""
    chance = random.Random(plies)
    position = GAMES["loose"].opening(19)
    points = [f"{chr(97 + column)}{row}" for column in range(19) for row in range(1, 20)]
    actions: list[str] = []
    while len(actions) < plies:
        chance.shuffle(points)
        setting = ["komi:12", "black"][len(actions) : len(actions) + 1]
        for action in setting or points:
            after = position.play(action)
            if not isinstance(after, Refusal) and after.winner is None:
                break
        else:
            raise AssertionError(f"no more than {len(actions)} actions")
        actions.append(action)
        position = after
    return actions


async def play(url: str, actions: list[str], number: int) -> list[str]:
    """Make running rooms with these actions, which nobody follows any more."""
    rooms: list[str] = []

    async def some() -> None:
        first, second = await Lean.open(url), await Lean.open(url)
        while len(rooms) < number:
            made = await first.ask(Create, nonce=fresh_nonce(), game="loose", size=19, seat=0)
            assert made.room is not None
            rooms.append(made.room)
            await second.ask(Join, room=made.room, seat=1, nonce=fresh_nonce())
            seats, seat = (first, second), 0
            for turn, action in enumerate(actions):
                await seats[seat].ask(Act, room=made.room, turn=turn, action=action)
                # Seat 1 chooses Black and begins; from then on they take turns.
                seat = seat if action == "black" else 1 - seat
        await first.close()
        await second.close()

    await asyncio.gather(*(some() for _ in range(8)))
    return rooms


async def archive(url: str, rooms: list[str]) -> None:
    """Put rooms away, as the housekeeper does with finished ones."""
    log = await RedisRoomLog.open(url, RecordingListener())
    try:
        for room in rooms:
            await log.put_away(room, await log.read(room), RETENTION_MS)
    finally:
        await log.close()


async def followed(serving: Serving, rooms: list[str]) -> float:
    """The growth of the node for each followed room."""
    assert serving.process is not None
    before = resident(serving.process.pid)
    lean = await Lean.open(serving.url)
    for room in rooms:
        await lean.ask(Join, room=room)
    grown = resident(serving.process.pid) - before
    await lean.close()
    return grown / len(rooms)


async def idle(serving: Serving, number: int) -> float:
    """The growth of the node for each idle connection."""
    assert serving.process is not None
    opened = [await Lean.open(serving.url)]  # what the first one loads does not count
    before = resident(serving.process.pid)
    opened += [await Lean.open(serving.url) for _ in range(number)]
    grown = resident(serving.process.pid) - before
    await asyncio.gather(*(each.close() for each in opened))
    return grown / number


def key_bytes(store: redis.Redis, keys: list[str]) -> float:
    """The mean size of the keys that the store reports."""
    return mean(int(store.memory_usage(key, samples=0) or 0) for key in keys)


def measure(folder: Path, plies: int) -> None:
    """A line of the table."""
    with Serving(folder, *FLAGS) as serving:
        with redis.Redis.from_url(serving.store_url) as store:
            empty = used(store)
        rooms = asyncio.run(play(serving.url, game(plies), ROOMS))
        serving.terminate()
        serving.start()  # also for the store: its buffers are not part of a room
        with redis.Redis.from_url(serving.store_url) as store:
            running = (used(store) - empty) / len(rooms)
            log = key_bytes(store, [log_key(room) for room in rooms])
            live = asyncio.run(followed(serving, rooms))
            asyncio.run(archive(serving.store_url, rooms))
            archived = key_bytes(store, [put_away_key(room) for room in rooms])
    print(f"{plies:6} {running:13,.0f} {log:13,.0f} {archived:13,.0f} {live:13,.0f}", flush=True)


def main() -> None:
    """Print the table."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"Bytes for each of {ROOMS} rooms of Loose, 19 by 19")
    print(
        f"{'plies':>6} {'store, room':>13} {'of it, log':>13} {'archived':>13} {'node, room':>13}"
    )
    for plies in PLIES:
        with tempfile.TemporaryDirectory(prefix="pierule-memory-") as folder:
            measure(Path(folder), plies)
    with (
        tempfile.TemporaryDirectory(prefix="pierule-memory-") as folder,
        Serving(Path(folder), *FLAGS) as serving,
    ):
        each = asyncio.run(idle(serving, IDLE))
    print(f"\nnode, idle connection: {each:,.0f} bytes each of {IDLE}")


if __name__ == "__main__":
    main()
