"""A round robin among bots, each pair on both sides: python tournament.py URL FILE

FILE keeps the players' identities, the rooms and the results. You can kill the program at any
moment and start it again: it goes on in the rooms where it was, and plays no game twice.
"""

import asyncio
import itertools
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pierule
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.state.position import parse_position, position_text

Choose = Callable[[Position], str]


def at_random(position: Position) -> str:
    return random.choice(list(position.actions()))


def in_order(position: Position) -> str:
    return next(position.actions())


def greedy(position: Position) -> str:
    """The action with the best score directly after it."""
    sign = 1 if position.black == position.to_act else -1

    def gain(action: str) -> int:
        after = position.play(action)
        assert not isinstance(after, Refusal)
        black, white = after.score
        return sign * (black - white)

    return max(position.actions(), key=gain)


PLAYERS: dict[str, Choose] = {"Random": at_random, "Orderly": in_order, "Greedy": greedy}
"""Put your own players here."""


class Book:
    """The tournament's file. Each version is written completely and then renamed, so the file is
    never half written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        pairings = itertools.permutations(PLAYERS, 2)
        self.tokens: dict[str, str] = {}
        self.games: list[dict[str, Any]] = [
            {"players": pair, "room": None, "winner": None} for pair in pairings
        ]
        if path.exists():
            kept = json.loads(path.read_text())
            self.tokens, self.games = kept["tokens"], kept["games"]

    def save(self) -> None:
        new = self.path.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({"tokens": self.tokens, "games": self.games}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)


async def main(url: str, path: Path) -> None:
    book = Book(path)
    async with AsyncExitStack() as stack:
        clients = {}
        for name in PLAYERS:
            token = book.tokens.get(name)
            clients[name] = await stack.enter_async_context(
                pierule.connect(url, name=name, token=token, bot=True)
            )
            book.tokens[name] = clients[name].token
        book.save()
        for game in book.games:
            while game["winner"] is None:
                await play(book, game, clients)
    points: Counter[str] = Counter()
    for game in book.games:
        points.update(game["winner"])
    for name in sorted(PLAYERS, key=lambda name: -points[name]):
        print(f"{name}: {points[name]} of {2 * (len(PLAYERS) - 1)}", flush=True)


async def play(book: Book, game: dict[str, Any], clients: dict[str, pierule.Client]) -> None:
    """Play a game, or go on with it, and write down the winner, or both players for a draw. An
    aborted game is played again at the next start."""
    names = game["players"]
    first, second = (clients[name] for name in names)
    try:
        if game["room"] is None:
            # No clock, so nobody loses a game because this program was not running.
            made = await first.create("loose", 5, seat=0, access="unlisted")
            game["room"] = made.id
            book.save()
        room = await first.join(game["room"])
        if not room.over:  # it may have ended just before this program was killed
            other = await second.join(game["room"], seat=1)
            await asyncio.gather(sit(room, PLAYERS[names[0]]), sit(other, PLAYERS[names[1]]))
            await other.leave()
    except pierule.Refused as refused:
        if refused.code != "unknown_room":
            raise
        game["room"] = None  # we were away too long, and the server no longer has the room
        return
    await room.leave()
    result = room.result
    assert result is not None
    if result.reason == "aborted":
        game["room"] = None
    elif result.winner == "draw":
        game["winner"] = list(names)
    else:
        game["winner"] = [names[result.winner]] if result.winner is not None else []
    book.save()
    print(f"{game['room']}: {' - '.join(names)}: {result.winner}", flush=True)


async def sit(room: pierule.Room, choose: Choose) -> None:
    """Play one seat to the end."""
    async for state in room.turns():
        fields = parse_position(position_text(state.position))
        action = choose(GAMES[fields.game].restore(fields, state.rules))
        try:
            await room.act(action, state.turn, state.epoch)
        except pierule.Refused as refused:
            if refused.code not in ("stale", "not_your_turn", "finished", "flagged"):
                raise


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
