"""Days are midnights of UTC."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from pierule_archive.api.parameters import milliseconds


@given(st.dates(min_value=datetime.date(1970, 1, 1)))
def test_a_day_begins_at_midnight(day: datetime.date) -> None:
    midnight = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)
    assert milliseconds(day) == milliseconds(int(midnight.timestamp() * 1000))
