"""`pierule conform server URL`: every check against a server, many at a time, and the verdict."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from pierule_conform import report
from pierule_conform.checks import registry
from pierule_conform.checks.operating import OPERATIONS, never
from pierule_conform.checks.raw_connection import CODECS, CodecName
from pierule_conform.checks.registry import Check
from pierule_conform.checks.run import AT_ONCE, NoServer, Plan, judged, run_all
from pierule_conform.checks.watch import watches
from pierule_conform.report import Finding
from pierule_protocol.codes import Code

DESCRIPTION = """\
Play a scripted peer against a server and report the result for each section of protocol/SPEC.md:
handshake, every message and error, limits as the welcome states them, races, retries, resuming
at every point of a game, spectators, clocks, malformed input, in both codecs. It creates guests
and rooms, and reports boards and chat messages to the operators. At the end it resigns the games
that it still plays; rooms in which it has no seat disappear by themselves. Do not run it on
a server that people play on. It asks for more than servers grant one address: run it on a server
without such limits, as the first example does.
"""

EPILOG = """\
examples:
  pierule serve --address-budget 0 --handshakes-per-address 0     in another terminal
  pierule conform server ws://127.0.0.1:8000/ws
  pierule conform server ws://127.0.0.1:8000/ws --section 6 --section 2.3
  pierule conform server wss://example.org/ws --json - --junit conform.xml
  pierule conform server ws://127.0.0.1:8000/ws --with restart='systemctl restart pierule'

exit status:
  0  everything that could be tried has passed
  1  something has failed, or nothing could be tried
  2  no connection, or a wrong option
"""

PASSED, FAILED, UNUSABLE = 0, 1, 2

LIMITED = """\
%s failed because the server limits this address (`rate`, or HTTP 429). That may be no fault:
try it without such limits, such as pierule serve --address-budget 0 --handshakes-per-address 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule conform server`."""
    parser.add_argument("url", metavar="URL", nargs="?", help="the server, ws://HOST:PORT/ws")
    parser.add_argument("--section", action="append", default=[], metavar="N",
                        help="only this section of the SPEC, 6 or 6.1; repeatable")  # fmt: skip
    parser.add_argument("--check", action="append", default=[], metavar="NAME",
                        help="only this check; repeatable")  # fmt: skip
    parser.add_argument("--codec", choices=("both", "msgpack", "json"), default="both")
    parser.add_argument("--json", metavar="FILE", help="write the findings as JSON; -: to stdout")
    parser.add_argument("--junit", metavar="FILE", help="write them as JUnit XML; -: to stdout")
    parser.add_argument("--with", action="append", default=[], type=_operation, dest="commands",
                        metavar="OPERATION=COMMAND",
                        help="a shell command that does to the server what only its operator can: "
                        + "; ".join(f"{operation} {what}" for operation, what in OPERATIONS.items())
                        + "; without it, checks that need it are skipped")  # fmt: skip
    parser.add_argument("--timeout", type=_seconds, default=5.0, metavar="SECONDS",
                        help="how long an answer may take [default 5]")  # fmt: skip
    parser.add_argument("--wait", type=_seconds, default=20.0, metavar="SECONDS",
                        help="the longest timer of the server to wait for; checks that need "
                        "more are skipped [default 20]")  # fmt: skip
    parser.add_argument("--jobs", type=_number, default=AT_ONCE, metavar="N",
                        help=f"checks to run at the same time [default {AT_ONCE}]")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="list the checks, and try nothing")


def run(args: argparse.Namespace) -> int:
    """Run the chosen checks. Returns the exit status."""
    checks = registry.load()
    chosen = chosen_checks(checks, args.section, args.check)
    listed = _rows(chosen, args.section, args.check)
    for name in args.check:
        if name not in checks:
            return _complain(f"there is no check {name}; see --list")
    if not listed:
        return _complain("no check has this section and name; see --list")
    if args.list:
        sys.stdout.write(
            "".join(f"{section:<5} {name}: {title}\n" for section, name, title in listed)
        )
        return PASSED
    if args.url is None:
        return _complain("the server's URL is missing")
    codecs: tuple[CodecName, ...] = CODECS if args.codec == "both" else (args.codec,)
    plan = Plan(args.url, codecs, args.timeout, args.wait, args.jobs, dict(args.commands))
    try:
        findings = asyncio.run(run_all(plan, feeding(checks, chosen)))
    except NoServer as error:
        return _complain(str(error))
    findings = [*findings, *never()]
    findings = judged(findings, chosen, args.section, whole=not args.check)
    try:
        _tell(args, f"server {args.url}", findings)
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}")
    if limited := sum(map(_limited, findings)):
        sys.stderr.write(LIMITED % ("1 check" if limited == 1 else f"{limited} checks"))
    return PASSED if report.passed(findings) else FAILED


def _tell(args: argparse.Namespace, subject: str, findings: Sequence[Finding]) -> None:
    """Write the reports. Raises OSError."""
    if "-" not in (args.json, args.junit):
        lines = report.human(subject, findings).split("\n")
        sys.stdout.write("\n".join(map(_clean, lines)))
    for file, form in ((args.json, report.as_json), (args.junit, report.as_junit)):
        if file == "-":
            sys.stdout.write(form(subject, findings))
        elif file is not None:
            Path(file).write_text(form(subject, findings), "utf-8")


def _limited(finding: Finding) -> bool:
    """Whether a check failed because its peer asked for more than an address may."""
    came = finding.received
    refused = isinstance(came, dict) and came.get("code") == Code.RATE
    return finding.status == "failed" and (refused or "HTTP 429" in str(came))


def _clean(text: str) -> str:
    """A line without what could steer a terminal: it may come from the server."""
    return "".join(character if character.isprintable() else "?" for character in text)


def chosen_checks(
    checks: dict[str, Check], sections: list[str], names: list[str]
) -> dict[str, Check]:
    """The checks that were chosen by section and name: all of them if neither is given."""
    return {
        name: check
        for name, check in checks.items()
        if (not names or name in names)
        and (not sections or any(_covered(sections, one) for one in (check.section, *check.also)))
    }


def feeding(checks: dict[str, Check], chosen: dict[str, Check]) -> list[Check]:
    """The checks to run: those that were chosen, or, if there are none, a few that give the watches
    messages to judge."""
    return list((chosen or {name: checks[name] for name in FEED}).values())


FEED = ("loose-played", "veletas-played", "taugo-played", "resume-everywhere", "presence-told")


def _covered(sections: list[str], section: str) -> bool:
    return any(registry.covers(selection, section) for selection in sections)


def _rows(
    chosen: dict[str, Check], sections: list[str], names: list[str]
) -> list[tuple[str, str, str]]:
    """Section, name and title of everything that was chosen, including watches."""
    rows = [(check.section, name, check.title) for name, check in chosen.items()]
    if not names:
        rows += [
            (watch.section, watch.name, watch.title)
            for watch in watches()
            if not sections or _covered(sections, watch.section)
        ]
    return sorted(rows, key=lambda row: registry.section_key(row[0]))


def _operation(text: str) -> tuple[str, str]:
    operation, _, command = text.partition("=")
    if operation not in OPERATIONS or not command:
        raise ValueError
    return operation, command


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3_600:  # NaN fails too
        raise ValueError
    return value


def _number(text: str) -> int:
    value = int(text)
    if not 0 < value <= 1_000:
        raise ValueError
    return value


def _complain(text: str) -> int:
    sys.stderr.write(f"pierule conform server: {text}\n")
    return UNUSABLE
