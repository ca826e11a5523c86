"""Which controls can be asked for: bounds at both ends, and who is strict with whom (law 9)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pierule_games.clock import Control
from pierule_protocol.codec import BadMessage, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import (
    DAY,
    OPEN_TIME,
    Byoyomi,
    ClockOptions,
    Correspondence,
    Fischer,
    Turnwise,
    control,
)
from pierule_protocol.log.events import Created, decode_record
from pierule_protocol.messages import Create, Snapshot
from pierule_protocol.state.room import room_state
from support.timed import Timed

CODECS = list(server_codecs())

LEAST: list[dict[str, Any]] = [
    {"kind": "fischer", "main": 0, "increment": 0},  # that one of them is needed is not the codec's
    {"kind": "byoyomi", "main": 0, "periods": 1, "period": 1},
    {"kind": "turnwise", "time": 1},
    {"kind": "correspondence", "days": 1},
]
MOST: list[dict[str, Any]] = [
    {"kind": "fischer", "main": 10_800, "increment": 180},
    {"kind": "byoyomi", "main": 10_800, "periods": 25, "period": 600},
    {"kind": "turnwise", "time": 3_600},
    {"kind": "correspondence", "days": 14},
]
BEYOND = [
    (clock | {name: clock[name] + step}, name)
    for clocks, step in ((LEAST, -1), (MOST, 1))
    for clock in clocks
    for name in clock
    if name != "kind"
]


def read(codec: str, clock: Any) -> Create:
    """What a server makes of a request for this clock."""
    module = msgspec.json if codec.endswith("json") else msgspec.msgpack
    request = {"type": "create", "id": 7, "nonce": "n", "game": "loose", "clock": clock}
    message = server_codecs()[codec].decode(module.encode(request))
    assert isinstance(message, Create)
    return message


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("clock", [*LEAST, *MOST])
def test_a_control_at_its_bounds_is_read(codec: str, clock: dict[str, Any]) -> None:
    assert msgspec.to_builtins(read(codec, clock).clock) == clock


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("clock", "name"), BEYOND)
def test_a_control_beyond_its_bounds_is_refused_by_name(
    codec: str, clock: dict[str, Any], name: str
) -> None:
    with pytest.raises(BadMessage) as caught:
        read(codec, clock)
    assert (caught.value.code, caught.value.id) == (Code.BAD_FIELD, 7)
    assert caught.value.field == f"clock.{name}"


WRONG = [
    *((clock | {"extra": 1}, "extra") for clock in MOST),
    *(({k: v for k, v in clock.items() if k != "main"}, "main") for clock in MOST[:2]),
    ({"kind": "turnwise"}, "time"),
    ({"kind": "turnwise", "time": 1.0}, "time"),
    ({"kind": "turnwise", "time": "60"}, "time"),
    ({"kind": "turnwise", "time": True}, "time"),
    ({"kind": "hourglass", "time": 1}, "kind"),
    ({"time": 1}, "kind"),
    ("turnwise", "clock"),
    (60, "clock"),
]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("clock", "name"), WRONG)
def test_an_invalid_control_is_refused(codec: str, clock: Any, name: str) -> None:
    with pytest.raises(BadMessage) as caught:
        read(codec, clock)
    assert caught.value.code == Code.BAD_FIELD
    assert name in caught.value.text


@pytest.mark.parametrize("codec", CODECS)
def test_a_room_without_a_clock_may_be_asked_for(codec: str) -> None:
    assert read(codec, None).clock is None


def test_an_increment_may_be_left_out() -> None:
    clock = read(CODECS[0], {"kind": "fischer", "main": 60}).clock
    assert isinstance(clock, Fischer)
    assert clock.increment == 0


@pytest.mark.parametrize("clock", MOST)
def test_controls_in_logs_and_states_are_read_tolerantly(clock: dict[str, Any]) -> None:
    """Of a later server, which says more of it."""
    known = msgspec.convert(clock, ClockOptions)
    created = Created("loose", 5, "anna", "Anna", "n", 0, known)
    told = msgspec.to_builtins(created) | {"clock": clock | {"extra": 1}}
    assert decode_record(msgspec.json.encode(told).decode()) == created
    snapshot = msgspec.to_builtins(Snapshot(state=room_state(Timed(known).room)))
    snapshot["state"]["control"]["extra"] = snapshot["state"]["clock"]["extra"] = 1
    read_back = client_codecs()[CODECS[0]].decode(msgspec.msgpack.encode(snapshot))
    assert isinstance(read_back, Snapshot)
    assert read_back.state == room_state(Timed(known).room)


@pytest.mark.parametrize(
    ("options", "arithmetic"),
    [
        (Fischer(main=60, increment=2), Control(main=60_000, increment=2_000)),
        (
            Byoyomi(main=60, periods=3, period=10),
            Control(main=60_000, periods=3, period=10_000),
        ),
        (Turnwise(time=30), Control(periods=1, period=30_000)),
        (Correspondence(days=2), Control(periods=1, period=2 * DAY)),
    ],
)
def test_each_control_has_its_clock_arithmetic(options: ClockOptions, arithmetic: Control) -> None:
    assert control(options) == arithmetic


def test_an_open_room_stays_for_a_day() -> None:
    assert OPEN_TIME == 24 * 60 * 60 * 1_000
