"""Evaluations over HTTP: a line, page by page; refusals; and who may ask how much."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import Request

from archive.api.serving import Served, served
from pierule_archive.api import evaluations
from pierule_archive.api.evaluations import AT_ONCE, MOST, EvaluationEndpoint
from pierule_archive.api.problems import Failure, away
from pierule_archive.api.threads import Threads
from pierule_archive.evaluating import Task
from pierule_games import GAMES
from pierule_search.evaluation import Evaluation

LINE = ["komi:2", "black", "c3", "b2", "b3", "d2", "c2", "a1", "d3", "e5", "b4"]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The API without an archive: evaluations need none."""
    with served(f"sqlite:///{tmp_path_factory.mktemp('none') / 'archive.sqlite'}") as running:
        yield running


def ask(api: Served, game: str = "loose", size: int = 5, **query: Any) -> Any:
    return api.ask(f"evaluations/{game}", size=size, **query)


def test_a_line_is_evaluated_page_by_page(api: Served) -> None:
    line = " ".join(LINE)
    first = ask(api, actions=line).json
    assert (first["game"], first["rules"], first["size"]) == ("loose", 1, 5)
    found, following = first["positions"], first["next"]
    while following is not None:
        assert following == len(found)
        page = ask(api, actions=line, first=following).json
        found, following = found + page["positions"], page["next"]
    assert [each["ply"] for each in found] == list(range(len(LINE) + 1))
    assert [each["black"] for each in found] == [None, None] + [1] * (len(LINE) - 1)
    assert [each["played"] is None for each in found] == [False] * len(LINE) + [True]
    for each in found:
        sign = 1 if each["to_act"] == 0 else -1
        if each["played"] is not None:
            assert sign * each["expected"] >= sign * each["played"]
        assert each["best"]


def test_a_position_alone_is_evaluated_as_in_its_line(api: Served) -> None:
    last = ask(api, actions=" ".join(LINE), first=len(LINE)).json
    assert last["next"] is None
    [alone] = last["positions"]
    [within] = ask(api, actions=" ".join([*LINE, "e1"]), first=len(LINE), limit=1).json["positions"]
    assert alone == within | {"played": None}


def test_an_answer_can_be_cached(api: Served) -> None:
    one = ask(api, limit=1)
    assert one.headers["cache-control"] == "public, max-age=3600"
    again = api.ask(
        "evaluations/loose", size=5, limit=1, headers={"If-None-Match": one.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("query", "code", "parameter"),
    [
        ({"actions": "komi:2 black z9"}, "bad_parameter", "actions"),
        ({"actions": "pass " * 1_001}, "bad_parameter", "actions"),
        ({"actions": "x" * 6_001}, "bad_parameter", "actions"),
        ({"actions": "komi:2", "first": 2}, "bad_parameter", "first"),
        ({"limit": MOST + 1}, "bad_parameter", "limit"),
        ({"size": 4}, "bad_parameter", "size"),
        ({"rules": 99}, "bad_parameter", "rules"),
        ({"position": "x"}, "unknown_parameter", "position"),
    ],
)
def test_a_wrong_parameter_is_named(
    api: Served, query: dict[str, Any], code: str, parameter: str
) -> None:
    answer = ask(api, **query)
    assert answer.status == 400
    assert (answer.json["code"], answer.json["parameter"]) == (code, parameter)
    assert answer.json["allowed"]


def test_unknown_games_and_games_without_evaluations_are_refused(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = ask(api, "chess")
    assert (unknown.status, unknown.json["code"]) == (404, "unknown_game")
    blind = replace(GAMES["loose"], sight=None)
    monkeypatch.setattr(evaluations, "game_named", lambda _: blind)
    without = ask(api)
    assert (without.status, without.json["code"]) == (404, "not_evaluated")


class Slow:
    """Evaluates when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.go, self.busy = asyncio.Event(), asyncio.Event()

    async def evaluate(self, task: Task) -> Evaluation:
        self.asked += 1
        if self.asked == AT_ONCE:
            self.busy.set()
        await self.go.wait()
        return Evaluation(0.5, "pass", None, 1)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(1, 8, "queries")
    yield threads
    threads.close()


def request(*, leaves: bool = False) -> Request:
    async def receive() -> Any:
        if leaves:
            return {"type": "http.disconnect"}
        return await asyncio.Event().wait()

    scope = {
        "type": "http", "method": "GET", "path": "/", "headers": [], "visitor": "here",
        "query_string": b"size=5&actions=komi:2+black", "path_params": {"game": "loose"},
    }  # fmt: skip
    return Request(scope, receive)


async def test_an_address_may_ask_for_few_evaluations_at_once(threads: Threads) -> None:
    slow = Slow()
    asking = EvaluationEndpoint(threads, slow)  # type: ignore[arg-type]
    asked = [asyncio.create_task(asking.endpoint(request())) for _ in range(AT_ONCE)]
    await slow.busy.wait()
    with pytest.raises(Failure) as refused:
        await asking.endpoint(request())
    assert refused.value.problem.status == 429
    assert refused.value.headers["Retry-After"]
    slow.go.set()
    assert [answer.status_code for answer in await asyncio.gather(*asked)] == [200] * AT_ONCE
    assert (await asking.endpoint(request())).status_code == 200


async def test_evaluation_stops_when_the_client_has_left(threads: Threads) -> None:
    slow = Slow()
    slow.go.set()
    asking = EvaluationEndpoint(threads, slow)  # type: ignore[arg-type]
    await asking.endpoint(request(leaves=True))
    assert slow.asked == 1


async def test_a_client_that_leaves_frees_its_place_at_once(threads: Threads) -> None:
    slow, left = Slow(), asyncio.Event()
    asking = EvaluationEndpoint(threads, slow)  # type: ignore[arg-type]

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    asked = [
        asyncio.create_task(asking.endpoint(Request(request().scope, receive)))
        for _ in range(AT_ONCE)
    ]
    await slow.busy.wait()  # and no search ends
    left.set()
    await asyncio.gather(*asked)
    slow.go.set()
    assert (await asking.endpoint(request())).status_code == 200


async def test_operators_may_switch_evaluations_off(threads: Threads) -> None:
    with pytest.raises(Failure) as refused:
        await EvaluationEndpoint(threads, None).endpoint(request())
    assert (refused.value.problem.status, refused.value.problem.code) == (404, "not_evaluated")


class Full:
    """Evaluates one position, and then is busy."""

    asked = 0

    async def evaluate(self, task: Task) -> Evaluation:
        self.asked += 1
        if self.asked > 1:
            raise away("too many evaluations are waiting")
        return Evaluation(0.5, "pass", None, 1)


async def test_finished_positions_are_answered_though_the_rest_is_refused(threads: Threads) -> None:
    asking = EvaluationEndpoint(threads, Full())  # type: ignore[arg-type]
    answer = json.loads(bytes((await asking.endpoint(request())).body))
    assert (len(answer["positions"]), answer["next"]) == (1, 1)
    with pytest.raises(Failure, match="too many"):
        await asking.endpoint(request())
