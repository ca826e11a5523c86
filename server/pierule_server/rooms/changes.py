"""Changes rooms: decides on the fold, and appends to the log.

`change` is the loop of law 3: decide, append at the place of the decision, and after a conflict or
an unknown outcome read the log and decide again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Entry, encode_record, without_names
from pierule_protocol.state.room import Done, Room
from pierule_server import metrics
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.decisions.decide import Append, Decision, Refused, listed
from pierule_server.rooms.fair_play import FairPlay
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.quota import Quota
from pierule_server.store.room_log import (
    Conflict,
    RoomLog,
    StoreRefused,
    StoreUnavailable,
    TooEarly,
    TooLate,
    Uncredited,
)
from pierule_server.store.tables.deadlines import Deadlines
from pierule_server.terms import NO_DEADLINE, AppendOptions, Outage

TRIES = 8
"""How often a request is decided. Players rarely collide; more means trouble in the store."""


class Changes:
    """Changes rooms, for requests and for what is due. `quota` and `fair_play` hear of rooms that
    are over."""

    def __init__(
        self, hub: Hub, log: RoomLog, deadlines: Deadlines, quota: Quota, fair_play: FairPlay
    ) -> None:
        self._hub = hub
        self._log = log
        self._deadlines = deadlines
        self._quota = quota
        self._fair_play = fair_play

    async def change(self, room_id: str, decision_on: Callable[[Room], Decision]) -> Done:
        """Decide and append until the store has kept it. This node may be behind, so no refusal is
        final before the log confirms it. Raises Refused, TooEarly or StoreUnavailable."""
        live = await self._hub.cache.get(room_id)
        late: int | None = None
        for _ in range(TRIES):
            decision = decision_on(live.room)
            match decision:
                case Done() if await self._log.confirm(room_id, decision.place):
                    return decision
                case Refused() if await self._log.confirm(room_id, live.room.place, last=True):
                    flagged = late is not None and decision.code is Code.FINISHED
                    raise Refused(Code.FLAGGED, late=late) if flagged else decision
                case Append(record=record, turn=turn):
                    try:
                        entry = await self._append(live, decision)
                        if decision.deadline == NO_DEADLINE:
                            await self._over(live.room, entry.at)
                        return Done(record, entry.place, turn)
                    except Uncredited:
                        await self.credit(room_id)
                    except TooLate as error:
                        late = error.by
                        await self.time_out(room_id)
                    except StoreRefused:  # the store would refuse it again
                        raise
                    except (Conflict, StoreUnavailable):
                        pass
            await self._catch_up(live)
        raise StoreUnavailable

    async def time_out(self, room_id: str) -> None:
        """Do what is due in a room whose deadline has passed."""
        with suppress(TooEarly):  # an event came first and moved the deadline
            await self.change(room_id, decide.time_out)

    async def credit(self, room_id: str) -> None:
        """Give a room back what it lost to an outage, unless that is done already."""
        live = await self._hub.cache.get(room_id)
        for _ in range(TRIES):
            outage = await self._deadlines.outage(room_id)
            if outage is None:
                return
            try:
                await self._append(live, decide.credit(live.room, outage), credit=outage)
            except (Conflict, StoreUnavailable):
                await self._hub.recovery.catch_up(live)
            else:
                return

    async def _over(self, room: Room, at: int) -> None:
        """Do what follows the end of a game. `housekeeping` repeats it in case this node dies."""
        await self._quota.over(room)
        with suppress(StoreUnavailable):
            await self._fair_play.over(room, at)

    async def _catch_up(self, live: Live) -> None:
        """Bring the room to the end of its log. Raises Refused if the room is put away, so that
        nothing can be appended."""
        await self._hub.recovery.catch_up(live)
        room = live.room
        if room.status == "over" and await self._log.ends([room.id]) == {room.id: EMPTY}:
            raise Refused(Code.FINISHED, "the game is over, and its room is put away")

    async def _append(self, live: Live, decision: Append, *, credit: Outage | None = None) -> Entry:
        live.precomputed = decision.precomputed or live.precomputed
        deadline = live.room.deadline
        record, names = without_names(decision.record)
        entry = await self._log.append(
            live.room.id, live.room.place, encode_record(record),
            AppendOptions(
                names=names, card=listed(live.room, decision.card), deadline=decision.deadline,
                timing=decision.timing, credit=credit, absence=decision.absence,
            ),
        )  # fmt: skip
        metrics.count_event(decision.record)
        if decision.timing == "due" and deadline is not None:
            metrics.TIMEOUT_SECONDS.observe((entry.at - deadline) / 1_000)
        # The next request must see what we acknowledge, even before it is published to us.
        self._hub.entry(live.room.id, entry)
        return entry
