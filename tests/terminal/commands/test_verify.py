"""`pierule verify`: files in, one line each out."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from pierule import Turnwise
from pierule_protocol.log.record import RoomRecord, write_record
from pierule_protocol.messages import Result
from pierule_terminal import cli, record_lines
from support.story import Story


@pytest.fixture
def record() -> RoomRecord:
    story = Story(clock=Turnwise(time=30))
    story.act("komi:12", "black", "c3")
    story.flag()
    return story.record


def forged(record: RoomRecord) -> RoomRecord:
    final = msgspec.structs.replace(record.final, result=Result(0, "flagged"))
    return msgspec.structs.replace(record, final=final)


def keep(path: Path, record: RoomRecord) -> str:
    path.write_bytes(write_record(record))
    return str(path)


def run(*argv: str) -> int:
    return cli.main(["verify", *argv])


def test_a_true_record_verifies(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    file = keep(tmp_path / "a", record)
    assert run(file) == 0
    assert capsys.readouterr() == (f"{file}: true: kobadimu, loose 5, 6 events, over\n", "")


def test_the_exit_status_is_that_of_the_worst_file(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = keep(tmp_path / "a", record), keep(tmp_path / "b", forged(record))
    missing, junk = str(tmp_path / "c"), tmp_path / "d"
    junk.write_bytes(b"\x1b[2J")
    said = (
        f"{bad}: not true: after the last event (6): the result is recorded as "
        '{"winner":0,"reason":"flagged"}; the events give {"winner":1,"reason":"flagged"}\n'
    )
    assert run(bad, good) == 1
    assert capsys.readouterr().out == f"{said}{good}: true: kobadimu, loose 5, 6 events, over\n"
    assert run(missing, bad, str(junk), good, str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == f"{said}{good}: true: kobadimu, loose 5, 6 events, over\n"
    lines = err.splitlines()
    assert lines[0] == f"pierule verify: {missing}: No such file or directory"
    assert lines[1].startswith(f"pierule verify: {junk}: not a record: ")
    assert lines[2] == f"pierule verify: {tmp_path}: Is a directory"
    assert "\x1b" not in err


def test_a_pipe_is_read_once(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(write_record(record),), daemon=True)
    writer.start()
    assert run(str(pipe)) == 0
    writer.join(60)
    assert capsys.readouterr().out.startswith(f"{pipe}: true: kobadimu")


def test_results_can_be_json(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = keep(tmp_path / "a", record), keep(tmp_path / "b", forged(record))
    assert run("--json", good, bad, str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert err == ""
    assert [json.loads(line) for line in out.splitlines()] == [
        {"file": good, "true": True, "room": "kobadimu", "game": "loose", "size": 5,
         "status": "over", "result": {"winner": 1, "reason": "flagged"}, "events": 6},
        {"file": bad, "true": False, "event": None, "where": "after the last event (6)",
         "why": 'the result is recorded as {"winner":0,"reason":"flagged"}; '
                'the events give {"winner":1,"reason":"flagged"}'},
        {"file": str(tmp_path), "true": None, "why": "Is a directory"},
    ]  # fmt: skip


def test_each_line_of_a_file_is_verified(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `--export-file` writes them; one was cut short by a crash."""
    good, bad = msgspec.json.encode(record), msgspec.json.encode(forged(record))
    file = tmp_path / "rooms.jsonl"
    true = "true: kobadimu, loose 5, 6 events, over"
    file.write_bytes(good + b"\n" + good)
    assert run(str(file)) == 0
    assert capsys.readouterr() == (f"{file}:1: {true}\n{file}:2: {true}\n", "")
    file.write_bytes(b"\n".join([good, bad, good, b""]))
    assert run(str(file)) == 1
    out = capsys.readouterr().out.splitlines()
    assert [out[0], out[2]] == [f"{file}:1: {true}", f"{file}:3: {true}"]
    assert out[1].startswith(f"{file}:2: not true: after the last event (6)")
    assert len(out) == 3
    file.write_bytes(b"\n".join([good[:99], good, b""]))
    assert run("--json", str(file)) == 2
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["line"], each["true"]) for each in said] == [(1, None), (2, True)]


