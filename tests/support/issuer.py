"""An identity provider: keys, tokens, and a web server with the public keys."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from jwt.algorithms import ECAlgorithm

ISSUER = "https://id.example.org"
AUDIENCE = "pierule"


class Issuer:
    """Signs tokens by its latest key. `shown` are the published keys."""

    def __init__(self) -> None:
        self.asked = 0
        self.shown: list[dict[str, Any]] = []
        self.answer: bytes | None = None
        self.redirect: str | None = None
        self.rotate("first")

    def rotate(self, kid: str, *, show: bool = True) -> None:
        """Sign by a new key from now on."""
        self.key, self.kid = generate_private_key(SECP256R1()), kid
        public = ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        if show:
            self.shown.append({**public, "kid": kid, "use": "sig", "alg": "ES256"})

    @property
    def jwks(self) -> bytes:
        return json.dumps({"keys": self.shown}).encode() if self.answer is None else self.answer

    def token(self, user: str = "ada@example.org", seconds: float = 600, **changes: Any) -> str:
        """A token of the user; a claim that is None is left out."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": user, "name": "Ada", "iat": now}
        claims |= {"exp": now + int(seconds)} | changes
        claims = {name: value for name, value in claims.items() if value is not None}
        payload = json.dumps(claims).encode()  # `jwt.encode` would refuse claims that are none
        return jwt.PyJWS().encode(payload, self.key, "ES256", headers={"kid": self.kid})

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Publish the keys at a URL while the context lasts."""
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                self.send_response(200 if issuer.redirect is None else 302)
                if issuer.redirect is not None:
                    self.send_header("Location", issuer.redirect)
                self.end_headers()
                self.wfile.write(issuer.jwks)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/jwks"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
