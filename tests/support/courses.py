"""Random courses of requests by two players in a room, for properties over any kind of store."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, get_args

from hypothesis import strategies as st

from pierule_games.game import OTHER
from pierule_protocol.log.controls import Byoyomi, Correspondence, Fischer, requested
from pierule_protocol.log.events import What
from pierule_protocol.messages import (
    Abort,
    Accept,
    Act,
    Create,
    Decline,
    Join,
    Offer,
    Ok,
    Resign,
    Seat,
    Withdraw,
)
from pierule_protocol.state.room import Room
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.rooms import Rooms

_ids = count(1)
WHATS: list[What] = [*["takeback", "pause"] * 4, *get_args(What)]  # type: ignore[list-item]
CLOCKS = (None, Fischer(main=60, increment=2), Byoyomi(main=5, periods=3, period=20),
          Correspondence(days=1))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ask:
    """A request of a player, sensible or not. `pick` chooses the action or the offer."""

    kind: str
    seat: Any
    what: Any
    pick: int


_kinds = ["act"] * 10 + ["offer"] * 12 + ["accept"] * 12 + ["decline", "withdraw"] * 2
asks = st.builds(
    Ask,
    st.sampled_from([*_kinds * 4, "abort", "resign"]),
    st.sampled_from([0, 1]),
    st.sampled_from(WHATS),
    st.integers(0, 99),
)
made = st.tuples(st.sampled_from([("taugo", 6), ("loose", 5)]), st.sampled_from(CLOCKS))
"""A game with its size, and a clock."""


async def begin(rooms: Rooms, players: tuple[User, User], how: Any) -> str:
    """A room in which both players sit."""
    (game, size), clock = how
    asked = None if clock is None else requested(clock)
    create = Create(
        id=1, nonce=f"c{next(_ids)}", game=game, size=size, seat=0, clock=asked, access="private",
        invitation="i" * 20,
    )  # fmt: skip
    room = (await rooms.create(players[0], create)).room
    assert room is not None
    join = Join(id=1, room=room, seat=1, nonce=f"j{next(_ids)}", invitation="i" * 20)
    await rooms.join(players[1], join)
    return room


def request_of(ask: Ask, room: Room) -> tuple[Seat, Any]:
    """The player's seat and the request, made to fit the room if a request of its kind can."""
    seat: Seat = ask.seat
    if ask.kind == "act" and ask.pick % 4:
        seat = room.position.to_act or 0
    if ask.kind in ("accept", "decline") and room.offers.standing[1 - seat] is None:
        seat = OTHER[seat]
    return seat, _request(ask, seat, room)


def _request(ask: Ask, seat: Seat, room: Room) -> Any:
    id_, nonce = next(_ids), f"n{next(_ids)}"
    standing = room.offers.standing
    match ask.kind:
        case "act":
            legal = list(room.position.actions()) or ["a1"]
            return Act(id=id_, room=room.id, turn=room.turn, action=legal[ask.pick % len(legal)])
        case "offer":
            fits = [what for what in WHATS if not room.hindrance(seat, what)]
            what = fits[ask.pick % len(fits)] if fits else ask.what
            return Offer(id=id_, room=room.id, what=what, nonce=nonce)
        case "accept":
            what = standing[1 - seat] or ask.what
            return Accept(id=id_, room=room.id, what=what, turn=room.turn, nonce=nonce)
        case "decline":
            what = standing[1 - seat] or ask.what
            return Decline(id=id_, room=room.id, what=what, nonce=nonce)
        case "withdraw":
            what = standing[seat] or ask.what
            return Withdraw(id=id_, room=room.id, what=what, nonce=nonce)
        case "abort":
            return Abort(id=id_, room=room.id, nonce=nonce)
    return Resign(id=id_, room=room.id, nonce=nonce)


async def put(rooms: Rooms, user: User, request: Any) -> Ok | Refused:
    """Send a request; its answer or refusal."""
    try:
        match request:
            case Act():
                return await rooms.act(user, request, 30)
            case Resign():
                return await rooms.resign(user, request)
        return await rooms.agree(user, request)
    except Refused as refused:
        return refused
