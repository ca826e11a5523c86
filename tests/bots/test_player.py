"""By which rules a bot plays: those of the room, or none."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pierule_bots.house import BotOptions, House, NoRules
from pierule_bots.player import choose, knows, restored, sight_of
from pierule_games import GAMES
from pierule_games.loose.rules import Loose
from pierule_protocol.messages import GameOptions
from pierule_protocol.state.position import position_text
from pierule_search.search import Budget
from support.positions import played

OPTIONS = BotOptions("random", 0.1, 2, None, once=True)


class Second(Loose):
    """A later version of the rules."""


def test_a_bot_reads_a_position_by_the_rules_of_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES._found, "loose", replace(GAMES["loose"], rules={1: Loose, 2: Second}))
    text = position_text(played(Loose.opening(5), "komi:4", "black"))
    assert [type(restored(text, rules)) for rules in (1, 2)] == [Loose, Second]
    assert knows("loose", 2)
    assert not knows("loose", 3)
    assert not knows("chess", 1)


async def test_a_bot_makes_no_room_for_rules_that_it_lacks() -> None:
    games = [GameOptions("loose", [5], 5, rules=[1, 2])]
    client = SimpleNamespace(welcome=SimpleNamespace(games=games), my_rooms=_none)
    house = House(cast("Any", client), cast("Any", None), OPTIONS, Random(1), lambda _: None)
    with pytest.raises(NoRules, match="needs loose rules 2, which are not installed here"):
        await house.run([("loose", 5)])


async def _none() -> list[Any]:
    return []


@pytest.mark.parametrize(("game", "size"), [("loose", 19), ("veletas", 7), ("taugo", 8)])
def test_a_beginner_cuts_so_that_neither_color_is_a_clear_favorite(game: str, size: int) -> None:
    opening = GAMES[game].opening(size)
    sight = sight_of(game)
    cuts = [choose(opening, "random", Random(seed), Budget()) for seed in range(12)]
    assert all(abs(sight.value(played(opening, cut))) <= sight.scale for cut in cuts)
    assert len({*cuts}) > 1  # and not always the same
