"""Reduces work that would take most of a simulation's time. It must be imported before the server.

The store keeps 4 buckets in place of 64, and nodes look for due clocks 5 times a second in place of
20. Recovery codes are hashed in no time. Nothing in the server depends on that, but a process has
it for good: simulations run in processes of their own.
"""

from hashlib import sha256
from typing import Any

from pierule_protocol import buckets

buckets.BUCKETS = 4

from pierule_server.lobby import names  # noqa: E402 - they would count the buckets
from pierule_server.rooms import deadlines  # noqa: E402

deadlines.INTERVAL = 0.2


def _hash(code: bytes, *, salt: bytes, **_: Any) -> bytes:
    return sha256(salt + code).digest()


vars(names)["scrypt"] = _hash

from social import checker  # noqa: E402

checker.LATE = 25.0  # as in `chaos.reading`: line, node and store may all have been away
