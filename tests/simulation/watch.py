"""Checks at every step: each write of the store, and each frame that a client gets.

This finds a fault when it happens, whoever hears of it later. The checkers of `chaos` and `social`
judge everything again at the end, by other means.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import msgpack

from chaos.journal import Journal
from pierule_protocol.log.events import EMPTY, Place, Renewed, chain, decode_record
from pierule_server.store.buckets import bucket_of
from simulation.model.keyspace import Effect
from simulation.model.server import Session, Store
from simulation.model.values import Stream


class Watch:
    """Reports what must not happen."""

    def __init__(self, store: Store, tell: Callable[[str], None], *, sure: bool = True) -> None:
        """`sure` is whether nothing acknowledged may be lost."""
        self._store, self._tell, self._sure = store, tell, sure
        self.seen = 0
        """Steps that were looked at: entries of logs, and acknowledged actions."""
        self._acts: dict[tuple[str, int, int], str] = {}
        """The rooms of actions that are not answered yet, by journal, connection and request."""
        self.written: dict[tuple[str, int, int], float] = {}
        """When each entry was written, in ms of the journals' clock, by room, epoch and number."""
        store.wrote = self.wrote

    def wrote(self, effects: Iterable[Effect], _: Session | None) -> None:
        """Law 3 and 6: an entry of a log follows the one before, and nothing else changes one."""
        for name, *rest in effects:
            if name == b"XADD" and b"}log:" in rest[0]:
                self.seen += 1
                wrong = self._entry(rest[0])
                if wrong:
                    self._tell(f"the log is sound: {rest[0].decode()}: {wrong}")

    def _entry(self, key: bytes) -> str:
        stream = self._store.space.values[key]
        known = _place(stream, -2) if len(stream) > 1 else EMPTY
        new = _place(stream, -1)
        fields = stream.entries[-1]
        room = key.decode().partition("}log:")[2]
        self.written[room, new.epoch, new.seq] = time.time() * 1_000
        begins = isinstance(decode_record(fields[7].decode()), Renewed)
        if new.seq != known.seq + 1:
            return f"{new.seq} is written after {known.seq}"
        if (known.seq and new.epoch != known.epoch and not begins) or new.epoch < known.epoch:
            return f"epoch {new.epoch} is written after {known.epoch}"
        if new.chain != chain(known.chain, new.epoch, new.seq, fields[7], int(fields[5])):
            return f"the chain breaks at {new.seq}"
        return ""

    def line(self, journal: Journal, connection: int, what: str, data: object) -> None:
        """Law 4: what a client is told is kept, and as safely as was promised, by then."""
        if what == "sent" and isinstance(data, bytes) and b"\xa3act" in data:
            message = msgpack.unpackb(data)
            if message.get("type") == "act":
                self._acts[journal.name, connection, message["id"]] = message["room"]
        elif what == "got" and isinstance(data, bytes) and b"\xa5place" in data:
            message = msgpack.unpackb(data)
            if message.get("type") != "ok":
                return
            room = self._acts.pop((journal.name, connection, message.get("id")), None)
            if room is not None:
                self.seen += 1
                place = message["place"]
                self._acknowledged(room, Place(place["epoch"], place["seq"], place["chain"]))

    def _acknowledged(self, room: str, place: Place) -> None:
        store = self._store
        if not self._sure:
            return
        key = f"{{{bucket_of(room)}}}log:{room}".encode()
        stream = store.space.values.get(key)
        if not isinstance(stream, Stream):
            return  # it has been put away, or set aside
        kept = [_place(stream, at) for at in range(len(stream)) if stream.ids[at][0] == place.seq]
        if kept != [place]:
            self._tell(f"what is acknowledged is kept: {room}: {place}, and the log has {kept}")


def _place(stream: Stream, at: int) -> Place:
    fields = stream.entries[at]
    return Place(int(fields[1]), stream.ids[at][0], int(fields[3]))
