"""Recorded games, line by line: read strictly, replayed by the rules, written as JSON.

The result of each line is written before the next line is read.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, BinaryIO, NoReturn, TextIO

from pierule_games import GAMES
from pierule_games.game import Position, Rules
from pierule_games.refusal import Refusal
from pierule_protocol.log.analysis import main_line, read_analysis
from pierule_protocol.log.record import BadRecord
from pierule_protocol.state.position import digest, position_text

LINE_BYTES = 1 << 24
"""The longest line to read, in bytes. No game is nearly as long, and memory is bounded."""


class Unreadable(Exception):
    """A line is not a recorded game; the text says why."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A game from a line. `opening` is the first position of its game and size. For an analysis,
    `actions` is the main line, and `variations` is how many actions are not in it."""

    opening: Position
    actions: list[str]
    variations: int | None = None


def replay_file(path: str, legal: bool) -> int:
    """Replay the file (`-`: stdin) to stdout. Returns the exit status."""
    if path == "-":
        return replay_lines(sys.stdin.buffer, sys.stdout, sys.stderr, legal)
    try:
        lines = open(path, "rb")  # noqa: PTH123, SIM115 - a name as typed; closed below
    except OSError as error:
        sys.stderr.write(f"pierule replay: {path}: {error.strerror}\n")
        return 2
    with lines:
        return replay_lines(lines, sys.stdout, sys.stderr, legal)


def replay_lines(lines: BinaryIO, out: TextIO, err: TextIO, legal: bool) -> int:
    """Replay every line of `lines` to `out`. Returns the exit status."""
    status = 0
    for number in count(1):
        try:
            line = _next_line(lines)
            recorded = read_line(line)
        except Unreadable as error:
            err.write(f"pierule replay: line {number}: {error}\n")
            return 2
        if not line:
            break
        if recorded is None:
            continue
        answer = replay(recorded, legal)
        out.write(json.dumps(answer) + "\n")
        out.flush()
        if answer["error"] is not None:
            status = 1
    return status


def _next_line(lines: BinaryIO) -> bytes:
    try:
        return lines.readline(LINE_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"cannot read it: {error.strerror}") from None


def read_line(line: bytes) -> Recorded | None:
    """The game in a line; None for a blank line. Raises Unreadable."""
    if len(line) > LINE_BYTES:
        raise Unreadable(f"it is longer than {LINE_BYTES} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: {error.reason} at byte {error.start}") from None
    if not text.strip():
        return None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error}") from None
    if isinstance(value, dict) and value.get("format") == "pierule.analysis":
        return _analyzed(line)
    return _recorded(value)


def _analyzed(line: bytes) -> Recorded:
    """The main line of an analysis (SPEC 17.8)."""
    try:
        analysis = read_analysis(line)
    except BadRecord as error:
        raise Unreadable(f"not an analysis: {error}") from None
    actions = main_line(analysis)
    value = {"game": analysis.game, "size": analysis.size, "rules": analysis.rules}
    recorded = _recorded({**value, "actions": actions})
    return replace(recorded, variations=len(analysis.nodes) - len(actions))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _recorded(value: Any) -> Recorded:
    if not isinstance(value, dict):
        raise Unreadable("not a JSON object")
    for key in ("game", "size", "actions"):
        if key not in value:
            raise Unreadable(f'the key "{key}" is missing')
    game, size, actions = value["game"], value["size"], value["actions"]
    if not isinstance(game, str):
        raise Unreadable('"game" is not a string')
    if game not in GAMES:
        raise Unreadable(f"unknown game {json.dumps(game)}; installed are {', '.join(GAMES)}")
    if type(size) is not int:
        raise Unreadable('"size" is not an integer')
    rules = _rules(game, value.get("rules"))
    if size not in rules.sizes:
        sizes = ", ".join(map(str, sorted(rules.sizes)))
        raise Unreadable(f"{game} has the sizes {sizes}, not {size}")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise Unreadable('"actions" is not a list of strings')
    return Recorded(rules.opening(size), actions)


def _rules(game: str, version: Any) -> type[Rules]:
    """The rules of this version (None: version 1, as in a room's record; SPEC 26.14)."""
    known = GAMES[game].rules
    if version is None:
        version = 1
    if type(version) is not int or version not in known:
        versions = ", ".join(map(str, sorted(known)))
        raise Unreadable(f"{game} has the rules {versions} here, not {json.dumps(version)}")
    return known[version]


def replay(recorded: Recorded, legal: bool) -> dict[str, Any]:
    """What `pierule replay` writes about a game. `legal` adds the number of legal actions at each
    ply, and the last position's list."""
    position, counts, error = recorded.opening, [], None
    for ply, action in enumerate(recorded.actions):
        after = position.play(action)
        if isinstance(after, Refusal):
            error = {"ply": ply, "action": action, "reason": GAMES[position.game].sentence(after)}
            break
        if legal:
            counts.append(None if in_millions(position) else position.count())
        position = after
    text = position_text(position)
    answer = {
        "game": position.game,
        "size": position.size,
        "plies": len(recorded.actions) if error is None else error["ply"],
        "phase": position.phase,
        "to_act": position.to_act,
        "cells": list(position.cells),
        "result": _result(position),
        "text": text,
        "digest": digest(text),
        "error": error,
    }
    if recorded.variations is not None:
        answer["variations"] = recorded.variations
    if legal:
        answer["legal"] = counts
        answer["legal_actions"] = None if in_millions(position) else list(position.actions())
    return answer


def in_millions(position: Position) -> bool:
    """Whether the next action sets up several pieces, which is often possible in too many ways to
    list."""
    return sum(part.count for part in position.template() if part.points) > 1


def _result(position: Position) -> dict[str, Any] | None:
    if position.winner is None:
        return None
    black, white = position.score
    return {"winner": position.winner, "score": {"black": black, "white": white}}
