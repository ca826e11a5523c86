"""Decides where the clients of a room should meet (SPEC 1.15 and 1.16). It is only a hint: every
process serves every room (law 5)."""

from __future__ import annotations

import re
from collections.abc import Collection

from pierule_protocol.buckets import BUCKETS, bucket_of
from pierule_server.connections.connection import Connection

_HINT = re.compile(r"/ws\?(?:[^ &]*&)*?bucket=([0-9]{1,2})(?:&[^ ]*)?")


def hint_in(path: str) -> int | None:
    """The bucket in the path of a request, if any."""
    found = _HINT.fullmatch(path)
    bucket = BUCKETS if found is None else int(found[1])
    return bucket if bucket < BUCKETS else None


class Affinity:
    """Decides which clients should connect elsewhere. The clients of the buckets `here` should meet
    in this process. If `here` is None, nobody knows, and no client is sent away."""

    def __init__(self, here: Collection[int] | None = None, *, on: bool = False) -> None:
        self.on = on
        self.here = here

    def sends(self, connection: Connection, room: str) -> bool:
        """Whether to send a client elsewhere when it asks to join a room. A client stays if it
        follows rooms here, came with this hint, or was sent away with it before."""
        bucket = bucket_of(room)
        here = self.here
        if not self.on or here is None or bucket in here:
            return False
        if connection.following or connection.hint == bucket:
            return False
        connection.hint = bucket
        return True
