"""A world that is entered holds for all that is started inside, and for nothing else."""

from __future__ import annotations

import asyncio
from random import Random

from pierule_protocol import world
from support.worlds import Standing


class Seeded(Standing):
    """Dice and secrets from a seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(wall=seed)
        self.random = Random(seed)

    def secret(self, size: int) -> bytes:
        return self.random.randbytes(size)


async def told(delay: float) -> tuple[float, str, str, float]:
    """What a task learns of its world, also by a timer and in a thread."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[float] = loop.create_future()
    loop.call_later(delay, lambda: heard.set_result(world.wall()))
    in_a_thread = await asyncio.to_thread(world.monotonic)
    return await heard, world.token_hex(4), world.token_urlsafe(4), in_a_thread


async def test_tasks_timers_and_threads_inherit_the_world_of_their_start() -> None:
    tasks = []
    for seed in (7, 8, 7):
        with world.entered(Seeded(seed)):
            tasks.append(asyncio.create_task(told(0.01)))
    one, other, again = await asyncio.gather(*tasks)
    assert one == again
    assert (one[0], other[0]) == (7, 8)
    assert one[1] != other[1]
    assert one[3] == 1_000.0


def test_outside_of_a_world_the_machine_is_used() -> None:
    with world.entered(Standing()):
        assert world.wall() == 1_800_000_000
    assert world.wall() != 1_800_000_000
    assert len({world.token_hex(8) for _ in range(10)}) == 10
    assert len(bytes.fromhex(world.token_hex(8))) == 8
    assert len(world.token_urlsafe(12)) == 16
