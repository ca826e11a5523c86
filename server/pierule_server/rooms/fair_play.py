"""Players who leave rated games again and again enter no new ones for a while (SPEC 30.7).

A user's marks are notes in their inbox, one for each game, under the room's name and with the time
of the game's end. So a game counts once, however many nodes see it end and however often, and the
order does not matter. The node that ends a game notes it. If that node dies first, the mark is
noted when the room is put away; a game that would have taken a mark away is then lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log2

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import DAY, absence_bound
from pierule_protocol.log.events import Acted, Claimed, Closed, Entry, Flagged, decode_record
from pierule_protocol.state.room import Room
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.inboxes import Inboxes

MOST = 2
"""Marks with which a user may still enter games that count."""

HALF_LIFE = DAY
"""Milliseconds in which marks halve."""

KEPT = 64
"""Marks of a user that are kept, and games that took some away."""

KEPT_MS = 5 * DAY
"""Milliseconds for which they are: `KEPT` marks have faded to `MOST` by then."""

LEFT, PLAYED = MARKS = ("left:", "played:")
"""How the names of notes begin that say which game a user left or played to its end, by room."""


class FairPlay:
    """The marks of all users. `now()` is the store's time in ms."""

    def __init__(self, inboxes: Inboxes, now: Callable[[], int]) -> None:
        self._inboxes = inboxes
        self._now = now

    async def over(self, room: Room, at: int) -> None:
        """A game has ended at this time: note what follows for its players. May be repeated. Raises
        StoreUnavailable."""
        life = at + KEPT_MS - self._now()
        if room.result is None or room.unrated is not None or life <= 0:
            return
        if _has_bot(room):
            return
        if room.rematch is not None:  # What ended now is the way there; the game did so before.
            return
        for seat, holder in enumerate(room.seats):
            if holder is None:
                continue
            if room.result.winner != seat and _was_left(room, at):
                kind, other = LEFT, PLAYED
            elif fair_from(await self._inboxes.read(holder.user)) is not None:
                kind, other = PLAYED, LEFT
            else:  # There is no mark to take away.
                continue
            await self._inboxes.put(
                holder.user, kind + room.id, str(at), life, most=KEPT, unless=[other + room.id]
            )

    async def voided(self, room: Room) -> None:
        """The operators have voided the result of a game. Raises StoreUnavailable."""
        for holder in filter(None, room.seats):
            for kind in MARKS:
                await self._inboxes.drop(holder.user, kind + room.id)

    def check(self, notes: Mapping[str, str], field: str) -> None:
        """Raises Refused if the user of an inbox may enter no game that counts; `field` is that of
        the request which asks for one."""
        until = fair_from(notes)
        left = 0 if until is None else until - self._now()
        if left > 0:
            raise Refused(
                Code.UNRATED,
                f"you left rated games too often, and can enter no new ones for {_words(left)}; "
                "until then choose games that do not count",
                field=field,
                left=left,
            )

    async def check_sitting(self, room: Room, user: str) -> None:
        """The same, of a user with a name of their own who is about to take a seat. May raise
        StoreUnavailable."""
        if room.unrated is None and not _has_bot(room):
            await self.check_user(user, "seat")

    async def check_user(self, user: str, field: str) -> None:
        """The same, of an inbox that was not read yet. May raise StoreUnavailable."""
        self.check(await self._inboxes.read(user), field)


def _has_bot(room: Room) -> bool:
    """Marks are about what people do to people."""
    return any(holder is not None and holder.bot for holder in room.seats)


def _was_left(room: Room, at: int) -> bool:
    """Whether the loser of a game that ended now has left it, instead of losing it."""
    if room.result is not None and room.result.reason == "flagged":
        return at - max(room.heard) >= (absence_bound(room.created.clock) or 0)
    return room.result is not None and room.result.reason == "left"


def fair_from(notes: Mapping[str, str]) -> int | None:
    """From when on the user of an inbox may enter games that count, in the store's ms: a time that
    is past, if they may. None if they have no marks."""
    games = sorted(
        (int(text), name.startswith(PLAYED))
        for name, text in notes.items()
        if name.startswith(MARKS)
    )
    marks, last = 0.0, 0
    for at, was_played in games:
        faded = marks * 0.5 ** ((at - last) / HALF_LIFE)
        marks, last = max(faded - 1, 0.0) if was_played else faded + 1, at
    if all(was_played for _, was_played in games):
        return None
    return last + (ceil(HALF_LIFE * log2(marks / MOST)) if marks > MOST else 0)


def left_at(entries: Sequence[Entry]) -> int:
    """The number of the entry of a log by which a game ended that a player may have left; 0 if
    there is none, or if its result was voided."""
    for number in range(len(entries), 0, -1):
        match decode_record(entries[number - 1].record):
            case Flagged() | Claimed():
                return number
            case Acted() | Closed():
                break
    return 0


def _words(ms: int) -> str:
    hours, minutes = divmod(ceil(ms / 60_000), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
