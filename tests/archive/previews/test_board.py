"""Boards are drawn from what a game says of them, and from nothing else."""

from __future__ import annotations

import dataclasses
import math

import pytest

from archive.previews.drawn import near, seen
from pierule_archive.previews.board import (
    BLACK,
    NEUTRAL,
    PLATE,
    SHADES,
    WHITE,
    Scene,
    draw_board,
)
from pierule_archive.previews.layout import Layout, pointed
from pierule_games import GAMES
from pierule_games.board import Board
from pierule_games.description import BoardDescriptor, BoardShape, Edge, Piece
from pierule_games.package import Game
from pierule_games.refusal import Refusal

SIDE = 550
TINTS = {"black": BLACK, "white": WHITE, "neutral": NEUTRAL}


def sample_of(game: Game) -> Scene:
    position, actions = game.opening(game.sample.size), game.sample.actions.split()
    for action in actions:
        after = position.play(action)
        assert not isinstance(after, Refusal)
        position = after
    return Scene(game, position.size, bytes(position.cells), actions[-1])


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_pieces_are_drawn_at_their_points_only(game: Game) -> None:
    scene = sample_of(game)
    picture = draw_board(scene, SIDE, SIDE)
    kinds = {piece.cell: piece for piece in game.pieces}
    layout = Layout(game.descriptor, scene.size)
    for index in layout.points:
        name = Board(scene.size).names[index]
        color = seen(picture, game, scene.size, name, (0.13, -0.18), (0, 0, SIDE))
        kind = kinds.get(scene.cells[index])
        if kind is None:
            ground = SHADES if game.descriptor.surface == "cells" else (PLATE,)
            assert any(near(color, each) for each in ground), name
        elif kind.owner:
            owned = seen(picture, game, scene.size, name, (0, 0), (0, 0, SIDE))
            assert near(owned, TINTS[kind.owner]), name
        elif kind.shape == "disc":
            assert near(color, TINTS[kind.tint]) or index in last_of(scene), name
    assert picture.size == (SIDE, SIDE)


def last_of(scene: Scene) -> list[int]:
    layout = Layout(scene.game.descriptor, scene.size)
    return pointed(scene.last or "", layout, segments=scene.game.segments)


def hexagonal(game: Game) -> Game:
    """A board of hexagons with edges, and a piece of each shape that there may be."""
    shape = BoardShape(
        size=5, missing=["a1", "e5"],
        edges=[Edge(points=["b1", "c1", "d1", "e1"], color="black"),
               Edge(points=["a2", "a3", "a4", "a5"], color="white")],
    )  # fmt: skip
    shapes = ("disc", "ring", "star", "square", "diamond", "triangle", "cross", "hexagon", "new")
    pieces = [
        Piece(cell=cell, name=shape, tint="black", shape=shape, glyph="x", plain="x")
        for cell, shape in enumerate(shapes, 1)
    ]
    descriptor = BoardDescriptor(grid="hexagonal", surface="cells", boards=[shape])
    return dataclasses.replace(game, descriptor=descriptor, pieces=pieces)


def test_hexagons_and_all_shapes_are_drawn() -> None:
    game = hexagonal(next(iter(GAMES.values())))
    cells = bytes([0, *range(1, 10), *[0] * 15])
    picture = draw_board(Scene(game, 5, cells), SIDE, SIDE)
    for point in ("b1", "d1", "e1", "a2", "b2", "d2", "e2"):
        color = seen(picture, game, 5, point, (0.06, 0.1), (0, 0, SIDE))
        assert near(color, BLACK), point
    shades = {seen(picture, game, 5, point, board=(0, 0, SIDE)) for point in ("b4", "c4", "d4")}
    assert len(shades) == 3  # neighbors differ


def test_a_layout_agrees_with_the_page() -> None:
    layout = Layout(hexagonal(next(iter(GAMES.values()))).descriptor, 5)
    assert len(layout.points) == 23
    assert layout.spot(6) == pytest.approx((1.5, -math.sqrt(3) / 2))
    assert [len(layout.outside(index)) for index in (2, 12)] == [2, 0]
    assert layout.indices(["a1", "e5", "f1", "a6", "A1", "a0", "a100"]) == [0, 24]


def test_a_size_without_a_shape_is_a_bare_box_of_points() -> None:
    game = next(game for game in GAMES.values() if game.descriptor.boards[0].missing)
    assert len(Layout(game.descriptor, 24).points) == 576
    assert draw_board(Scene(game, 24, bytes(576)), 90, 60).size == (90, 60)


def test_the_points_of_an_action_are_found() -> None:
    layout = Layout(next(iter(GAMES.values())).descriptor, 9)
    assert pointed("a1-a4", layout, segments=True) == [0, 9, 18, 27]
    assert pointed("c3-a1", layout, segments=True) == [20, 10, 0]
    assert pointed("a1-a4", layout, segments=False) == [0, 27]
    assert pointed("a1/b1 black c3,z9", layout, segments=True) == [0, 1, 20]
    assert pointed("pass", layout, segments=True) == []
