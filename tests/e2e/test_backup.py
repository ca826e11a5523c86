"""`pierule admin dump` and `load`, as an operator uses them: games go on where they were."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from pierule_protocol.messages import Block, Say
from support import forked, stores
from support.games import game, play
from support.matches import Match, playing
from support.peer import Peer, fresh_nonce
from support.preloaded import terminal
from support.serving import Serving

MATCH = game("loose", 9)
OTHER = game("taugo", 11)
BOUND = 60.0


def admin(*arguments: str | Path, status: int = 0) -> str:
    """`pierule admin` to its end; what it told on standard error."""
    done, _, errors = forked.run("admin", *map(str, arguments), timeout=BOUND)
    assert done == status, errors
    return errors


def keys_of(node: Serving) -> str:
    """The keys of an embedded store, as `--store` wants them."""
    kept = json.loads((node.data / "keys.json").read_text())
    return ",".join(f"{kid}:{secret}" for kid, secret in kept.items())


class Moving:
    """A server that an operator moves from one store to the next."""

    def __init__(self, node: Serving) -> None:
        self.node = node
        self._there = asyncio.Event()
        self._there.set()

    async def url(self) -> str:
        await self._there.wait()
        return self.node.url

    def away(self) -> None:
        self._there.clear()
        self.node.terminate()

    def back(self, node: Serving) -> None:
        self.node = node
        self._there.set()


async def test_games_go_on_in_another_store_after_a_dump_and_load(
    start: Starter, tmp_path: Path
) -> None:
    """From the embedded store to a Redis, to a cluster, and back to an embedded one."""
    with ExitStack() as stack:
        single = stack.enter_context(stores.single_on_port(stores.REDIS or stores.VALKEY))
        cluster = stack.enter_context(stores.cluster())
        moving = Moving(await asyncio.to_thread(start))
        keys = keys_of(moving.node)
        match = Match(moving.url, MATCH)
        match.limit = 10
        async with playing([match]):
            sources = [["--data", str(moving.node.data)], ["--store", single.url]]
            sources.append(["--store", cluster.url])
            for number, source in enumerate(sources):
                await match.reach(match.limit)
                file = str(tmp_path / f"{number}.dump")
                told = await asyncio.to_thread(admin, "dump", file, *source)
                assert told.splitlines()[-1].startswith("dump: done"), told
                await asyncio.to_thread(moving.away)
                if number < 2:
                    target = [single.url, cluster.url][number]
                    await asyncio.to_thread(admin, "load", file, "--store", target)
                    node = await asyncio.to_thread(start, store=target, keys=keys)
                else:
                    node = await asyncio.to_thread(start, keys=keys)
                    node.terminate()  # Now there is a folder; nobody serves it.
                    folder = ("--data", str(node.data), "--replace")
                    await asyncio.to_thread(admin, "load", file, *folder)
                    await asyncio.to_thread(node.start)
                moving.back(node)
                match.allow(MATCH.turns if number == 2 else match.limit + 10)
        assert match.interruptions == 3


async def test_a_dump_of_a_live_server_has_all_it_keeps(
    start: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accounts, chat, block lists, bans and a game that goes on while the dump is made."""
    node = await asyncio.to_thread(start)
    data = ("--data", str(node.data))
    async with pierule.connect(node.url, name="Guest") as client:
        account = await client.register("Zoe")
        user = client.user
    troll = await Peer.open(node.url, "Troll")
    admin("users", "ban", troll.user, "--for", "1h", "--reason", "a test", "--yes", *data)
    match = Match(lambda: asyncio.sleep(0, node.url), OTHER)
    await match.begin()
    ada, bea, watcher = match.peers
    await watcher.do(Say, room=match.room, nonce=fresh_nonce(), text="hi")
    await bea.do(Block, user=troll.user, level="block")
    game_on = asyncio.create_task(match.play())
    await match.reach(5)
    file = tmp_path / "live.dump"
    monkeypatch.setenv("PIERULE_STORE", "redis://127.0.0.1:1")  # which --data beats
    told = await asyncio.to_thread(admin, "dump", file, *data)
    assert told.endswith(f"(--data {node.data})\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert "exists already" in await asyncio.to_thread(admin, "dump", file, *data, status=1)
    game_on.cancel()
    await asyncio.gather(game_on, return_exceptions=True)
    monkeypatch.delenv("PIERULE_STORE")
    await asyncio.to_thread(node.terminate)
    with stores.single() as other:
        admin("load", file, "--store", other.url)
        served = await asyncio.to_thread(start, store=other.url, keys=keys_of(node))
        assert "stop all nodes" in await asyncio.to_thread(
            admin, "load", file, "--store", other.url, "--replace", status=1
        )
        async with pierule.connect(served.url, name="Zoe", recovery=account.recovery) as client:
            assert client.user == user
        with pytest.raises(pierule.Refused, match="a test"):
            async with pierule.connect(served.url, token=troll.token):
                pass
        players = [await peer.again(served.url) for peer in (ada, bea)]
        for player in players:
            await player.follow(match.room)
        first, second = players
        turn = first.state(match.room).turn
        assert turn >= 5
        assert first.state(match.room).actions == list(OTHER.actions[:turn])
        await play(match.room, OTHER, (first, second), begin=turn)
        await first.until_over(match.room)
        answer = await second.do(Block, user=first.user, level="mute")
        assert {each.user for each in answer.block_list or []} == {troll.user, first.user}
        for peer in (*players, *match.peers, troll):
            await peer.close()


async def test_a_dump_goes_through_a_pipe(start: Starter) -> None:
    node = await asyncio.to_thread(start)
    _, made = await asyncio.to_thread(piped, "dump", "--data", str(node.data))
    assert made.startswith(b"PIERULE DUMP 1\n")
    with stores.single() as other:
        cut = await asyncio.to_thread(piped, "load", "--store", other.url, data=made[:-1])
        assert cut == (1, b"")
        assert other.command("DBSIZE") == 0
        done = await asyncio.to_thread(piped, "load", "--store", other.url, data=made)
        assert done == (0, b"")
        assert other.command("DBSIZE") > 0


def piped(command: str, *options: str, data: bytes = b"") -> tuple[int, bytes]:
    """Status and standard output of a command that takes `data` on standard input."""
    line: list[str | Path] = [*terminal(), "admin", command, "-", *options]
    done = subprocess.run(line, input=data, capture_output=True, timeout=BOUND)
    return done.returncode, done.stdout


async def test_the_files_of_an_embedded_store_can_be_used_by_a_valkey(
    start: Starter, tmp_path: Path
) -> None:
    node = await asyncio.to_thread(start)
    async with pierule.connect(node.url, name="Ada") as client:
        room = (await client.create("loose", 5, seat=0)).id
    await asyncio.to_thread(node.terminate)
    for binary in (stores.VALKEY, stores.REDIS or stores.VALKEY):
        with tempfile.TemporaryDirectory(prefix="pr-") as folder:
            shutil.copytree(node.data / "appendonlydir", Path(folder, "appendonlydir"))
            other = stores.Server(binary, Path(folder))
            if binary != stores.VALKEY:
                with pytest.raises(RuntimeError, match="Bad file format reading the append"):
                    await asyncio.to_thread(other.start)
                continue
            try:
                await asyncio.to_thread(other.start)
                served = await asyncio.to_thread(start, store=other.url, keys=keys_of(node))
                async with pierule.connect(served.url, name="Bea") as client:
                    assert (await client.join(room)).state.status == "open"
            finally:
                other.kill()
