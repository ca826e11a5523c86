"""Handshakes that are refused are counted, each under its reason, and logged now and then."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from pierule_server import metrics
from pierule_server.gateway import refusals
from pierule_server.gateway.refusals import MANY, Refusals


def counted(reason: str) -> float:
    name = "pierule_handshakes_refused_total"
    return metrics.REGISTRY.get_sample_value(name, {"reason": reason}) or 0.0


async def test_frequent_refusals_are_logged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "PAUSE", 0.05)
    before = counted("address")
    with capture_logs() as logs:
        those = Refusals()
        for _ in range(1_000):
            those.count("address", "203.0.113.7")
        those.count("origin", "203.0.113.8")
        assert [(line["reason"], line["number"]) for line in logs] == [
            ("address", 1),
            ("origin", 1),
        ]
        while len(logs) < 3:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    assert (logs[2]["reason"], logs[2]["number"]) == ("address", 999)
    assert logs[2]["address"] == "203.0.113.7"
    assert counted("address") == before + 1_000


@pytest.mark.parametrize("proxies", [True, False])
def test_a_crowded_address_is_logged_once_with_a_hint_about_proxies(proxies: bool) -> None:
    with capture_logs() as logs:
        those = Refusals(proxies=proxies)
        for number in range(1, MANY + 10):
            those.crowded("10.0.0.1", number)
    assert len(logs) == (0 if proxies else 1)
    if logs:
        assert "--trusted-proxies" in logs[0]["event"]
        assert logs[0]["connections"] == MANY
