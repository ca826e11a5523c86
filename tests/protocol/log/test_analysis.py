"""Analyses: a tree of legal actions is true, and whatever is wrong in one is found (SPEC 17.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_protocol.log.analysis import (
    Analysis,
    main_line,
    read_analysis,
    verify_analysis,
)
from pierule_protocol.log.record import BadRecord
from pierule_protocol.state.room import UnknownGame
from support.examples import up_to
from support.reference import Reference, references
from support.story import Story

TREE = [(0, "komi:2"), (1, "black"), (2, "c3"), (2, "b3"), (4, "c3"), (0, "komi:12")]


def analysis(
    nodes: list[tuple[int, str]] = TREE, first: dict[str, Any] | None = None, **fields: Any
) -> bytes:
    """As the page writes it; `first` is the first node as a whole."""
    told: list[dict[str, Any]] = [{"after": after, "action": action} for after, action in nodes]
    told[0] |= first or {}
    head = {"format": "pierule.analysis", "version": 1, "game": "loose", "size": 5, "rules": 1}
    return msgspec.json.encode({**head, "nodes": told, **fields})


def played() -> Story:
    story = Story()
    story.act("komi:2", "black", "b3")
    story.resign(1)
    return story


def flaw(nodes: list[tuple[int, str]] = TREE, **fields: Any) -> str:
    return str(verify_analysis(read_analysis(analysis(nodes, **fields))))


def test_a_tree_of_legal_actions_is_true() -> None:
    read = read_analysis(analysis())
    assert verify_analysis(read) is None
    assert main_line(read) == ["komi:2", "black", "c3"]


def test_symbols_and_comments_of_an_analysis_are_kept() -> None:
    node = {"after": 0, "action": "komi:2", "symbol": "?!", "comment": "ä" * 1_000}
    read = read_analysis(analysis(first=node, comment="the opening"))
    assert msgspec.to_builtins(read)["nodes"][0] == node
    assert read.comment == "the opening"


def test_an_analysis_of_a_room_is_true_with_the_rooms_actions() -> None:
    record = msgspec.to_builtins(played().record)
    assert flaw(record=record) == "None"
    assert "lacks action 3 of its record: b3" in flaw(TREE[:3], record=record)
    assert "another game, size or rules" in flaw(TREE, record=record, size=7)
    worse = {**record, "final": {**record["final"], "position": "x"}}
    assert "the position is recorded as" in flaw(record=worse)


@pytest.mark.parametrize(
    ("node", "why"),
    [((3, "c3"), "node 7 (c3): is not legal: c3 is not empty"), ((6, "e5"), "node 7 (e5)")],
)
def test_an_action_that_is_not_legal_is_found(node: tuple[int, str], why: str) -> None:
    assert flaw([*TREE, node]).startswith(why)


def test_an_unknown_size_is_found() -> None:
    assert flaw(size=6) == "the analysis: loose has no size 6"


@pytest.mark.parametrize("fields", [{"game": "chess"}, {"rules": 99}])
def test_rules_that_are_not_installed_are_named(fields: dict[str, Any]) -> None:
    with pytest.raises(UnknownGame):
        flaw(**fields)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (lambda: analysis([(0, "komi:2"), (2, "black")]), "after node 2"),
        (lambda: analysis([(0, "komi:2"), (0, "komi:2")]), "repeats komi:2"),
        (lambda: analysis([(0, "komi:2")] * 2_001), "length"),
        (lambda: analysis(comment="x" * 1_001), "length"),
        (lambda: analysis(first={"after": 0, "action": "a1", "symbol": "!!!"}), "symbol"),
        (lambda: analysis(more=1), "more"),
        (lambda: analysis()[:-1], "truncated"),
        (lambda: b"[" * 100_000, "pars|recursion|Expected"),
    ],
)
def test_an_invalid_analysis_is_refused(data: Callable[[], bytes], why: str) -> None:
    with pytest.raises(BadRecord, match=f"(?i){why}"):
        read_analysis(data())


@settings(max_examples=up_to(20))
@given(of=st.sampled_from(references()), data=st.data())
def test_variations_anywhere_in_any_game_are_true(of: Reference, data: st.DataObject) -> None:
    positions = list(of.positions())
    nodes = [(at, action) for at, action in enumerate(of.actions)]
    for ply in data.draw(st.lists(st.integers(0, len(of.actions) - 1), max_size=3, unique=True)):
        if positions[ply].template():
            continue
        other = next((a for a in positions[ply].actions() if a != of.actions[ply]), None)
        if other is not None:
            nodes.append((ply, other))
    rules = GAMES[of.game].version
    read = read_analysis(analysis(nodes, game=of.game, size=of.size, rules=rules))
    assert isinstance(read, Analysis)
    assert verify_analysis(read) is None
    assert main_line(read) == list(of.actions)
