"""`pierule serve` refuses what it cannot do before it starts anything."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import pytest

from pierule_server import flags as reading
from pierule_server.node import check
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
