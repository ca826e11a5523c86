"""What `pierule conform` found, as text for people, as JSON, and as JUnit XML for other tools.

A finding is the result of one check of a server or a game, or of one scenario for a client.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias
from xml.etree import ElementTree

Status: TypeAlias = Literal["passed", "failed", "skipped"]

_MARKS: dict[Status, str] = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}
_SHOWN = 400
"""Characters of a message in the text for people; JSON and JUnit have all of it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    `section` is a section of SPEC: after a failure, the section that was broken. `title` says what
    was tried, and `reason` why it failed or was skipped. `sent` is what we sent last, `expected`
    what SPEC demands after it, and `received` what came; each may be any plain value.
    """

    section: str
    name: str
    title: str
    status: Status
    reason: str = ""
    sent: Any = None
    expected: Any = None
    received: Any = None
    seconds: float = 0.0


def passed(findings: Sequence[Finding]) -> bool:
    """Whether nothing failed, and anything was tried."""
    statuses = {finding.status for finding in findings}
    return "failed" not in statuses and "passed" in statuses


def human(subject: str, findings: Sequence[Finding]) -> str:
    """A line for each finding, more for each failure, and the verdict at the end."""
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.status]} {finding.section:<5} {finding.name}: "
                     f"{finding.title}")  # fmt: skip
        if finding.reason:
            lines.append(f"     {finding.reason}")
        if finding.status == "failed":
            lines += [
                f"     {name + ':':<9} {shown(value)[:_SHOWN]}"
                for name in ("sent", "expected", "received")
                if (value := getattr(finding, name)) is not None
            ]
    counts = ", ".join(f"{n} {status}" for status, n in _count(findings).items() if n)
    broken = _broken(findings)
    told = f"; broken: SPEC {', '.join(broken)}" if broken else ""
    lines.append(f"{subject}: {counts or 'nothing tried'}{told}")
    return "\n".join(lines) + "\n"


def as_json(subject: str, findings: Sequence[Finding]) -> str:
    """One JSON object: `subject`, `passed`, the counts, `broken` (sections), `findings`."""
    report = {
        "subject": subject,
        "passed": passed(findings),
        "counts": _count(findings),
        "broken": _broken(findings),
        "findings": [asdict(finding) for finding in findings],
    }
    return json.dumps(report, ensure_ascii=False, indent=1, default=str) + "\n"


def as_junit(subject: str, findings: Sequence[Finding]) -> str:
    """A JUnit test suite: a case for each finding, its class named for the section."""
    counts = _count(findings)
    suite = ElementTree.Element(
        "testsuite",
        name=_printable(f"pierule conform {subject}"),
        tests=str(len(findings)),
        failures=str(counts["failed"]),
        errors="0",
        skipped=str(counts["skipped"]),
        time=f"{sum(finding.seconds for finding in findings):.3f}",
    )
    for finding in findings:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"SPEC.{finding.section}",
            name=_printable(f"{finding.name}: {finding.title}"),
            time=f"{finding.seconds:.3f}",
        )
        if finding.status == "failed":
            failure = ElementTree.SubElement(case, "failure", message=_printable(finding.reason))
            failure.text = _printable(
                "".join(
                    f"{name}: {shown(getattr(finding, name))}\n"
                    for name in ("sent", "expected", "received")
                )
            )
        elif finding.status == "skipped":
            ElementTree.SubElement(case, "skipped", message=_printable(finding.reason))
    text: str = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def shown(value: Any) -> str:
    """A value in one line: text as it is, everything else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())


def _count(findings: Sequence[Finding]) -> dict[Status, int]:
    counts: dict[Status, int] = {"passed": 0, "failed": 0, "skipped": 0}
    for finding in findings:
        counts[finding.status] += 1
    return counts


def _broken(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(f.section for f in findings if f.status == "failed"))


def _printable(text: str) -> str:
    """XML has no way to write control characters."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
