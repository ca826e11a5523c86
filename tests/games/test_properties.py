"""What holds in every position of every game, whoever plays and whatever is sent."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from support.examples import up_to
from support.positions import fields_of

CHOSEN = {"loose": (5, 7, 9), "veletas": (7, 9, 10), "taugo": (6, 7, 9)}
"""Games whose spellings, symmetries and scores this file has read a second time. What it can ask of
any game, it asks of all that are installed."""
SIZES = {
    name: CHOSEN.get(name, sorted({min(game.sizes), game.default_size}))
    for name, game in GAMES.items()
}
SMALLEST = [(game, sizes[0]) for game, sizes in SIZES.items()]
BOARDS = [(game, size) for game, sizes in SIZES.items() for size in sizes]
READ_TWICE = [board for board in BOARDS if board[0] in CHOSEN]
POINT = re.compile("[a-z][0-9]+")
SYMMETRIES: list[Callable[[int, int, int], tuple[int, int]]] = [
    lambda column, row, last: (last - column, row),
    lambda column, row, _last: (row, column),
    lambda column, row, last: (row, last - column),
    lambda column, row, last: (last - column, last - row),
    lambda column, row, last: (last - row, last - column),
]

repeated = settings(database=None, deadline=None, max_examples=up_to(25))


def an_action(position: Position, chance: random.Random) -> str:
    """A random legal action; set-ups are put together, not listed."""
    parts = position.template()
    if not parts:
        return chance.choice(list(position.actions()))
    if parts[0].what == "komi":
        return f"komi:{chance.choice(parts[0].numbers)}"
    *shooters, stone = parts
    chosen: list[str] = []
    for part in shooters:
        chosen += sorted(chance.sample(part.points, part.count), key=part.points.index)
    last = chance.choice([point for point in stone.points if point not in chosen])
    return f"{','.join(chosen)}/{last}" if chosen else last


def walk(game: str, size: int, seed: int) -> Iterator[Position]:
    """A random game, from the opening to the end."""
    chance = random.Random(seed)
    position: Position = GAMES[game].opening(size)
    while position.phase != "over":
        yield position
        after = position.play(an_action(position, chance))
        assert not isinstance(after, Refusal), after
        position = after
    yield position


def one_of(game: str, size: int, seed: int) -> Position:
    """A random position, mostly of the middle game."""
    return random.Random(seed).choice(list(walk(game, size, seed)))


def points_of(size: int) -> list[str]:
    return [f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size)]


def is_set_up(position: Position) -> bool:
    """Whether this is a set-up that can only be counted."""
    return position.game == "veletas" and position.phase in ("first", "second")


# --- actions and spellings


@repeated
@given(st.sampled_from(BOARDS), st.integers(0))
def test_actions_are_listed_once_counted_and_accepted(board: tuple[str, int], seed: int) -> None:
    for position in walk(*board, seed):
        if is_set_up(position):
            continue
        listed = list(position.actions())
        assert len(listed) == len(set(listed)) == position.count()
        assert (position.phase == "over") == (not listed)
        for action in listed[:: 1 + len(listed) // 40]:
            assert not isinstance(position.play(action), Refusal), action


def plausible(position: Position) -> Iterator[str]:
    """Every string that has the form of an action on this board, in this or another phase."""
    points = points_of(position.size)
    yield from ("", "pass", "black", "white", "draw", "resign")
    yield from (f"komi:{n}" for n in range(-2, position.size**2 + 3))
    yield from points
    yield from ("a0", "z1", "a01", f"a{position.size + 1}", f"{chr(97 + position.size)}1")
    if position.game == "veletas":
        shooters = [point for point, held in zip(points, position.cells, strict=True) if held > 2]
        for start in [*shooters, points[0]]:
            yield from (f"{start}-{to}/{shot}" for to in points for shot in points)
    if is_set_up(position):
        yield from (f"{shooter}/{stone}" for shooter in points for stone in points)
    else:
        yield from (f"{a}-{b}" for a, b in permutations(points, 2) if a[0] == b[0] or a[1] == b[1])
        yield from (f"{a}-{a}" for a in points)


@pytest.mark.parametrize(("game", "size"), SMALLEST)
def test_only_listed_actions_are_accepted_of_all_plausible_spellings(game: str, size: int) -> None:
    for seed in range(1 if game == "veletas" else 8):
        for position in walk(game, size, seed):
            listed = set(position.actions())
            tried = set(plausible(position))
            if position.phase != "second" and game in CHOSEN:
                assert listed <= tried
            accepted = {a for a in tried if not isinstance(position.play(a), Refusal)}
            assert accepted == listed & tried


def mutants(text: str, chance: random.Random) -> Iterator[str]:
    """Spellings that are close to a legal one."""
    yield from (
        text.upper(),
        text + " ",
        " " + text,
        text + "\n",
        text + "\0",
        text * 2,
        text[::-1],
    )
    yield from (POINT.sub(lambda point: f"{point[0][0]}0{point[0][1:]}", text), text.title())
    yield from (text.translate(digits) for digits in FOREIGN_DIGITS)
    yield from ("-".join(reversed(text.split("-"))), f"{text}-{text}", f"{text}/{text}", text + ",")
    for _ in range(12):
        at = chance.randrange(len(text) + 1)
        yield text[:at] + text[at + 1 :]
        yield text[:at] + chance.choice("abcz019-/,: ²٣１") + text[at:]
        yield text[:at] + chance.choice("abcz019-/,: ²٣１") + text[at + 1 :]


FOREIGN_DIGITS = [
    {ord(str(n)): chr(zero + n) for n in range(10)} for zero in (0x660, 0xFF10, 0x1D7CE)
] + [{ord("2"): "²", ord("3"): "³", ord("1"): "¹"}]


@repeated
@given(st.sampled_from(SMALLEST), st.integers(0))
def test_mutated_actions_are_accepted_only_if_listed(board: tuple[str, int], seed: int) -> None:
    chance = random.Random(seed)
    for position in walk(*board, seed):
        if position.phase == "over":
            break
        listed = set(position.actions())
        for mutant in mutants(an_action(position, chance), chance):
            refused = isinstance(position.play(mutant), Refusal)
            assert refused == (mutant not in listed), mutant


@settings(repeated, max_examples=up_to(150))
@given(st.sampled_from(SMALLEST), st.integers(0, 40), st.text(max_size=12))
def test_any_unlisted_string_is_refused(board: tuple[str, int], seed: int, text: str) -> None:
    position = one_of(*board, seed)
    refusal = position.play(text)
    assert isinstance(refusal, Refusal) == (text not in set(position.actions()))


MONSTERS = ["", "\0", "\ud800", "b2\n", "komi:٢", "b²", "a" * 1_000_000, "a" + "1" * 10_000]
MONSTERS += ["komi:" + "2" * 10_000, "-" * 100_000, "a1-" * 100_000, "a1," * 100_000]


@pytest.mark.parametrize(("game", "size"), SMALLEST)
@pytest.mark.parametrize(
    "text",
    MONSTERS,
    ids=lambda text: repr(text[:8]),
)
def test_monstrous_strings_are_refused_in_every_phase(game: str, size: int, text: str) -> None:
    for position in walk(game, size, 1):
        refusal = position.play(text)
        assert isinstance(refusal, Refusal)
        assert refusal.rule in GAMES[position.game].texts["en"].refusals
        said = GAMES[position.game].sentence(refusal)
        assert len(said) < 200  # it is sent back, whatever was sent


@repeated
@given(st.sampled_from(BOARDS), st.integers(0))
def test_refusals_name_points_for_every_placeholder(board: tuple[str, int], seed: int) -> None:
    position = one_of(*board, seed)
    tried = points_of(position.size)
    for one, other in zip(tried, random.Random(seed).sample(tried, len(tried)), strict=True):
        for action in (one, f"{one}-{other}", f"{one}-{other}/{one}", f"{one}/{other}"):
            refusal = position.play(action)
            if isinstance(refusal, Refusal):
                said = GAMES[position.game].texts["en"].refusals[refusal.rule]
                assert len(set(re.findall(r"{\d}", said))) <= len(refusal.points), refusal
                assert all(POINT.fullmatch(point) for point in refusal.points)
                assert "{" not in GAMES[position.game].sentence(refusal)


# --- the course of a game


@repeated
@given(st.sampled_from(BOARDS), st.integers(0))
def test_games_end_within_a_bound(board: tuple[str, int], seed: int) -> None:
    game, size = board
    positions = list(walk(game, size, seed))
    # Set-ups, then at most one pass after each of at most size * size placements, then two.
    assert len(positions) <= 2 + 2 * size * size + 2
    for before, after in pairwise(positions):
        filled_before, filled = (sum(map(bool, p.cells)) for p in (before, after))
        # No action takes from the board; a shooter that moves on and a pass add nothing.
        assert filled >= filled_before
        if before.phase == "play" and not after.passes:
            assert filled > filled_before
    last = positions[-1]
    assert last.to_act is None
    assert last.winner in (0, 1, "draw")
    assert last.play("pass") == last.play("black") == Refusal("over")
    assert all(p.winner is None and p.to_act in (0, 1) for p in positions[:-1])


@repeated
@given(st.sampled_from(BOARDS), st.integers(0), st.integers(0))
def test_positions_are_restored_from_their_fields(
    board: tuple[str, int], seed: int, other_seed: int
) -> None:
    game, size = board
    rules = GAMES[game].newest
    positions = list(walk(game, size, seed))
    for position in positions:
        said = fields_of(position)
        restored = rules.restore(said)
        assert restored == position
        assert hash(restored) == hash(position)
        assert fields_of(restored) == said
        if position.phase == "play" and position.game != "veletas":
            assert list(restored.actions()) == list(position.actions())
        black, white = said.score
        changes: list[dict[str, object]] = [
            {"phase": "later"},
            {"game": "chess"},
            {"size": size + 40},
            {"score": (black + 1, white)},
            {"score": (black, white - 1)},
            {"passes": 3},
            {"passes": -1},
            {"black": 2},
            {"to_act": 2},
            {"winner": 2},
            {"winner": None if position.phase == "over" else 0},
            {"komi": -2},
            {"komi": size * size + 1},
            {"cells": said.cells[1:]},
            {"cells": b""},
            {"cells": bytes([6]) + said.cells[1:]},
        ]
        for change in changes:
            with pytest.raises(ValueError, match=r"\w"):
                rules.restore(dataclasses.replace(said, **change))  # type: ignore[arg-type]
    some = random.Random(other_seed).sample(positions, 2)
    assert (some[0] == some[1]) == (fields_of(some[0]) == fields_of(some[1]))


@repeated
@given(st.sampled_from(BOARDS), st.integers(0), st.binary(min_size=1, max_size=4), st.data())
def test_restore_answers_or_raises_value_error(
    board: tuple[str, int], seed: int, values: bytes, data: st.DataObject
) -> None:
    """Whatever board is restored, it is one that tells and plays soundly."""
    position = one_of(*board, seed)
    cells = bytearray(position.cells)
    for value in values:
        cells[data.draw(st.integers(0, len(cells) - 1))] = value % 6
    said = dataclasses.replace(fields_of(position), cells=bytes(cells))
    try:
        restored = GAMES[position.game].restore(said)
    except ValueError:
        return
    assert fields_of(restored) == said
    for action in ("pass", "c3", "c3-c4", "c3-c4/c5", "black"):
        restored.play(action)


@pytest.mark.parametrize("game", SIZES)
def test_each_game_opens_on_its_own_sizes_only(game: str) -> None:
    rules = GAMES[game].newest
    assert rules.game == game
    assert rules.default_size in rules.sizes
    for size in range(-1, 25):
        if size in rules.sizes:
            opening: Position = rules.opening(size)
            assert (opening.size, opening.to_act, opening.black) == (size, 0, None)
            assert opening.cells == bytes(size * size)
        else:
            with pytest.raises(ValueError, match=str(size)):
                rules.opening(size)


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_seat_1_takes_the_color_it_names(game: str, size: int) -> None:
    before: Position = next(p for p in walk(game, size, 0) if p.phase == "color")
    assert before.to_act == 1
    assert before.template() == ()
    blacks, whites = before.play("black"), before.play("white")
    assert not isinstance(blacks, Refusal)
    assert not isinstance(whites, Refusal)
    assert (blacks.black, whites.black) == (1, 0)
    assert blacks.to_act != whites.to_act
    if game in CHOSEN:
        assert (blacks.to_act == 1) == (game == "loose")  # elsewhere White acts next
    assert before.play("red") == before.play("pass") == Refusal("color")


# --- mirrors


def mirrored(position: Position, symmetry: Callable[[int, int, int], tuple[int, int]]) -> Position:
    size, cells = position.size, bytearray(position.size**2)
    for i, value in enumerate(position.cells):
        column, row = symmetry(i % size, i // size, size - 1)
        cells[row * size + column] = value
    return GAMES[position.game].restore(
        dataclasses.replace(fields_of(position), cells=bytes(cells))
    )


def mirrored_action(
    action: str, size: int, game: str, symmetry: Callable[[int, int, int], tuple[int, int]]
) -> str:
    """The same action on the mirrored board, with the points that have an order in order."""

    def move(point: re.Match[str]) -> str:
        column, row = symmetry(ord(point[0][0]) - 97, int(point[0][1:]) - 1, size - 1)
        return f"{chr(97 + column)}{row + 1}"

    def order(point: str) -> tuple[str, int]:
        return point[0], int(point[1:])

    if not POINT.match(action):
        return action
    moved = POINT.sub(move, action)
    if game == "taugo":
        return "-".join(sorted(moved.split("-"), key=order))
    head, slash, stone = moved.rpartition("/")
    return ",".join(sorted(head.split(","), key=order)) + slash + stone if "," in head else moved


@repeated
@given(st.sampled_from(READ_TWICE), st.integers(0), st.sampled_from(SYMMETRIES))
def test_mirrored_positions_have_mirrored_actions(
    board: tuple[str, int], seed: int, symmetry: Callable[[int, int, int], tuple[int, int]]
) -> None:
    game, size = board
    positions = list(walk(game, size, seed))
    for position in positions[:: 1 + len(positions) // 8] + positions[-1:]:
        mirror = mirrored(position, symmetry)
        assert mirror.score == position.score
        assert mirror.winner == position.winner
        if is_set_up(position):
            actions = [an_action(position, random.Random(seed))]
        else:
            actions = list(position.actions())
            images = {mirrored_action(action, size, game, symmetry) for action in actions}
            assert set(mirror.actions()) == images
        for action in actions[:: 1 + len(actions) // 10]:
            after = position.play(action)
            after_mirror = mirror.play(mirrored_action(action, size, game, symmetry))
            assert not isinstance(after, Refusal)
            assert after_mirror == mirrored(after, symmetry)


# --- scores


def naive_score(position: Position) -> tuple[int, int]:
    black, white = naive_color_score(position, 1), naive_color_score(position, 2)
    return black, white + (position.komi or 0)


def naive_color_score(position: Position, color: int) -> int:
    size, cells = position.size, position.cells
    if position.game == "loose":
        return cells.count(color)
    if position.game == "veletas":
        return cells.count(color + 3)
    left = {(i % size, i // size) for i, value in enumerate(cells) if value == color}
    edges = {point for point in left if 0 in point or size - 1 in point}
    total = sum(range(len(edges) + 1))
    while left:
        string, open_points = set(), [left.pop()]
        while open_points:
            point = open_points.pop()
            string.add(point)
            for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                beside = (point[0] + step[0], point[1] + step[1])
                both_on_edge = point in edges and beside in edges
                if beside in left and not both_on_edge:
                    left.remove(beside)
                    open_points.append(beside)
        perimeter = [p for p in string - edges if 1 in p or size - 2 in p]
        total += sum(range(len(perimeter) + 1))
    return total


@repeated
@given(st.sampled_from(READ_TWICE), st.integers(0))
def test_score_agrees_with_the_cells(board: tuple[str, int], seed: int) -> None:
    for position in walk(*board, seed):
        assert position.score == naive_score(position)
