"""Which games count for ratings: a function of the log, and the first reason is told."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from pierule_protocol.log.events import Created, Holder, Seated, Unrated
from pierule_protocol.messages import Result
from pierule_protocol.state.unrated import SHORTEST, WORDS, why_unrated

ADA, BERT = (Holder(name, "", registered=True) for name in ("ada", "bert"))
GUEST, BOT = Holder("carl", ""), Holder("bot", "", bot=True, registered=True)
WON = Result(0, "played")


@pytest.mark.parametrize(
    ("rated", "access", "seats", "result", "plies", "why"),
    [
        (None, "private", (ADA, ADA), None, 0, "before"),
        ("no", "private", (ADA, ADA), None, 0, "wish"),
        ("either", "private", (ADA, ADA), None, 0, "private"),
        ("either", "unlisted", (ADA, ADA), None, 0, "same_player"),
        ("either", "public", (GUEST, BOT), None, 0, "bot"),
        ("either", "public", (GUEST, None), None, 0, "guest"),
        ("yes", "public", (ADA, GUEST), WON, 9, "guest"),
        ("either", "public", (ADA, BERT), Result(None, "closed"), 9, "closed"),
        ("either", "public", (ADA, BERT), Result(None, "voided"), 9, "voided"),
        ("either", "public", (ADA, BERT), Result(None, "aborted"), 0, "aborted"),
        ("either", "public", (ADA, BERT), Result(None, "left"), 9, "aborted"),
        ("either", "public", (ADA, BERT), Result(1, "resigned"), SHORTEST - 1, "short"),
        ("either", "public", (ADA, BERT), Result("draw", "agreed"), SHORTEST - 1, "short"),
        ("either", "public", (None, None), None, 0, None),
        ("yes", "public", (ADA, None), None, 0, None),
        ("either", "unlisted", (ADA, BERT), None, 0, None),
        ("either", "public", (ADA, BERT), Result(1, "left"), SHORTEST, None),
        ("either", "public", (ADA, BERT), Result("draw", "agreed"), SHORTEST, None),
        ("yes", "public", (ADA, BERT), WON, SHORTEST, None),
    ],
)
def test_the_first_reason_is_told(
    rated: Any, access: Any, seats: Any, result: Any, plies: int, why: Unrated | None
) -> None:
    assert why_unrated(rated, access, seats, result, plies) == why


def test_each_reason_has_words() -> None:
    assert set(WORDS) == set(get_args(Unrated))


def test_what_is_not_said_is_not_written() -> None:
    """Records of earlier servers are the same bytes as they were."""
    for record in (Created("g", 5, "u", "", "n"), Seated(0, "u", "", "n")):
        assert (record.registered, getattr(record, "rated", None)) == (False, None)
