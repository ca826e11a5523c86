"""A node, and a backup, with exactly the rights that `deploy/store.acl` gives."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.messages import Block, BoardMismatch, CancelSeek, Say, Seek, WatchLobby
from pierule_server.store.redis_room_log import RedisRoomLog
from support import stores
from support.games import game, play, seat_both
from support.peer import fresh_nonce
from support.preloaded import terminal

ROOT = Path(__file__).parents[2]
ACL = ROOT / "deploy" / "store.acl"
SOURCES = ROOT / "server" / "pierule_server"
KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)
PASSWORD = "secret-of-the-store"

OF_BACKUPS = {"dumping.py", "dump_bucket.lua"}
OF_BOTH = {"access.py"}
OF_SWEEPS = {"SCRIPT"}
"""What `access.py` asks only for nodes, which run a script in many buckets at once."""
OF_OTHERS = {"embedded.py", "sentinel.py"}
"""Files that talk to servers of our own, or to those that are no store."""
NOT_SENT = {"COMMAND", "READONLY"}
"""Words that only look like commands."""
DANGEROUS = {"info"}
"""What nodes ask of these, and can do without."""


def rights(user: str) -> list[str]:
    """The rules of a user of the file."""
    (line,) = re.findall(rf"^user {user} (.*)$", ACL.read_text(), re.MULTILINE)
    return str(line).replace("PASSWORD", PASSWORD).split()


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single_on_port() as server:
        for user in ("pierule", "pierule-backup"):
            server.command("ACL", "SETUSER", user, "reset", *rights(user))
        yield server


def url(store: stores.Server, user: str) -> str:
    return f"redis://{user}:{PASSWORD}@127.0.0.1:{store.port}"


def test_every_command_in_the_code_is_allowed(store: stores.Server) -> None:
    known = {name.decode().upper() for name in store.command("COMMAND", "LIST")}
    for user, files in (("pierule", None), ("pierule-backup", OF_BACKUPS)):
        used = set()
        for path in [*SOURCES.rglob("*.py"), *SOURCES.rglob("*.lua")]:
            ours = (
                path.name in files | OF_BOTH if files else path.name not in OF_BACKUPS | OF_OTHERS
            )
            if ours:
                used |= (
                    set(re.findall(r"[\"']([A-Z]{3,})[\"']", path.read_text())) & known - NOT_SENT
                )
        if files:
            used -= OF_SWEEPS
        given = {rule[1:].partition("|")[0].upper() for rule in rights(user) if rule[0] == "+"}
        assert used <= given, f"{user}: {used - given}"
        assert len(used) > 10


def test_no_allowed_command_is_dangerous(store: stores.Server) -> None:
    dangerous = {name.decode() for name in store.command("ACL", "CAT", "dangerous")}
    for user in ("pierule", "pierule-backup"):
        given = {rule[1:] for rule in rights(user) if rule[0] == "+"}
        assert given & dangerous <= DANGEROUS


async def test_a_node_works_with_exactly_these_rights(
    store: stores.Server, start: Starter, opener: Opener, tmp_path: Path
) -> None:
    node = await asyncio.to_thread(start, store=url(store, "pierule"), keys=KEYS)
    first, second = await opener(node.url, "Ada"), await opener(node.url, "Bea")
    room = await seat_both(first, second, LOOSE)
    await first.do(Say, room=room, nonce=fresh_nonce(), text="hi")
    await first.do(Block, user=second.user, level="mute")
    await first.do(WatchLobby)
    nonce = fresh_nonce()
    await first.do(Seek, nonce=nonce, game="taugo")
    await first.do(CancelSeek, nonce=nonce)
    await play(room, LOOSE, (first, second))
    await second.until_over(room)
    place = first.state(room)
    await first.ask(BoardMismatch, room=room, epoch=place.epoch, seq=place.seq, problem="mismatch")
    async with pierule.connect(node.url, name="Guest") as client:
        await client.register("Zoe")
        assert [line async for line in client.download_account()]
        await client.delete_account()
    command = [*terminal(), "admin", "dump", str(tmp_path / "a.dump")]
    done = await asyncio.to_thread(
        subprocess.run, [*command, "--store", url(store, "pierule-backup")], timeout=60
    )
    assert done.returncode == 0
    await asyncio.to_thread(node.terminate)
    load = [*terminal(), "admin", "load", str(tmp_path / "a.dump"), "--replace"]
    done = await asyncio.to_thread(
        subprocess.run, [*load, "--store", url(store, "pierule-backup")], timeout=60
    )
    assert done.returncode == 0
    assert store.command("ACL", "LOG") == []


class Guarded(stores.Server):
    """A store that is started with the whole file."""

    @property
    def url(self) -> str:
        return url(self, "pierule")


@pytest.fixture(params=["valkey", *stores.OTHERS])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Guarded]:
    binary = stores.VALKEY if request.param == "valkey" else stores.REDIS
    assert binary is not None
    rules = tmp_path / "store.acl"
    rules.write_text(ACL.read_text().replace("PASSWORD", PASSWORD))
    server = Guarded(binary, tmp_path, "--aclfile", str(rules), port=stores.free_port())
    try:
        server.start()
        yield server
    finally:
        server.kill()


async def test_stores_load_the_file_and_nodes_connect(guarded: Guarded) -> None:
    log = await RedisRoomLog.open(guarded.url)
    assert log.troubles == []
    await log.close()
    with redis.Redis(port=guarded.port) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_of_the_guarded_store_loses_nothing(
    guarded: Guarded, how: signal.Signals
) -> None:
    """Redis 7.0 replays its append-only file as the user `default`, who is off: transactions, as
    which it keeps what scripts write, are lost if that user may not do what is in them."""
    both = "return {redis.call('SET', KEYS[1], 1), redis.call('SET', KEYS[2], 1)}"
    keys = [f"{{0}}log:{number}" for number in range(100)]
    for pair in zip(keys[::2], keys[1::2], strict=True):
        guarded.command("EVAL", both, 2, *pair)
    assert guarded.process is not None
    guarded.process.send_signal(how)
    guarded.process.wait()
    guarded.start()
    assert [key for key in keys if guarded.command("GET", key) != b"1"] == []


async def test_a_node_works_without_the_info_command(
    store: stores.Server, start: Starter, opener: Opener
) -> None:
    """It cannot learn what the store keeps then. It says so, and serves."""
    store.command("ACL", "SETUSER", "pierule", "-info")
    node = await asyncio.to_thread(start, store=url(store, "pierule"), keys=KEYS)
    status, said = await asyncio.to_thread(node.asked, "/readyz")
    assert status == 200
    assert "INFO" in said
    player = await opener(node.url, "Ada")
    room = await seat_both(player, player, LOOSE)
    await play(room, LOOSE, (player, player))
    await player.until_over(room)
