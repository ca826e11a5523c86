"""Players who come and go, in words (SPEC 25)."""

from __future__ import annotations

from collections.abc import Collection

import pierule
from pierule.terminal.scene import called
from pierule_protocol.messages import RoomState, Seat

_SEATS: tuple[Seat, Seat] = (0, 1)


class Absences:
    """Tells once when a player is gone, when the game may be claimed, and when one is back."""

    def __init__(self, room: pierule.Room) -> None:
        self._room = room
        self._told: dict[Seat, bool] = {}  # of who is gone, whether the game may be claimed

    def news(self, now: int) -> list[str]:
        """What there is to say at the store's time `now`."""
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
                lines.append(_gone(state, seat, claim, now, self._room.seats))
        return lines

    def countdown(self, now: int) -> str:
        """For a prompt: how long a player is still awaited; empty if nobody is."""
        presence, state = self._room.presence, self._room.state
        if presence is None or state.status != "running":
            return ""
        waits = [claim - now for seat in _SEATS if (claim := presence.claim[seat]) is not None
                 and seat not in self._room.seats]  # fmt: skip
        return f"(gone, {-(-waits[0] // 1000)} s) " if waits and waits[0] > 0 else ""


def _gone(state: RoomState, seat: Seat, claim: int | None, now: int, mine: Collection[Seat]) -> str:
    line = f"-- {called(state, seat)} is gone"
    if claim is None or (mine and seat in mine):
        return line
    if now >= claim:
        return f"{line} for too long" + ("; type claim to win, or claim abort" if mine else "")
    return f"{line}; the game may be claimed in {-(-(claim - now) // 1000)} s"
