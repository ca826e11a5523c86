"""The load client `load.c`: its plan, its orders and its results.

A plan is little-endian: every number 32 bits unsigned, every run of bytes its length and then the
bytes. First the three markers `ready`, `event`, `error` (offset, bytes; no bytes: none), then the
numbers of connections and groups; then for each connection its group, its port, how many `ready`
it takes, whether the server speaks first, its HTTP request, and the frames that it sends one after
the other, each when the server has said something; then for each group the number of its steps,
and for each step the connection that sends it and its frame.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import msgspec

from bench.figures import Round
from bench.machine import Machine, line_from

TEXT, BINARY = 0x1, 0x2
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
"""The key of RFC 6455's own example: the C loop knows no other."""

OPEN_BOUND, ANSWER_BOUND = 320.0, 80.0
"""Seconds; the bounds in `load.c` are shorter, with better messages."""


def frame(payload: bytes | str) -> bytes:
    """A client's frame, masked with zeros (5.3 allows any mask); text if the payload is."""
    opcode = TEXT if isinstance(payload, str) else BINARY
    data = payload.encode() if isinstance(payload, str) else payload
    if len(data) < 126:
        return bytes((0x80 | opcode, 0x80 | len(data), 0, 0, 0, 0)) + data
    assert len(data) < 65_536, "a frame that the load client does not send"
    return bytes((0x80 | opcode, 0xFE)) + struct.pack(">H4x", len(data)) + data


def handshake(path: str, subprotocol: str | None = None) -> bytes:
    """The upgrade request; it offers no extension, so that nothing is compressed."""
    offered = [f"Sec-WebSocket-Protocol: {subprotocol}"] if subprotocol else []
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13", *offered, "", ""]
    return "\r\n".join(lines).encode()


@dataclass(frozen=True)
class Marker:
    """Recognises a message: by these bytes at this offset."""

    text: bytes = b""
    offset: int = 0


@dataclass(frozen=True)
class Member:
    """A connection: what it sends until the server has sent `ready` so many times."""

    group: int
    port: int
    request: bytes
    prologue: list[bytes] = field(default_factory=list)
    ready: int = 1
    server_first: bool = False


Step = tuple[int, bytes]
"""The sending member, and its frame."""


@dataclass(frozen=True)
class Plan:
    """Everything for the load client to do. `steps` are those of each group, in order."""

    ready: Marker
    event: Marker
    members: list[Member]
    steps: list[list[Step]]
    error: Marker = field(default_factory=Marker)

    def encode(self) -> Iterator[bytes]:
        for marker in (self.ready, self.event, self.error):
            yield _number(marker.offset)
            yield _run(marker.text)
        yield _number(len(self.members), len(self.steps))
        for member in self.members:
            yield _number(member.group, member.port, member.ready, member.server_first)
            yield _run(member.request)
            yield _number(len(member.prologue))
            yield from map(_run, member.prologue)
        for steps in self.steps:
            yield _number(len(steps))
            for sender, data in steps:
                yield _number(sender)
                yield _run(data)


def _number(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def _run(data: bytes) -> bytes:
    return _number(len(data)) + data


class Load:
    """The load client with all its connections open. `placed` are the milliseconds after which 50 %
    and 99 % of them were."""

    def __init__(self, process: subprocess.Popen[str], placed: tuple[float, float]) -> None:
        self._process = process
        self.placed = placed

    def run(self, seconds: float, tokens: int, rate: float = 0) -> Round:
        """Run a round of this many seconds: closed loop, or `rate` steps a second. Raises `Ended`
        if anything is wrong."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and its last output says why
            self._process.stdin.write(f"run {seconds} {tokens} {rate}\n")
            self._process.stdin.flush()
        line = line_from(self._process, seconds + ANSWER_BOUND)
        return msgspec.json.decode(line, type=Round)


@contextmanager
def loading(machine: Machine, plan: Plan, at_once: int = 64) -> Iterator[Load]:
    """The load client of a plan, on the load's core, once all its connections are ready; it opens
    `at_once` at a time."""
    with tempfile.NamedTemporaryFile(prefix="pierule-plan-") as file:
        file.writelines(_chunked(plan.encode()))
        file.flush()
        with machine.on(machine.load_core):
            process = subprocess.Popen(
                [machine.built("load.c"), file.name, str(at_once)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        try:
            _, half, nearly_all = line_from(process, OPEN_BOUND).split()
            yield Load(process, (float(half), float(nearly_all)))
        finally:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()


def _chunked(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Larger pieces: a plan has up to a million."""
    gathered: list[bytes] = []
    for part in parts:
        gathered.append(part)
        if len(gathered) == 4_096:
            yield b"".join(gathered)
            gathered.clear()
    yield b"".join(gathered)
