"""Webhooks over real processes: two nodes, a receiver, and a player who is away (SPEC 23.13)."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import redis

import pierule
from e2e.conftest import Starter
from support import stores
from support.preloaded import terminal
from support.proxy import proxied
from support.receiver import Received, Receiver

KEYS = "k1:" + "0123456789abcdef" * 4
ANY = ("--webhooks", "any", "--log-level", "debug")


async def call_of(receiver: Receiver) -> tuple[dict[str, Any], Received]:
    """The next call; a node has 5 s to tell the player first."""
    call = await asyncio.to_thread(receiver.calls.get, timeout=60)
    return json.loads(call.body), call


async def test_a_call_survives_a_node_killed_before_it(start: Starter) -> None:
    receiver = Receiver()
    with receiver.serving() as url, stores.single() as store:
        here, there = (start(*ANY, store=store.url, keys=KEYS) for _ in range(2))
        async with pierule.connect(there.url, name="Bert") as bert:
            account = await bert.register("Bert")
            secret = await bert.set_webhook(f"{url}/private-path?of=bert")
        assert secret is not None
        async with pierule.connect([here.url, there.url], name="Anna") as anna:
            room = await anna.create("loose", 5, seat=0, clock="3d")
            async with pierule.connect(there.url, token=account.token) as bert:
                await bert.join(room.id, seat=1)
            await room.act("komi:12")
            here.kill()
            body, call = await call_of(receiver)
        assert (body["id"], body["seat"]) == (f"turn:{room.id}:1", 1)
        assert call.path == "/turn/private-path?of=bert"
        said = call.headers["Pierule-Timestamp"].encode() + b"." + call.body
        mine = hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()
        assert call.headers["Pierule-Signature"] == mine
        stores.wait_for(
            lambda: there.measured('pierule_webhooks_total{outcome="delivered"}') == 1, "the count"
        )
        for serving in (here, there):
            for hidden in (secret, "private-path", str(receiver.port)):
                assert hidden not in serving.output


async def test_a_connected_user_is_not_called(start: Starter) -> None:
    receiver = Receiver()
    with receiver.serving() as url, stores.single() as store:
        here, there = (start(*ANY, store=store.url, keys=KEYS) for _ in range(2))
        async with pierule.connect(here.url, name="Anna") as anna:
            async with pierule.connect(there.url, name="Bert") as bert:
                account = await bert.register("Bert")
                await bert.set_webhook(url)
                rooms = [await anna.create("loose", 5, seat=0, clock="3d") for _ in range(2)]
                for room in rooms:
                    await bert.join(room.id, seat=1)
                told = await bert.join(rooms[0].id)
                await rooms[0].act("komi:12")
                async with asyncio.timeout(60):
                    async for update in told.updates():
                        if update.state.turn == 1:
                            break
                await taken_out(store.url)
            # He comes back within the time in which nodes have to tell him, by another node.
            await rooms[1].act("komi:12")
            async with pierule.connect(here.url, token=account.token):
                await taken_out(store.url)
            last = await anna.create("loose", 5, seat=0, clock="3d")
            async with pierule.connect(there.url, token=account.token) as bert:
                await bert.join(last.id, seat=1)
            await last.act("komi:12")
            body, _ = await call_of(receiver)
        assert body["room"] == last.id
        assert receiver.calls.empty()


async def test_a_started_game_calls_the_webhook(start: Starter) -> None:
    receiver = Receiver()
    with receiver.serving() as url:
        serving = start(*ANY)
        async with pierule.connect(serving.url, name="Anna") as anna:
            async with pierule.connect(serving.url, name="Bert") as bert:
                await bert.register("Bert")
                await bert.set_webhook(url)
                made = await bert.create("loose", 5, seat=0, clock="3d")
            await anna.join(made.id, seat=1)
            body, _ = await call_of(receiver)
        assert body["id"] == f"turn:{made.id}:0"


async def test_a_started_rematch_calls_the_webhook_of_an_absent_player(start: Starter) -> None:
    receiver = Receiver()
    with receiver.serving() as url:
        serving = start(*ANY)
        async with pierule.connect(serving.url, name="Anna") as anna:
            async with pierule.connect(serving.url, name="Bert") as bert:
                await bert.register("Bert")
                await bert.set_webhook(url)
                made = await bert.create("loose", 5, seat=1, clock="3d")
                room = await anna.join(made.id, seat=0)
                await room.resign()
                await made.offer("rematch")
                async with asyncio.timeout(60):
                    async for update in room.updates():
                        if update.state.offers:
                            break
            rematch = (await room.accept("rematch")).rematch or await room.rematch()
            body, _ = await call_of(receiver)
        assert (body["id"], body["seat"]) == (f"turn:{rematch}:0", 0)


async def test_the_webhook_of_a_player_with_a_dead_connection_is_called(start: Starter) -> None:
    """A node sees an open socket and writes to it, but nothing arrives."""
    receiver = Receiver()
    with receiver.serving() as url:
        serving = start(*ANY)
        async with proxied(int(serving.http.rpartition(":")[2])) as proxy:
            through = f"ws://127.0.0.1:{proxy.port}/ws"
            async with (
                pierule.connect(serving.url, name="Anna") as anna,
                pierule.connect(through, name="Bert") as bert,
            ):
                await bert.register("Bert")
                await bert.set_webhook(url)
                room = await anna.create("loose", 5, seat=0, clock="3d")
                await bert.join(room.id, seat=1)
                proxy.black_hole()
                await room.act("komi:12")
                body, _ = await call_of(receiver)
                proxy.cut()
    assert body["id"] == f"turn:{room.id}:1"


async def taken_out(url: str) -> None:
    """Wait until no call is to be made. The clients of this process answer pings meanwhile."""
    await asyncio.to_thread(stores.wait_for, lambda: not calls(url), "the call to be taken out")


def calls(url: str) -> int:
    """How many are put and not made."""
    with redis.Redis.from_url(url) as client:
        return sum(client.zcard(key) for key in client.keys("*calls"))


async def test_the_webhook_command_sets_and_removes_a_webhook(
    start: Starter, tmp_path: Path
) -> None:
    serving = start(*ANY)
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
    clean |= {"PIERULE_SERVER": serving.url, "XDG_CONFIG_HOME": str(tmp_path)}

    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*terminal(), *arguments],
            env=clean, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    assert "register a name first" in program("webhook", "http://127.0.0.1:1/x").stderr
    assert program("account", "register", "Ada").returncode == 0
    for wrong in (("webhook",), ("webhook", "http://127.0.0.1:1/x", "--off")):
        assert program(*wrong).returncode == 2
    assert "https:// or http://" in program("webhook", "ftp://example.org").stderr
    done = program("webhook", "http://127.0.0.1:1/x")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()[0]) == 64
    off = program("webhook", "--off")
    assert (off.returncode, off.stdout) == (0, "")


async def test_a_server_without_webhooks_refuses_them(start: Starter) -> None:
    serving = start("--webhooks", "off")
    async with pierule.connect(serving.url, name="Ada") as ada:
        assert "webhooks" not in ada.welcome.features
        await ada.register("Ada")
        with pytest.raises(pierule.Refused) as caught:
            await ada.set_webhook("https://example.org/")
        assert caught.value.code == "unknown_type"


async def test_a_webhook_to_the_loopback_is_refused(start: Starter) -> None:
    """By default nobody makes a node call what only the node can reach."""
    receiver = Receiver()
    with receiver.serving() as url:
        serving = start(keys=KEYS)
        careless = start("--webhooks", "any", store=serving.store_url, keys=KEYS)
        async with pierule.connect(serving.url, name="Bert") as bert:
            account = await bert.register("Bert")
            inside = [
                f"https://{host}:{receiver.port}/" for host in ("localhost", "127.1", "[::1]")
            ]
            for bad in (url, url.replace("http:", "https:"), *inside):
                with pytest.raises(pierule.Refused) as caught:
                    await bert.set_webhook(bad)
                assert caught.value.field == "url"
        async with pierule.connect(careless.url, token=account.token) as bert:
            await bert.set_webhook(
                inside[0]
            )  # So it is in the store, as a name that leads here would be.
        careless.terminate()
        async with pierule.connect(serving.url, name="Anna") as anna:
            room = await anna.create("loose", 5, seat=0, clock="3d")
            async with pierule.connect(serving.url, token=account.token) as bert:
                await bert.join(room.id, seat=1)
            await room.act("komi:12")
            stores.wait_for(
                lambda: serving.measured('pierule_webhooks_total{outcome="forbidden"}') == 1,
                "the call",
            )
        assert receiver.calls.empty()
