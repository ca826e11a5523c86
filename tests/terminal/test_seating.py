"""Who of a profile's two players sits down where."""

from __future__ import annotations

import pytest

from pierule_protocol.log.events import Holder
from pierule_terminal.seating import Cannot, Player, Sit, Wanted, choose

FREE, BUSY = False, True
ADA, BOB, EVE = Holder("ada", "Ada"), Holder("bob", "Bob"), Holder("eve", "Eve")


@pytest.mark.parametrize(
    ("seats", "wanted", "first", "second", "choice"),
    [
        # Two terminals, one after the other, whoever was here before.
        ((None, None), "any", (None, FREE), (None, FREE), Sit(0, "any")),
        ((None, None), "any", ("ada", FREE), ("bob", FREE), Sit(0, "any")),
        ((ADA, None), "any", ("ada", BUSY), (None, FREE), Sit(1, "any")),
        ((ADA, None), "any", ("ada", BUSY), ("bob", FREE), Sit(1, "any")),
        # A terminal was closed: its player goes on.
        ((ADA, BOB), "any", ("ada", BUSY), ("bob", FREE), Sit(1, None)),
        ((ADA, BOB), "any", ("ada", FREE), ("bob", BUSY), Sit(0, None)),
        ((ADA, BOB), "any", ("ada", FREE), ("bob", FREE), Sit(0, None)),
        ((EVE, BOB), "any", ("ada", FREE), ("bob", FREE), Sit(1, None)),
        ((ADA, None), "any", ("ada", FREE), ("bob", FREE), Sit(0, None)),
        # A seat by its number.
        ((None, None), 1, (None, FREE), (None, FREE), Sit(0, 1)),
        ((ADA, BOB), 1, ("ada", FREE), ("bob", FREE), Sit(1, None)),
        ((ADA, None), 1, ("ada", FREE), ("bob", FREE), Sit(1, 1)),
        ((None, ADA), 0, ("ada", BUSY), (None, FREE), Sit(1, 0)),
        # One user may hold both seats.
        ((ADA, ADA), 1, ("ada", FREE), (None, FREE), Sit(0, None)),
        ((ADA, ADA), "any", ("ada", FREE), (None, FREE), Sit(0, None)),
    ],
)
def test_a_free_player_of_the_profile_takes_the_seat(
    seats: tuple[Holder | None, Holder | None],
    wanted: Wanted,
    first: tuple[str | None, bool],
    second: tuple[str | None, bool],
    choice: Sit,
) -> None:
    assert choose(seats, wanted, [Player(*first), Player(*second)]) == choice


@pytest.mark.parametrize(
    ("seats", "wanted", "first", "second", "why"),
    [
        ((EVE, EVE), "any", ("ada", FREE), ("bob", FREE), "both seats are taken"),
        ((EVE, EVE), "any", (None, FREE), (None, FREE), "both seats are taken"),
        ((ADA, BOB), "any", ("ada", BUSY), ("bob", BUSY), "in other terminals"),
        ((None, None), "any", ("ada", BUSY), ("bob", BUSY), "in other terminals"),
        ((ADA, EVE), "any", ("ada", BUSY), ("bob", FREE), "the other seat is taken"),
        ((EVE, None), 0, ("ada", FREE), ("bob", FREE), "seat 0 is taken"),
        ((ADA, None), 0, ("ada", BUSY), ("bob", FREE), "seat 0 is in use by another terminal"),
    ],
)
def test_a_profile_without_a_free_player_says_why(
    seats: tuple[Holder | None, Holder | None],
    wanted: Wanted,
    first: tuple[str | None, bool],
    second: tuple[str | None, bool],
    why: str,
) -> None:
    choice = choose(seats, wanted, [Player(*first), Player(*second)])
    assert isinstance(choice, Cannot)
    assert why in choice.text
