"""What systemd is told, on a socket of our own."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pierule_server.operations import systemd


@pytest.fixture
def channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)  # a short path
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.settimeout(60)
        yield heard


def test_systemd_is_notified(channel: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path.cwd() / "notify"
    channel.bind(str(path))
    monkeypatch.setenv("NOTIFY_SOCKET", str(path))
    systemd.tell("READY=1")
    assert channel.recv(100) == b"READY=1"


def test_systemd_is_notified_at_an_abstract_address(
    channel: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel.bind("")  # Linux makes one up
    name: bytes = channel.getsockname()
    monkeypatch.setenv("NOTIFY_SOCKET", "@" + name[1:].decode())
    systemd.tell("STOPPING=1")
    assert channel.recv(100) == b"STOPPING=1"


@pytest.mark.parametrize("address", ["", "vsock:2:1", "/nobody/listens"])
def test_without_systemd_nothing_is_sent(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    systemd.tell("READY=1")
