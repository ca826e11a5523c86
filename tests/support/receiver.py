"""A web server that webhooks call: it keeps what it gets."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers each `POST` by `status`, and puts it into `calls`; `silent`: it does not answer."""

    def __init__(self) -> None:
        self.calls: Queue[Received] = Queue()
        self.status = 204
        self.location: str | None = None
        self.silent: threading.Event | None = None
        self.port = 0

    @contextmanager
    def serving(self, trust: ssl.SSLContext | None = None) -> Iterator[str]:
        """Serve at this URL while the context lasts."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.put(Received(self.path, dict(self.headers), body))
                if receiver.silent is not None:
                    receiver.silent.wait(30)
                    return
                self.send_response(receiver.status)
                if receiver.location is not None:
                    self.send_header("Location", receiver.location)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                pass  # Who calls may hang up, or not trust us.

        server = Server(("127.0.0.1", 0), Handler)
        if trust is not None:
            server.socket = trust.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"{'http' if trust is None else 'https'}://127.0.0.1:{server.server_port}/turn"
        finally:
            if self.silent is not None:
                self.silent.set()
            server.shutdown()
            server.server_close()
            thread.join()
