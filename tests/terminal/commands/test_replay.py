"""`pierule replay`: the reference games, and every way in which input can be wrong."""

from __future__ import annotations

import dataclasses
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pierule_games import GAMES
from pierule_games.loose.rules import Loose
from pierule_protocol.state.position import digest
from pierule_terminal import cli
from pierule_terminal.commands.replaying import LINE_BYTES, replay_lines

VECTORS = Path(__file__).parents[2] / "vectors"

GOOD = '{"game": "loose", "size": 5, "actions": ["komi:12", "black", "c3"]}'
ILLEGAL = '{"game": "loose", "size": 5, "actions": ["komi:12", "black", "c3", "c3", "d3"]}'


def replay(text: str | bytes, *, legal: bool = False) -> tuple[int, list[dict[str, Any]], str]:
    """Status, what was written, and stderr."""
    data = text.encode() if isinstance(text, str) else text
    out, err = io.StringIO(), io.StringIO()
    status = replay_lines(io.BytesIO(data), out, err, legal)
    return status, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def test_reference_games_are_replayed() -> None:
    text = (VECTORS / "games.jsonl").read_text("utf-8")
    status, answers, err = replay(text, legal=True)
    assert (status, err) == (0, "")
    games = [json.loads(line) for line in text.splitlines()]
    assert len(answers) == len(games) > 0
    for game, answer in zip(games, answers, strict=True):
        for key in ("game", "size", "legal", "cells", "result"):
            assert answer[key] == game[key]
        assert answer["plies"] == len(game["actions"])
        assert (answer["phase"], answer["to_act"]) == ("over", None)
        assert answer["error"] is None
        assert answer["legal_actions"] == []
        assert answer["digest"] == digest(answer["text"])
        assert answer["text"].startswith(f"{game['game']} {game['size']} over - ")


def test_illegal_actions_are_reported_with_their_place() -> None:
    lines = (VECTORS / "illegal.jsonl").read_text("utf-8").splitlines()
    games = [json.loads(line) for line in lines]
    refused = [{**game, "actions": [*game["actions"], game["illegal"]]} for game in games]
    status, answers, err = replay("\n".join(map(json.dumps, refused)))
    assert (status, err) == (1, "")
    status, before, _ = replay("\n".join(lines))
    assert status == 0
    for game, answer, legal in zip(games, answers, before, strict=True):
        error = answer.pop("error")
        assert (error["ply"], error["action"]) == (len(game["actions"]), game["illegal"])
        assert error["reason"]
        assert legal.pop("error") is None
        assert answer == legal


def test_the_answer_to_a_line_has_every_field() -> None:
    status, [answer], _ = replay(GOOD)
    assert status == 0
    assert answer == {
        "game": "loose",
        "size": 5,
        "plies": 3,
        "phase": "play",
        "to_act": 0,
        "cells": [0] * 12 + [1] + [0] * 12,
        "result": None,
        "text": "loose 5 play 0 1 12 0 1-12 - ...../...../..b../...../.....",
        "digest": answer["digest"],
        "error": None,
    }


def test_a_game_is_replayed_by_its_version_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    class Second(Loose):
        """A later version, with sizes of its own."""

        sizes: ClassVar[Sequence[int]] = (3,)

    both = dataclasses.replace(GAMES["loose"], rules={1: Loose, 2: Second})
    monkeypatch.setitem(GAMES._found, "loose", both)
    for rules in ("null", "1"):
        assert replay(GOOD[:-1] + f', "rules": {rules}}}') == replay(GOOD)
    assert "loose has the sizes 3, not 5" in replay(GOOD[:-1] + ', "rules": 2}')[2]


def test_an_error_describes_the_position_before_it_and_later_lines_go_on() -> None:
    status, answers, _ = replay(f"{ILLEGAL}\n{GOOD}\n", legal=True)
    assert status == 1
    first, second = answers
    assert first["error"] == {"ply": 3, "action": "c3", "reason": "c3 is not empty"}
    assert (first["plies"], first["legal"]) == (3, [13, 2, 26])
    assert second["error"] is None
    assert first["legal_actions"] == second["legal_actions"]
    assert len(first["legal_actions"]) == 25


