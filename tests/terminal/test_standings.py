"""Ratings beside names: a name gives way to the number beside it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.events import Holder, Standing
from pierule_protocol.messages import Card, Seat
from pierule_terminal import scene
from pierule_terminal.commands.rooms import table
from pierule_terminal.screen import columns
from pierule_terminal.standings import LEAST, beside, together
from pierule_terminal.style import Style
from support.documents import document_of
from terminal.test_scene import room

LONG = "Wilhelmina-Featherstone"
SURE, UNSURE = Standing(1583, 110), Standing(1600, 130)


def card(
    names: tuple[str | None, str | None], *standings: Standing | None, bot: bool = False
) -> Card:
    one, two = (*standings, None, None)[:2]
    return Card(room="kobadimu", game="loose", size=9, status="open", names=names, turn=0, at=0,
                bots=(False, bot), standings=(one, two))  # fmt: skip


def test_a_provisional_standing_says_how_far_it_may_be_off() -> None:
    assert [beside(each) for each in (None, SURE, UNSURE)] == ["", " 1583", " 1600±260"]


names = st.none() | st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=24)
standings = st.sampled_from([None, SURE, UNSURE])


@given(st.tuples(names, names), standings, standings, st.booleans(), st.integers(-9, 70))
def test_standings_stay_whole_when_names_are_cut(
    both: tuple[str | None, str | None],
    one: Standing | None,
    two: Standing | None,
    bot: bool,
    width: int,
) -> None:
    shown = together(card(both, one, two, bot=bot), width)
    for name, standing in zip(both, (one, two), strict=True):
        assert name is None or beside(standing) in shown
    tails = len(beside(one)) + len(beside(two)) + len(", bot") * bot + len(" - ")
    assert columns(shown) <= max(width, 2 * LEAST + tails)


@pytest.mark.parametrize("clock", ["", "1:00:00 +3  "])
def test_the_standing_stays_beside_a_cut_name_in_a_room(clock: str) -> None:
    state = room(seats=("", ""))
    holders = Holder("a", LONG, standing=UNSURE), Holder("b", "Bo", standing=SURE)
    state = msgspec.structs.replace(state, seats=holders)
    told: list[tuple[Seat, str]] = [(0, "1600±260"), (1, "Bo 1583")]
    for seat, said in told:
        lines = scene.player_lines(
            document_of("loose"), state, seat, (), 36, Style(color=False), clock
        )
        assert all(len(line) <= 36 for line in lines)
        assert lines[0].endswith(said)


def test_the_table_of_rooms_shows_standings() -> None:
    _, line = table([card((LONG, "Bo"), UNSURE, SURE)], 0)
    assert line.endswith("Wilhelmina-Feat~ 1600±260 - Bo 1583")
