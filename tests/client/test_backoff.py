"""When the client tries again."""

from random import Random

import pytest

from pierule import backoff
from pierule.backoff import CAP, reconnect_delay, retry_delay
from pierule_protocol.codes import CLOSE_MEANINGS, Close


class Greatest(Random):
    """Always the longest delay."""

    def uniform(self, a: float, b: float) -> float:
        assert a == 0
        return b


def test_the_limit_doubles_up_to_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "BASE", 0.5)
    limits = [retry_delay(attempt, Greatest()) for attempt in range(8)]
    assert limits == [0.5, 1, 2, 4, CAP, CAP, CAP, CAP]
    assert retry_delay(10**6, Greatest()) == CAP


def test_delays_are_spread_from_zero_to_the_limit() -> None:
    rng = Random(1)
    delays = [retry_delay(20, rng) for _ in range(1000)]
    assert min(delays) < 0.1 * CAP
    assert max(delays) > 0.9 * CAP
    assert all(0 <= delay <= CAP for delay in delays)


@pytest.mark.parametrize("code", Close)
def test_the_table_of_close_codes_decides_about_reconnecting(code: Close) -> None:
    delay = reconnect_delay(0, code, Greatest())
    assert (delay is not None) == CLOSE_MEANINGS[code].reconnect


@pytest.mark.parametrize("code", [None, 1006, 1012, 4999])
def test_other_close_codes_allow_to_reconnect(code: int | None) -> None:
    assert reconnect_delay(3, code, Greatest()) == retry_delay(3, Greatest())


def test_all_nodes_are_tried_before_the_limit_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "BASE", 0.5)
    limits = [reconnect_delay(attempt, None, Greatest(), 3) for attempt in range(9)]
    assert limits == [0.5] * 3 + [1.0] * 3 + [2.0] * 3
