"""Reduces work that would take most of a simulation's time. It must be imported before the server.

The store keeps 4 buckets in place of 64. Nodes look for due clocks twice a second in place of 20
times, and measure the lag of the loop, which has none, every 5 s. They look every 3 s in place of
10 whether they have missed something, in 4 parts: so a simulation needs a shorter calm at its end.
Recovery codes are hashed in no time, and the same text is compressed once. Nothing in the server
depends on that, but a process has it for good: simulations run in processes of their own.
"""

import gzip
from functools import cache
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from pierule_protocol import buckets

buckets.BUCKETS = 4

from pierule_server.gateway import page  # noqa: E402
from pierule_server.lobby import names  # noqa: E402 - they would count the buckets
from pierule_server.operations import health  # noqa: E402
from pierule_server.rooms import deadlines, place_check  # noqa: E402

deadlines.INTERVAL = 0.5
health.LAG_INTERVAL = 5.0
vars(page)["gzip"] = SimpleNamespace(compress=cache(gzip.compress))
place_check.INTERVAL, place_check.SLICES = 3.0, 4


def _hash(code: bytes, *, salt: bytes, **_: Any) -> bytes:
    return sha256(salt + code).digest()


vars(names)["scrypt"] = _hash

from social import checker  # noqa: E402

checker.LATE = 25.0  # as in `chaos.reading`: line, node and store may all have been away
