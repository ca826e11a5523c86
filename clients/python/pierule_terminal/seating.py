"""Which of a profile's two players takes which seat. Pure.

A player who holds a seat in the room goes on with it. A player without a seat may take a free one.
A player who plays in another terminal is left alone.
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
    """A player of the profile: the user id, if there is one, and whether another terminal uses
    it."""

    user: str | None
    busy: bool


@dataclass(frozen=True, slots=True)
class Sit:
    """Play as this player. `take` is the seat to take first; None if the player already has one."""

    player: int
    take: Wanted | None


@dataclass(frozen=True, slots=True)
class Cannot:
    """No player of the profile can play; `text` says why."""

    text: str


def choose(
    seats: Sequence[Holder | None], wanted: Wanted, players: Sequence[Player]
) -> Sit | Cannot:
    """Which of `players` plays, and which seat to take."""
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
        where = "in use by another terminal of this computer" if wanted in ours else "taken"
        return f"seat {wanted} is {where}"
    if any_free or ours == {0, 1}:
        return "you already play this room in other terminals of this computer"
    if ours:
        return "you play this room in another terminal, and the other seat is taken"
    return "both seats are taken"
