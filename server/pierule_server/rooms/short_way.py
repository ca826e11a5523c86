"""The short way of an action: decided at once, queued for the store, answered when its reply is
there, all without a task.

Nearly every action is like the one before it: its room is at hand, it is legal, and the log ends
where we believe. Whatever else may come is left to the long way, `Rooms.act`, which decides again.
That is safe, whatever became of what the short way has begun (laws 3 and 7).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import structlog

from pierule_protocol.log.controls import Correspondence
from pierule_protocol.log.events import Entry, encode_record
from pierule_protocol.messages import Act, Ok
from pierule_server import metrics
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.decisions.decide import Append, listed
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.rooms import OPENING
from pierule_server.store.room_log import RoomLog
from pierule_server.terms import NO_DEADLINE, AppendOptions

logger = structlog.get_logger()

Answer = Callable[[Ok], None]
Then = Callable[[bool], None]
"""Hears whether it was answered; if not, the long way has to do it."""


class ShortWay:
    """Actions over a hub and its log."""

    def __init__(self, hub: Hub, log: RoomLog) -> None:
        self._hub = hub
        self._log = log

    def act(self, user: User, request: Act, lag: int, answer: Answer, then: Then) -> bool:
        """Begin to play an action, to `answer` it and then to call `then`. False, and nothing was
        begun, if it has to go the long way. `lag` is the client's measured round trip in ms."""
        live = self._hub.cache.ready(request.room)
        if live is None:
            return False
        room = live.room
        decision = decide.act(room, user, request.turn, request.action, lag, request.epoch)
        if not isinstance(decision, Append) or _has_sequel(live, decision):
            return False
        live.precomputed = decision.precomputed
        terms = AppendOptions(
            listed(room, decision.card), decision.deadline, decision.timing
        )  # fmt: skip
        record = encode_record(decision.record)
        kept = partial(self._kept, live, decision, request, answer, then)
        return self._log.begin(room.id, room.place, record, terms, kept)

    def _kept(
        self, live: Live, decision: Append, request: Act, answer: Answer, then: Then,
        entry: Entry | None,
    ) -> None:  # fmt: skip
        answered = False
        try:
            if entry is not None:
                metrics.count_event(decision.record)
                self._hub.entry(live.room.id, entry)
                place = self._hub.proofs.place(request.room, entry.place)
                answer(Ok(id=request.id, room=request.room, place=place, turn=decision.turn))
                answered = True
        except Exception:
            # A fault of ours: the long way makes an answer of it (law 8).
            logger.exception("the short way of an action failed")
        then(answered)


def _has_sequel(live: Live, decision: Append) -> bool:
    """Whether there is something to do after such an action before it is answered: its player has
    begun to play, the game is over, or a slow one, in which players are told of their turns."""
    return (
        decision.turn <= OPENING
        or decision.deadline is NO_DEADLINE
        or isinstance(live.room.created.clock, Correspondence)
    )
