"""What a world leaves behind."""

from __future__ import annotations

from chaos.schedule import Fault
from chaos.world import SHARED, world


async def test_killed_nodes_leave_no_shared_memory() -> None:
    async with world("single", nodes=2, archives=False) as here:
        first, *others = (node.serving.process for node in here.nodes)
        assert first is not None
        await here.do(Fault(0.0, "node kill", 0, 0.0, 0.0))
        again = here.nodes[0].serving.process
        assert again is not first
    pids = [process.pid for process in (first, again, *others) if process is not None]
    assert len(pids) == 3
    assert not [path for pid in pids for path in SHARED.glob(f"*faketime_*_{pid}")]
