"""A game that a package adds: played over the wire by clients that know nothing of it, by house
bots, and verified offline; and what becomes of its rooms where the package is missing."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest

import pierule
from pierule_games import GAMES
from pierule_protocol.codes import Code
from pierule_protocol.games.document import read_document, read_lessons
from pierule_protocol.messages import GameQuery, Join, LegalQuery, ReplayQuery
from pierule_protocol.state.position import digest, position_text
from pierule_terminal.commands.export import record_room
from support.citadel import VECTORS
from support.forked import run
from support.laptop import Laptop
from support.peer import Peer
from support.preloaded import terminal
from support.seated import alone, seated
from support.serving import Serving

BOUND = 120.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, citadel: dict[str, str]) -> Iterator[Serving]:
    """A node with the package, for all tests that leave it running."""
    with Serving(tmp_path_factory.mktemp("shared"), environment=citadel) as serving:
        yield serving


@pytest.fixture
def laptop(server: Serving, tmp_path: Path) -> Iterator[Laptop]:
    """A computer without the package."""
    laptop = Laptop(tmp_path / "config", server.url)
    yield laptop
    for each in laptop.programs:
        each.clear()


def program(environment: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    """Run `pierule` with the package, or without: its status, output, and errors."""
    return run(*arguments, timeout=BOUND, environment=environment)


def get(server: Serving, name: str) -> str:
    """The file of a document."""
    with urlopen(f"http://{server.http}/games/citadel/{name}.json", timeout=BOUND) as response:
        text: str = response.read().decode()
    return text


async def played(url: str) -> str:
    """A whole game by two clients, at random; its room."""
    async with pierule.connect(url) as anna, pierule.connect(url) as bert:
        first = await anna.create("citadel", seat=0)
        second = await bert.join(first.id, seat="any")

        async def play(room: pierule.Room) -> None:
            async for _ in room.turns():
                await room.act(await pierule.random_action(room))

        async with asyncio.timeout(BOUND):
            await asyncio.gather(play(first), play(second))
        assert first.state.result is not None
        assert first.state.result.reason == "played"
        assert first.state.digest == digest(position_text(first.state.position))
        return first.id


async def test_clients_without_the_rules_play_the_package(
    server: Serving, citadel: dict[str, str], tmp_path: Path
) -> None:
    assert "citadel" not in GAMES
    room = await played(server.url)
    async with pierule.connect(server.url) as client:
        record = await record_room(client, await client.join(room))
    file = tmp_path / "record.json"
    file.write_bytes(msgspec.json.encode(record))
    status, said, errors = program(citadel, "verify", str(file))
    assert (status, "true:" in said) == (0, True), errors
    status, _, errors = program({}, "verify", str(file))
    assert status == 3
    assert "cannot check: needs citadel rules 1" in errors


async def test_house_bots_play_the_package(
    server: Serving, citadel: dict[str, str], tmp_path: Path
) -> None:
    def bot(*arguments: str) -> subprocess.Popen[str]:
        command = [*terminal(citadel["PYTHONPATH"]), "bot", "--server", server.url]
        return subprocess.Popen(
            [*command, "--seconds", "0.05", *arguments],
            env={**os.environ, **citadel, "XDG_CONFIG_HOME": str(tmp_path / "config")},
            stdout=subprocess.PIPE,
            text=True,
        )

    host = bot("citadel", "--size", "7", "--once", "--level", "search")
    guest = None
    try:
        assert host.stdout is not None
        room = (await asyncio.to_thread(host.stdout.readline)).partition(":")[0]
        guest = bot("--room", room, "--level", "one-step", "--profile", "guest")
        for each in (host, guest):
            await asyncio.to_thread(each.communicate, timeout=BOUND)
            assert each.returncode == 0
    finally:
        for each in filter(None, (host, guest)):
            each.kill()
            each.communicate()
    async with pierule.connect(server.url) as client:
        result = (await client.join(room)).state.result
        assert result is not None
        assert result.reason == "played"


def vector(size: int) -> dict[str, Any]:
    """The first reference game of the package on a board of this size."""
    games = map(json.loads, (VECTORS / "games.jsonl").read_text("utf-8").splitlines())
    found: dict[str, Any] = next(game for game in games if game["size"] == size)
    return found


async def test_the_full_screen_terminal_plays_the_package(server: Serving) -> None:
    """Its rules are not installed here: what the terminal shows comes from the document, and what
    it looks back at from the server."""
    of = vector(5)
    async with alone(server, "citadel", 5) as (client, room), seated(client, room) as ada:
        for turn, action in enumerate(of["actions"]):
            await ada.until_turn(turn)
            await ada.play(action)
        await ada.until(lambda: ada.controller.view.state.status == "over")
        await ada.until(lambda: ada.controller.view.account is not None)
        assert list(ada.controller.view.state.position.cells) == of["cells"]
        for said in ("Citadel 5", "A draw: 8 each", "largest group", "towers: ", "white tower"):
            assert said in ada.text
        assert "{" in ada.text, "what counts is marked"
        await ada.pilot.press("comma")
        await ada.until(lambda: ada.controller.view.past is not None)
        assert f"Ply {len(of['actions']) - 1} of {len(of['actions'])}" in ada.text
        await ada.pilot.press("e")
        await ada.until(lambda: bool(ada.controller.view.counted.sums))
        await ada.pilot.press("i")
        assert "Each tower adds two" in ada.text
        assert "White plays b3" in ada.text
        await ada.pilot.press("escape")


async def test_the_full_screen_terminal_shows_set_up_and_refusals_of_the_package(
    server: Serving,
) -> None:
    async with alone(server, "citadel", 5) as (client, room), seated(client, room) as ada:
        await ada.until_turn(0)
        assert "You cut. Place two rocks and a black stone." in ada.text
        assert "Tap a cell for a rock. Left to place: 2." in ada.text
        await ada.click("c3")
        await ada.until_drafted("c3")
        assert "<▲>" in ada.text, "the rock is seen before it is sent"
        await ada.click("a3")
        await ada.until_drafted("a3,c3")
        assert "Tap a cell for the black stone." in ada.text
        await ada.click("b2")
        await ada.until_drafted("a3,c3/b2")
        await ada.pilot.press("s")
        await ada.until_turn(1)
        await ada.pilot.press("b")
        await ada.until_drafted("black")
        await ada.pilot.press("b")
        await ada.until_turn(2)
        await ada.click("b2")
        await ada.until(lambda: "not legal: b2 is not empty" in ada.text)


def test_the_play_command_plays_the_package(server: Serving, laptop: Laptop) -> None:
    """Somebody at a terminal, line by line, against a script; a third one has the whole screen."""
    of = vector(5)
    actions, white = of["actions"], 0 if of["actions"][1] == "black" else 1
    mine = [actions[0], *(actions[2::2] if white == 0 else actions[3::2])]
    room = laptop.new("citadel")
    script = laptop.start("play", room, "--seat", "1")
    script.type("\n".join(action for action in actions if action not in mine))
    script.end_input()
    person = laptop.start("play", room, "--seat", "0", tty=True)
    person.expect("Type two rocks with a comma between")
    del laptop.env["PIERULE_PLAIN"]
    looking = laptop.start("watch", room, tty=True)
    looking.expect("Citadel 5, room")
    for ply, action in enumerate(actions):
        if action in mine:
            person.type(f"{action}\n")
        person.expect(f"ply {ply + 1}: {action}")
    person.expect("Black: largest group")
    person.expect("result: A draw: 8 each")
    person.type("rules\nquit\n")
    person.expect("Each tower adds two")
    looking.expect("A draw: 8 each")
    looking.type("q")
    assert [program.end() for program in (person, script, looking)] == [0, 0, 0]
    assert script.said.splitlines()[-1] == "result: A draw: 8 each"
    assert " ▲" in script.said
    assert "c d e" in script.said


def test_the_replay_command_needs_the_installed_package(
    citadel: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text((VECTORS / "games.jsonl").read_text("utf-8"), "utf-8")
    status, said, errors = program(citadel, "replay", "--legal", str(file))
    assert status == 0, errors
    games = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for of, told in zip(games, map(json.loads, said.splitlines()), strict=True):
        assert (told["cells"], told["result"]) == (of["cells"], of["result"])
        assert told["legal"][1:] == of["legal"][1:]
    status, _, errors = program({}, "replay", str(file))
    assert status == 2
    assert 'unknown game "citadel"' in errors


async def test_a_node_has_house_bots_for_the_package(
    tmp_path: Path, citadel: dict[str, str]
) -> None:
    with Serving(tmp_path, "--bots", "one-step", environment=citadel) as serving:
        async with asyncio.timeout(BOUND), pierule.connect(serving.url) as anna:
            room = await anna.seek("citadel", 5, "5+3", bot_after=0)
            async for _ in room.turns():
                await room.act(await pierule.random_action(room))
            assert room.result is not None
            assert room.result.reason == "played"


async def test_a_bot_without_its_rules_takes_no_seat(server: Serving, tmp_path: Path) -> None:
    async with pierule.connect(server.url) as anna:
        room = await anna.create("citadel", seat=0)
        environment = {"XDG_CONFIG_HOME": str(tmp_path)}
        status, _, errors = await asyncio.to_thread(
            program, environment, "bot", "--room", room.id, "--server", server.url
        )
        assert status == 1
        assert "needs citadel rules 1, which are not installed here" in errors
        assert (await anna.join(room.id)).state.seats[1] is None


async def test_every_question_about_the_package_is_answered(server: Serving) -> None:
    async with await Peer.open(server.url) as anna:
        (game,) = (each for each in anna.welcome.games if each.game == "citadel")
        text = (await anna.do(GameQuery, game="citadel")).document
        assert await asyncio.to_thread(get, server, game.hash) == text
        assert text is not None
        assert sha256(text.encode()).hexdigest().startswith(game.hash)
        with pytest.raises(HTTPError, match="404"):
            await asyncio.to_thread(get, server, "0" * 32)
        document = read_document(text)
        assert document.board.grid == "hexagonal"
        beside = (await anna.do(GameQuery, game="citadel", lessons=True)).document
        assert document.lessons_hash is not None
        assert await asyncio.to_thread(get, server, document.lessons_hash) == beside
        assert document.pieces[2].cell == 6
        line = ["a3,c3/b2", "black", "a4", "e1", "b3"]
        told = await anna.do(ReplayQuery, game="citadel", actions=line, account=True)
        assert told.replay is not None
        assert told.replay.account is not None
        async with pierule.connect(server.url) as client:
            assert await client.lessons("citadel") == read_lessons(beside or "")
            assert await client.account("citadel", line) == told.replay.account
        towers = [mark for mark in told.replay.account.marks if mark.kind == "tower"]
        assert [(mark.color, mark.points) for mark in towers] == [("white", ["a3"])]
        async with pierule.connect(server.url) as client:
            room = await client.create("citadel", seat=0)
            await client.join(room.id, seat=1)
            await anna.do(Join, room=room.id)
            legal = (await anna.do(LegalQuery, room=room.id)).legal
            assert legal is not None
            assert [(p.what, p.count, p.cell) for p in legal.template] == [
                ("rock", 2, 6),
                ("stone", 1, 1),
            ]
            asked = (await anna.do(LegalQuery, room=room.id, points=["c3", "a3", "b2"])).legal
            assert asked is not None
            assert asked.preview == [(12, 6), (10, 6), (6, 1)]
            assert await room.preview(["c3", "a3", "b2"]) == dict(asked.preview)
            asked = (await anna.do(LegalQuery, room=room.id, points=["a1"])).legal
            assert asked is not None
            assert asked.refusal is not None
            assert asked.refusal.text == "a1 is not on this board"


@pytest.mark.long(10)
async def test_rooms_wait_while_their_package_is_missing(
    tmp_path: Path, citadel: dict[str, str], rng: random.Random
) -> None:
    """Nothing is quarantined: once the package is there again, the game goes on."""
    with Serving(tmp_path, environment=citadel) as serving:
        async with pierule.connect(serving.url, name="Anna") as anna:
            room = await anna.create("citadel", seat=0)
            await anna.join(room.id, seat=1)
            await room.act("a3,c3/b2")
            token = anna.token
        serving.terminate()
        bare = Serving(tmp_path)
        bare.start()
        try:
            async with await Peer.open(bare.url) as bert:
                assert "citadel" not in {each.game for each in bert.welcome.games}
                error = await bert.refused(Code.NO_GAME, Join, room=room.id)
                assert "needs citadel rules 1" in error.text
            assert (
                f"no living node can play: {room.id} needs citadel rules 1"
                in bare.asked("/readyz")[1]
            )
        finally:
            bare.clear()
        serving.start()
        async with pierule.connect(serving.url, token=token) as anna:
            back = await anna.join(room.id)
            await back.act("black")
            assert back.state.position.black == 1


async def test_the_conformance_kit_plays_an_unknown_game(server: Serving) -> None:
    status, said, errors = await asyncio.to_thread(
        program, {}, "conform", "server", server.url, "--check", "unknown-games-played",
        "--check", "documents-told",
    )  # fmt: skip
    assert status == 0, said + errors
    assert "rules not checked" in said
    assert "skip" not in said
