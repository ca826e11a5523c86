"""The report of `pierule conform`: for people, as JSON, as JUnit."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from pierule_conform.report import Finding, as_json, as_junit, human, passed

GOOD = Finding("6.2", "hole", "an event is missing", "passed", seconds=0.5)
BAD = Finding(
    "5.3", "head", "rows\x00 & <order>", "failed", "upside down", {"a": 1}, "b/w", "w/b", 0.25
)
IDLE = Finding("9.5", "lag", "lag is given back", "skipped", "no clock here")


def test_a_report_without_findings_has_not_passed() -> None:
    assert passed([GOOD, IDLE])
    assert not passed([GOOD, BAD])
    assert not passed([IDLE])
    assert not passed([])


def test_the_text_report_lists_findings() -> None:
    assert human("client", [GOOD, BAD, IDLE]).splitlines() == [
        "ok   6.2   hole: an event is missing",
        "FAIL 5.3   head: rows\x00 & <order>",
        "     upside down",
        '     sent:     {"a": 1}',
        "     expected: b/w",
        "     received: w/b",
        "skip 9.5   lag: lag is given back",
        "     no clock here",
        "client: 1 passed, 1 failed, 1 skipped; broken: SPEC 5.3",
    ]


def test_the_json_report_lists_findings() -> None:
    told = json.loads(as_json("client", [GOOD, BAD]))
    assert told["passed"] is False
    assert told["counts"] == {"passed": 1, "failed": 1, "skipped": 0}
    assert told["broken"] == ["5.3"]
    assert told["findings"][1]["received"] == "w/b"


def test_the_junit_report_lists_findings() -> None:
    suite = ElementTree.fromstring(as_junit("client", [GOOD, BAD, IDLE]))
    counts = [suite.get(name) for name in ("tests", "failures", "skipped", "time")]
    assert counts == ["3", "1", "1", "0.750"]
    good, bad, idle = suite.findall("testcase")
    assert (good.get("classname"), len(good)) == ("SPEC.6.2", 0)
    failure = bad.find("failure")
    assert failure is not None
    assert failure.get("message") == "upside down"
    assert failure.text == 'sent: {"a": 1}\nexpected: b/w\nreceived: w/b\n'
    assert idle.find("skipped") is not None
