"""Requests about the past: the log of a room, and the positions of a list of actions."""

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
    """Requests that need no `Room`."""

    _session: Session

    async def log(self, room: str) -> list[LogEntry]:
        """All events of a room as its log keeps them, each with the digest after it. Raises Desync
        if they do not form a chain."""
        entries: list[LogEntry] = []
        while True:
            query = LogQuery(id=0, room=room, first=len(entries) + 1)
            ok = await self._session.request(query)
            for entry in ok.log or []:
                place = entries[-1].place if entries else EMPTY
                if step(place, entry) is not Step.NEXT:
                    raise Desync(
                        room, f"in its log, event {entry.seq} does not follow event {place.seq}"
                    )
                entries.append(entry)
            if not ok.log:
                return entries

    async def receipt(self, room: str, seq: int | None = None) -> Receipt:
        """Ask the server to sign a room's log from its beginning to event `seq` (None: the last
        that you may see). The receipt proves what the server has acknowledged (SPEC 28.10). Raises
        Refused (`not_now`) if the server does not sign."""
        signed = (await self._session.request(ReceiptQuery(id=0, room=room, seq=seq))).receipt
        if signed is None:
            raise BadReply("the answer to receipt has no receipt")
        return signed

    async def replay(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None
    ) -> list[PositionState]:
        """The positions that these actions lead to, the opening first. `rules` is the version of
        the rules, from a room's state (None: the newest). Raises Refused for an action that is not
        legal."""
        positions: list[PositionState] = []
        while len(positions) <= len(actions):  # an answer has a limited number of positions
            first = max(0, len(positions) - 1)
            query = ReplayQuery(
                id=0, game=game, size=size, actions=actions, first=first, rules=rules
            )
            part = (await self._session.request(query)).replay
            if part is None or not (part.diffs or not actions):
                raise BadReply("the answer to replay lacks positions")
            positions = positions or [part.position]
            for diff in part.diffs:
                positions.append(apply_position(positions[-1], diff))
        return positions

    async def account(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None
    ) -> Account:
        """Where the score after these actions comes from (SPEC 26.12). Raises like `replay`."""
        query = ReplayQuery(
            id=0, game=game, size=size, actions=actions, first=len(actions), account=True,
            rules=rules,
        )  # fmt: skip
        told = (await self._session.request(query)).replay
        if told is None or told.account is None:
            raise BadReply("the answer to replay has no account")
        return told.account

    async def legal_after(
        self, game: str, actions: list[str], size: int | None = None, rules: int | None = None,
        *, prefix: str = "", action: str = "", points: Sequence[str] = (),
    ) -> Legal:  # fmt: skip
        """What is legal after these actions (SPEC 6.15): the actions that begin with `prefix`, or
        whether an `action`, or one that begins with `points`, is legal, and if not, why. Raises
        like `replay`, and Refused (`not_now`) for a game that you are playing."""
        question = LineQuestion(prefix=prefix, action=action, points=list(points))
        query = ReplayQuery(
            id=0, game=game, size=size, actions=actions, first=len(actions), rules=rules,
            legal=question,
        )  # fmt: skip
        told = (await self._session.request(query)).replay
        if told is None or told.legal is None:
            raise BadReply("the answer to replay does not say what is legal")
        return told.legal
