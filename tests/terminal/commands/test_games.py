"""`pierule games` over a real archive."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import pierule.archive as archive_client
from archive.api.serving import Served, served
from archive.games import a_game
from archive.test_rating import rate_all, rated_game
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_terminal.cli import main
from pierule_terminal.commands.games import shown
from pierule_terminal.commands.online import web_address


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Served]:
    archive = Archive(opened(url_in(tmp_path)))
    archive.add([
        a_game("bumatodigefoha", plies=4),
        replace(a_game("secretsecretse", plies=4), access="private"),
        a_game("kobadimutelosa", game="taugo", size=7, plies=6),
    ])  # fmt: skip
    archive.void("bumatodigefoha", 5, "cheating")
    archive.engine.dispose()
    with served(url_in(tmp_path)) as running:
        yield running


def games(api: Served, *arguments: str) -> int:
    return main(["games", "--api", f"http://127.0.0.1:{api.port}", *arguments])


def test_the_archive_is_that_of_the_server_that_other_commands_use(
    api: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIERULE_SERVER", f"ws://127.0.0.1:{api.port}/ws")
    assert main(["games", "--game", "taugo"]) == 0
    assert "kobadimutelosa" in capsys.readouterr().out
    assert main(["ratings", "list", "taugo"]) == 0
    assert web_address("wss://games.example.org/ws") == "https://games.example.org"


def test_games_are_listed_the_latest_first(api: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(api) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "kobadimutelosa  taugo 7" in first
    assert second.endswith("Ada - Bob: Bob won (resigned, void)")
    assert games(api, "--player", "Ada", "--size", "5") == 0
    assert capsys.readouterr().out.splitlines() == [second]


def test_the_feed_comes_as_json(api: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(api, "--json", "--order", "asc", "--limit", "0") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["feed"] for line in lines] == [1, 2, 3, 4]


def test_exported_records_verify(
    api: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    assert games(api, "--records", "-o", str(file)) == 0
    assert len(file.read_text().splitlines()) == 2
    assert games(api, "kobadimutelosa", "-o", str(tmp_path / "one.json")) == 0
    assert main(["verify", str(file), str(tmp_path / "one.json")]) == 0
    assert capsys.readouterr().err == ""


def test_ratings_are_those_of_the_game_and_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = Archive(opened(url_in(tmp_path)))
    archive.add([rated_game(1), rated_game(2), rated_game(3, rated="no")])
    rate_all(archive)
    archive.engine.dispose()
    with served(url_in(tmp_path)) as api:
        assert games(api) == 0
        unrated, second, first = capsys.readouterr().out.splitlines()
        told = re.compile(r"(Bob|Cyd) \((\d+)±\d+, ([-+]\d+)\)")
        after, later = (
            {name: (int(points), int(by)) for name, points, by in told.findall(line)}
            for line in (first, second)
        )
        assert [points - by for points, by in after.values()] == [1500, 1500]
        points, by = later["Cyd"]
        assert points - by == after["Cyd"][0]
        assert "±" not in unrated
        for arguments, found in (
            (("--min-rating", "0"), [second, first]), (("--max-rating", "1499"), []),
            (("--min-rating", "1500", "--max-rating", "1500"), [first]),
            (("--rated", "false"), [unrated]),
        ):  # fmt: skip
            assert games(api, *arguments) == 0
            assert capsys.readouterr().out.splitlines() == found


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nosuchroom",), 1, "there is no room 'nosuchroom'"),
        (("--min-rating", "x"), 1, "`min_rating`: Expected `int`"),
        (("--size", "x"), 1, "`size`: Expected `int`"),
        (("--api", "ws://x"), 2, "'ws://x' is not an http"),
    ],
)
def test_wrong_arguments_are_named(
    api: Served, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int,
    said: str,
) -> None:  # fmt: skip
    assert games(api, *arguments) == status
    assert said in capsys.readouterr().err


def test_a_line_of_an_earlier_server_has_no_ratings() -> None:
    line = {
        "ended": 0, "players": [{"id": "a", "name": "Ada"}, {"id": "b", "name": None}],
        "result": {"winner": 0, "reason": "resigned"}, "amendment": None,
        "game": "loose", "size": 5, "room": "bumatodigefoha", "plies": 4,
    }  # fmt: skip
    assert shown(line).endswith("Ada - b: Ada won (resigned)")


@pytest.mark.parametrize("command", [("games",), ("ratings", "list", "taugo")])
def test_an_archive_that_does_not_answer_is_tried_again_aloud(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_client, "retry_delay", lambda *_: 0.0)
    assert main([*command, "--api", "http://127.0.0.1:9"]) != 0
    first, *_, last = capsys.readouterr().err.splitlines()
    why = "the archive at http://127.0.0.1:9 does not answer: Connection refused"
    assert (first, last) == (f"-- {why}; trying again", f"pierule {command[0]}: {why}")
