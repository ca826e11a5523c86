"""Answers `replay`: the positions of a list of actions, and the legal actions after them, for
clients without rules (SPEC 6.11 and 6.15)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from hashlib import blake2b
from typing import TypeAlias

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.messages import Replay, ReplayQuery
from pierule_protocol.state.position import position_state
from pierule_protocol.state.room import position_diff
from pierule_protocol.steps import at_once
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.legal import after_line, check_question
from pierule_server.rooms.making import rules_of

PLIES = 200
"""The most diffs in one answer. A diff has at most all points of a board, so this is under 1
MiB."""

REMEMBERED = 256
"""The most positions to remember at which answers ended: the next request goes on there."""

_Sequence: TypeAlias = bytes


class Replays:
    """Plays lists of actions. It remembers where answers ended, so a long list in parts costs no
    more than as a whole."""

    def __init__(self) -> None:
        self._ends: OrderedDict[_Sequence, Position] = OrderedDict()

    def steps(self, request: ReplayQuery) -> Generator[None, None, Replay]:
        """Play the actions from the opening, step by step, and give the diffs of those from `first`
        on. Raises Refused for a game or size that does not exist, for an illegal action, and for a
        `legal` that asks two things or is about a line that does not end in this answer."""
        _check(request)
        rules, size = rules_of(request.game, request.size, request.rules)
        version = request.rules or GAMES[request.game].version
        about = f"{request.game} {version} {size}"
        actions, first = request.actions, min(request.first, len(request.actions))
        known = self._ends.get(_line(about, actions[:first]))
        position: Position = rules.opening(size) if known is None else known
        for ply in range(0 if known is None else first, first):
            position = _play(position, ply, actions[ply])
            yield
        start, diffs = position, []
        last = min(first + PLIES, len(actions))
        for ply in range(first, last):
            after = _play(position, ply, actions[ply])
            diffs.append(position_diff(position, after))
            position = after
            yield
        self._remember(_line(about, actions[:last]), position)
        account = GAMES[position.game].account(position) if request.account else None
        legal = None
        if request.legal is not None:
            legal = yield from after_line(position, last, request.legal)
        return Replay(position=position_state(start), diffs=diffs, account=account, legal=legal)

    def _remember(self, line: _Sequence, position: Position) -> None:
        self._ends[line] = position
        self._ends.move_to_end(line)
        if len(self._ends) > REMEMBERED:
            self._ends.popitem(last=False)


def replay(request: ReplayQuery) -> Replay:
    """One answer, without steps. Raises Refused."""
    return at_once(Replays().steps(request))


def _check(request: ReplayQuery) -> None:
    if request.legal is None:
        return
    check_question(request.legal, "legal.")
    if len(request.actions) - request.first > PLIES:
        text = f"with `legal`, the answer must reach the end of the line: ask for {PLIES} at most"
        raise Refused(Code.BAD_FIELD, text, field="first")


def _play(position: Position, ply: int, action: str) -> Position:
    after = position.play(action)
    if isinstance(after, Refusal):
        raise Refused(
            Code.ILLEGAL,
            f"action {ply + 1}, {action}: {GAMES[position.game].sentence(after)}",
            field="actions",
            rule=after.rule,
            points=list(after.points),
        )
    return after


def _line(about: str, actions: Sequence[str]) -> _Sequence:
    """The key under which a line is remembered. No legal action contains the separator, so lines
    with the same key and number of actions are the same."""
    text = "\0".join((about, str(len(actions)), *actions))
    return blake2b(text.encode(), digest_size=16).digest()
