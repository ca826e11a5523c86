"""The program as people use it: processes with terminals and pipes against a real server."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import pierule
from e2e.conftest import Starter
from pierule.room import new_nonce
from pierule_games.package import fill
from pierule_protocol.messages import Create
from support.documents import document_of
from support.laptop import Laptop

VECTORS = Path(__file__).parents[1] / "vectors" / "games.jsonl"


def reference(game: str, size: int) -> tuple[list[str], str]:
    """The actions of a reference game, and the end of the line in which its result is told."""
    for line in VECTORS.read_text("utf-8").splitlines():
        record = json.loads(line)
        if (record["game"], record["size"]) == (game, size):
            return record["actions"], told(game, record["result"])
    raise AssertionError("there is no such game")


def told(game: str, result: dict[str, Any]) -> str:
    """How the game's own texts end the line of this result."""
    texts = document_of(game).texts.result
    low, high = sorted(map(str, result["score"].values()), key=int)
    text = texts.draw if result["winner"] == "draw" else texts.level if low == high else texts.ahead
    return fill((text or "").removeprefix("{0}"), ["", "", high, low, str(int(high) - int(low))])


def test_a_room_is_made_and_listed(laptop: Laptop) -> None:
    status, said = laptop.run("new", "veletas", "--size", "7", "--seat", "1", "--name", "Ada")
    assert status == 0
    room = said.splitlines()[0]
    assert f"  pierule play {room} " in said
    assert f"  pierule watch {room} " in said
    status, said = laptop.run("rooms", "--limit", "100")
    [line] = [line for line in said.splitlines() if line.startswith(room)]
    head, _, tail = line.rpartition(" s ")
    assert head.split()[:-1] == [room, "veletas", "7", "-", "open", "0"]
    assert tail.split() == ["(free)", "-", "Ada"]
    status, said = laptop.run("rooms", "--json", "--codec", "json", "--limit", "100")
    cards = {card["room"]: card for card in map(json.loads, said.splitlines())}
    assert cards[room]["names"] == [None, "Ada"]


def test_rooms_says_that_there_are_none(start: Starter, tmp_path: Path,
                  laptops: Callable[[Path, str], Laptop]) -> None:  # fmt: skip
    status, said = laptops(tmp_path / "config", start().url).run("rooms")
    assert (status, said) == (0, "No room is open or running.\nTo create one: pierule new GAME\n")


def test_refusals_of_the_server_are_shown(laptop: Laptop) -> None:
    status, said = laptop.run("new", "chess")
    assert status == 1
    assert "\n  veletas: size 7, 9, 10 (default 10)\n" in said
    status, said = laptop.run("new", "loose", "--size", "6")
    assert status == 1
    assert "\n  loose: size 5, 7," in said
    for command in ("watch", "play"):
        status, said = laptop.run(command, "zzz")
        assert status == 1
        assert "Traceback" not in said
        assert said.startswith("pierule: ")


@pytest.mark.parametrize(("game", "size"), [("veletas", 7), ("loose", 5), ("taugo", 6)])
def test_two_plain_terminals_play_a_whole_game_while_a_third_follows(
    laptop: Laptop, game: str, size: int
) -> None:
    actions, result = reference(game, size)
    room = laptop.new(game, "--size", str(size))
    watcher = laptop.start("watch", room)
    watcher.expect("waiting for two players")
    players = [laptop.start("play", room, tty=True)]
    players[0].expect("(you)")
    players.append(laptop.start("play", room, tty=True))
    players[1].expect("(you)")
    for ply, action in enumerate(actions):
        players[mover(ply, actions)].type(action + "\n")
        for program in (*players, watcher):
            program.expect(f"ply {ply + 1}: {action[:20]}")
    for program in (*players, watcher):
        program.expect(result)
        program.expect("result: ")
        if program.is_tty:
            program.type("quit\n")
        assert program.end() == 0
    assert watcher.said.splitlines()[-1].endswith(result)


def mover(ply: int, actions: list[str]) -> int:
    """The seat that acts: the set-up is the seats', what comes then is the colors'."""
    if ply < 2:
        return ply
    black = 1 if actions[1] == "black" else 0
    black_begins = actions[0].startswith("komi")
    return black if (ply % 2 == 0) == black_begins else 1 - black


def test_scripts_play_a_whole_game_without_reading(laptop: Laptop) -> None:
    """Everything is written at once: each action waits for its turn."""
    actions, result = reference("veletas", 7)
    room = laptop.new("veletas", "--size", "7")
    white = 0 if actions[1] == "black" else 1
    rest = {white: actions[2::2], 1 - white: actions[3::2]}
    for seat in (0, 1):
        program = laptop.start("play", room, "--seat", str(seat))
        program.type("\n".join([actions[seat], *rest[seat]]))  # the last line has no end
        program.end_input()
    for program in laptop.programs[-2:]:
        assert program.end() == 0
        assert program.said.splitlines()[-1].endswith(result)
        assert "not legal" not in program.said
    status, said = laptop.run("watch", room)
    assert status == 0
    assert said.splitlines()[-1].endswith(result)


