"""A store with TLS, whose certificate an authority of one's own has signed."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from e2e.conftest import Opener, Starter
from support import stores
from support.games import game, play, seat_both
from support.preloaded import terminal
from support.tls import Certificates, certificates

KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)


@asynccontextmanager
async def redis_with_tls(made: Certificates) -> AsyncIterator[int]:
    """Debian's Redis, which can do it by itself; its port."""
    assert stores.REDIS is not None
    with stores.single_on_port(stores.REDIS) as server:
        port = stores.free_port()
        for name, value in (
            ("tls-cert-file", made.certificate),
            ("tls-key-file", made.key),
            ("tls-ca-cert-file", made.authority),
            ("tls-auth-clients", "no"),
            ("tls-port", port),
        ):
            server.command("CONFIG", "SET", name, str(value))
        yield port


@asynccontextmanager
async def behind_a_terminator(made: Certificates) -> AsyncIterator[int]:
    """A Valkey behind a proxy that ends TLS, as providers have it; the proxy's port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    with stores.single_on_port() as server:

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            inner, outer = await asyncio.open_connection("127.0.0.1", server.port)
            await asyncio.gather(pipe(reader, outer), pipe(inner, writer))

        listening = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
        yield listening.sockets[0].getsockname()[1]
        listening.close()


KINDS = {"terminator": behind_a_terminator} | ({"redis": redis_with_tls} if stores.REDIS else {})


def admin(*arguments: str) -> int:
    """The status of `pierule admin`."""
    command = [*terminal(), "admin", *arguments]
    return subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60).returncode


@pytest.mark.parametrize("kind", KINDS)
async def test_a_game_is_played_over_a_store_with_tls(
    kind: str, start: Starter, opener: Opener, tmp_path: Path
) -> None:
    made = certificates(tmp_path)
    async with KINDS[kind](made) as port:
        store, trust = f"rediss://127.0.0.1:{port}", ("--store-ca", str(made.authority))
        node = await asyncio.to_thread(start, *trust, store=store, keys=KEYS)
        first, second = await opener(node.url, "Ada"), await opener(node.url, "Bea")
        room = await seat_both(first, second, LOOSE)
        await play(room, LOOSE, (first, second))
        await second.until_over(room)
        for command in (["rooms", "show", room], ["dump", str(tmp_path / "a.dump")]):
            assert await asyncio.to_thread(admin, *command, "--store", store, *trust) == 0
        await asyncio.to_thread(node.terminate)
        for other, says in (
            (store, r"(CERTIFICATE_VERIFY_FAILED|certificate verify).*name it by --store-ca"),
            (store.replace("rediss", "redis"), "if it is a port with TLS"),
        ):
            with pytest.raises(AssertionError, match=says):
                await asyncio.to_thread(start, store=other, keys=KEYS)


async def test_a_store_without_tls_is_told_from_one_that_is_away(start: Starter) -> None:
    with stores.single_on_port() as server:
        store = server.url.replace("redis", "rediss")
        with pytest.raises(AssertionError, match="if it is a port without TLS") as caught:
            await asyncio.to_thread(start, store=store, keys=KEYS)
        assert f"(see --store {store})" in str(caught.value)
    with pytest.raises(AssertionError) as caught:
        await asyncio.to_thread(start, store=store, keys=KEYS)
    assert "without TLS" not in str(caught.value)


@pytest.mark.parametrize(
    ("store", "authority", "says"),
    [
        ("redis://127.0.0.1:1", "ca.pem", "--store-ca is for a store with TLS"),
        ("rediss://127.0.0.1:1", "none.pem", "there is no file"),
    ],
)
async def test_an_invalid_store_ca_is_refused(
    store: str, authority: str, says: str, start: Starter, tmp_path: Path
) -> None:
    certificates(tmp_path)
    with pytest.raises(AssertionError, match=says):
        await asyncio.to_thread(
            start, "--store-ca", str(tmp_path / authority), store=store, keys=KEYS
        )
