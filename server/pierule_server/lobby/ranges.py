"""How a user stands who seeks a game, and whether they may give a range of ratings (SPEC 23.22)."""

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
    """How the user stands in the game that they seek; None if nobody can tell. Raises Refused if
    their range needs it; if it is not `needed`, they only must be able to have one."""
    standing = None
    if registered and not user.bot:
        standing = await standings.of_one(request.game, user.id)
    elif request.range is not None:
        why = "bots have none" if user.bot else "register a name first"
        raise Refused(Code.UNRATED, f"a range needs a rating of your own: {why}", field="range")
    if standing is None and request.range is not None and needed:
        raise Refused(Code.UNAVAILABLE, "your rating cannot be read now; try again later")
    return standing