def test_a_seat_that_is_taken_is_not_chosen(
    start: Starter, tmp_path: Path, laptops: Callable[[Path, str], Laptop]
) -> None:
    """The latest room of a game is no use to whoever wants the seat that its maker has."""
    serving = start()
    host, guest = (laptops(tmp_path / name, serving.url) for name in ("host", "guest"))
    free = host.new("loose", "--seat", "1")
    host.new("loose", "--seat", "0")
    program = guest.start("play", "loose", "--seat", "0")
    program.end_input()
    program.expect(free)
    status, said = guest.run("play", "taugo", "--seat", "0")
    assert status == 1
    assert "nobody is waiting for a game of taugo with seat 0 free" in said


def test_an_open_room_is_found_among_many(
    start: Starter, tmp_path: Path, laptops: Callable[[Path, str], Laptop]
) -> None:
    """Five guests have open 210 rooms of another game, and have left some of the same one."""
    unbounded = ("abandoned-per-address", "address-budget", "user-budget", "user-rate")
    flags = [text for name in unbounded for text in (f"--{name}", "0")]
    url = start(*flags, "--connection-rate", "0", "--rooms-followed", "50").url
    guest = laptops(tmp_path / "guest", url)

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            ada = await stack.enter_async_context(pierule.connect(url, name="Ada"))
            small = await ada.create("veletas", 7, seat=0)
            await ada.create("veletas", seat=1)
            for _ in range(5):
                other = await stack.enter_async_context(pierule.connect(url))
                for _ in range(42):
                    await other.create("taugo", seat=0)
                left = Create(id=0, nonce=new_nonce(), game="veletas", size=7, seat=0)
                await other._session.request(left)
            assert len(await ada.rooms(None, game="taugo", free_seat=1)) == 210
            assert len(await ada.rooms(150, status="open")) == 150
            cards = await ada.rooms(game="veletas", size=7)
            assert [card.away for card in cards] == [False] + [True] * 5
            asked = ("rooms", "--game", "veletas", "--free-seat", "1")
            _, said = await asyncio.to_thread(guest.run, *asked)
            assert said.count("veletas 7") == 6
            assert "veletas 10" not in said
            async for view in ada.lobby(game="veletas", free_seat="any"):
                assert [room.card.size for room in view.rooms if not room.card.away] == [10, 7]
                assert {room.card.game for room in view.rooms} == {"veletas"}
                break
            program = guest.start("play", "veletas", "--size", "7")
            program.end_input()
            await asyncio.to_thread(program.expect, small.id)

    asyncio.run(scenario())


def test_a_size_needs_a_game(laptop: Laptop) -> None:
    for room, size, text in (
        ("kobadimu", "9", "kobadimu is a room, which has its size"),
        ("veletas", "8", "veletas has the sizes 10, 9, 7, not 8"),
    ):
        status, said = laptop.run("play", room, "--size", size)
        assert status == 1
        assert text in said


