"""`deploy/nginx.conf`, in the real nginx, before two real nodes."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from e2e.conftest import Starter
from support.serving import Serving
from support.stores import free_port, wait_for
from support.tls import certificates

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
KEYS = "k1:" + "0123456789abcdef" * 4


@contextmanager
def nginx(folder: Path, nodes: list[Serving]) -> Iterator[tuple[int, ssl.SSLContext]]:
    """nginx with our sample, but for ports, certificate and nodes; its port with TLS, and whom to
    trust. First it must find no fault with the sample."""
    made = certificates(folder)
    plain, port = free_port(), free_port()
    text = CONFIGURATION.read_text()
    for old, new in (
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;"),
        ("\tlisten [::]:80;\n", ""),
        ("\tlisten [::]:443 ssl http2;\n", ""),
        ("/etc/letsencrypt/live/play.example.org/fullchain.pem", str(made.certificate)),
        ("/etc/letsencrypt/live/play.example.org/privkey.pem", str(made.key)),
        ("127.0.0.1:10000", f"127.0.0.1:{free_port()}"),  # there is no archive API
        ("127.0.0.1:8000", nodes[0].http),
        ("127.0.0.1:8001", nodes[1].http),
    ):
        assert old in text, old
        text = text.replace(old, new)
    (folder / "pierule.conf").write_text(text)
    paths = "".join(
        f"\t{kind}_temp_path {folder};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\n{paths}\taccess_log off;\n\tinclude {folder}/pierule.conf;\n}}\n"
    )
    assert NGINX is not None
    command = [NGINX, "-p", str(folder), "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    context = ssl.create_default_context(cafile=made.authority)
    try:
        wait_for(lambda: answers(port, context), "nginx")
        yield port, context
    finally:
        process.terminate()
        process.wait()


def status(port: int, context: ssl.SSLContext, path: str) -> int:
    try:
        with urlopen(f"https://localhost:{port}{path}", timeout=60, context=context) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


def answers(port: int, context: ssl.SSLContext) -> bool:
    try:
        return status(port, context, "/") == 200
    except OSError:
        return False


GatewayState = Callable[[], Any]


async def hello(door: GatewayState) -> tuple[ClientConnection, dict[str, Any]]:
    """A connection through nginx, and its welcome."""
    socket = await door()
    await socket.send(json.dumps({"type": "hello", "id": 0}))
    return socket, json.loads(await socket.recv())["welcome"]


async def clients_come_in_while_nodes_drain(start: Starter, tmp_path: Path) -> None:
    flags = ("--trusted-proxies", "127.0.0.1", "--drain-seconds", "30")
    first = await asyncio.to_thread(start, *flags, keys=KEYS)
    second = await asyncio.to_thread(start, *flags, store=first.store_url, keys=KEYS)
    folder = tmp_path / "nginx"
    folder.mkdir()
    with nginx(folder, [first, second]) as (port, context):

        def door() -> Any:
            return connect(
                f"wss://localhost:{port}/ws",
                ssl=context,
                subprotocols=[Subprotocol("pierule.1.json")],
                origin=f"https://localhost:{port}",  # type: ignore[arg-type]
                additional_headers={"X-Forwarded-For": "203.0.113.9"},
            )

        for link in ("/game/kobadimutelosa", "/player/6d1f00c2a9b3e874"):
            # 404: this is a node's answer if the page is not built
            assert await asyncio.to_thread(status, port, context, link) in (200, 404)
        assert await asyncio.to_thread(status, port, context, "/api/v1/games") == 502
        sockets = [await hello(door) for _ in range(6)]
        assert len({welcome["user"] for _, welcome in sockets}) == 6
        for node in (first, second):
            assert node.measured("pierule_connections") == 3
            assert {line["address"] for line in node.logged if line["event"] == "hello"} == {
                "127.0.0.1"
            }
        assert second.process is not None
        second.process.terminate()
        wait_for(lambda: second.asked("/readyz")[0] == 503, "draining")
        more = [await hello(door) for _ in range(6)]
        assert first.measured("pierule_connections") >= 9
        for socket, _ in [*sockets, *more]:
            await socket.close()


def test_the_sample_names_the_ports_of_the_units() -> None:
    text = CONFIGURATION.read_text()
    assert text.count("server 127.0.0.1:800") == 4
    assert text.count("proxy_set_header X-Forwarded-For $remote_addr;") == 4


if NGINX:  # CI installs it
    test_clients_come_in_while_nodes_drain = clients_come_in_while_nodes_drain
