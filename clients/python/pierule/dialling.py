"""Makes the first connection of a client, and the next one after a loss."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from random import Random

from pierule.backoff import reconnect_delay
from pierule.connection import Address, Closed, Connection, Identity, Unreachable, dial, is_final
from pierule.errors import BadReply, ConnectionLost, Refused
from pierule.news import ConnectionStatus
from pierule_protocol import world
from pierule_protocol.messages import Welcome

logger = logging.getLogger(__name__)

BUSY = 60.0
"""How many seconds to keep trying a server that is busy."""


async def dial_first(
    address: Address,
    who: Identity,
    patience: float,
    tell: Callable[[ConnectionStatus], None] | None,
) -> tuple[Connection, Welcome]:
    """Try each node once, and again as long as one says that it is busy. Raises ConnectionLost, and
    Refused if a node refuses you."""
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
        # A random wait, because clients that were refused together should not return together.
        wait = min(busy, default=patience) + world.random().uniform(0, 1)
        if not busy or clock() + wait > deadline:
            raise lost
        if tell is not None:
            tell(ConnectionStatus(False, f"{lost} Trying again in {math.ceil(wait)} s."))
        await asyncio.sleep(wait)


async def dial_again(
    address: Address,
    who: Callable[[], Identity],
    closed: Closed,
    attempt: int,
    patience: float,
    rng: Random,
) -> tuple[Connection, Welcome, int]:
    """Make another connection after one was `closed`. Returns it with the number of attempts so
    far. Raises ConnectionLost after `patience` seconds, or immediately if trying again is
    useless."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    failure: Closed | Unreachable | Refused | BadReply = closed
    while True:
        code = failure.code if isinstance(failure, Closed) else None
        nodes = len(address.urls)
        delay = reconnect_delay(attempt, code, rng, nodes)
        if delay is None or is_final(failure):
            raise ConnectionLost(str(failure), code) from failure
        if isinstance(failure, Unreachable) and nodes == 1:
            delay = max(delay, failure.busy or 0)
        if clock() + delay > deadline:
            raise ConnectionLost(f"{patience} s without a connection: {failure}", code)
        await asyncio.sleep(delay)
        attempt += 1
        address.turn()
        try:
            connection, welcome = await dial(address, who())
        except (Closed, Unreachable, Refused, BadReply) as error:
            failure = error
            logger.info("attempt %d: %s", attempt, failure)
        else:
            return connection, welcome, attempt
