"""What is refused with words before anything starts, and what workers are told."""

from __future__ import annotations

import argparse
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import structlog

from pierule_server import command, flags
from pierule_server.settings import Settings
from pierule_server.workers import supervisor
from pierule_server.workers.supervisor import running_supervisor, settings_of_workers


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """The command sets up the logs of its process, which here is that of all tests."""
    yield
    structlog.reset_defaults()


def serve(*flags: str) -> int:
    """The exit status of a server that cannot start."""
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args(flags))


@pytest.fixture
def busy() -> Iterator[int]:
    """A port that somebody else uses."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.mark.usefixtures("logs_as_before")
@pytest.mark.parametrize("number", ["0", "65", "-1", "two", "1.5", "", "99999999999"])
def test_an_invalid_number_of_workers_is_refused(
    number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve(f"--workers={number}", "--data", str(tmp_path / "data")) == 2
    said = capsys.readouterr().err
    assert f"--workers: {number!r} is neither `auto` nor a number from 1 to 64" in said
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("logs_as_before")
@pytest.mark.parametrize("flag", ["--port", "--operations-port"])
def test_a_busy_port_is_named(
    flag: str, busy: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ports = {"--port": "0", "--operations-port": "0", flag: str(busy)}
    flags = [text for pair in ports.items() for text in pair]
    assert serve("--workers", "2", "--data", str(tmp_path / "data"), *flags) == 1
    said = capsys.readouterr().err
    assert "ddress already in use" in said
    assert f"{flag.replace('port', 'host')} and {flag})" in said
    assert not (tmp_path / "data").exists()


def test_workers_get_the_settings_except_the_supervisors_own(tmp_path: Path) -> None:
    chosen = Settings(
        workers="4", bots="random", port=1234, data=tmp_path, keys="k:" + "s" * 32,
        store="redis://localhost", store_seconds=0.5, chat="off",
    )  # fmt: skip
    told = flags.from_arguments(argparse.Namespace(), settings_of_workers(chosen))
    assert (told.workers, told.bots, told.operations_port) == ("1", "", "off")
    assert (told.port, told.data, told.keys) == (1234, tmp_path, chosen.keys)
    assert (told.store, told.store_seconds, told.chat) == (chosen.store, 0.5, "off")


def test_secrets_are_variables_and_no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    assert settings_of_workers(Settings(keys="secret"))["PIERULE_KEYS"] == "secret"


async def test_a_hangup_during_the_start_does_not_end_the_supervisor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def store_of(*_: object) -> str:
        assert signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL
        os.kill(os.getpid(), signal.SIGHUP)
        raise LookupError

    monkeypatch.setattr(supervisor, "running_api", lambda _: nullcontext())
    monkeypatch.setattr(supervisor, "store_of", store_of)
    with pytest.raises(LookupError):
        async with running_supervisor(Settings(port=0, operations_port="off"), 2, lambda: None):
            pass
