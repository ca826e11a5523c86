"""Earlier positions are those of the game, also after a takeback and in another game."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.loose.rules import Loose
from pierule_protocol.messages import RoomState
from pierule_protocol.state.position import position_state
from pierule_terminal.fullscreen.past import Past
from support.games import Game, game


def _state(of: Game, ply: int, then: tuple[str, ...] = ()) -> RoomState:
    return RoomState(
        room="kobadimu", epoch=1, seq=ply, chain=0, at=0, digest=0, status="running",
        seats=(None, None), turn=ply, ply=ply, actions=[*of.actions[:ply], *then],
        position=position_state(of.positions[ply]),
    )  # fmt: skip


def test_past_positions_can_be_asked_for_in_any_order() -> None:
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


def test_positions_without_local_rules_are_kept_from_the_server() -> None:
    of = game("loose", 5)
    state = _state(of, 4)
    unknown = msgspec.structs.replace(
        state, position=msgspec.structs.replace(state.position, game="chess")
    )
    later = msgspec.structs.replace(state, rules=2)
    illegal = msgspec.structs.replace(state, actions=["komi:3", *state.actions[1:]])
    for each in (unknown, later, illegal):
        past = Past()
        assert past.position(each, 2) is None
        past.keep(each, [position_state(position) for position in of.positions[:5]])
        assert past.position(each, 2) == position_state(of.positions[2])
        other = msgspec.structs.replace(each, actions=["komi:5", *each.actions[1:]])
        assert past.position(other, 2) is None


def test_the_past_is_played_by_the_rules_of_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    class Second(Loose):
        """A later version, in which the same action means another."""

        @classmethod
        def opening(cls, size: int) -> Loose:
            after = Loose.opening(size).play("komi:4")
            assert isinstance(after, Loose)
            return after

    both = replace(GAMES["loose"], rules={1: Loose, 2: Second})
    monkeypatch.setitem(GAMES._found, "loose", both)
    state = _state(game("loose", 5), 4)
    first = Past().position(state, 0)
    second = Past().position(msgspec.structs.replace(state, rules=2), 0)
    assert first is not None
    assert second is not None
    assert (first.phase, second.phase) == ("komi", "color")
