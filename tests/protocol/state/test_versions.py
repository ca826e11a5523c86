"""Rules have versions: a room keeps the one that it was made with, whatever is played since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.loose.rules import Loose
from pierule_games.refusal import Refusal
from pierule_protocol.log.events import EMPTY, Acted, Created, Entry, Offered, Seated, TakenBack
from pierule_protocol.log.fold import fold
from pierule_protocol.state.room import Room, UnknownGame, room_state
from support.logs import folded, write


class Second(Loose):
    """A second version, in which nobody passes."""

    def play(self, action: str) -> Loose | Refusal:
        return Refusal("spelling") if action == "pass" else Loose.play(self, action)


@pytest.fixture
def two_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(GAMES["loose"], rules={1: Loose, 2: Second})
    monkeypatch.setitem(GAMES._found, "loose", game)


def log(rules: int) -> list[Entry]:
    return write(
        EMPTY,
        Created("loose", 5, "anna", "", "n", seat=0, rules=rules),
        Seated(1, "bert", "", "s"),
        Acted(0, "komi:2"),
        Acted(1, "black"),
        Acted(1, "c3"),
        Acted(0, "b2"),
        Offered(1, "takeback", "o"),
        TakenBack(0, "t"),
    )


@pytest.mark.usefixtures("two_versions")
@pytest.mark.parametrize(("rules", "kind"), [(1, Loose), (2, Second)])
def test_a_room_keeps_its_version_through_takebacks(rules: int, kind: type[Position]) -> None:
    room: Room = folded(log(rules))
    assert type(room.position) is kind
    assert room_state(room).rules == rules
    assert isinstance(room.position.play("pass"), Refusal) == (rules == 2)


def test_a_version_that_is_missing_is_named() -> None:
    with pytest.raises(UnknownGame, match="needs loose rules 2"):
        fold(None, "room", log(2)[0])


def test_a_record_without_a_version_means_the_first() -> None:
    assert folded(log(1)).created.rules == 1
