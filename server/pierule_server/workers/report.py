"""Answers at a supervisor's operators' port: all workers as one node, and which has a problem."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, cast

from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import CollectorRegistry
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from pierule_server import metrics
from pierule_server.operations.health import respond_metrics
from pierule_server.workers.crew import Crew, Post
from pierule_server.workers.merging import Merged, families_of, merged


class Report:
    """Answers operators about all workers."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.stopping = False

    async def page(self, socket: ServerConnection, request: Request) -> Response:
        """The answer to a request."""
        match request.path.partition("?")[0]:
            case "/healthz":
                return socket.respond(HTTPStatus.OK, "ok\n")
            case "/readyz":
                return socket.respond(*self.ready())
            case "/metrics":
                encode, kind = choose_encoder(", ".join(request.headers.get_all("Accept")))
                families = Merged(await self._families())
                body = encode(cast("CollectorRegistry", families))
                return respond_metrics(socket, body, kind)
        return socket.respond(HTTPStatus.NOT_FOUND, "There are /healthz, /readyz and /metrics.\n")

    def ready(self) -> tuple[HTTPStatus, str]:
        """The answer of `/readyz`: whether any worker can get clients, and what operators should
        fix."""
        if self.stopping:
            return HTTPStatus.SERVICE_UNAVAILABLE, "draining\n"
        ready = any(
            post.life and post.life.well and post.life.state.trouble is None
            for post in self._crew.posts
        )
        told: dict[str, None] = {}
        for post in self._crew.posts:
            told |= dict.fromkeys(troubles_of(post))
        lines = ["ready" if ready else "no worker is ready", *told]
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return status, "".join(f"{line}\n" for line in lines)

    async def _families(self) -> list[Any]:
        self._crew.measure()
        await asyncio.gather(*(life.measure() for life in self._crew.lives))
        # The counts of a worker that ended meanwhile are in `retired`.
        posted = [post.life for post in self._crew.posts]
        told = [
            (str(life.number) if life in posted else None, life.families)
            for life in self._crew.lives
        ]
        return merged(told, families_of(metrics.REGISTRY), self._crew.retired.families)


def troubles_of(post: Post) -> Iterator[str]:
    """What is wrong with a worker. Lines about the store and the archive lack its number, because
    all workers say the same."""
    life, name = post.life, f"worker {post.number}"
    if post.given_up:
        yield (
            f"{name} has ended {post.lives.vain} times in a row, the last time with status "
            f"{post.status}, and is given up: see the log, mend the cause, then send SIGHUP"
        )
    elif life is None:
        yield f"{name} has ended with status {post.status}, and will start again"
    elif not life.serving.done():
        yield f"{name} is starting"
    elif life.stuck:
        yield f"{name} (pid {life.process.pid}) does not answer"
    else:
        if life.state.trouble is not None:
            own = (line for line in life.state.trouble.splitlines() if line not in life.state.lines)
            yield from (f"{name}: {line}" for line in own)
        yield from life.state.lines