def test_play_understands_words_and_explains_errors(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    first = laptop.start("play", room, tty=True)
    first.expect("waiting for a player in seat 1> ")
    first.type("komi:4\n")
    first.expect("waiting for a player in seat 1")
    second = laptop.start("play", room, tty=True)
    second.expect("is to act> ")
    second.type("white\n")
    second.expect("it is not your turn: guest-")
    first.expect("For example: komi:4")
    first.expect("your turn> ")
    first.type("komi:3\n")
    first.expect("not legal: set the komi")
    first.type("legal\n")
    first.expect("13 legal actions")
    first.type("komi:5\x7f6\n")
    second.expect("type black or white. Komi 6.")
    second.type("black\n")
    second.expect("black> ")
    second.type("legal c3\n")
    second.expect("1 legal action beginning with c3:\r\n  c3")
    second.type("c3\n")
    first.expect("white> ")
    first.type("c3\n")
    first.expect("not legal: c3 is not empty")
    first.type("help\n")
    first.expect("words you can type")
    first.type("board\n")
    first.expect("Loose 5, room")
    first.type("resign\n")
    first.expect("once more")
    first.type("board\nresign\n")
    first.expect("once more")
    first.type("resign\n")
    for program in (first, second):
        program.expect("(Black) wins: guest-")
        program.expect("quit to leave")
        program.type("quit\n")
        assert program.end() == 0


def test_an_action_of_the_opponent_keeps_the_typed_text(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    first = laptop.start("play", room, tty=True)
    first.expect("seat 1> ")
    first.type("komi:1")
    first.expect("seat 1> komi:1")
    second = laptop.start("play", room)
    first.expect("For example: ")
    first.expect("your turn> komi:1")  # what was typed stands below what came
    first.type("2\n")
    second.expect("ply 1: komi:12")


def test_a_player_of_a_killed_terminal_gets_the_seat_back(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    players = []
    for seat in (0, 1):
        players.append(laptop.start("play", room))
        players[seat].expect(f"seat {seat}  guest-")
        players[seat].expect("(you)")
    status, said = laptop.run("play", room)
    assert status == 1
    assert f"in other terminals of this computer; to watch: pierule watch {room}" in said
    for seat in (1, 0):
        players[seat].process.send_signal(signal.SIGKILL)
        players[seat].end()
        players[seat] = laptop.start("play", room)
        drawn = players[seat].expect("(you)")
        assert drawn.splitlines()[-1].split("guest")[0].endswith(f"seat {seat}  ")
    players[0].type("komi:4\n")
    players[1].type("black\n")
    players[0].expect("ply 2: black")


def test_quitting_keeps_the_seat_and_restores_the_terminal(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    for leave in ("quit\n", "\x04"):
        player = laptop.start("play", room, tty=True)
        player.expect("seat 1> ")
        before = termios.tcgetattr(player.tty)
        assert not before[3] & termios.ICANON
        player.type(leave)
        assert player.end() == 0
        player.expect(f"You keep your seat. To go on: pierule play {room}")
        assert termios.tcgetattr(player.tty)[3] & termios.ICANON
    player = laptop.start("play", room)
    player.end_input()
    player.expect("end of input: showing the game until it is over")
    assert player.process.poll() is None


def test_ctrl_c_and_sigterm_leave_the_terminal_as_it_was(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    player = laptop.start("play", room, tty=True)
    player.expect("seat 1> ")
    player.type("\x03")
    assert player.end() == 130
    assert termios.tcgetattr(player.tty)[3] & termios.ICANON
    player = laptop.start("play", room, tty=True)
    player.expect("seat 1> ")
    player.process.terminate()
    assert player.end() == 128 + signal.SIGTERM
    assert termios.tcgetattr(player.tty)[3] & termios.ICANON
    watcher = laptop.start("watch", room)
    watcher.expect("waiting for")
    watcher.process.send_signal(signal.SIGINT)
    assert watcher.end() == 130
    for program in laptop.programs:
        assert "Traceback" not in program.said


def test_each_profile_has_its_own_identity_and_name(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5", "--seat", "0", "--name", "Ada")
    other = laptop.start("play", room, "--profile", "bob", "--name", "Bob")
    other.expect("seat 1  Bob (you)")
    mine = laptop.start("play", room)
    mine.expect("seat 0  Ada (you)")
    stranger = laptop.start("play", room, "--profile", "eve")
    stranger.expect(f"pierule: both seats are taken; to watch: pierule watch {room} --profile")
    assert stranger.end() == 1


def test_watch_draws_in_color_and_in_ascii(laptop: Laptop) -> None:
    room = laptop.new("veletas", "--size", "7")
    watcher = laptop.start("watch", room, tty=True)
    watcher.expect("\x1b[0;48;5;180;38;5;137m·")
    laptop.env["NO_COLOR"] = "1"
    watcher = laptop.start("watch", room, tty=True)
    assert "\x1b" not in watcher.expect("waiting for two players")
    laptop.env.update(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    watcher = laptop.start("watch", room)
    assert watcher.expect("waiting for two players").isascii()


def test_watch_ends_when_nobody_reads_its_output(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    for seat in (0, 1):
        laptop.start("play", room).expect(f"seat {seat}  guest-")
    reader = "import os; os.read(0, 1); os.close(0); os.write(2, b'gone\\n')"
    watch = f"{sys.executable} -m pierule_terminal.cli watch {room}; echo status $? >&2"
    command = ["/bin/sh", "-c", f'({watch}) | {sys.executable} -c "{reader}"']
    with subprocess.Popen(command, env=laptop.env, stderr=subprocess.PIPE, text=True) as shell:
        assert shell.stderr is not None
        assert shell.stderr.readline() == "gone\n"
        laptop.programs[1].type("komi:4\n")
        assert shell.stderr.read() == "status 141\n"


def test_watch_goes_on_when_the_server_comes_back(
    start: Starter, tmp_path: Path, laptops: Callable[[Path, str], Laptop]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = start("--port", str(port))
    laptop = laptops(tmp_path / "config", serving.url)
    room = laptop.new("loose", "--size", "5")
    for seat in (0, 1):
        laptop.start("play", room).expect(f"seat {seat}  guest-")
    watcher = laptop.start("watch", room)
    watcher.expect("is to act")
    serving.kill()
    watcher.expect("-- ")
    serving.start()
    watcher.expect("connected again")
    laptop.programs[1].type("komi:4\n")
    watcher.expect("ply 1: komi:4")
