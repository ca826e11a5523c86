"""`pierule conform client`: good clients pass, and every broken one is told what it broke."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pierule_conform import client, scripted
from pierule_conform.report import Finding, passed
from pierule_conform.scenarios import SCENARIOS
from support.examples import up_to
from support.nodejs import NODE
from support.preloaded import forked

EXAMPLES = Path(__file__).parents[2] / "clients" / "examples"
LIBRARY = Path(__file__).parents[2] / "clients" / "web" / "client"
BROKEN = Path(__file__).parent / "broken"

GOOD: dict[str, list[str | Path]] = {
    "reference, msgpack": [sys.executable, EXAMPLES / "reference_client.py"],
    "reference, json": [sys.executable, EXAMPLES / "reference_client.py", "json"],
    "plain Python": [sys.executable, EXAMPLES / "plain_client.py"],
    "Node": [NODE, EXAMPLES / "node_client.mjs"],
    "TypeScript, msgpack": [NODE, LIBRARY / "conform.mjs"],
    "TypeScript, json": [NODE, LIBRARY / "conform.mjs", "json"],
}

NOISE = {True: (b"{", b"[1]", b"null", b"{}"), False: (b"\xc1", b"\x91\x01", b"\xc0", b"\x80")}
"""Frames that are no messages, in text or not."""

BREAKS = (
    ("acts_in_trouble", "mending", "6.10"),
    ("aims_ahead", "play", "6.3"),
    ("answers_to_all", "answers", "2.8"),
    ("always_returns", "final-4003", "7"),
    ("appends_actions", "replaced", "4.2"),
    ("applies_anything", "duplicate", "6.2"),
    ("applies_anything", "hole", "6.2"),
    ("asks_at_once", "stale-lower", "6.9"),
    ("asks_why", "play", "15.3"),
    ("fails_for_good", "internal", "7"),
    ("filters_unasked", "play", "15.3"),
    ("asks_for_snapshots", "hole", "6.2"),
    ("asks_for_snapshots", "cut", "6.1"),
    ("believes_in_stale", "stale-undone", "6.9"),
    ("bans_are_over", "final-4005", "7"),
    ("comes_back_at_once", "haste", "14.1"),
    ("counts_on_pings", "no-pings", "1.4"),
    ("counts_answers", "hole-acting", "2.1"),
    ("deaf_to_silence", "silence", "1.4"),
    ("does_not_mask", "play", "7"),
    ("does_not_wait", "rate", "7"),
    ("drops_stale_actions", "stale", "6.3"),
    ("forgets_its_token", "cut", "1.3"),
    ("fears_old_epochs", "epoch", "6.2"),
    ("fills_for_ever", "hole-again", "6.10"),
    ("forks_on_duplicates", "duplicate", "6.2"),
    ("forgets_proofs", "proof", "6.13"),
    ("keeps_proofs", "proof", "6.13"),
    ("gives_up_early", "digest-first", "6.2"),
    ("grows_boards", "no-such-cell", "6.2"),
    ("hammers", "watch-loose", "7"),
    ("has_its_own_path", "watch-loose", "1.1"),
    ("ignores_epochs", "epoch-fork", "6.2"),
    ("impatient", "quiet", "1.4"),
    ("insists", "refused", "7"),
    ("insists_on_reports", "report-refused", "6.14"),
    ("insists_on_stale", "stale-lower", "6.3"),
    ("is_no_bot", "bot", "1.3"),
    ("is_shut_out", "shut-out", "1.13"),
    ("joins_from_before", "hole-later", "7"),
    ("joins_twice", "mending", "6.10"),
    ("keeps_actions", "unknown", "4.2"),
    ("keeps_its_lines", "watch-loose", "6.1"),
    ("keeps_its_board", "watch-loose", "4.2"),
    ("keeps_the_latest", "older", "6.7"),
    ("knows_no_pause", "pause", "19.6"),
    ("knows_it_all", "unknown", "1.2"),
    ("leaves_in_disorder", "fault", "6.2"),
    ("leaves_early", "watch-loose", "6.1"),
    ("loses_actions", "cut-before", "2.3"),
    ("names_any_epoch", "play", "6.3"),
    ("new_nonces", "seat-cut", "2.3"),
    ("gives_in", "busy", "1.13"),
    ("no_backoff", "backoff", "7"),
    ("no_timer", "stale-silence", "6.9"),
    ("normal_is_nothing", "final-1000", "7"),
    ("nulls_are_nothing", "by-the-rules", "4.2"),
    ("one_address", "elsewhere", "7"),
    ("only_acts_again", "rate-others", "7"),
    ("plays_twice", "cut-after", "2.3"),
    ("reads_little", "large", "1.7"),
    ("reports_nothing", "digest", "6.2"),
    ("reports_nothing", "fault", "6.2"),
    ("reports_nothing", "spoilt", "6.2"),
    ("rewrites_records", "unknown", "3.4"),
    ("shortens_times", "watch-loose", "3.4"),
    ("starts_over", "play", "6.2"),
    ("stands_on_its_head", "watch-loose", "5.3"),
    ("takes_any_room", "strays", "10.3"),
    ("talks", "play", "contract"),
    ("trusts_chains", "chain", "6.2"),
    ("trusts_chains", "fork", "6.2"),
    ("trusts_numbers", "fork-same", "6.2"),
    ("trusts_digests", "digest", "6.2"),
    ("trusts_digests", "diff", "6.2"),
    ("waits_for_events", "stale-undone", "6.9"),
    ("waits_for_ghosts", "gone", "1.5"),
    ("waits_after_mending", "mended-turn", "6.7"),
    ("will_not_wait", "retry-after", "1.13"),
)


async def _try(command: Sequence[str | Path], *names: str) -> list[Finding]:
    return await client.try_client(forked(command), client.chosen([], names))


@pytest.mark.long(33)
@pytest.mark.parametrize("name", GOOD)
async def test_good_clients_pass(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    """In its second codec, a client lives through some of the scenarios, unless there is time for
    all of them."""
    scenarios = list(SCENARIOS)
    if GOOD[name][-1] == "json":
        scenarios = rng.sample(scenarios, up_to(len(scenarios)))
    for bound in (
        "expectations.SOON",
        "expectations.START",
        "expectations.RETURN",
        "acts.SOON",
        "acts.RETURN",
    ):
        monkeypatch.setattr(f"pierule_conform.{bound}", 60.0)  # a busy machine is no breach
    # They wait for most of the time, so twice as many at once take half of it.
    jobs = 2 * client.JOBS
    findings = await client.try_client(forked(GOOD[name]), scenarios, jobs, bound=500)
    assert [finding for finding in findings if finding.status != "passed"] == []
    assert [finding.name for finding in findings] == [scenario.name for scenario in scenarios]
    assert passed(findings)


@pytest.mark.parametrize("name", GOOD)
async def test_good_clients_go_on_after_a_frame_that_nobody_can_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPEC 2.8: a fault of the server's, before each message to who follows a room."""
    write = scripted.ScriptedConnection._write

    async def noisily(line: scripted.ScriptedConnection, data: bytes) -> None:
        for noise in NOISE[line.codec.text] if line.following else ():
            await write(line, noise)
        await write(line, data)

    monkeypatch.setattr(scripted.ScriptedConnection, "_write", noisily)
    findings = await _try(GOOD[name], "watch-loose", "play")
    assert [(finding.status, finding.reason) for finding in findings] == [("passed", "")] * 2


