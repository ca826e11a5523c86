"""The past, and what could have been: the log of a room, and the positions of a list of actions."""

from __future__ import annotations

from collections.abc import Sequence

from pierule.errors import BadReply, Desync
from pierule.session import Session
from pierule_games.description import Account
from pierule_protocol.log.events import EMPTY, Step, step
from pierule_protocol.messages import (
    Legal,
    LineQuestion,
    LogEntry,
    LogQuery,
    Receipt,
    ReceiptQuery,
    ReplayQuery,
)
from pierule_protocol.state.mirror import apply_position
from pierule_protocol.state.position import PositionState


class History:
    """What a client can ask that needs no room of its own."""

    _session: Session

    async def log(self, room: str) -> list[LogEntry]:
        """All events of a room as its log keeps them, each with the digest after it. Raises Desync
        if they do not follow each other."""
        entries: list[LogEntry] = []
        while True:
            query = LogQuery(id=0, room=room, first=len(entries) + 1)
            ok = await self._session.request(query)
            for entry in ok.log or []:
                place = entries[-1].place if entries else EMPTY
                if step(place, entry) is not Step.NEXT:
                    raise Desync(room, f"in its log, {entry.seq} does not follow {place.seq}")
                entries.append(entry)
            if not ok.log:
                return entries

    async def receipt(self, room: str, seq: int | None = None) -> Receipt:
        """What the server signs of a room's log from its beginning to event `seq` (None: the last
        that you may see): proof of what it has acknowledged. Raises Refused (`not_now`) if the
        server signs none."""
        signed = (await self._session.request(ReceiptQuery(id=0, room=room, seq=seq))).receipt
        if signed is None:
            raise BadReply("the server leaves the receipt out")
        return signed

    async def replay(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None
    ) -> list[PositionState]:
        """The positions to which these actions lead, the opening first; by the newest `rules`
        unless you name the version from a room's state. Raises Refused for an action that is not
        legal there."""
        positions: list[PositionState] = []
        while len(positions) <= len(actions):  # The server gives the positions part by part.
            first = max(0, len(positions) - 1)
            query = ReplayQuery(
                id=0, game=game, size=size, actions=actions, first=first, rules=rules
            )
            part = (await self._session.request(query)).replay
            if part is None or not (part.diffs or not actions):
                raise BadReply("the server leaves positions out")
            positions = positions or [part.position]
            for diff in part.diffs:
                positions.append(apply_position(positions[-1], diff))
        return positions

    async def account(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None
    ) -> Account:
        """Where the score after these actions comes from (SPEC 26.12). Raises as `replay`."""
        query = ReplayQuery(
            id=0, game=game, size=size, actions=actions, first=len(actions), account=True,
            rules=rules,
        )  # fmt: skip
        told = (await self._session.request(query)).replay
        if told is None or told.account is None:
            raise BadReply("the server leaves the account out")
        return told.account

    async def legal_after(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None,
        *, prefix: str = "", action: str = "", points: Sequence[str] = (),
    ) -> Legal:  # fmt: skip
        """What may be played after these actions (SPEC 6.15): the actions that begin with `prefix`,
        or whether one `action`, or one put together from `points`, is legal, and if not, why.
        Raises Refused as `replay` does, and `not_now` for a game that you are playing."""
        question = LineQuestion(prefix=prefix, action=action, points=list(points))
        query = ReplayQuery(
            id=0, game=game, size=size, actions=actions, first=len(actions), rules=rules,
            legal=question,
        )  # fmt: skip
        told = (await self._session.request(query)).replay
        if told is None or told.legal is None:
            raise BadReply("the server leaves out what is legal")
        return told.legal
