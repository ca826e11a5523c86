"""The reference games, and whole games of them played over connections."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from pierule_bots.player import random_action
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.messages import Create
from pierule_protocol.state.position import position_text
from support.peer import Peer, fresh_nonce

VECTORS = Path(__file__).parents[1] / "vectors" / "games.jsonl"


class Game(NamedTuple):
    """One reference game, a line of tests/vectors/games.jsonl, with the positions from the
    rules."""

    game: str
    size: int
    actions: list[str]
    cells: list[int]
    result: dict[str, Any]
    positions: list[Position]

    @property
    def turns(self) -> int:
        return len(self.actions)

    def text(self, turn: int) -> str:
        """The text of the position at a turn, by a replay of the rules."""
        return position_text(self.positions[turn])


@cache
def games() -> list[Game]:
    """All reference games, in the file's order; then a random one of each game without any."""
    found = []
    vectors = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    missing = sorted(set(GAMES) - {vector["game"] for vector in vectors})
    for vector in [*vectors, *map(random_vector, missing)]:
        positions: list[Position] = [GAMES[vector["game"]].opening(vector["size"])]
        for action in vector["actions"]:
            after = positions[-1].play(action)
            assert not isinstance(after, Refusal), after
            positions.append(after)
        found.append(
            Game(vector["game"], vector["size"], vector["actions"], vector["cells"],
                 vector["result"], positions)
        )  # fmt: skip
    return found


def random_vector(name: str) -> dict[str, Any]:
    """A line of the file for a game of random legal actions, always the same."""
    position: Position = GAMES[name].opening(min(GAMES[name].sizes))
    rng, actions = Random(1), []
    while position.to_act is not None:
        actions.append(random_action(position, rng))
        after = position.play(actions[-1])
        assert not isinstance(after, Refusal), after
        position = after
    black, white = position.score
    result = {"winner": position.winner, "score": {"black": black, "white": white}}
    return {
        "game": name,
        "size": position.size,
        "actions": actions,
        "cells": list(position.cells),
        "result": result,
    }


def game(name: str, size: int) -> Game:
    """The first reference game of this kind."""
    return next(each for each in games() if (each.game, each.size) == (name, size))


async def seat_both(first: Peer, second: Peer, of: Game) -> str:
    """A new running room, followed by both; `first` has seat 0, `second` (possibly the same user)
    seat 1."""
    made = await first.do(Create, nonce=fresh_nonce(), game=of.game, size=of.size, seat=0)
    assert made.room is not None
    if first is not second:
        await first.follow(made.room)
    answer = await second.follow(made.room, seat=1, nonce=fresh_nonce())
    assert 1 in (answer.seats or []), answer
    for peer in (first, second):
        await peer.until_running(made.room)
    return made.room


async def play(
    room: str, of: Game, players: tuple[Peer, Peer], begin: int = 0, end: int | None = None
) -> None:
    """Play the game's actions `begin` to `end`, each by the player whose turn it is."""
    for turn in range(begin, of.turns if end is None else end):
        to_act = of.positions[turn].to_act
        assert to_act is not None
        player = players[to_act]
        await player.until_turn(room, turn)
        answer = await player.act(room, turn, of.actions[turn])
        assert answer.turn == turn + 1


def check_mirror(peer: Peer, room: str, of: Game) -> None:
    """Every state that the peer's mirror went through is the position of the rules at its turn,
    none is left out between the first and the last, and the last is the game's end."""
    states = peer.states[room]
    for before, after in pairwise(states):
        assert after.seq == before.seq + 1
        assert after.turn in (before.turn, before.turn + 1)
    for state in states:
        assert position_text(state.position) == of.text(state.turn)
        assert state.actions == of.actions[: state.turn]
        assert state.ply == state.turn
    check_end(peer, room, of)


def check_end(peer: Peer, room: str, of: Game) -> None:
    """The peer's mirror of the room has come to the end of the game, as the vector has it."""
    last = peer.state(room)
    assert last.turn == of.turns
    assert last.status == "over"
    assert last.position.cells == of.cells
    assert last.position.score == (of.result["score"]["black"], of.result["score"]["white"])
    assert last.result is not None
    assert (last.result.winner, last.result.reason) == (of.result["winner"], "played")
