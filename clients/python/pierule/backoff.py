"""When to try again: exponential back-off with full jitter, and the close codes that forbid it
(SPEC 7).

Pure: time and chance are arguments.
"""

from __future__ import annotations

from random import Random

from pierule.errors import Refused
from pierule_protocol.codes import CLOSE_MEANINGS, MEANINGS, Close, Code

BASE = 0.5
"""The longest first delay, in seconds."""
CAP = 8.0
"""The longest delay, in seconds. It is short, because players wait. Ten thousand clients that keep
trying make some 2 500 tries a second, and each costs a server next to nothing."""


def retry_delay(attempt: int, rng: Random) -> float:
    """Seconds to wait before attempt number `attempt` (from 0): a random time up to a limit that
    doubles, so that many clients do not all come back at the same time."""
    return rng.uniform(0, min(CAP, BASE * 2 ** min(attempt, 32)))


def reconnect_delay(
    attempt: int, close_code: int | None, rng: Random, nodes: int = 1
) -> float | None:
    """Seconds to wait before connecting again, or None if the close code forbids it.

    Attempts go to the `nodes` in turn. The delay grows only after all were tried, because a missing
    node says nothing about the others. `close_code` is None if the connection ended without one.
    Unknown codes forbid nothing, because a newer server may have more of them.
    """
    if close_code in CLOSE_MEANINGS and not CLOSE_MEANINGS[Close(close_code)].reconnect:
        return None
    return retry_delay(attempt // nodes, rng)


def may_pass(refused: Refused) -> bool:
    """Whether the same request may be sent again. For unknown codes, it may not."""
    return refused.code in MEANINGS and MEANINGS[Code(refused.code)].retry
