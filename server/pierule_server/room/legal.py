"""Answers to `legal`: what may be played, or what may come next (SPEC, Legal actions)."""

from __future__ import annotations

import re

from pierule_protocol.messages import Legal, LegalPart
from pierule_protocol.room import Room
from pierule_rules.game import Part

MOST_ACTIONS = 1_000
"""Full actions in one answer; a Veletas position can have over 5 000."""

_TOKEN = re.compile(r"[a-z]+:?[0-9]*|[-/,]")


def legal(room: Room, prefix: str) -> Legal:
    """The legal actions of a room's position whose tokens begin with those of `prefix`.

    A token is a point, a word, or one of `-`, `/` and `,`; so `c1` does not begin `c10-c12`.
    """
    if room.status != "running":
        return Legal(turn=room.turn, total=0, actions=[])
    position = room.position
    parts = position.template()
    if parts:
        template = [_part(part) for part in parts]
        return Legal(turn=room.turn, total=position.count(), template=template)
    head = _TOKEN.findall(prefix)
    following: dict[str, None] = {}
    actions = []
    total = 0
    for action in position.actions():
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
        turn=room.turn,
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
    return LegalPart(what=part.what, count=part.count, points=list(part.points))
