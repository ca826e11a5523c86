"""How good the positions of a line of actions are, a few positions per request (SPEC 27.17)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from pierule_archive.api.answers import Evaluated, Evaluations, encode
from pierule_archive.api.boards import BoardSize, game_named, positions_of, rules_of, size_of
from pierule_archive.api.evaluator import Evaluator
from pierule_archive.api.parameters import read_query
from pierule_archive.api.problems import Failure, bad_parameter, later
from pierule_archive.api.representation import represent
from pierule_archive.api.threads import Threads
from pierule_archive.evaluating import Task
from pierule_games.game import Position
from pierule_protocol import world
from pierule_protocol.state.position import position_text
from pierule_search.evaluation import Evaluation

PLIES = 1_000
"""The most actions of a line."""

MOST = 8
"""The most positions in an answer."""

PATIENCE = 10.0
"""After this many seconds, an answer has only the positions evaluated so far."""

AT_ONCE = 2
"""The most requests of an address at the same time."""

HOUR = 3_600
"""How many seconds caches may keep an answer. It changes with a new version of the rules or of the
search."""


class Evaluating(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters: which positions to evaluate."""

    size: BoardSize | UnsetType = UNSET
    rules: (
        Annotated[
            int, Meta(ge=1, le=1_000, description="the version of the rules; default: the newest")
        ]
        | UnsetType
    ) = UNSET
    actions: Annotated[
        str,
        Meta(
            max_length=6_000,
            description="the line: its actions from the opening on, separated by spaces",
        ),
    ] = ""
    first: Annotated[
        int,
        Meta(
            ge=0,
            le=PLIES,
            description="the first position to evaluate: the one after this many actions",
        ),
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=MOST, description="the most positions in the answer")] = (
        MOST
    )


class Line(msgspec.Struct, frozen=True):
    """A line of legal actions, and the positions to evaluate."""

    game: str
    rules: int
    size: int
    actions: list[str]
    positions: list[Position]


class EvaluationEndpoint:
    """Answers requests for evaluations. Without an evaluator, it refuses them."""

    def __init__(self, threads: Threads, evaluator: Evaluator | None) -> None:
        self._threads, self._evaluator = threads, evaluator
        self._here: Counter[str] = Counter()

    async def endpoint(self, request: Request) -> Response:
        """The answer to a request. Raises Failure."""
        query = read_query(request.query_params.multi_items(), Evaluating)
        if self._evaluator is None:
            detail = "this server does not evaluate positions"
            raise Failure(HTTPStatus.NOT_FOUND, "not_evaluated", detail)
        visitor = request.scope["visitor"]
        if self._here[visitor] >= AT_ONCE:
            detail = "too many requests for evaluations at the same time from your address"
            raise later(HTTPStatus.TOO_MANY_REQUESTS, "rate", detail, 1)
        self._here[visitor] += 1
        try:
            line = await self._threads.do(read_line, request.path_params["game"], query)
            found = await self._evaluated(request, self._evaluator, line, query.first)
        finally:
            self._here[visitor] -= 1
            if not self._here[visitor]:
                del self._here[visitor]
        return represent(encode(found)).response(request, max_age=HOUR)

    async def _evaluated(
        self, request: Request, evaluator: Evaluator, line: Line, first: int
    ) -> Evaluations:
        """The evaluations that are ready within `PATIENCE` seconds, but at least one; fewer if the
        client has gone."""
        until = world.monotonic() + PATIENCE
        found: list[Evaluated] = []
        for ply, position in enumerate(line.positions, first):
            if found and world.monotonic() > until:
                break
            action = line.actions[ply] if ply < len(line.actions) else None
            task = Task(position_text(position), line.rules, action)
            try:
                it = await _while_asked(request, evaluator.evaluate(task))
            except Failure:
                if not found:
                    raise
                break  # the next request for the rest will get the failure
            if it is None:
                break
            found.append(Evaluated(
                ply=ply, to_act=position.to_act, black=position.black, expected=it.expected,
                best=it.best, played=it.played, depth=it.depth,
            ))  # fmt: skip
        end = first + len(found)
        return Evaluations(
            game=line.game, rules=line.rules, size=line.size, positions=found,
            next=end if end <= len(line.actions) else None,
        )  # fmt: skip


async def _while_asked(
    request: Request, work: Coroutine[Any, Any, Evaluation]
) -> Evaluation | None:
    """The result of the work. If the client goes away, cancels the work and returns None."""
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        return None if gone.done() else task.result()
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def read_line(name: str, query: Evaluating) -> Line:
    """The line of a request. Raises Failure. It is slow, so do not call it on the event loop."""
    game = game_named(name)
    if game.sight is None:
        detail = f"this server does not evaluate positions of {name}"
        raise Failure(HTTPStatus.NOT_FOUND, "not_evaluated", detail)
    version, rules = rules_of(game, query.rules)
    size = size_of(game, rules, query.size)
    actions = query.actions.split()
    if len(actions) > PLIES:
        detail = f"`actions`: {len(actions)} actions, but a line has at most {PLIES}"
        raise bad_parameter("actions", detail, {"most": PLIES})
    if query.first > len(actions):
        detail = f"`first`: the line has only {len(actions)} actions"
        raise bad_parameter("first", detail, {"maximum": len(actions)})
    positions = positions_of(game, rules.opening(size), actions)
    chosen = positions[query.first : query.first + query.limit]
    return Line(name, version, size, actions, chosen)
