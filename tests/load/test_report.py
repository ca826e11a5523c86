"""The report of a run."""

from __future__ import annotations

import json

from pierule_load.plan import Plan
from pierule_load.report import as_json, human
from pierule_load.tally import Second, Tally, Trouble, quantile

PLAN = Plan(("ws://127.0.0.1:8000/ws",), tables=2, spectators=1, rate=50)


def found() -> Tally:
    tally = Tally(acted=90, games=3, connected=6, cut=6, left=1)
    tally.kept.extend(each / 1_000 for each in range(1, 101))
    tally.told.extend([0.004] * 100)
    tally.back.extend([0.31, 0.2])
    tally.seconds = [Second(1, 50, 6, 0.09, None, 0), Second(2, 40, 5, None, None, 0)]
    tally.refused["Your address has too many connections here. (HTTP 429)"] = 2
    tally.errors["create", "rate", "your network has asked for a lot in a short time"] = 4
    tally.lost["closed with 1012: this node drains"] = 1
    tally.troubles = [
        Trouble(1.2, 50, "refused requests", "create: rate"), Trouble(2, 40, "lost", "1012")
    ]  # fmt: skip
    return tally


def test_a_quantile_is_one_of_the_values() -> None:
    assert quantile([], 0.5) is None
    assert [quantile([3, 1, 2], part) for part in (0.5, 0.99, 1.0)] == [2, 3, 3]


def test_the_text_report_names_what_broke_first_and_the_setting_that_helps() -> None:
    text = "\n".join(human(PLAN, found()))
    assert text.startswith(
        "90 actions in 2 s, 45.0/s (wanted: 50/s); 3 complete games\n6 of 6 conn"
    )
    assert "--connections-per-address 0" in text
    assert "--address-budget 0" in text
    assert "1 rooms are still open" in text
    first, then = text.splitlines()[-2:]
    assert first == "broke first: refused requests, after 1 s, at 50 actions/s: create: rate"
    assert then.startswith("then: lost, after 2 s")


def test_the_report_of_a_good_run_says_that_nothing_broke() -> None:
    tally = Tally(acted=1)
    assert [*human(PLAN, tally)][-1] == "nothing broke"
    assert "nobody played" in [*human(PLAN, Tally())]


def test_the_json_report_has_the_same_in_milliseconds() -> None:
    told = json.loads(json.dumps(as_json(PLAN, found())))
    assert told["acknowledged_ms"] == {"p50": 51.0, "p95": 96.0, "p99": 100.0, "max": 100.0}
    assert told["last_follower_ms"]["p99"] == 4.0
    assert told["actions_per_second"] == 45.0
    assert told["refused_requests"][0]["times"] == 4
    assert [each["what"] for each in told["broke"]] == ["refused requests", "lost"]
    assert told["seconds"][1]["acknowledged_p99_ms"] is None
