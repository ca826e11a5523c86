"""Which of a profile's two players sits down where: one pure decision.

A player who holds a seat of the room goes on with it; a player who holds none may take a free one;
a player whom another terminal plays is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule_protocol.log.events import Holder
from pierule_protocol.messages import Seat

Wanted: TypeAlias = Literal[0, 1, "any"]


@dataclass(frozen=True, slots=True)
class Player:
    """One of the profile's players: its user id if it has one, and whether it is in use."""

    user: str | None
    busy: bool


@dataclass(frozen=True, slots=True)
class Sit:
    """Play as this player; `take` is the seat to take first, None if it is held already."""

    player: int
    take: Wanted | None


@dataclass(frozen=True, slots=True)
class Cannot:
    """Why nobody can take a seat."""

    text: str


def choose(
    seats: Sequence[Holder | None], wanted: Wanted, players: Sequence[Player]
) -> Sit | Cannot:
    """Who of `players` plays on which of the room's seats."""
    held = [
        [seat for seat, holder in enumerate(seats) if holder and holder.user == player.user]
        for player in players
    ]
    for i, player in enumerate(players):
        if held[i] and not player.busy and (wanted == "any" or wanted in held[i]):
            return Sit(i, None)
    free: list[Seat] = [seat for seat in _SEATS if seats[seat] is None]
    if free if wanted == "any" else wanted in free:
        for i, player in enumerate(players):
            if not held[i] and not player.busy:
                return Sit(i, wanted)
    return Cannot(_why(wanted, bool(free), held, players))


_SEATS: tuple[Seat, Seat] = (0, 1)


def _why(wanted: Wanted, any_free: bool, held: list[list[int]], players: Sequence[Player]) -> str:
    ours = {seat for i, player in enumerate(players) if player.busy for seat in held[i]}
    if wanted != "any":
        where = "played in another terminal of this computer" if wanted in ours else "taken"
        return f"seat {wanted} is {where}"
    if any_free or ours == {0, 1}:
        return "you play this room in other terminals of this computer already"
    if ours:
        return "you play this room in another terminal, and the other seat is taken"
    return "both seats are taken"
