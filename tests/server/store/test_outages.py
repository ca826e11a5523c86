"""An outage is told once, and again only after the store was back."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from pierule_server.store.outages import Outages
from pierule_server.store.room_log import StoreUnavailable


def test_only_the_first_failure_in_a_row_is_logged() -> None:
    outages, done = Outages("seeks wait"), []
    with capture_logs() as logged:
        for number, fails in enumerate([True, True, False, False, True, True, True]):
            with outages:
                if fails:
                    raise StoreUnavailable(f"away {number}")
                done.append(number)
    assert done == [2, 3]
    assert [(entry["event"], entry["error"]) for entry in logged] == [
        ("seeks wait", "away 0"),
        ("seeks wait", "away 4"),
    ]


def test_other_errors_are_raised() -> None:
    with pytest.raises(ValueError, match="a bug"), Outages("seeks wait"):
        raise ValueError("a bug")
