"""Thinking in other processes, which may be killed."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import closing

from pierule_bots.thinking import Thinker
from pierule_games.loose.rules import Loose
from pierule_games.refusal import Refusal
from pierule_protocol.state.position import position_text
from support.positions import played

BOUND = 60.0


async def test_a_killed_process_is_replaced() -> None:
    position = played(Loose.opening(5), "komi:4", "black", "c3")
    text = position_text(position)
    with closing(Thinker(1)) as thinker:
        async with asyncio.timeout(BOUND):
            before = await thinker.choose(text, 1, "search", 1, 0.01)
            for process in list(thinker._pool._processes):
                os.kill(process, signal.SIGKILL)
            chosen = await asyncio.gather(
                *(thinker.choose(text, 1, "one-step", seed, 0.01) for seed in range(3))
            )
    for action in (before, *chosen):
        assert not isinstance(position.play(action), Refusal)
