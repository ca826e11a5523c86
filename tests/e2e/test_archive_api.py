"""`pierule api` as a process, and as `pierule serve` runs it beside an embedded store."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

import pierule
from archive.games import a_game
from e2e.conftest import Starter
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_server.operations.api import NICENESS
from support.preloaded import terminal
from support.serving import Serving
from support.stores import wait_for

BOUND = 60.0


def run(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*terminal(), "api", *flags], capture_output=True, text=True, timeout=BOUND, check=False
    )


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (("--api-port", "x"), 2, "the API's port must be auto, off or a port, not 'x'"),
        (("--api-port", "off"), 2, "there is nothing to serve"),
        (("--archive", "mysql://me:secret@host/x"), 2, "neither postgresql"),
        (("--host", "192.0.2.1", "--api-port", "0"), 1, "see --host and --api-port"),
        (("--trusted-proxies", "x", "--api-port", "0"), 2, "--trusted-proxies: 'x'"),
    ],
)
def test_wrong_settings_of_the_api_are_named(
    tmp_path: Path, flags: tuple[str, ...], status: int, said: str
) -> None:
    ended = run("--data", str(tmp_path), *flags)
    assert (ended.returncode, "secret" in ended.stderr) == (status, False)
    assert said in ended.stderr


def test_the_api_serves_until_it_is_ended(tmp_path: Path) -> None:
    archive = Archive(opened(url_in(tmp_path)))
    archive.add([a_game()])
    archive.engine.dispose()
    command = [*terminal(), "api", "--data", str(tmp_path), "--api-port", "0", "--api-burst", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[5]
        with urlopen(url, timeout=BOUND) as answer:
            assert json.load(answer)["lines"][0]["feed"] == 1
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        process.send_signal(signal.SIGTERM)
        assert process.wait(BOUND) == 0


def api_of(output: Callable[[], list[dict[str, object]]]) -> tuple[str, int]:
    """The address of a node's API, and its process."""
    (url,) = [str(entry["archive"]) for entry in output() if entry["event"] == "serving"]
    pids = [entry["pid"] for entry in output() if entry["event"] == "the archive's API starts"]
    assert isinstance(pids[-1], int)
    return url, pids[-1]


def features_of(serving: Serving) -> list[str]:
    async def asked() -> list[str]:
        async with pierule.connect(serving.url) as client:
            return client.welcome.features

    return asyncio.run(asked())


def test_a_node_restarts_its_api_and_ends_it(start: Starter) -> None:
    serving = start("--api-port", "0", forks=False)
    url, first = api_of(lambda: serving.logged)
    for headers in ({}, {"Origin": "https://elsewhere.example"}):  # the node leads to it
        request = Request(f"http://{serving.http}/api/v1/games", headers=headers)
        with urlopen(request, timeout=BOUND) as answer:
            assert (answer.url, json.load(answer)["next"]) == (f"{url}/games", None)
    with urlopen(f"{url}/games", timeout=BOUND) as answer:
        assert json.load(answer) == {"lines": [], "next": None}
    nice = partial(os.getpriority, os.PRIO_PROCESS)
    assert nice(first) == min(nice(0) + NICENESS, 19), "players come first"
    assert "archive" in features_of(serving)
    os.kill(first, signal.SIGKILL)
    with urlopen(f"{url}/games", timeout=BOUND) as answer:  # it waits for the next life
        assert answer.status == 200
    _, second = api_of(lambda: serving.logged)
    assert second != first
    serving.kill()

    def gone() -> bool:
        try:
            urlopen(f"{url}/games", timeout=1).close()
        except (URLError, OSError):
            return not Path(f"/proc/{second}").exists()
        return False

    wait_for(gone, "the end of the API")


def test_a_node_without_an_api_says_so(start: Starter) -> None:
    serving = start("--api-port", "off")
    (entry,) = [entry for entry in serving.logged if entry["event"] == "serving"]
    assert entry["archive"] is None
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"http://{serving.http}/api/v1/games", timeout=BOUND)
    assert "archive" not in features_of(serving)