def test_a_record_is_read_from_standard_input(record: RoomRecord) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pierule_terminal.cli", "verify", "-"],
        input=write_record(record), capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout == b"-: true: kobadimu, loose 5, 6 events, over\n"


def test_reading_stops_at_the_longest_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Endless(io.RawIOBase):
        left = 1_001

        def read(self, size: int = -1) -> bytes:
            assert 0 < size <= self.left
            self.left -= size
            return b" " * size

    monkeypatch.setattr(record_lines, "RECORD_BYTES", 1_000)
    monkeypatch.setattr("pierule_protocol.log.record.RECORD_BYTES", 1_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Endless()))  # type: ignore[type-var]
    assert run("-") == 2
    assert "more than 1000 bytes" in capsys.readouterr().err


def test_a_line_longer_than_the_longest_record_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record_lines, "RECORD_BYTES", 1_000)
    monkeypatch.setattr("pierule_protocol.log.record.RECORD_BYTES", 1_000)
    file = tmp_path / "rooms.jsonl"
    file.write_bytes(b'{"format":' + b" " * 10_000)
    assert run(str(file)) == 2
    assert capsys.readouterr().err.count("more than 1000 bytes") == 1


def test_control_characters_in_a_record_are_escaped(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    events = list(record.events)
    text = json.dumps({"kind": "acted", "seat": 0, "action": "\x1b[2J" + "x" * 10**4})
    events[2] = msgspec.structs.replace(events[2], record=text)
    file = keep(tmp_path / "a", msgspec.structs.replace(record, events=events))
    assert run(file) == 1
    out = capsys.readouterr().out
    assert "event 3 (acted ?[2Jxxx" in out
    assert out.rstrip("\n").isprintable()
    assert len(out) < 300


def keep_analysis(path: Path, more: list[dict[str, object]], **fields: object) -> str:
    """An analysis of what the record plays, as the page saves it."""
    nodes = [{"after": at, "action": each} for at, each in enumerate(("komi:12", "black", "c3"))]
    head = {"format": "pierule.analysis", "version": 1, "game": "loose", "size": 5, "rules": 1}
    path.write_bytes(msgspec.json.encode({**head, "nodes": [*nodes, *more], **fields}) + b"\n")
    return str(path)


def test_an_analysis_is_true_with_its_record_and_its_variations(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    more: list[dict[str, object]] = [
        {"after": 2, "action": "b2", "comment": "\x1b[2J", "symbol": "!"}
    ]
    whole = keep_analysis(tmp_path / "a", more, record=record)
    alone = keep_analysis(tmp_path / "b", more)
    assert run(whole, alone) == 0
    assert capsys.readouterr().out == (
        f"{whole}:1: true: kobadimu, loose 5, 6 events, over, 1 of 4 in variations\n"
        f"{alone}:1: true: an analysis of loose 5, 4 actions, 1 of 4 in variations\n"
    )
    assert run(whole, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["room"], told["nodes"], told["variations"]) == ("kobadimu", 4, 1)


def test_an_untrue_analysis_is_found(
    tmp_path: Path, record: RoomRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    bad: list[dict[str, object]] = [{"after": 3, "action": "c3"}]
    illegal = keep_analysis(tmp_path / "a", bad)
    assert run(illegal) == 1
    assert "not true: node 4 (c3): is not legal: c3 is not empty" in capsys.readouterr().out
    assert run(keep_analysis(tmp_path / "b", [], record=forged(record))) == 1
    assert run(keep_analysis(tmp_path / "c", [], rules=99)) == 3
    assert run(keep_analysis(tmp_path / "d", [], nodes=[{"after": 1, "action": "c3"}])) == 2
