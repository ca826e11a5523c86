"""Where the clients of a room meet (SPEC 1.15 and 1.16). A hint, never ownership: every process
serves every room (law 5)."""

from __future__ import annotations

import re
from collections.abc import Collection

from pierule_protocol.buckets import BUCKETS, bucket_of
from pierule_server.connections.connection import Connection

_HINT = re.compile(r"/ws\?(?:[^ &]*&)*?bucket=([0-9]{1,2})(?:&[^ ]*)?")


def hint_in(path: str) -> int | None:
    """The bucket that the path of a request names, if there is such a one."""
    found = _HINT.fullmatch(path)
    bucket = BUCKETS if found is None else int(found[1])
    return bucket if bucket < BUCKETS else None


class Affinity:
    """Says which clients are better off elsewhere. `here` are the buckets whose clients are to meet
    in this process; None if it is not known, and then nobody is sent away."""

    def __init__(self, here: Collection[int] | None = None, *, on: bool = False) -> None:
        self.on = on
        self.here = here

    def sends(self, connection: Connection, room: str) -> bool:
        """Whether to send a client elsewhere that is to join a room. Once it was sent, or if it has
        come by this hint, it stays; and so does a client that follows rooms here."""
        bucket = bucket_of(room)
        here = self.here
        if not self.on or here is None or bucket in here:
            return False
        if connection.following or connection.hint == bucket:
            return False
        connection.hint = bucket
        return True
