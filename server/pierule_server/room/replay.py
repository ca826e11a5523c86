"""Answers to `replay`: the positions of a line of actions, for who has no rules (SPEC 6.11)."""

from __future__ import annotations

from pierule_protocol.codes import Code
from pierule_protocol.messages import Replay, ReplayQuery
from pierule_protocol.position import position_state
from pierule_protocol.room import position_diff
from pierule_rules.refusal import Refusal
from pierule_server.room.decide import Refused
from pierule_server.room.making import rules_of

PLIES = 200
"""Diffs in one answer. None has more than the board's points, so that is under 1 MiB."""


def replay(request: ReplayQuery) -> Replay:
    """Play the actions from the opening; tell what came of those from `first` on. Raises Refused
    for a game or a size that there is not, and for an action that is not legal."""
    rules, size = rules_of(request.game, request.size)
    position = rules.opening(size)
    start, diffs = position, []
    for ply, action in enumerate(request.actions[: request.first + PLIES], 1):
        after = position.play(action)
        if isinstance(after, Refusal):
            raise Refused(
                Code.ILLEGAL,
                f"action {ply}, {action}: {after}",
                field="actions",
                rule=after.rule,
                points=list(after.points),
            )
        if ply <= request.first:
            start = after
        else:
            diffs.append(position_diff(position, after))
        position = after
    return Replay(position=position_state(start), diffs=diffs)
