"""Earlier positions are those of the game, also after a takeback and in another game."""

from __future__ import annotations

import msgspec
import pytest

from pierule_protocol.messages import RoomState
from pierule_protocol.state.position import position_state
from pierule_terminal.fullscreen.past import Past, Unknown
from support.games import Game, game


def _state(of: Game, ply: int, then: tuple[str, ...] = ()) -> RoomState:
    return RoomState(
        room="kobadimu", epoch=1, seq=ply, chain=0, at=0, digest=0, status="running",
        seats=(None, None), turn=ply, ply=ply, actions=[*of.actions[:ply], *then],
        position=position_state(of.positions[ply]),
    )  # fmt: skip


def test_every_ply_in_any_order() -> None:
    past = Past()
    for name, size in (("loose", 5), ("veletas", 7), ("loose", 5)):
        of = game(name, size)
        state = _state(of, len(of.actions))
        for ply in (5, 0, len(of.actions) - 1, 3, 12):
            assert past.position(state, ply) == position_state(of.positions[ply])


def test_a_takeback_changes_the_past() -> None:
    past, of = Past(), game("taugo", 6)
    past.position(_state(of, 8), 8)
    other = past.position(_state(of, 3, ("pass", "pass")), 4)
    after = of.positions[3].play("pass")
    assert other == position_state(after)  # type: ignore[arg-type]
    assert past.position(_state(of, 8), 8) == position_state(of.positions[8])


def test_a_game_without_local_rules_says_so() -> None:
    state = _state(game("loose", 5), 4)
    unknown = msgspec.structs.replace(
        state, position=msgspec.structs.replace(state.position, game="chess")
    )
    with pytest.raises(Unknown, match="no rules of chess"):
        Past().position(unknown, 2)
    illegal = msgspec.structs.replace(state, actions=["komi:3"])
    with pytest.raises(Unknown, match="other rules of loose: komi:3"):
        Past().position(illegal, 1)
