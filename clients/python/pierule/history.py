"""The past: the log of a room, and the positions of a list of actions."""

from __future__ import annotations

from pierule.errors import BadReply, Desync
from pierule.session import Session
from pierule_games.description import Account
from pierule_protocol.log.events import EMPTY, Step, step
from pierule_protocol.messages import LogEntry, LogQuery, ReplayQuery
from pierule_protocol.state.mirror import apply_position
from pierule_protocol.state.position import PositionState


async def read_log(session: Session, room: str) -> list[LogEntry]:
    """See `Client.log`."""
    entries: list[LogEntry] = []
    while True:
        ok = await session.request(LogQuery(id=0, room=room, first=len(entries) + 1))
        for entry in ok.log or []:
            place = entries[-1].place if entries else EMPTY
            if step(place, entry) is not Step.NEXT:
                raise Desync(room, f"in its log, {entry.seq} does not follow {place.seq}")
            entries.append(entry)
        if not ok.log:
            return entries


async def replay(
    session: Session, game: str, actions: list[str], size: int | None, rules: int | None
) -> list[PositionState]:
    """See `Client.replay`. The server gives the positions part by part."""
    positions: list[PositionState] = []
    while len(positions) <= len(actions):
        first = max(0, len(positions) - 1)
        query = ReplayQuery(id=0, game=game, size=size, actions=actions, first=first, rules=rules)
        part = (await session.request(query)).replay
        if part is None or not (part.diffs or not actions):
            raise BadReply("the server leaves positions out")
        positions = positions or [part.position]
        for diff in part.diffs:
            positions.append(apply_position(positions[-1], diff))
    return positions


async def account(
    session: Session, game: str, actions: list[str], size: int | None, rules: int | None
) -> Account:
    """See `Client.account`."""
    query = ReplayQuery(
        id=0, game=game, size=size, actions=actions, first=len(actions), account=True, rules=rules
    )
    told = (await session.request(query)).replay
    if told is None or told.account is None:
        raise BadReply("the server leaves the account out")
    return told.account
