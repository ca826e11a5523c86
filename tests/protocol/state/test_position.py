"""Positions as text: written and read back, canonical, and the same for those without rules."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_games.game import Fields, Position
from pierule_protocol.state.position import (
    CELL_LETTERS,
    digest,
    parse_position,
    position_state,
    position_text,
)
from support.logs import crc_by_bits
from support.reference import Reference, each_reference, references

EXAMPLE = "loose 5 play 1 1 12 0 1-13 - ...../..b../...../.w.../....."

PINNED = [
    ("loose 5 komi 0 - - 0 0-0 - ...../...../...../...../.....", 3573258841),
    (EXAMPLE, 179887332),
    (
        "veletas 7 play 1 0 - 0 0-0 - .b.bw.w/.wbbs../..ww.bb/b.s.b../....sw./w.wbw../b......",
        3893733541,
    ),
    (
        "taugo 6 over - 0 - 2 13-13 draw ....../.bbbw./.wwww./.wbbbb/.bbww./......",
        300158496,
    ),
]


def fields_of(position: Position) -> Fields:
    return Fields(**{name: getattr(position, name) for name in Fields.__dataclass_fields__})


@each_reference
def test_every_position_is_read_back_and_restored(reference: Reference) -> None:
    for position in reference.positions():
        text = position_text(position)
        fields = parse_position(text)
        assert fields == fields_of(position)
        assert GAMES[reference.game].restore(fields) == position


@each_reference
def test_rules_states_and_parsed_texts_write_the_same_text(reference: Reference) -> None:
    for position in reference.positions():
        text = position_text(position)
        assert position_text(position_state(position)) == text
        assert position_text(parse_position(text)) == text


def test_different_positions_have_different_texts() -> None:
    positions = {position for game in references() for position in game.positions()}
    assert len(positions) > 1000
    assert len({position_text(position) for position in positions}) == len(positions)


seats: st.SearchStrategy[Literal[0, 1] | None] = st.sampled_from([None, 0, 1])
words = st.from_regex("[a-z]+", fullmatch=True)
numbers = st.integers(0, 9999)


@st.composite
def any_fields(draw: st.DrawFn) -> Fields:
    """Fields of no game in particular: all that the grammar can carry."""
    size = draw(st.integers(1, 8))
    cells = draw(st.lists(st.integers(0, 5), min_size=size * size, max_size=size * size))
    return Fields(
        game=draw(words),
        size=size,
        phase=draw(words),
        to_act=draw(seats),
        black=draw(seats),
        komi=draw(st.none() | numbers),
        passes=draw(st.integers(0, 2)),
        score=(draw(numbers), draw(numbers)),
        winner=draw(st.sampled_from([None, 0, 1, "draw"])),
        cells=bytes(cells),
    )


@given(any_fields())
def test_the_text_holds_every_field(fields: Fields) -> None:
    assert parse_position(position_text(fields)) == fields


texts = st.deferred(
    lambda: st.sampled_from([position_text(p) for game in references() for p in game.positions()])
)
snippets = st.text(" -/.bwsBW0123456789draw\n\x00é\u0661", max_size=3) | st.text(max_size=2)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(snippets) + text[end:]
    return text


@given(mutated() | st.text())
def test_any_text_is_refused_or_canonical(text: str) -> None:
    """What the grammar lets pass is written back letter by letter, and the rules say the rest."""
    try:
        fields = parse_position(text)
    except ValueError:
        return
    assert position_text(fields) == text
    if fields.game in GAMES:
        try:
            position = GAMES[fields.game].restore(fields)
        except ValueError:
            return
        assert position_text(position) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        EXAMPLE + "\n",
        EXAMPLE + " ",
        " " + EXAMPLE,
        EXAMPLE.upper(),
        EXAMPLE.replace(" 12 ", " 012 "),
        EXAMPLE.replace(" 12 ", " 12345 "),
        EXAMPLE.replace(" 12 ", " +12 "),
        EXAMPLE.replace(" 12 ", " \u0661\u0662 "),
        EXAMPLE.replace("1-13", "-1-13"),
        EXAMPLE.replace("play 1", "play 2"),
        EXAMPLE.replace(" 12 0 ", " 12 3 "),
        EXAMPLE.replace("loose 5", "loose 6"),
        EXAMPLE.replace("loose 5", "loose 05"),
        EXAMPLE.replace("loose 5", "loose 0"),
        EXAMPLE.replace(".w.../", ".w..//"),
        EXAMPLE.replace(".w.../", ".w.../."),
        EXAMPLE.removesuffix("/....."),
        EXAMPLE.replace("b", "?"),
        EXAMPLE.replace(" ", "  "),
        EXAMPLE.replace(" ", "\t"),
    ],
)
def test_almost_correct_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"SPEC|board"):
        parse_position(text)


def test_the_example_of_the_spec_is_written_and_read() -> None:
    cells = bytes(6) + b"\2" + bytes(10) + b"\1" + bytes(7)
    expected = Fields("loose", 5, "play", 1, 1, 12, 0, (1, 13), None, cells)
    assert parse_position(EXAMPLE) == expected


def test_letters_stand_for_cell_values_in_order() -> None:
    assert CELL_LETTERS.startswith(b".bwsBW")  # those of every position until 2026
    assert len(set(CELL_LETTERS)) == len(CELL_LETTERS) == 63
    assert CELL_LETTERS[1:].isalnum()


@pytest.mark.parametrize(("text", "number"), PINNED)
def test_digests_are_stable_over_releases(text: str, number: int) -> None:
    assert digest(text) == number == crc_by_bits(text.encode())


@given(st.text())
def test_a_digest_is_the_crc_of_the_utf8_bytes(text: str) -> None:
    assert digest(text) == crc_by_bits(text.encode())
