"""clocks.json: what clocks show, how they settle, and how the server's time is found."""

from __future__ import annotations

from typing import Any

from pierule_games.clock import Clock, Hand
from pierule_protocol.log.controls import (
    Byoyomi,
    ClockOptions,
    Correspondence,
    Fischer,
    Turnwise,
    control,
)
from pierule_protocol.messages import ClockState, HandState

ABOUT = (
    "Clocks (SPEC 9). All times are the store's, in ms. `begin`: the hands and the first deadline "
    "of a control. `left`: what the running seat's clock shows at `now`, main time, the periods "
    "that are left (the running one included) and what is left of the first of them. `settle`: a "
    "turn from `started` to `at` with lags that were measured at its actions gives `after`; "
    "`given` is what each action's record says. `offset`: of pings, our times and the server's."
)
START = 1_700_000_000_000

_CONTROLS: dict[str, ClockOptions] = {
    "fischer": Fischer(main=10, increment=2),
    "fischer-no-main": Fischer(main=0, increment=1),
    "byoyomi": Byoyomi(main=5, periods=3, period=2),
    "turnwise": Turnwise(time=30),
    "correspondence": Correspondence(days=2),
}


def build() -> dict[str, Any]:
    """The file."""
    return {
        "about": ABOUT,
        "begin": [_begin(name) for name in _CONTROLS],
        "left": [
            *(_left("fischer", used) for used in (-500, 0, 1, 9_999, 10_000, 11_000)),
            *(_left("byoyomi", used) for used in
              (0, 4_999, 5_000, 5_001, 7_000, 7_001, 9_000, 9_001, 10_999, 11_000, 12_000)),
            *(_left("turnwise", used) for used in (0, 1, 29_999, 30_000)),
            *(_left("correspondence", used) for used in (0, 86_400_000)),
        ],
        "settle": [
            _settle("fischer", 4_000, 0),
            _settle("fischer", 4_000, 300),
            _settle("fischer", 4_000, 9_000),
            _settle("fischer", 4_000, 1_000, 1_000),
            _settle("fischer", 100, 400),
            _settle("fischer", 10_700, 0),
            _settle("byoyomi", 5_000, 0),
            _settle("byoyomi", 7_000, 0),
            _settle("byoyomi", 7_001, 0),
            _settle("byoyomi", 9_500, 700),
            _settle("byoyomi", 11_200, 0),
            _settle("turnwise", 29_000, 0),
        ],
        "offset": [
            {"pings": [{"sent": 1_000, "received": 1_040, "now": START + 20}],
             "offset": START - 1_000},
            {"pings": [{"sent": 1_000, "received": 1_900, "now": START + 800},
                       {"sent": 2_000, "received": 2_010, "now": START + 1_005},
                       {"sent": 3_000, "received": 3_400, "now": START + 2_100}],
             "offset": START - 1_000},
        ],
    }  # fmt: skip


def _begun(name: str) -> Clock:
    return Clock.fresh(control(_CONTROLS[name])).begin(0, START)


def _hand(hand: Hand) -> HandState:
    return HandState(hand.main, hand.periods, hand.quota)


def _begin(name: str) -> dict[str, Any]:
    clock = _begun(name)
    return {
        "control": _CONTROLS[name],
        "gain": clock.control.quota_gain,
        "hand": _hand(clock.hands[0]),
        "started": START,
        "deadline": clock.deadline,
    }


def _left(name: str, used: int) -> dict[str, Any]:
    clock = _begun(name)
    left = clock.left(0, START + used)
    first, second = clock.hands
    return {
        "control": _CONTROLS[name],
        "clock": ClockState(hands=(_hand(first), _hand(second)), running=0, started=START,
                            deadline=clock.deadline),
        "now": START + used,
        "left": {"main": left.main, "periods": left.periods, "period": left.period},
    }  # fmt: skip


def _settle(name: str, elapsed: int, *lags: int) -> dict[str, Any]:
    """All actions but the last leave the turn with the same seat."""
    clock, given = _begun(name), []
    for number, lag in enumerate(lags, 1):
        given.append(clock.compensation(lag))
        clock = clock.act(START + elapsed, given[-1], 1 if number == len(lags) else 0)
    return {
        "control": _CONTROLS[name],
        "before": _hand(_begun(name).hands[0]),
        "started": START,
        "at": START + elapsed,
        "lags": list(lags),
        "given": given,
        "after": _hand(clock.hands[0]),
    }
