"""What a node takes for the store's time."""

from __future__ import annotations

from pierule_protocol import world
from pierule_protocol.world import Machine
from pierule_server.store.clock import StoreClock
from pierule_server.store.redis_room_log import RedisRoomLog
from support import stores
from support.worlds import Standing

BEGIN = 1_800_000_000_000


class Early(Machine):
    """A machine that believes it is 1970."""

    def wall(self) -> float:
        return 0.0


def test_the_clock_is_the_machines_until_the_store_tells_its_time() -> None:
    machine = Standing(wall=BEGIN / 1_000)
    with world.entered(machine):
        clock = StoreClock()
        machine.now += 2
        assert clock.now() == BEGIN + 2_000


def test_a_jump_of_the_machines_clock_does_not_move_the_stores_time() -> None:
    machine = Standing()
    with world.entered(machine):
        clock = StoreClock()
        clock.hear(BEGIN, clock.local(), clock.local())
        machine.now_wall += 3_600
        assert clock.now() == BEGIN


def test_a_slow_answer_does_not_set_the_clock() -> None:
    machine = Standing(monotonic=5.004)
    with world.entered(machine):
        clock = StoreClock()
        clock.hear(BEGIN, 5_000, 5_004)
        assert clock.now() == BEGIN + 2
        clock.hear(BEGIN + 6_000, 6_000, 11_000)  # 4 s wrong at worst: it hung after `now`
        assert clock.now() == BEGIN + 2
        clock.hear(BEGIN + 10**7, 10**7, 10**7 + 10)  # but who was sure long ago is no longer
        assert clock.now() == BEGIN + 4_999


async def test_a_sweep_sets_the_clock(valkey: stores.Server) -> None:
    """Whatever the clock of the node's machine says."""
    with world.entered(Early()):
        log = await RedisRoomLog.open(valkey.url, timeouts=stores.PATIENT)
        try:
            seconds = await log.tables.moderation.now() // 1_000
            assert log.now() < 3_600_000
            await log.tables.deadlines.sweep()
            assert log.now() // 1_000 in range(seconds, seconds + 3_600)
        finally:
            await log.close()
