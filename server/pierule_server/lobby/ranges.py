"""Finds the standing of a user who seeks, and checks their range of ratings (SPEC 23.22)."""

from __future__ import annotations

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Seek
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.standings import Standings


async def standing_of(
    standings: Standings, user: User, request: Seek, *, registered: bool, needed: bool
) -> Standing | None:
    """The user's standing in the game that they seek; None if they have none, or if it cannot be
    read. Raises Refused if the seek has a range and the user cannot have a standing; if `needed`,
    also if it cannot be read."""
    standing = None
    if registered and not user.bot:
        standing = await standings.of_one(request.game, user.id)
    elif request.range is not None:
        why = "bots have no rating" if user.bot else "register a name to get a rating"
        raise Refused(Code.UNRATED, f"to use a range, you need a rating: {why}", field="range")
    if standing is None and request.range is not None and needed:
        raise Refused(Code.UNAVAILABLE, "your rating cannot be read now; try again later")
    return standing
