"""Answers `legal`: which actions are legal, what may come next, and why something is not legal
(SPEC 6.4 and 6.12), in a room or after a list of actions (6.15). It changes no room."""

from __future__ import annotations

import re
from collections.abc import Generator

from pierule_games import GAMES
from pierule_games.game import Part, Position
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.messages import Legal, LegalPart, LegalQuery, LegalRefusal, LineQuestion
from pierule_protocol.state.room import Room
from pierule_server.rooms.decisions.decide import Refused

MOST_ACTIONS = 1_000
"""The most full actions in one answer; a Veletas position can have over 5,000."""

_TOKEN = re.compile(r"[a-z]+:?[0-9]*|[-/,]")


def check_question(question: LegalQuery | LineQuestion, within: str = "") -> None:
    """Raise Refused for a question that asks two things. `within` goes before the name of the field
    in the refusal."""
    asked = [name for name in ("prefix", "action", "points") if getattr(question, name)]
    if len(asked) > 1:
        text = f"send {asked[0]} or {asked[1]}, not both"
        raise Refused(Code.BAD_FIELD, text, field=within + asked[1])


def answer(room: Room, request: LegalQuery) -> Legal:
    """Whether an action or points are legal in a room, as the user sees it. Raises Refused as `act`
    does, except for reasons about the user's seat."""
    _check_turn(room, request)
    if room.status != "running":
        raise Refused(Code.FINISHED if room.status == "over" else Code.NOT_STARTED)
    return _explain(room.turn, room.position, request)


def after_line(
    position: Position, ply: int, question: LineQuestion
) -> Generator[None, None, Legal]:
    """The answer about the position after `ply` actions, computed step by step."""
    if question.action or question.points:
        return _explain(ply, position, question)
    return (yield from _list(ply, position, question.prefix))


def _explain(turn: int, position: Position, question: LegalQuery | LineQuestion) -> Legal:
    action, points = question.action, question.points
    game = GAMES[position.game]
    after = position.play(action) if action else position.refuse_points(points)
    if not isinstance(after, Refusal):
        preview = game.preview(position, points) if points else []
        return Legal(turn=turn, total=1, preview=preview)
    why = LegalRefusal(rule=after.rule, points=list(after.points), text=game.sentence(after))
    return Legal(turn=turn, total=0, refusal=why)


def listing(room: Room, request: LegalQuery) -> Generator[None, None, Legal]:
    """The legal actions in a room, as the user sees it, whose tokens begin with those of the
    request's `prefix`; computed step by step. Raises Refused for another turn.

    The list is for the position at the call, even if the room changes before it is complete. A
    token is a point, a word, or one of `-`, `/` and `,`. So `c1` is no prefix of `c10-c12`.
    """
    _check_turn(room, request)
    position = room.position if room.status == "running" else None
    return _list(room.turn, position, request.prefix)


def _check_turn(room: Room, request: LegalQuery) -> None:
    if request.turn not in (None, room.turn):
        raise Refused(Code.STALE, place=room.place, turn=room.turn)


def _list(turn: int, position: Position | None, prefix: str) -> Generator[None, None, Legal]:
    if position is None:
        return Legal(turn=turn, total=0, actions=[])
    parts = position.template()
    if parts:
        template = [_part(part) for part in parts]
        return Legal(turn=turn, total=position.count(), template=template)
    head = _TOKEN.findall(prefix)
    following: dict[str, None] = {}
    actions = []
    total = 0
    for action in position.actions():
        yield
        if not action.startswith(prefix):
            continue
        tokens = _TOKEN.findall(action)
        if tokens[: len(head)] != head or "".join(head) != prefix:
            continue
        total += 1
        if total <= MOST_ACTIONS:
            actions.append(action)
        rest = tokens[len(head) :]
        if rest:
            point = rest[0] if rest[0] not in "-/," else "".join(rest[:2])
            following[point] = None
    return Legal(
        turn=turn,
        total=total,
        next=list(following),
        actions=actions if total <= MOST_ACTIONS else None,
    )


def _part(part: Part) -> LegalPart:
    numbers = part.numbers
    if numbers:
        return LegalPart(
            what=part.what, count=part.count, first=numbers[0], last=numbers[-1], step=numbers.step
        )
    return LegalPart(what=part.what, count=part.count, points=list(part.points), cell=part.cell)
