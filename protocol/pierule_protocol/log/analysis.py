"""An analysis as a file: a tree of actions with comments, perhaps of a recorded room (SPEC 17.8).
The file lists the nodes of the tree, because JSON nested as deep as a long game breaks parsers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import BadRecord, RoomRecord, read_as
from pierule_protocol.log.verify import Flaw, verify
from pierule_protocol.messages import ActionText
from pierule_protocol.state.room import Room, UnknownGame

MOST_NODES = 2_000
"""The most actions of an analysis."""

Symbol: TypeAlias = Literal["", "!", "?", "!!", "??", "!?", "?!"]
Comment: TypeAlias = Annotated[str, Meta(max_length=1_000)]


class AnalysisNode(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An action of an analysis, and what is said about it."""

    after: Annotated[int, Meta(ge=0, le=MOST_NODES)]
    action: ActionText
    symbol: Symbol = ""
    comment: Comment = ""


class Analysis(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Variations of a game: the game, its actions as a tree, and the record of the analyzed room,
    if the analysis began with a room."""

    format: Literal["pierule.analysis"]
    version: Literal[1]
    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)]
    rules: Annotated[int, Meta(ge=1, le=1000)]
    comment: Comment = ""
    nodes: Annotated[list[AnalysisNode], Meta(max_length=MOST_NODES)]
    record: RoomRecord | msgspec.UnsetType = msgspec.UNSET


def read_analysis(data: bytes) -> Analysis:
    """The analysis in these bytes. Raises BadRecord, also if its nodes are not a tree."""
    analysis = read_as(data, Analysis)
    told: set[tuple[int, str]] = set()
    for number, node in enumerate(analysis.nodes, 1):
        if node.after >= number:
            raise BadRecord(
                f"node {number} is played after node {node.after}, which is not listed before it"
            )
        if (node.after, node.action) in told:
            raise BadRecord(f"node {number} repeats {node.action} after node {node.after}")
        told.add((node.after, node.action))
    return analysis


def main_line(analysis: Analysis) -> list[str]:
    """The actions of the main line. It continues with the first node listed after each node."""
    actions, at = [], 0
    for number, node in enumerate(analysis.nodes, 1):
        if node.after == at:
            actions.append(node.action)
            at = number
    return actions


def verify_analysis(analysis: Analysis) -> Flaw | None:
    """The first flaw of an analysis: a flaw of its record, or an action that is not legal; None if
    it has none. Raises UnknownGame if the rules of this game and version are not installed."""
    return next(_flaws(analysis), None)


def _flaws(analysis: Analysis) -> Iterator[Flaw]:
    """The flaws in order. Only the first one is meaningful, and callers take no more."""
    record, room = analysis.record, None
    if isinstance(record, RoomRecord):
        flaw = verify(record)
        if flaw is not None:
            yield flaw
            return
        room = _folded(record)
        made = (room.created.game, room.created.size, room.created.rules)
        if made != (analysis.game, analysis.size, analysis.rules):
            yield Flaw(None, "the analysis", "is of another game, size or rules than its record")
            return
    yield from _illegal(analysis)
    if room is not None:
        yield from _left_out(analysis, room.actions)


def _folded(record: RoomRecord) -> Room:
    room = None
    for event in record.events:
        room = fold(room, record.room, event.entry)
    assert room is not None
    return room


def _illegal(analysis: Analysis) -> Iterator[Flaw]:
    name, version = analysis.game, analysis.rules
    rules = GAMES[name].rules.get(version) if name in GAMES else None
    if rules is None:
        raise UnknownGame("", name, version)
    if analysis.size not in rules.sizes:
        yield Flaw(None, "the analysis", f"{name} has no size {analysis.size}")
        return
    positions: list[Position] = [rules.opening(analysis.size)]
    for number, node in enumerate(analysis.nodes, 1):
        after = positions[node.after].play(node.action)
        if isinstance(after, Refusal):
            why = f"is not legal: {GAMES[name].sentence(after)}"
            yield Flaw(None, f"node {number} ({node.action})", why)
            return
        positions.append(after)


def _left_out(analysis: Analysis, actions: list[str]) -> Iterator[Flaw]:
    numbers = {(node.after, node.action): number for number, node in enumerate(analysis.nodes, 1)}
    at = 0
    for ply, action in enumerate(actions, 1):
        if (at, action) not in numbers:
            yield Flaw(None, "the analysis", f"lacks action {ply} of its record: {action}")
            return
        at = numbers[at, action]
