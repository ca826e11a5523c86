"""What is agreed on must have been offered, and not before the latest action."""

from __future__ import annotations

import pytest

from pierule_protocol.log.events import (
    Acted,
    AnyRecord,
    Declined,
    Drawn,
    Offered,
    Paused,
    Resumed,
    TakenBack,
    Withdrawn,
)
from social.offers import Offers

DRAW = Offered(0, "draw", "a")
ACT = Acted(1, "a1", 0, 0)


def told(*happened: AnyRecord, over: bool = False) -> list[str]:
    offers = Offers()
    return [wrong for each in happened if (wrong := offers.take(each, over=over))]


@pytest.mark.parametrize(
    "happened",
    [
        (DRAW, Drawn(1, "b")),
        (DRAW, Declined(1, "draw", "b"), Offered(0, "takeback", "c"), TakenBack(1, "d")),
        (DRAW, Withdrawn(0, "draw", "b")),
        (DRAW, ACT, DRAW, Drawn(1, "b")),
        (Offered(1, "pause", "a"), Paused(0, "b"), Resumed(None, None)),
    ],
)
def test_an_agreement_on_a_standing_offer_is_accepted(happened: tuple[AnyRecord, ...]) -> None:
    assert told(*happened) == []


@pytest.mark.parametrize(
    ("happened", "why"),
    [
        ((Drawn(1, "b"),), "does not offer"),
        ((DRAW, Drawn(0, "b")), "does not offer"),
        ((DRAW, ACT, Drawn(1, "b")), "does not offer"),
        ((DRAW, Declined(1, "draw", "b"), DRAW), "once more"),
        ((DRAW, ACT, Withdrawn(0, "draw", "b")), "could end"),
        ((Offered(0, "pause", "a"), Drawn(1, "b")), "does not offer"),
    ],
)
def test_an_agreement_without_an_offer_is_reported(
    happened: tuple[AnyRecord, ...], why: str
) -> None:
    (wrong,) = told(*happened)
    assert why in wrong


def test_a_game_that_is_over_knows_no_offer_but_a_rematch() -> None:
    assert told(Offered(0, "rematch", "a"), over=True) == []
    assert len(told(DRAW, over=True)) == 1


def test_the_end_of_a_game_ends_what_was_offered() -> None:
    offers = Offers()
    offers.take(DRAW, over=False)
    offers.end()
    assert offers.take(Drawn(1, "b"), over=False)
