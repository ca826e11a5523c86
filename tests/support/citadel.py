"""A second, naive implementation of the rules of Citadel. It writes the vectors of the package:
`PYTHONPATH=tests python -m support.citadel`."""

from __future__ import annotations

import json
import random
from itertools import combinations
from typing import Any

from support.packages import CITADEL

VECTORS = CITADEL / "vectors"
AROUND = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


class Reading:
    """A running game: the pieces by the names of their points."""

    def __init__(self, size: int) -> None:
        self.size, self.actions = size, list[str]()
        side = (size + 1) // 2
        first = {row: max(0, side - 1 - row) for row in range(size)}
        last = {row: min(size - 1, size + side - 2 - row) for row in range(size)}
        spots = [(c, r) for c in range(size) for r in range(size) if first[r] <= c <= last[r]]
        self.spots = {f"{'abcdefg'[column]}{row + 1}": (column, row) for column, row in spots}
        self.stands: dict[str, str] = {}
        self.colors: tuple[str, str] | None = None  # of seat 0 and seat 1

    def beside(self, point: str) -> list[str]:
        column, row = self.spots[point]
        near = {(column + x, row + y) for x, y in AROUND}
        return [name for name, spot in self.spots.items() if spot in near]

    @property
    def empty(self) -> list[str]:
        return [point for point in self.spots if point not in self.stands]

    @property
    def legal(self) -> list[str]:
        if not self.actions:
            pairs = [f"{one},{two}" for one, two in combinations(self.spots, 2)]
            return [f"{p}/{point}" for p in pairs for point in self.spots if point not in p]
        return ["black", "white"] if self.colors is None else self.empty

    @property
    def turn(self) -> str:
        """The color that places the next stone: White begins."""
        return "white" if len(self.actions) % 2 == 0 else "black"

    def play(self, action: str) -> None:
        if not self.actions:
            rocks, _, stone = action.partition("/")
            self.stands = dict.fromkeys(rocks.split(","), "rock") | {stone: "black"}
        elif self.colors is None:
            self.colors = ("white", "black") if action == "black" else ("black", "white")
        else:
            self.stands[action] = self.turn
            walled = {
                rock: [self.stands[point] for point in self.beside(rock)]
                for rock, what in self.stands.items()
                if what == "rock" and all(point in self.stands for point in self.beside(rock))
            }
            for rock, stones in walled.items():
                black, white = stones.count("black"), stones.count("white")
                if black != white:
                    self.stands[rock] = "black tower" if black > white else "white tower"
        self.actions.append(action)

    def score(self, color: str) -> int:
        groups, left = [0], {point for point, what in self.stands.items() if what == color}
        while left:
            group = {left.pop()}
            while more := {n for point in group for n in self.beside(point)} & left:
                group |= more
                left -= more
            groups.append(len(group))
        return max(groups) + 2 * list(self.stands.values()).count(f"{color} tower")

    @property
    def cells(self) -> list[int]:
        values = ["", "black", "white", "", "", "", "rock", "black tower", "white tower"]
        cells = [0] * self.size**2
        for point, what in self.stands.items():
            column, row = self.spots[point]
            cells[row * self.size + column] = values.index(what)
        return cells

    @property
    def vector(self) -> dict[str, Any]:
        return {"game": "citadel", "size": self.size, "actions": list(self.actions)}


def after(size: int, actions: list[str]) -> Reading:
    reading = Reading(size)
    for action in actions:
        reading.play(action)
    return reading


def texts() -> dict[str, str]:
    """The expected text of each file of vectors."""
    chance = random.Random(20_26)
    found: dict[str, list[dict[str, Any]]] = {"games": [], "illegal": [], "perft": []}
    for size in (5, 5, 5, 7, 7):
        reading, legal = Reading(size), list[int]()
        while not reading.actions or reading.colors is None or reading.empty:
            choices = reading.legal
            legal.append(len(choices))
            reading.play(chance.choice(choices))
            if len(reading.actions) in (4, 9):
                found["perft"].append(
                    reading.vector | {"perft": [counted(reading, 1), counted(reading, 2)]}
                )
                for wrong in (reading.actions[-1], "z1", "pass", "a01"):
                    found["illegal"].append(reading.vector | {"illegal": wrong})
        found["games"].append(ended(reading, legal))
    for wrong in ("c3,a3/b2", "a3,c3/c3", "a1,c3/b2", "a3/b2", "a3,b3,c3/d3", "black"):
        found["illegal"].append(Reading(5).vector | {"illegal": wrong})
    return {
        f"{name}.jsonl": "".join(json.dumps(line) + "\n" for line in lines)
        for name, lines in found.items()
    }


def counted(reading: Reading, depth: int) -> int:
    if depth == 1:
        return len(reading.legal)
    ways = (after(reading.size, [*reading.actions, action]) for action in reading.legal)
    return sum(counted(way, depth - 1) for way in ways)


def ended(reading: Reading, legal: list[int]) -> dict[str, Any]:
    score = {color: reading.score(color) for color in ("black", "white")}
    assert reading.colors is not None
    winner: int | str = "draw"
    if score["black"] != score["white"]:
        winner = reading.colors.index(max(score, key=lambda color: score[color]))
    told = {"legal": legal, "cells": reading.cells, "result": {"winner": winner, "score": score}}
    return reading.vector | told


if __name__ == "__main__":
    VECTORS.mkdir(exist_ok=True)
    for name, text in texts().items():
        (VECTORS / name).write_text(text, "utf-8")
