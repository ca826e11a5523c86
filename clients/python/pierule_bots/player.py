"""How bots choose: the levels, and one pure function from a position to an action."""

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
"""How well a bot plays: at random (but for a fair cut), by looking one action ahead, or as far as
its time allows."""


def knows(game: str, rules: int) -> bool:
    """Whether this version of a game's rules is installed."""
    return game in GAMES and rules in GAMES[game].rules


def restored(text: str, rules: int) -> Position:
    """The position with this text (SPEC 5.3), by a version of the rules that is installed."""
    fields = parse_position(text)
    return GAMES[fields.game].restore(fields, rules)


def sight_of(game: str) -> Sight:
    """How levels that look ahead see a game; without its own evaluation all positions look
    alike."""
    return GAMES[game].sight or Sight(lambda _: 0)


def choose(position: Position, level: Level, rng: Random, budget: Budget) -> str:
    """A legal action. The budget bounds the search; the other levels need none."""
    sight = sight_of(position.game)
    if level == "random":
        is_cut = position.black is None and position.to_act == 0
        return fair_cut(position, sight, rng) if is_cut else random_action(position, rng)
    if level == "one-step":
        return Search(sight, rng, Budget()).steps(position)[0].action
    return Search(sight, rng, budget).best(position)


def is_content(position: Position, seat: Seat) -> bool:
    """Whether a draw is fine with a seat: it does not stand better, at first sight."""
    black = sight_of(position.game).value(position)
    return black <= 0 if position.black == seat else black >= 0


def fair_cut(position: Position, sight: Sight, rng: Random) -> str:
    """Any cut after which neither color is a clear favorite, so that to choose is a decision; the
    fairest if there is none."""
    steps = Search(sight, rng, Budget()).steps(position)
    fair = [step for step in steps if step.worth >= -sight.scale]
    return rng.choice(fair or steps[:1]).action


def random_action(position: Position, rng: Random) -> str:
    """One of all legal actions, all equally likely."""
    template = position.template()
    return set_up(template, rng) if template else rng.choice([*position.actions()])
