"""Search with the rules alone, without a server: python offline_search.py [GAME] [SIZE] [DEPTH]

A search of DEPTH actions (2) plays seat 0 against random actions, and prints the game. Positions
never change: playing an action gives a new position, so a search needs no undo.
"""

import random
import sys

from pierule_games import GAMES
from pierule_games.game import Part, Position, Seat
from pierule_games.refusal import Refusal

WON = 1_000_000
WIDTH = 12
"""How many actions of each position a search follows: the most promising ones."""


def value(position: Position, seat: Seat) -> int:
    """What a position is worth to a seat: its lead, or much more if the game is over."""
    if position.winner is not None:
        return 0 if position.winner == "draw" else WON if position.winner == seat else -WON
    black, white = position.score
    return black - white if position.black == seat else white - black


def after(position: Position, action: str) -> Position:
    """The position after a legal action."""
    new = position.play(action)
    assert not isinstance(new, Refusal), new
    return new


def search(position: Position, seat: Seat, depth: int, alpha: int, beta: int) -> int:
    """What a position is worth to a seat if both play well for `depth` actions: alpha-beta."""
    if depth == 0 or position.to_act is None:
        return value(position, seat)
    mine = position.to_act == seat
    following = [after(position, action) for action in position.actions()]
    following.sort(key=lambda new: value(new, seat), reverse=mine)
    best = -WON if mine else WON
    for new in following[:WIDTH]:
        found = search(new, seat, depth - 1, alpha, beta)
        if mine:
            best = max(best, found)
            alpha = max(alpha, best)
        else:
            best = min(best, found)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def choose(position: Position, depth: int, dice: random.Random) -> str:
    """The best action for the seat that is to act."""
    seat = position.to_act
    assert seat is not None
    if template := position.template():
        return set_up(template, dice)  # Veletas has millions of set-ups: do not list them
    actions = list(position.actions())
    dice.shuffle(actions)  # so that equal actions are chosen at random
    return max(
        actions, key=lambda action: search(after(position, action), seat, depth - 1, -WON, WON)
    )


def set_up(template: tuple[Part, ...], dice: random.Random) -> str:
    """A random set-up: a number, or points for each part of it."""
    taken: list[str] = []
    written = []
    for part in template:
        if part.what == "komi":
            return f"komi:{dice.choice(part.numbers)}"
        points = dice.sample([point for point in part.points if point not in taken], part.count)
        taken += points
        written.append(",".join(sorted(points, key=lambda point: (point[0], int(point[1:])))))
    return "/".join(written)


def main(game: str, size: int, depth: int) -> None:
    dice = random.Random(1)
    position = GAMES[game].opening(size)
    while position.to_act is not None:
        thinks = position.to_act == 0
        action = choose(position, depth, dice) if thinks else guess(position, dice)
        print(f"seat {position.to_act}: {action}")
        position = after(position, action)
    print(f"winner: {position.winner}, score {position.score}")


def guess(position: Position, dice: random.Random) -> str:
    """A random legal action."""
    template = position.template()
    return set_up(template, dice) if template else dice.choice(list(position.actions()))


if __name__ == "__main__":
    game, size, depth = (sys.argv[1:] + ["loose", "5", "2"][len(sys.argv) - 1 :])[:3]
    main(game, int(size), int(depth))