@pytest.mark.parametrize(("broken", "scenario", "section"), BREAKS)
async def test_broken_clients_are_told_what_they_broke(
    broken: str, scenario: str, section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    # A client that hammers is told so after 300 requests, however long they take.
    soon = 60.0 if broken == "hammers" else 3.0
    monkeypatch.setattr("pierule_conform.expectations.SOON", soon)
    monkeypatch.setattr("pierule_conform.expectations.RETURN", 6.0)
    monkeypatch.setattr("pierule_conform.acts.RETURN", 6.0)
    monkeypatch.setattr("pierule_conform.expectations.STALE", 1.0)
    monkeypatch.setattr("pierule_conform.expectations.HASTE", 0.2)
    [finding] = await _try([sys.executable, BROKEN / f"{broken}.py"], scenario)
    assert (finding.status, finding.section) == ("failed", section), finding
    assert finding.reason
    json.dumps(finding.expected), json.dumps(finding.received), json.dumps(finding.sent)


async def test_a_board_that_differs_is_shown_beside_the_right_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    [finding] = await _try([sys.executable, BROKEN / "stands_on_its_head.py"], "watch-loose")
    *fields, board = finding.expected.split(" ")
    assert finding.received == " ".join([*fields, "/".join(reversed(board.split("/")))])
    assert finding.received != finding.expected


async def test_a_client_whose_chain_is_wrong_is_told_what_the_chain_covers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    [finding] = await _try([sys.executable, BROKEN / "shortens_times.py"], "play")
    event = finding.sent
    line = "{epoch} {seq} {record} {at}".format(**event)
    assert f"over the UTF-8 of `{line}` is {event['chain']}" in finding.reason
    assert json.loads(event["record"]) == {"kind": "acted", "seat": 0, "action": "komi:14"}


async def test_a_client_is_told_why_its_frame_closed_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    [finding] = await _try([sys.executable, BROKEN / "does_not_mask.py"], "play")
    told = "breaks the WebSocket protocol: incorrect masking (closed with 1002)"
    assert told in finding.reason


async def test_a_client_that_does_not_flush_is_asked_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    monkeypatch.setattr("pierule_conform.expectations.SOON", 3.0)
    [finding] = await _try([sys.executable, BROKEN / "keeps_its_lines.py"], "play")
    assert finding.reason.endswith("no line has come yet on standard output: is each one flushed?")


async def test_a_nonce_that_another_process_has_used_is_a_breach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    findings = await _try([sys.executable, BROKEN / "has_one_nonce.py"], "play", "event-first")
    told = sorted((finding.status, finding.section) for finding in findings)
    assert told[0] == ("failed", "2.3")
    assert told[1][0] == "passed"


def test_every_broken_client_is_tried() -> None:
    tried = {broken for broken, _, _ in BREAKS} | {"has_one_nonce"}
    assert {path.stem for path in BROKEN.glob("*.py")} == tried


async def test_a_client_that_does_nothing_fails_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pierule_conform.expectations.START", 0.2)
    [finding] = await _try([sys.executable, "-c", "import time; time.sleep(60)"], "hole")
    assert (finding.status, finding.section) == ("failed", "1.1")
    assert finding.seconds < 10


async def test_a_scenario_without_time_left_fails() -> None:
    scenarios = client.chosen([], ["hole"])
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    [finding] = await client.try_client(command, scenarios, bound=0.1)
    assert finding.status == "failed"
    assert finding.reason == "no time was left for this scenario: give all more (--seconds)"


def test_a_slow_client_may_be_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    async def tried(*asked: Any) -> list[Finding]:
        given.append(asked[3])
        return []

    monkeypatch.setattr(client, "try_client", tried)
    for words in ([], ["--seconds", "180"]):
        _run(*words, "--", sys.executable)
    assert given == [58, 180]


async def test_the_clients_standard_error_is_shown() -> None:
    [finding] = await _try([sys.executable, "-c", "raise SystemExit('no such planet')"], "hole")
    assert (finding.status, finding.section) == ("failed", "1.1")
    assert "status 1" in finding.reason
    assert finding.reason.endswith("no such planet")


async def test_an_error_above_its_stack_is_shown() -> None:
    stack = "ReferenceError: no planet\\n    at land (x.mjs:1:2)\\n" + "    at run (y.mjs)\\n" * 5
    program = f"raise SystemExit('{stack}\\nNode.js v20')"
    [finding] = await _try([sys.executable, "-c", program], "hole")
    assert finding.reason.endswith("standard error: ReferenceError: no planet | Node.js v20")


async def test_a_foreign_subprotocol_is_a_breach() -> None:
    program = (
        "import os; from websockets.sync.client import connect;"
        "connect(os.environ['PIERULE_URL'], subprotocols=['chess'])"
    )
    [finding] = await _try([sys.executable, "-c", program], "hole")
    assert (finding.section, finding.received) == ("1.1", ["chess"])


def test_scenarios_are_chosen_by_section_and_name() -> None:
    assert {"hole", "epoch"} <= {scenario.name for scenario in client.chosen(["6.2"], [])}
    assert client.chosen(["6"], ["quiet"]) == []
    assert [scenario.name for scenario in client.chosen(["1"], ["quiet"])] == ["quiet"]
    assert len(client.chosen([], [])) == len({scenario.name for scenario in SCENARIOS})


def _run(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    client.configure(parser)
    return client.run(parser.parse_args([str(word) for word in words]))


def test_the_command_reports_passed_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junit = tmp_path / "report.xml"
    good: list[str | Path] = [sys.executable, EXAMPLES / "plain_client.py"]
    assert _run("--only", "hole", "--only", "chain", "--junit", junit, "--", *good) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("ok   6.2   hole: ")
    assert told[-1] == "client: 2 passed"
    suite = ElementTree.fromstring(junit.read_text("utf-8"))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")


def test_the_command_reports_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)
    broken: list[str | Path] = [sys.executable, BROKEN / "trusts_chains.py"]
    junit = tmp_path / "report.xml"
    assert _run("--only", "chain", "--json", "--junit", junit, "--", *broken) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["passed"], told["broken"]) == (False, ["6.2"])
    case = ElementTree.fromstring(junit.read_text("utf-8")).find("testcase")
    assert case is not None
    assert case.get("classname") == "SPEC.6.2"
    assert case.find("failure") is not None
    assert _run("--only", "chain", "--", *broken) == 1
    assert "client: 1 failed; broken: SPEC 6.2" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("--", "/no/such/client"),
        ("--section", "12", "--", sys.executable),
        ("--jobs", "0", "--", sys.executable),
        ("--seconds", "0", "--", sys.executable),
    ],
)
def test_wrong_usage_exits_with_2(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*words) == 2
    assert capsys.readouterr().err.startswith("pierule conform client: ")


def test_a_report_that_cannot_be_written_is_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tried(*_: Any) -> list[Finding]:
        return []

    monkeypatch.setattr(client, "try_client", tried)
    assert _run("--junit", tmp_path / "no" / "x.xml", "--", sys.executable) == 2
    assert "x.xml: No such file" in capsys.readouterr().err


def test_the_contract_lists_every_scenario() -> None:
    rows = [
        f"| `{scenario.name}` | {', '.join(scenario.sections)} | {scenario.title} |"
        for scenario in SCENARIOS
    ]
    page = (Path(__file__).parents[2] / "protocol" / "CONFORM.md").read_text("utf-8")
    assert "\n".join(rows) in page
