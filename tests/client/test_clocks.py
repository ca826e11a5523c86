"""Controls as people write them."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given

from pierule.clocks import FORMS, BadClock, parse_clock, show_clock
from pierule_protocol.log.controls import (
    Byoyomi,
    ClockOptions,
    ClockRequest,
    Correspondence,
    Fischer,
    Turnwise,
    requested,
)
from support.shapes import messages


@pytest.mark.parametrize(
    ("text", "options", "shown"),
    [
        ("5+3", Fischer(main=300, increment=3), None),
        ("0+1", Fischer(main=0, increment=1), None),
        ("180+180", Fischer(main=10_800, increment=180), None),
        ("90s+0", Fischer(main=90, increment=0), None),
        ("120s+1m", Fischer(main=120, increment=60), "2+60"),
        ("1h+30", Fischer(main=3_600, increment=30), "60+30"),
        ("10m+3x30s", Byoyomi(main=600, periods=3, period=30), None),
        ("10+3x30", Byoyomi(main=600, periods=3, period=30), "10m+3x30s"),
        ("0s+1x10m", Byoyomi(main=0, periods=1, period=600), None),
        ("0+1x90s", Byoyomi(main=0, periods=1, period=90), "0s+1x90s"),
        ("30s/action", Turnwise(time=30), None),
        ("30/action", Turnwise(time=30), "30s/action"),
        ("1h/action", Turnwise(time=3_600), "60m/action"),
        ("3d", Correspondence(days=3), None),
    ],
)
def test_a_text_is_parsed_into_a_control(
    text: str, options: ClockOptions, shown: str | None
) -> None:
    assert parse_clock(text) == options
    assert show_clock(options) == (shown or text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0+0", "gives the players no time; write it as in 5+3, 10m+3x30s, 30s/action or 3d"),
        ("181+0", "the main time is 10860 s, but it must be 0 to 10800 s"),
        ("5+181", "the increment is 181 s, but it must be 0 to 180 s"),
        ("5m+0x30s", "the number of periods is 0, but it must be 1 to 25"),
        ("5m+3x601", "the period is 601 s, but it must be 1 to 600 s"),
        ("0/action", "the time for an action is 0 s, but it must be 1 to 3600 s"),
        ("15d", "the number of days is 15, but it must be 1 to 14"),
    ],
)
def test_a_value_out_of_bounds_is_named(text: str, why: str) -> None:
    with pytest.raises(BadClock) as bad:
        parse_clock(text)
    assert str(bad.value).startswith(repr(text))
    assert str(bad.value).endswith(why)


@pytest.mark.parametrize(
    "text",
    ["", "5", "+3", "5+", "-5+3", "5 + 3", "5+3\n", "5.5+3", "5+3x", "x", "3 d", "3d+1", "30s",
     "30s/turn", "\u0665+3", "1" * 10 + "+0", "5+3d"],
)  # fmt: skip
def test_an_invalid_clock_is_refused_with_the_valid_forms(text: str) -> None:
    with pytest.raises(BadClock) as bad:
        parse_clock(text)
    assert str(bad.value) == f"{text!r} is not a clock; write it as in {FORMS}"


@pytest.mark.parametrize("kind", get_args(ClockOptions))
def test_a_shown_clock_is_parsed_back(kind: type[msgspec.Struct]) -> None:
    @given(messages(kind))
    def check(options: ClockOptions) -> None:
        if options != Fischer(main=0, increment=0):
            assert parse_clock(show_clock(options)) == options
            assert isinstance(requested(options), ClockRequest)
            assert msgspec.json.encode(requested(options)) == msgspec.json.encode(options)

    check()
