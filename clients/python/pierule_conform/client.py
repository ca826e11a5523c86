"""`pierule conform client`: whether a client keeps the protocol, whatever networks and servers do
(protocol/CONFORM.md)."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from pierule_conform.checks.registry import covers
from pierule_conform.contract import CONTRACT, Breach
from pierule_conform.process import running
from pierule_conform.replies import Replies
from pierule_conform.report import Finding, as_json, as_junit, human, passed
from pierule_conform.scenarios import SCENARIOS, Scenario
from pierule_conform.scripted import listening
from pierule_conform.trial import Trial

DESCRIPTION = """\
Start a client again and again, each time against a scripted server that does what real networks
and servers do: cut connections, repeat and lose events, send wrong digests, fall silent, begin new
epochs, and send messages of unknown types. The client reports its board after every event, and the
command compares it with the truth. A failure names the section of protocol/SPEC.md that was broken.
Environment variables tell the client where to connect and what to do; it reports in lines on
standard output: see protocol/CONFORM.md.
"""

EPILOG = """\
examples:
  pierule conform client -- python my_client.py
  pierule conform client --section 6 -- node my_client.mjs
  pierule conform client --only hole --only digest --junit report.xml -- ./my-client

exit status:
  0  the client passed
  1  it failed
  2  wrong usage, or the client cannot be started
"""

PASSED, FAILED, USAGE = 0, 1, 2

JOBS = 6
"""Scenarios at a time: most of them wait for the client's back-off most of the time."""
BOUND = 58.0
"""Seconds for all scenarios together, unless the user gives them more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule conform client`."""
    parser.add_argument("client", nargs="+", metavar="COMMAND",
                        help="the command that starts the client, after `--`")  # fmt: skip
    parser.add_argument("--section", action="append", default=[], metavar="N",
                        help="only scenarios for this section of SPEC (6 covers 6.2)")  # fmt: skip
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        choices=[scenario.name for scenario in SCENARIOS],
                        help="only the scenario with this name")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="write the report as one JSON object")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML as well")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N",
                        help=f"scenarios at a time ({JOBS})")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=BOUND, metavar="S",
                        help=f"time for all scenarios together ({BOUND:g}); a client that starts "
                        "slowly, or on a busy machine, may need more")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Try the client. Returns the exit status."""
    command = [*args.client]
    if command[0] == "--":
        del command[0]
    if not command or shutil.which(command[0]) is None:
        return _misused(f"{' '.join(command[:1]) or 'no command'}: cannot be started")
    if args.jobs < 1:
        return _misused("--jobs must be 1 or more")
    if not args.seconds > 0:
        return _misused("--seconds must be more than 0")
    scenarios = chosen(args.section, args.only)
    if not scenarios:
        return _misused(f"no scenario tests section {', '.join(args.section)}")
    findings = asyncio.run(try_client(command, scenarios, args.jobs, args.seconds))
    sys.stdout.write(as_json("client", findings) if args.json else human("client", findings))
    try:
        if args.junit is not None:
            args.junit.write_text(as_junit("client", findings), "utf-8")
    except OSError as error:
        return _misused(f"{args.junit}: {error.strerror}")
    return PASSED if passed(findings) else FAILED


def _misused(text: str) -> int:
    sys.stderr.write(f"pierule conform client: {text}\n")
    return USAGE


def chosen(sections: Sequence[str], names: Sequence[str]) -> list[Scenario]:
    """The chosen scenarios: all of them if nothing is chosen."""
    return [
        scenario
        for scenario in SCENARIOS
        if (not names or scenario.name in names)
        and (not sections or any(covers(s, own) for s in sections for own in scenario.sections))
    ]


async def try_client(
    command: Sequence[str], scenarios: Sequence[Scenario], jobs: int = JOBS, bound: float = BOUND
) -> list[Finding]:
    """Run scenarios, several at a time. Returns their findings, in the same order."""
    slots = asyncio.Semaphore(jobs)
    end = time.monotonic() + bound
    spent: set[str] = set()

    async def one(scenario: Scenario) -> Finding:
        async with slots:
            return await try_scenario(command, scenario, end - time.monotonic(), spent)

    return await asyncio.gather(*(one(scenario) for scenario in scenarios))


async def try_scenario(
    command: Sequence[str], scenario: Scenario, seconds: float, spent: set[str]
) -> Finding:
    """Run one script against a new process of the client. `spent` are the nonces of other runs."""
    began = time.monotonic()
    breach: Breach | None = None
    notes = ""
    trial = Trial(scenario.truth(), scenario.task, scenario.sections[0])
    replies = Replies(trial, scenario.ping_seconds, spent)
    try:
        async with asyncio.timeout(seconds), listening(replies, scenario.nodes) as urls:
            environment = scenario.task.environment(urls)
            async with running(command, environment, trial.heard_line, trial.ended) as tail:
                try:
                    for step in scenario.steps:
                        await step.play(trial)
                    trial.check()
                except Breach as error:
                    breach, notes = error, tail.text
    except TimeoutError:
        breach = Breach(CONTRACT, "no time was left for this scenario: give all more (--seconds)")
    if breach is None:
        return Finding(scenario.sections[0], scenario.name, scenario.title, "passed",
                       seconds=time.monotonic() - began)  # fmt: skip
    said = f"; on standard error: {' | '.join(_last(notes))}" if notes else ""
    return Finding(
        section=breach.section,
        name=scenario.name,
        title=scenario.title,
        status="failed",
        reason=f"{breach.reason}{said}",
        sent=_plain(breach.sent),
        expected=_plain(breach.expected),
        received=_plain(breach.received),
        seconds=time.monotonic() - began,
    )


def _last(notes: str) -> list[str]:
    """The last lines, without the frames that Node and Java write below an error."""
    lines = [line for line in notes.splitlines() if line.strip()]
    return [line for line in lines if not line.lstrip().startswith("at ")][-3:] or lines[-3:]


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=repr)
