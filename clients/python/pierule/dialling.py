"""The first connection of a client, to a server that may be busy."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from pierule.connection import Address, Closed, Connection, Identity, Unreachable, dial
from pierule.errors import ConnectionLost
from pierule.news import ConnectionStatus
from pierule_protocol import world
from pierule_protocol.messages import Welcome

BUSY = 60.0
"""The longest time in seconds for which a busy server is tried."""


async def dial_first(
    address: Address,
    who: Identity,
    patience: float,
    tell: Callable[[ConnectionStatus], None] | None,
) -> tuple[Connection, Welcome]:
    """Try each of the nodes once, and again for so long as one says that it is busy."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while True:
        lost, busy = ConnectionLost("no address was given"), list[float]()
        for _ in range(len(address.urls)):
            try:
                return await dial(address, who)
            except Unreachable as error:
                lost, lost.__cause__ = ConnectionLost(str(error)), error
                busy += [] if error.busy is None else [error.busy]
            except Closed as error:
                lost, lost.__cause__ = ConnectionLost(str(error), error.code), error
            address.turn()
        # Those who were refused together need not come back together.
        wait = min(busy, default=patience) + world.random().uniform(0, 1)
        if not busy or clock() + wait > deadline:
            raise lost
        if tell is not None:
            tell(ConnectionStatus(False, f"{lost} Trying again in {math.ceil(wait)} s."))
        await asyncio.sleep(wait)