def test_legal_actions_of_set_ups_of_veletas_are_not_listed() -> None:
    begun = [[], ["d4/d5"], ["d4/d5", "white"]]
    lines = [json.dumps({"game": "veletas", "size": 7, "actions": actions}) for actions in begun]
    _, answers, _ = replay("\n".join(lines), legal=True)
    assert [answer["legal"] for answer in answers] == [[], [None], [None, 2]]
    assert [answer["legal_actions"] for answer in answers] == [None, ["black", "white"], None]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense", "not JSON"),
        ('{"game": "loose"', "not JSON"),
        (GOOD + " x", "not JSON"),
        (GOOD[:-1] + ', "x": NaN}', "not JSON"),
        ('{"size": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\ufeff" + GOOD, "not JSON"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"size": 5, "actions": []}', '"game" is missing'),
        ('{"game": "loose", "actions": []}', '"size" is missing'),
        ('{"game": "loose", "size": 5}', '"actions" is missing'),
        ('{"game": 1, "size": 5, "actions": []}', '"game" is not a string'),
        ('{"game": "go", "size": 9, "actions": []}', 'unknown game "go"'),
        ('{"game": "loose", "size": "5", "actions": []}', '"size" is not an integer'),
        ('{"game": "loose", "size": 5.0, "actions": []}', '"size" is not an integer'),
        ('{"game": "loose", "size": true, "actions": []}', '"size" is not an integer'),
        (
            '{"game": "loose", "size": 6, "actions": []}',
            "loose has the sizes 5, 7, 9, 11, 13, 15, 17, 19, not 6",
        ),
        ('{"game": "loose", "size": 5, "actions": "c3"}', '"actions" is not a list of strings'),
        ('{"game": "loose", "size": 5, "actions": null}', '"actions" is not a list of strings'),
        ('{"game": "loose", "size": 5, "actions": [3]}', '"actions" is not a list of strings'),
        (GOOD[:-1] + ', "rules": 7}', "loose has the rules 1 here, not 7"),
        (GOOD[:-1] + ', "rules": true}', "loose has the rules 1 here, not true"),
        (b'{"game": "loose\xff"}', "not UTF-8"),
        (b" " * (LINE_BYTES + 1), "longer than"),
    ],
)
def test_unreadable_lines_end_it_with_their_number(line: str | bytes, why: str) -> None:
    data = line if isinstance(line, bytes) else line.encode()
    good = GOOD.encode()
    status, answers, err = replay(b"\n".join([good, b"", data, good]))
    assert status == 2
    assert len(answers) == 1
    assert err.startswith("pierule replay: line 3: ")
    assert why in err
    assert err.count("\n") == 1


def test_unreadable_input_after_an_illegal_action_is_unreadable_input() -> None:
    status, answers, _ = replay(f"{ILLEGAL}\nx\n")
    assert (status, len(answers)) == (2, 1)


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n"])
def test_blank_lines_are_skipped(text: str) -> None:
    assert replay(text) == (0, [], "")
    assert len(replay(text + GOOD)[1]) == 1


def test_any_string_may_be_an_action() -> None:
    for action in ("", "é", "\ud800", "\0", "c3\n", " c3", "x" * 100_000):
        line = json.dumps({"game": "loose", "size": 5, "actions": ["komi:12", "black", action]})
        status, [answer], _ = replay(line)
        assert status == 1
        assert answer["error"]["action"] == action


def test_missing_files_and_folders_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        assert cli.main(["replay", str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert str(path) in err
        assert why in err


def test_a_read_error_in_mid_file_is_named() -> None:
    class Failing(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            if line := super().readline(size):
                return line
            raise OSError(5, "Input/output error")

    out, err = io.StringIO(), io.StringIO()
    assert replay_lines(Failing(GOOD.encode() + b"\n"), out, err, legal=False) == 2
    assert out.getvalue().count("\n") == 1
    assert err.getvalue() == "pierule replay: line 2: cannot read it: Input/output error\n"


def test_games_are_read_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(ILLEGAL + "\n")
    assert cli.main(["replay", "--legal", str(path)]) == 1
    assert json.loads(capsys.readouterr().out)["legal"] == [13, 2, 26]


def test_lines_are_answered_as_they_come() -> None:
    command = [sys.executable, "-m", "pierule_terminal.cli", "replay", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(GOOD.encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["plies"] == 3
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(60) == 0


def test_the_main_line_of_an_analysis_is_played() -> None:
    """SPEC 17.8."""
    tree = [(0, "komi:12"), (1, "black"), (2, "c3"), (2, "b3"), (1, "white")]
    nodes = [{"after": after, "action": action} for after, action in tree]
    head = {"format": "pierule.analysis", "version": 1, "game": "loose", "size": 5, "rules": 1}
    status, [answer], err = replay(json.dumps({**head, "nodes": nodes}))
    assert (status, err) == (0, "")
    assert (answer["plies"], answer["variations"]) == (3, 2)
    assert answer["cells"][12] == 1
    status, answers, err = replay(json.dumps({**head, "nodes": [{"after": 1, "action": "a1"}]}))
    assert (status, answers) == (2, [])
    assert "not an analysis" in err
