"""What a world leaves behind."""

from __future__ import annotations

from chaos.schedule import Fault
from chaos.world import SHARED, world


async def test_killed_nodes_leave_no_shared_memory() -> None:
    """Neither one that a fault kills nor one that the end of the world kills."""
    async with world("single", nodes=1, archives=False) as here:
        first = here.nodes[0].serving.process
        assert first is not None
        await here.do(Fault(0.0, "node kill", 0, 0.0, 0.0))
        again = here.nodes[0].serving.process
        assert again is not first
    assert again is not None
    pids = (first.pid, again.pid)
    assert not [path for pid in pids for path in SHARED.glob(f"*faketime_*_{pid}")]
