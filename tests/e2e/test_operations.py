"""What operators see of a real node while games are played on it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import Act, BoardMismatch, Create, Hello, Seek
from support import stores
from support.forked import run
from support.peer import Peer, fresh_nonce
from support.preloaded import terminal
from support.replicated import replicated
from support.serving import Serving
from support.stores import wait_for

FOLLOWERS = 3


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Serving]:
    serving = Serving(tmp_path)
    serving.start()
    yield serving
    serving.clear()


async def test_metrics_count_a_game(node: Serving) -> None:
    errors = node.measured("pierule_store_errors_total")  # while it waited for its store to start
    peers = [await Peer.connect(node.url, codec) for codec in ("msgpack", "json", "msgpack")]
    for peer in peers:
        await peer.do(Hello)
    first, second, _ = peers
    room = (await first.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)).room
    assert room is not None
    for peer in peers:
        await peer.follow(room)
    await second.follow(room, seat=1, nonce=fresh_nonce())
    await first.act(room, 0, "komi:12")
    await second.act(room, 1, "black")
    await first.refused(Code.NOT_YOUR_TURN, Act, room=room, turn=2, action="c3")
    for peer in peers:
        await peer.until_turn(room, 2)

    assert node.measured("pierule_connections") == FOLLOWERS
    assert node.measured("pierule_users") == FOLLOWERS
    assert node.measured("pierule_seeks") == 0
    await first.do(Seek, nonce=fresh_nonce(), game="taugo")
    assert node.measured("pierule_seeks") == 1
    wait_for(lambda: node.measured("pierule_loop_lag_seconds_count") > 0, "the loop's lag")
    assert node.measured('pierule_store_memory_bytes{which="used"}') > 100_000
    assert node.measured('pierule_store_memory_bytes{which="max"}') >= 0
    assert node.measured('pierule_rooms{state="followed"}') == 1
    assert node.measured('pierule_requests_total{type="act"}') == 3
    assert node.measured('pierule_events_total{kind="created"}') == 1
    assert node.measured('pierule_events_total{kind="seated"}') == 1
    assert node.measured('pierule_events_total{kind="acted"}') == 2
    assert node.measured("pierule_deliveries_total") == 3 * FOLLOWERS
    assert node.measured("pierule_delivery_seconds_count") == 3
    assert 0 <= node.measured("pierule_delivery_seconds_sum") < 3
    assert node.measured("pierule_append_seconds_count") == 3
    assert 0 < node.measured("pierule_append_seconds_sum") < 3
    assert node.measured('pierule_refusals_total{code="not_your_turn"}') == 1
    assert node.measured('pierule_store_seconds_count{command="evalsha"}') >= 3
    assert node.measured("pierule_store_errors_total") == errors
    assert node.measured("pierule_holes_repaired_total") == 0
    assert node.measured("pierule_outbox_bytes") == 0

    assert node.measured('pierule_board_mismatches_total{problem="mismatch"}') == 0
    await first.do(BoardMismatch, room=room, epoch=1, seq=3, problem="mismatch")
    assert node.measured('pierule_board_mismatches_total{problem="mismatch"}') == 1
    assert any(entry.get("problem") == "mismatch" for entry in node.logged)

    for peer in peers:
        await peer.close()
    wait_for(lambda: node.measured("pierule_connections") == 0, "the end of the connections")
    assert node.measured('pierule_closes_total{close="normal"}') == FOLLOWERS
    assert node.measured('pierule_rooms{state="idle"}') == 1


def test_a_node_whose_store_hangs_is_not_ready(tmp_path: Path) -> None:
    with stores.single() as store:
        node = Serving(tmp_path, store=store.url, environment={"PIERULE_KEYS": f"k:{'0' * 32}"})
        try:
            node.start()
            assert node.asked("/readyz") == (200, "ready\n")
            store.pause()
            wait_for(lambda: node.asked("/readyz")[0] == 503, "the node to notice")
            assert node.asked("/healthz")[0] == 200
            assert node.measured("pierule_store_reachable") == 0
            store.resume()
            wait_for(lambda: node.asked("/readyz")[0] == 200, "the node to notice")
            assert node.measured("pierule_store_reachable") == 1
        finally:
            store.resume()
            node.clear()


def test_a_node_warns_if_too_few_replicas_must_confirm(tmp_path: Path) -> None:
    keys = {"PIERULE_KEYS": f"k:{'0' * 32}"}
    with (
        replicated(replicas=2, sentinels=1) as store,
        Serving(tmp_path, "--replicas", "1", store=store.url, environment=keys) as node,
    ):
        status, text = node.asked("/readyz")
        assert status == 200
        assert "--replicas 2" in text
        assert any("--replicas 2" in entry.get("trouble", "") for entry in node.logged)
        assert node.measured('pierule_store_replicas{which="online"}') == 2
        assert node.measured('pierule_store_replicas{which="awaited"}') == 1


def test_the_output_says_where_metrics_are(tmp_path: Path) -> None:
    command = [*terminal(), "serve", "--port", "0", "--data", str(tmp_path / "data")]
    node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert node.stdout is not None
        lines = (line for line in node.stdout if line.startswith("To monitor it: http://"))
        assert next(lines).endswith("/metrics\n")
    finally:
        node.terminate()
        node.communicate(timeout=60)


def test_the_operators_port_can_be_off(tmp_path: Path) -> None:
    with Serving(tmp_path, "--operations-port", "off") as node:
        assert node.operations == ""
        assert "/metrics" not in node.output


def test_an_invalid_operators_port_is_refused(tmp_path: Path) -> None:
    node = Serving(tmp_path, "--operations-port", "http")
    try:
        with pytest.raises(AssertionError, match="must be auto, off or a port"):
            node.start()
    finally:
        node.clear()


def test_every_line_of_a_node_is_json(tmp_path: Path) -> None:
    """Bots that are killed, a setting that there is not, a start that fails: all of it."""
    with Serving(
        tmp_path,
        "--bots",
        "random",
        environment={"PIERULE_RETENTOIN": "9", "PIERULE_QQ": "9", "PYTHONDEVMODE": "1"},
    ) as serving:
        wait_for(lambda: "a house bot starts" in serving.output, "a bot")
        (begun,) = (entry for entry in serving.logged if entry["event"] == "a house bot starts")
        os.kill(begun["pid"], signal.SIGINT)
        wait_for(lambda: "a house bot has ended" in serving.output, "the bot's end")
        serving.terminate()
    entries = [json.loads(line) for line in serving.output.splitlines()]
    unlike, unknown = (entry for entry in entries if "no such setting" in entry["event"])
    assert "did_you_mean" not in unlike
    assert (unknown["variable"], unknown["did_you_mean"]) == (
        "PIERULE_RETENTOIN",
        "PIERULE_RETENTION",
    )
    assert {entry["event"] for entry in entries} >= {"serving", "stopped"}


def test_a_start_that_fails_says_so_in_json(tmp_path: Path) -> None:
    for flags in (["--bots", "best"], ["--store", "redis://127.0.0.1:1"], ["--port", "x"]):
        _, _, errors = run(
            "serve", "--log-format", "json", "--data", str(tmp_path), *flags,
            timeout=60, environment={"PIERULE_KEYS": "k1:" + "0" * 32},
        )  # fmt: skip
        (entry,) = map(json.loads, errors.splitlines())
        assert (entry["event"], entry["level"]) == ("cannot serve", "critical")
        assert flags[1].rpartition("//")[2] in entry["error"]
        assert flags[0] != "--store" or f"(see {' '.join(flags)})" in entry["error"]


@pytest.mark.parametrize("flag", ["--port", "--operations-port"])
def test_a_taken_port_is_named_with_its_flag(tmp_path: Path, flag: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, stores.single() as store:
        port = str(taken.getsockname()[1])
        status, _, errors = run(
            "serve", "--store", store.url, "--port", "0", flag, port,
            timeout=60, environment={"PIERULE_KEYS": "k1:" + "0" * 32},
        )  # fmt: skip
    assert status == 1
    assert port in errors
    assert f"and {flag})" in errors
