"""Keeps players who leave rated games, or end them before they count, again and again out of new
ones for a while (SPEC 30.7).

A user's marks are notes in their inbox, one for each game, with the room's id in the name and the
time of the game's end as text. So a game counts once, however often and at however many nodes it
ends, and the order does not matter. The node that ends a game notes the mark. If that node dies
first, housekeeping notes it when the room is put away. A game that would have taken a mark away is
then lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log2

from pierule_games.game import OTHER
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import DAY, absence_bound
from pierule_protocol.log.events import (
    Aborted,
    Acted,
    Claimed,
    Closed,
    Entry,
    Flagged,
    Resigned,
    decode_record,
)
from pierule_protocol.messages import Seat
from pierule_protocol.state.room import Room
from pierule_protocol.state.unrated import why_unrated
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.inboxes import Inboxes

MOST = 2
"""The most marks with which a user may still enter rated games."""

HALF_LIFE = DAY
"""Milliseconds in which marks fade to a half."""

KEPT = 64
"""The most marks of a user in the inbox, and the most games that took marks away."""

KEPT_MS = 5 * DAY
"""Milliseconds for which the inbox keeps them. By then, `KEPT` marks have faded to `MOST`."""

LEFT, PLAYED = MARKS = ("left:", "played:")
"""A note's name begins with one of these, then has the room's id: the user left that game, or
played it to its end."""


class FairPlay:
    """The marks of all users. `now()` gives the store's time in ms since 1970."""

    def __init__(self, inboxes: Inboxes, now: Callable[[], int]) -> None:
        self._inboxes = inboxes
        self._now = now

    async def over(self, room: Room, at: int) -> None:
        """A game has ended at this time: note what follows for its players. It is safe to repeat.
        Raises StoreUnavailable."""
        life = at + KEPT_MS - self._now()
        if room.result is None or life <= 0 or _has_bot(room):
            return
        if room.rematch is not None:  # the game ended before; now only its rematch was made
            return
        counts = room.unrated is None
        leaver = _leaver(room, at) if counts else _dodger(room, at)
        for seat, holder in enumerate(room.seats):
            if holder is None or (seat != leaver and not counts):
                continue
            if seat == leaver:
                kind, other = LEFT, PLAYED
            elif fair_from(await self._inboxes.read(holder.user)) is not None:
                kind, other = PLAYED, LEFT
            else:  # no mark to take away
                continue
            await self._inboxes.put(
                holder.user, kind + room.id, str(at), life, most=KEPT, unless=[other + room.id]
            )

    async def voided(self, room: Room) -> None:
        """Operators have voided the result of a game: drop its marks. Raises StoreUnavailable."""
        for holder in filter(None, room.seats):
            for kind in MARKS:
                await self._inboxes.drop(holder.user, kind + room.id)

    def check(self, notes: Mapping[str, str], field: str) -> None:
        """Raise Refused if the user with these notes may not enter a rated game. `field` is the
        field of the request that asks for it."""
        until = fair_from(notes)
        left = 0 if until is None else until - self._now()
        if left > 0:
            raise Refused(
                Code.UNRATED,
                f"you left rated games too often: you cannot enter new ones for {_words(left)}; "
                "until then choose unrated games",
                field=field,
                left=left,
            )

    async def check_sitting(self, room: Room, user: str) -> None:
        """Check a user with a name of their own who is about to take a seat. Raises Refused, as
        `check`, and StoreUnavailable."""
        if room.unrated is None and not _has_bot(room):
            await self.check_user(user, "seat")

    async def check_user(self, user: str, field: str) -> None:
        """Read the user's inbox and `check` it. Raises Refused and StoreUnavailable."""
        self.check(await self._inboxes.read(user), field)


def _has_bot(room: Room) -> bool:
    """Whether a bot plays: marks are only for games between people."""
    return any(holder is not None and holder.bot for holder in room.seats)


def _leaver(room: Room, at: int) -> Seat | None:
    """The seat of the loser if they left the game, which has ended now, instead of playing on."""
    if room.result is None or room.result.winner not in (0, 1):
        return None
    left = room.result.reason == "left"
    left = left or (room.result.reason == "flagged" and _were_silent(room, at))
    return OTHER[room.result.winner] if left else None


def _were_silent(room: Room, at: int) -> bool:
    """Whether neither player had done anything for as long as the other waits for an absent one."""
    return at - max(room.heard) >= (absence_bound(room.created.clock) or 0)


def _dodger(room: Room, at: int) -> Seat | None:
    """The seat of the player who has ended a game now that would have counted if it had gone on."""
    created, result = room.created, room.result
    if None in room.seats or why_unrated(created.rated, created.access, room.seats) is not None:
        return None
    match room.unrated, result and result.reason, result and result.winner:
        case "short", "resigned", (0 | 1) as winner:
            return OTHER[winner]
        case "short", _, _:
            return _leaver(room, at)
        case "aborted", "aborted", _:
            by = [d.record.seat for d in room.effects.values() if isinstance(d.record, Aborted)]
            if by:
                return by[0]
            if created.clock is not None and _were_silent(room, at):
                return room.position.to_act
    return None


def fair_from(notes: Mapping[str, str]) -> int | None:
    """When the user with these notes may enter rated games again, in the store's ms since 1970: a
    time in the past if they may now. None if they have no marks."""
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
    """The number of the entry that ended a game which a player may have left or ended too early; 0
    if there is no such entry, or if the result was voided."""
    for number in range(len(entries), 0, -1):
        match decode_record(entries[number - 1].record):
            case Flagged() | Claimed() | Resigned() | Aborted():
                return number
            case Acted() | Closed():
                break
    return 0


def _words(ms: int) -> str:
    hours, minutes = divmod(ceil(ms / 60_000), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
