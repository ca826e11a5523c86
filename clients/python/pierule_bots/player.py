"""How bots choose: the levels, and a pure function from a position to an action."""

from __future__ import annotations

from random import Random
from typing import Literal, TypeAlias, get_args

from pierule_games import GAMES
from pierule_games.game import Position, Seat
from pierule_games.sight import Sight
from pierule_protocol.state.position import parse_position
from pierule_search.search import Budget, Search, set_up

Level: TypeAlias = Literal["random", "one-step", "search"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""How a bot chooses: at random (apart from a fair cut), by looking one action ahead, or as far
ahead as its time allows."""


def knows(game: str, rules: int) -> bool:
    """Whether this version of a game's rules is installed."""
    return game in GAMES and rules in GAMES[game].rules


def restored(text: str, rules: int) -> Position:
    """The position with this text (SPEC 5.3), by an installed version of the rules. Raises
    ValueError and KeyError."""
    fields = parse_position(text)
    return GAMES[fields.game].restore(fields, rules)


def sight_of(game: str) -> Sight:
    """The evaluation of a game. If its package has none, all positions are worth the same."""
    return GAMES[game].sight or Sight(lambda _: 0)


def choose(position: Position, level: Level, rng: Random, budget: Budget) -> str:
    """A legal action. The budget bounds the level `search`; the other levels ignore it."""
    sight = sight_of(position.game)
    if level == "random":
        is_cut = position.black is None and position.to_act == 0
        return fair_cut(position, sight, rng) if is_cut else random_action(position, rng)
    if level == "one-step":
        return Search(sight, rng, Budget()).steps(position)[0].action
    return Search(sight, rng, budget).best(position)


def is_content(position: Position, seat: Seat) -> bool:
    """Whether a seat should accept a draw: it does not stand better, without looking ahead."""
    black = sight_of(position.game).value(position)
    return black <= 0 if position.black == seat else black >= 0


def fair_cut(position: Position, sight: Sight, rng: Random) -> str:
    """A random cut after which neither color is a clear favorite, so the choice is a real one; the
    fairest cut if there is none."""
    steps = Search(sight, rng, Budget()).steps(position)
    fair = [step for step in steps if step.worth >= -sight.scale]
    return rng.choice(fair or steps[:1]).action


def random_action(position: Position, rng: Random) -> str:
    """A random legal action. All are equally likely."""
    template = position.template()
    return set_up(template, rng) if template else rng.choice([*position.actions()])
