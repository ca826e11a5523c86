"""`pierule conform server`: what it says, what it writes, how it ends."""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

import pierule
from pierule_conform import server
from pierule_games import GAMES
from pierule_terminal.commands import conform as command
from support.serving import Serving


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A real server in a process of its own."""
    with Serving(tmp_path_factory.mktemp("conform"), "--affinity", "on") as started:
        yield started


def conform(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    server.configure(parser)
    return server.run(parser.parse_args(arguments))


def test_the_command_checks_chosen_sections(
    serving: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conform(serving.url, "--section", "2.1", "--section", "5") == 0
    *lines, verdict = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} == {"ok"}
    assert {line.split()[1] for line in lines} == {"2.1", "5.1", "5.2", "5.3", "5.4"}
    assert verdict.startswith(f"server {serving.url}: ")


def test_a_section_with_watches_only_is_checked(
    serving: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conform(serving.url, "--section", "4.3") == 0
    assert capsys.readouterr().out.startswith("ok   4.3   every-state-one")


def test_the_command_writes_json_and_junit(
    serving: Serving, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "conform.xml"
    assert conform(serving.url, "--section", "3.1", "--json", "-", "--junit", str(file)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["passed"] is True
    assert [finding["name"] for finding in told["findings"]] == ["room-ids"]
    suite = ElementTree.parse(file).getroot()
    assert [case.get("classname") for case in suite] == ["SPEC.3.1"]
    assert conform(serving.url, "--section", "3.1", "--json", str(tmp_path / "no" / "x")) == 2


def test_one_check_can_run_in_one_codec(
    serving: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conform(serving.url, "--check", "act-repeated", "--codec", "json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_the_command_is_a_subcommand_of_conform(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    assert command.run(parser.parse_args(["server", "--list", "--section", "3.1"])) == 0
    assert capsys.readouterr().out.startswith("3.1 ")


def test_the_command_lists_all_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert conform("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    sections = [tuple(map(int, line.split()[0].split("."))) for line in lines]
    assert sections == sorted(sections)
    assert len(lines) > 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "URL"),
        (["ws://127.0.0.1:1/ws"], "handshake"),
        (["nonsense"], "nonsense"),
        (["ws://127.0.0.1:1/ws", "--section", "77"], "--list"),
        (["ws://127.0.0.1:1/ws", "--check", "no-such-check"], "no-such-check"),
    ],
)
def test_wrong_usage_exits_with_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conform(*arguments) == 2
    assert words in capsys.readouterr().err


def test_a_server_that_never_answers_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert conform(f"ws://127.0.0.1:{port}/ws", "--timeout", "0.5") == 2
    assert "handshake" in capsys.readouterr().err


# --- a server of someone else ---------------------------------------------------------------------

LIMITS = {
    "frame_bytes": 1_000,
    "rooms_followed": 4,
    "errors": 4,
    "hello_seconds": 600,
    "ping_seconds": 600,
}
WELCOME = {
    "protocol": "pierule.1",
    "server": "other/1",
    "user": "u",
    "name": "n",
    "token": "t",
    "limits": LIMITS,
    "games": [],
    "features": [],
    "news": "a field of tomorrow",
}


Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """Knows hello and ping, is silent to `rooms`, and has no game that is known here."""
    match request["type"]:
        case "hello":
            return {"type": "ok", "id": request["id"], "welcome": WELCOME}
        case "ping":
            return {"type": "ok", "id": request["id"], "now": 1_800_000_000_000}
        case "rooms":
            return None
    return {"type": "error", "id": request["id"], "code": "unknown_room", "text": "no"}


def agree(request: dict[str, Any]) -> dict[str, Any]:
    """Says ok to everything, and has every game and feature."""
    games = [{"game": name, "sizes": list(game.sizes), "default_size": game.default_size}
             for name, game in GAMES.items()]  # fmt: skip
    features = ["clocks", "legal", "log", "presence", "rooms"]
    welcome = {**WELCOME, "games": games, "features": features}
    return {"type": "ok", "id": request.get("id"), "welcome": welcome, "room": "abc"}


@contextmanager
def other_server(answer: Answer = answer) -> Iterator[str]:
    def handle(opened: ServerConnection) -> None:
        with suppress(ConnectionClosed, ValueError):
            for data in opened:
                told = answer(json.loads(data))
                if told is not None:
                    opened.send(json.dumps(told))

    protocols = [Subprotocol("pierule.1.json")]
    with serve(handle, "127.0.0.1", 0, subprotocols=protocols) as listening:
        thread = Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{listening.socket.getsockname()[1]}/ws"
        finally:
            listening.shutdown()
    thread.join(20)
    assert not thread.is_alive()


def findings(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> dict[str, Any]:
    with other_server() as url:
        assert conform(url, "--codec", "json", "--json", "-", *arguments) == status
    return {found["name"]: found for found in json.loads(capsys.readouterr().out)["findings"]}


def test_checks_of_missing_features_are_skipped_with_the_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ("act-repeated", "hello-in-time", "presence-told", "rate-bounded", "ids")
    found = findings(capsys, 1, *(word for name in names for word in ("--check", name)))
    reasons = {name: one["reason"] for name, one in found.items() if one["status"] == "skipped"}
    assert "no game" in reasons["act-repeated"]
    assert "600 s" in reasons["hello-in-time"]
    assert "presence" in reasons["presence-told"]
    assert "connection_rate" in reasons["rate-bounded"]


def test_an_unanswered_request_fails_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(capsys, 1, "--check", "answers-in-order", "--check", "floats-refused",
                     "--timeout", "0.5")  # fmt: skip
    failed = found["floats-refused"]
    assert failed["status"] == "failed"
    assert failed["sent"]["type"] == "rooms"
    assert "not within 0.5 s" in failed["received"]
    assert failed["section"] == "1.2"


def test_texts_of_a_server_are_shown_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def steer(request: dict[str, Any]) -> dict[str, Any] | None:
        told = answer(request)
        return told and {**told, "text": "\x1b[2J\x9b2J", "code": "c\u202e"}

    with other_server(steer) as url:
        assert conform(url, "--check", "unknown-rooms", "--codec", "json") == 1
    assert capsys.readouterr().out.replace("\n", "").isprintable()


def test_failures_for_the_limits_of_a_server_come_with_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def limit(request: dict[str, Any]) -> dict[str, Any] | None:
        refusal = {"type": "error", "id": request["id"], "code": "rate", "text": "", "retry_ms": 1}
        return answer(request) if request["type"] == "hello" else refusal

    for handle, words in ((limit, "1 check failed"), (agree, None)):
        with other_server(handle) as url:
            assert conform(url, "--check", "unknown-rooms", "--codec", "json") == 1
        said = capsys.readouterr().err
        assert said.startswith(f"{words} because the server limits") if words else not said


def test_a_server_that_agrees_to_everything_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with other_server(agree) as url:
        assert (
            conform(url, "--codec", "json", "--json", "-", "--timeout", "0.2", "--jobs", "40") == 1
        )
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts["failed"] > 80
    assert counts["passed"] < 20


async def test_the_kit_leaves_no_game_behind(serving: Serving) -> None:
    """Rooms in which it holds no seat go by themselves."""
    assert await asyncio.to_thread(conform, serving.url, "--section", "6") == 0
    async with pierule.connect(serving.url) as client:
        assert [card for card in await client.rooms(100) if any(card.names)] == []
