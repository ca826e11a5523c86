"""Messages about players who come and go (SPEC 25)."""

from __future__ import annotations

import pierule
from pierule_protocol.messages import Seat
from pierule_terminal.scene import called

_SEATS: tuple[Seat, Seat] = (0, 1)


class Absences:
    """Reports once when a player is gone, when the opponent may claim the game, and when the player
    is back."""

    def __init__(self, room: pierule.Room, how: str = "type claim to win, or claim abort") -> None:
        self._room = room
        self._how = how  # how to claim the game
        self._told: dict[Seat, bool] = {}  # absent players; True if the game may be claimed

    def news(self, now: int) -> list[str]:
        """The messages to show at the store's time `now`."""
        presence, state, lines = self._room.presence, self._room.state, []
        for seat in _SEATS:
            if presence is None or state.status != "running" or presence.gone[seat] is None:
                if self._told.pop(seat, None) is not None and state.status == "running":
                    lines.append(f"-- {called(state, seat)} is back")
                continue
            claim = presence.claim[seat]
            ripe = claim is not None and now >= claim
            if self._told.get(seat) is not ripe:
                self._told[seat] = ripe
                lines.append(f"-- {called(state, seat)} is {self._gone(seat, claim, now)}")
        return lines

    def countdown(self, now: int) -> str:
        """For the prompt: how many seconds until the game may be claimed; empty if nobody is
        gone."""
        presence, state = self._room.presence, self._room.state
        if presence is None or state.status != "running":
            return ""
        waits = [claim - now for seat in _SEATS if (claim := presence.claim[seat]) is not None
                 and seat not in self._room.seats]  # fmt: skip
        return f"(gone, {-(-waits[0] // 1000)} s) " if waits and waits[0] > 0 else ""

    def _gone(self, seat: Seat, claim: int | None, now: int) -> str:
        mine = self._room.seats
        line = gone(None if seat in mine else claim, now)
        due = claim is not None and now >= claim and mine and seat not in mine
        return f"{line}; {self._how}" if due else line


def gone(claim: int | None, now: int) -> str:
    """That a player is gone, and how long until the opponent may end the game. `claim` is the time
    from which on they may (None: never); both times are the store's, in ms."""
    if claim is None:
        return "gone"
    if now >= claim:
        return "gone for too long"
    return f"gone; the game may be claimed in {-(-(claim - now) // 1000)} s"
