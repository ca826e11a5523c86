"""The short way of an action: decides immediately, queues the append, and answers when the store
has replied. It needs no task.

In nearly every case the room is in memory, the action is legal, and the log ends where we think.
Everything else takes the long way, `Rooms.act`, which decides again. That is safe, whatever became
of what the short way began (laws 3 and 7).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import structlog

from pierule_protocol import world
from pierule_protocol.log.controls import Correspondence
from pierule_protocol.log.events import Entry, encode_record
from pierule_protocol.messages import Act, ClientMessage, Ok
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.decisions.decide import Append, listed
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.rooms import OPENING
from pierule_server.store.room_log import RoomLog
from pierule_server.terms import NO_DEADLINE, AppendOptions

logger = structlog.get_logger()

Then = Callable[[bool], None]
"""Hears whether the request was answered; if not, it must take the long way."""


class ShortWay:
    """Plays actions the short way."""

    def __init__(self, hub: Hub, log: RoomLog) -> None:
        self._hub = hub
        self._log = log

    def act(self, connection: Connection, request: ClientMessage, then: Then) -> bool:
        """Begin to play an action, then answer it and call `then`. Returns False and begins nothing
        if the request must take the long way."""
        user = connection.user
        if type(request) is not Act or user is None or self._log.short:
            return False
        began = world.monotonic()
        live = self._hub.cache.ready(request.room)
        if live is None:
            return False
        room = live.room
        decision = decide.act(
            room, user, request.turn, request.action, connection.lag, request.epoch
        )
        if not isinstance(decision, Append) or _has_sequel(live, decision):
            return False
        live.precomputed = decision.precomputed
        terms = AppendOptions(listed(room, decision.card), decision.deadline, decision.timing)
        record = encode_record(decision.record)
        kept = partial(self._kept, connection, request, began, live, decision, then)
        return self._log.begin(room.id, room.place, record, terms, kept)

    def _kept(
        self, connection: Connection, request: Act, began: float, live: Live, decision: Append,
        then: Then, entry: Entry | None,
    ) -> None:  # fmt: skip
        answered = False
        try:
            if entry is not None:
                metrics.count_event(decision.record)
                self._hub.entry(live.room.id, entry)
                place = self._hub.proofs.place(request.room, entry.place)
                metrics.count_request(request)
                connection.send(
                    Ok(id=request.id, room=request.room, place=place, turn=decision.turn)
                )
                answered = True
                metrics.APPEND_SECONDS.observe(world.monotonic() - began)
        except Exception:
            # A bug: let the long way make the answer (law 8).
            logger.exception("the short way of an action failed: please file a bug")
        then(answered)


def _has_sequel(live: Live, decision: Append) -> bool:
    """Whether something must happen between this action and its answer: its player has just begun
    to play, the game is over, or it is a slow game, in which players are told of their turns."""
    return (
        decision.turn <= OPENING
        or decision.deadline is NO_DEADLINE
        or isinstance(live.room.created.clock, Correspondence)
    )
