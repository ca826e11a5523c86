"""`pierule serve` refuses what it cannot do before it starts anything."""

from __future__ import annotations

import argparse
import socket
import subprocess
from pathlib import Path

import pytest

from pierule_server import command
from pierule_server import flags as reading
from pierule_server.node import check
from pierule_server.operations.ports import check_free
from pierule_server.store.driver import disk
from pierule_server.store.room_log import StoreUnavailable
from support.forked import run
from support.serving import PROGRAM


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--trusted-proxies 10.0.0.0/99", "--trusted-proxies: '10.0.0.0/99' is neither an address"),
        ("--replicas 1", "--replicas needs --store"),
        ("--guests off", "--guests off needs --jwks"),
        ("--jwt-issuer me", "--jwt-issuer needs --jwks"),
        ("--operations-port tea", "--operations-port must be auto, off or a port, not 'tea'"),
        ("--port 8001 --api-port 8001", "--port and --api-port cannot both be 8001"),
        ("--operations-port 8000", "--port and --operations-port cannot both be 8000"),
        ("--operations-port 10000", "--operations-port and --api-port cannot both be 10000"),
        ("--store redis://127.0.0.1:1", "--store needs the keys that sign tokens"),
        ("--jwks /nosuch --jwt-issuer i --jwt-audience a", "--jwks: /nosuch: .* No such file"),
        ("--archive sqlite:////nosuch/games.sqlite", "--archive: there is no folder '/nosuch'"),
        ("--archive tea", "'tea' is not the URL of a database"),
        ("--api-port tea --archive off", "the API's port must be auto, off or a port"),
    ],
)
def test_settings_that_cannot_be_are_named(flags: str, said: str) -> None:
    parser = argparse.ArgumentParser()
    reading.configure(parser)
    chosen = reading.from_arguments(parser.parse_args(flags.split()), {})
    with pytest.raises(ValueError, match=said):
        check(chosen)


@pytest.mark.parametrize(
    "flags",
    [
        "--port 0 --operations-port 0 --api-port 0",
        "--operations-port 8000 --operations-host 127.0.0.2",
        "--operations-port 10000 --archive off",
    ],
)
def test_ports_that_do_not_meet_are_taken(flags: str) -> None:
    parser = argparse.ArgumentParser()
    reading.configure(parser)
    check(reading.from_arguments(parser.parse_args(flags.split()), {}))


def test_nothing_is_started_with_wrong_settings(tmp_path: Path) -> None:
    data = tmp_path / "data"
    flags = ("--port", "0", "--data", data, "--trusted-proxies", "tea")
    done = subprocess.run(
        [PROGRAM, "serve", *flags], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, data.exists()) == (2, "", False)
    assert done.stderr.startswith("pierule serve: --trusted-proxies: 'tea' is neither")


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"STORE": "tea://cup"}, r"begins with none of redis://, .* \(see --store\)"),
        ({"STORE": "rediss://cup", "STORE_CA": "/nosuch"}, "--store-ca: there is no file /nosuch"),
        ({"ARCHIVE_KEYS": "tea"}, r"\(see PIERULE_ARCHIVE_KEYS\)"),
    ],
)
def test_wrong_names_of_stores_and_keys_are_found_before_anything_starts(
    environment: dict[str, str], said: str
) -> None:
    parser = argparse.ArgumentParser()
    reading.configure(parser)
    given = {f"PIERULE_{name}": text for name, text in environment.items()}
    chosen = reading.from_arguments(
        parser.parse_args([]), {"PIERULE_KEYS": f"k1:{'0' * 32}", **given}
    )
    with pytest.raises(ValueError, match=said):
        check(chosen)


@pytest.mark.parametrize(
    ("flag", "host"),
    [("--port", "--host"), ("--operations-port", "--operations-host"), ("--api-port", "--host")],
)
def test_the_taken_port_is_named_and_nothing_is_started(
    flag: str, host: str, tmp_path: Path
) -> None:
    ports = {"--port": "0", "--operations-port": "0", "--api-port": "0"}
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = [word for pair in {**ports, flag: port}.items() for word in pair]
        status, said, error = run("serve", *words, "--data", str(data), timeout=60)
    why = f"port {port} of 127.0.0.1: Address already in use (see {host} and {flag})"
    assert (status, said, data.exists()) == (1, "", False)
    assert error == f"pierule serve: {why}\n"


def test_a_second_server_hears_of_its_first_port(tmp_path: Path) -> None:
    """All its ports are taken; the one to change is that of the players."""
    with (
        socket.create_server(("127.0.0.1", 0)) as first,
        socket.create_server(("127.0.0.1", 0)) as second,
    ):
        clients, api = (str(each.getsockname()[1]) for each in (first, second))
        parser = argparse.ArgumentParser()
        reading.configure(parser)
        words = ["--port", clients, "--api-port", api, "--data", str(tmp_path)]
        chosen = reading.from_arguments(parser.parse_args(words), {})
        with pytest.raises(OSError, match=f"port {clients} .*see --host and --port"):
            check_free(chosen)


def test_a_store_at_an_unknown_host_is_one_line(tmp_path: Path) -> None:
    words = ["serve", "--port", "0", "--data", str(tmp_path)]
    words += ["--store", "redis://nosuchhost.invalid"]
    status, _, error = run(*words, timeout=60, environment={"PIERULE_KEYS": f"k1:{'0' * 32}"})
    assert status == 1
    (line,) = error.splitlines()
    assert "nosuchhost.invalid" in line


@pytest.mark.parametrize("error", [StoreUnavailable("it closed the connection"), OSError("I/O")])
def test_a_start_that_fails_on_a_full_disk_blames_the_disk(
    error: Exception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(command, "_serve", fail)
    parser = argparse.ArgumentParser()
    command.configure(parser)
    args = parser.parse_args(["--port", "0", "--data", str(tmp_path)])
    for full, begins in ((0, f"{error}"), (1 << 62, f"the disk of {tmp_path} is full, ")):
        monkeypatch.setattr(disk, "FULL", full)
        assert command.run(args) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"pierule serve: {begins}")
        assert str(error) in said
