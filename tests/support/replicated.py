"""A replicated store with fail-over: a primary, its replicas, and Sentinels that watch over them.

All are started from the binary of the embedded store. Fail-overs are quick, and lose exactly what a
test wants lost: `hold` cuts a replica off, so that it misses later writes and may still be
promoted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.stores import VALKEY, Server, free_port, wait_for

SERVICE = "rooms"
DOWN_AFTER_MS = 1_500
"""Milliseconds without an answer after which Sentinel takes a primary for down. It asks once a
second: with a second or less, it sometimes takes a new primary for down at once, and fails over
again by itself, which no test knows."""

FAILOVER_MS = 3_000


class SentinelServer(Server):
    """One Sentinel; it keeps its state in its configuration file."""

    def __init__(self, folder: Path, port: int, primary: Server, quorum: int) -> None:
        super().__init__(VALKEY, folder, port=port)
        self._file = folder / "sentinel.conf"
        lines = [
            f"port {port}",
            "bind 127.0.0.1",
            f"dir {folder}",
            f"sentinel monitor {SERVICE} 127.0.0.1 {primary.port} {quorum}",
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}",
            f"sentinel failover-timeout {SERVICE} {FAILOVER_MS}",
        ]
        self._file.write_text("\n".join(lines) + "\n")
        self._command = [VALKEY, str(self._file), "--sentinel"]


class Replicated:
    """Servers, one of them the primary, and Sentinels."""

    def __init__(self, servers: list[Server], sentinels: list[SentinelServer]) -> None:
        self.servers = servers
        self.sentinels = sentinels

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}"

    def primary(self) -> Server:
        """The primary, as the first Sentinel knows it."""
        address = self.sentinels[0].command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return next(server for server in self.servers if server.port == int(address[1]))

    def replicas(self) -> list[Server]:
        primary = self.primary()
        return [server for server in self.servers if server is not primary]

    def settle(self) -> None:
        """Wait until all replicas follow, and all Sentinels know each other and them."""
        wait_for(self._settled, "the replicas and the Sentinels")

    def _settled(self) -> bool:
        number = len(self.servers) - 1
        linked = [b"master_link_status:up" in r.command("INFO", "REPLICATION")
                  for r in self.replicas()]  # fmt: skip
        masters = [s.command("SENTINEL", "MASTER", SERVICE) for s in self.sentinels]
        known = [dict(zip(m[::2], m[1::2], strict=True)) for m in masters]
        return all(linked) and all(
            int(each[b"num-slaves"]) == number
            and int(each[b"num-other-sentinels"]) == len(self.sentinels) - 1
            for each in known
        )

    def hold(self, replica: Server) -> None:
        """Cut a replica off from its primary, by a user name that the primary does not know."""
        replica.command("CONFIG", "SET", "primaryuser", "nobody", "primaryauth", "wrong")
        self.primary().command("CLIENT", "KILL", "TYPE", "replica")

    def let_go(self, replica: Server) -> None:
        """Let it follow again."""
        replica.command("CONFIG", "SET", "primaryuser", "", "primaryauth", "")

    def promoted(self, old: Server) -> Server:
        """Wait until another server than `old` is the primary and says so itself."""

        def done() -> bool:
            new = self.primary()
            return new is not old and new.command("ROLE")[0] == b"master"

        wait_for(done, "a fail-over")
        return self.primary()


@contextmanager
def replicated(replicas: int = 2, sentinels: int = 3) -> Iterator[Replicated]:
    """A primary and its replicas on free ports, and Sentinels."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        servers: list[Server] = []
        watchers: list[SentinelServer] = []
        try:
            for number in range(replicas + 1):
                place = Path(folder, f"server{number}")
                place.mkdir()
                options = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"]
                if number:
                    options += ["--replicaof", f"127.0.0.1 {servers[0].port}"]
                servers.append(Server(VALKEY, place, *options, port=free_port()))
                servers[-1].start()
            for number in range(sentinels):
                place = Path(folder, f"sentinel{number}")
                place.mkdir()
                quorum = sentinels // 2 + 1
                watchers.append(SentinelServer(place, free_port(), servers[0], quorum))
                watchers[-1].start()
            whole = Replicated(servers, watchers)
            whole.settle()
            yield whole
        finally:
            for server in [*watchers, *servers]:
                server.kill()
