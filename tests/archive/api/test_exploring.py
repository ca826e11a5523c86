"""The explorers over HTTP: what was played in a position, and which cuts were offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from archive.api.serving import Served, all_counted, served
from archive.games import START, a_game
from pierule_archive.archive import Archive
from pierule_archive.game import Game
from pierule_games import GAMES
from pierule_games.refusal import Refusal

MONTH = 31 * 86_400_000


def several(count: int = 12) -> list[Game]:
    return [
        replace(a_game(f"room{number}", seed=number, at=START + number * MONTH), bot1=number < 3)
        for number in range(count)
    ]


def won(game: Game, color: str) -> bool:
    return game.winner in ("0", "1") and (int(game.winner) == game.black) == (color == "black")


def test_an_empty_archive_has_no_cuts(archive: Archive, url: str) -> None:
    with served(url) as api:
        assert api.ask("cuts/loose", size=5).json == {
            "game": "loose", "size": 5, "counted": 0, "first": None, "cuts": [],
        }  # fmt: skip
        empty = api.ask("positions/veletas").json
        assert (empty["phase"], empty["color"], empty["games"]) == ("first", None, 0)


def test_cuts_have_their_counts_and_results(archive: Archive, url: str) -> None:
    games = several()
    archive.add(games)
    with served(url) as api:
        all_counted(api, archive)
        found = api.ask("cuts/loose", size=5).json["cuts"]
        bots = api.ask("cuts/loose", size=5, bot="true").json["cuts"]
        early = api.ask("cuts/loose", size=5, until="2023-12").json["cuts"]
    assert {each["cut"]: each["results"]["games"] for each in found} == Counter(
        game.cut for game in games
    )
    for each in found:
        those = [game for game in games if game.cut == each["cut"]]
        chooser = sum(won(game, game.actions[1]) for game in those)
        assert each["chooser"]["wins"] == chooser
        assert each["chooser"]["games"] == len(those)
        assert each["chooser"]["low"] <= chooser / len(those) <= each["chooser"]["high"]
        assert each["chooser"]["few"]
    assert sum(each["results"]["games"] for each in bots) == 3
    assert sum(each["results"]["games"] for each in early) == 2


def test_the_first_and_last_months_of_the_calendar(archive: Archive, url: str) -> None:
    archive.add(several(2))
    asked: list[tuple[str, dict[str, Any]]]
    asked = [("positions/loose", {}), ("cuts/loose", {}), ("cuts/loose", {"rating": 0})]
    with served(url) as api:
        for path, query in asked:
            for month in ("since=0000-01", "until=0000-12", "until=9999-12"):
                name, _, text = month.partition("=")
                asking = {"size": 5, name: text, **query}
                assert api.ask(path, **asking).status == 200


def test_explored_actions_fit_the_orientation_of_the_asked_position(
    archive: Archive, url: str
) -> None:
    games = several()
    archive.add(games)
    game = GAMES["loose"]
    position = game.opening(5)
    way = games[0].actions[:5]
    for action in way:
        after = position.play(action)
        assert not isinstance(after, Refusal)
        position = after
    with served(url) as api:
        all_counted(api, archive)
        found = api.ask("positions/loose", size=5, actions=" ".join(way)).json
    assert found["games"] >= 1
    assert found["phase"] == "play"
    for move in found["moves"]:
        assert not isinstance(position.play(move["action"]), Refusal)
    assert games[0].actions[5] in [move["action"] for move in found["moves"]]


def test_positions_reached_in_other_orders_and_orientations_have_one_key(
    archive: Archive, url: str
) -> None:
    archive.add(several())
    ways = ["komi:2 black a1 e5 b2", "komi:8 white b2 e5 a1", "komi:2 black e1 a5 d2"]
    with served(url) as api:
        all_counted(api, archive)
        found = [api.ask("positions/loose", size=5, actions=way).json for way in ways]
    assert len({each["key"] for each in found}) == 1


def test_an_action_is_found_on_a_board_that_lies_another_way(archive: Archive, url: str) -> None:
    archive.add(several())
    with served(url) as api:
        all_counted(api, archive)
        ways = ["komi:2 black", "komi:2 black a1", "komi:2 black e1"]
        corners = [
            api.ask("positions/loose", size=5, actions=ways[0], played=point).json["played"]
            for point in ("a1", "a5", "e1", "e5")
        ]
        near = [
            api.ask("positions/loose", size=5, actions=way, played=point).json["played"]
            for way, point in zip(ways[1:], ("b1", "e2"), strict=True)
        ]
        back = api.ask("positions/loose", size=5, actions=ways[2], played=near[1]).json
        assert api.ask("positions/loose", size=5).json["played"] is None
    assert len(set(corners)) == 1
    assert near[0] in ("a2", "b1")
    assert near[1] in ("d1", "e2")
    assert back["played"] == near[1]


def test_the_game_that_is_looked_at_does_not_count(archive: Archive, url: str) -> None:
    games = [a_game("lookedat"), *several()]
    archive.add(games)
    with served(url) as api:
        all_counted(api, archive)
        whole, *less = (
            api.ask("positions/loose", size=5, played=games[0].actions[0], **query).json
            for query in ({}, {"without": games[0].room}, {"without": 1}, {"without": "elsewhere"})
        )

    def counted(answer: Any) -> Counter[str]:
        assert answer["games"] == sum(move["results"]["games"] for move in answer["moves"])
        return Counter({move["action"]: move["results"]["games"] for move in answer["moves"]})

    assert counted(whole) == Counter(game.actions[0] for game in games)
    assert counted(less[0]) == counted(less[1]) == Counter(game.actions[0] for game in games[1:])
    assert counted(less[2]) == counted(whole)
    assert whole["played"] == games[0].actions[0]


@pytest.mark.parametrize(
    ("path", "query", "status", "told"),
    [
        ("cuts/chess", {}, 404, "there is no game 'chess'"),
        ("cuts/loose", {"size": 6}, 400, "`size`: loose has no board of size 6"),
        ("cuts/loose", {"since": "2024"}, 400, "`since`"),
        ("cuts/loose", {"since": "2024-13"}, 400, "`since`"),
        ("cuts/loose", {"actions": "a1"}, 400, "this path has no parameter 'actions'"),
        ("cuts/loose", {"limit": 501}, 400, "`limit`"),
        ("cuts/loose", {"rating": -1}, 400, "`rating`"),
        ("positions/loose", {"rating": 1400}, 400, "this path has no parameter 'rating'"),
        ("positions/loose", {"actions": "komi:3"}, 400, "number 1, 'komi:3': "),
        ("positions/loose", {"size": 5, "actions": "komi:2 black a1 a1"}, 400, "number 4, 'a1': "),
        ("positions/loose", {"actions": "pass " * 30}, 400, "30 actions"),
        ("positions/loose", {"played": "komi:3"}, 400, "`played`: 'komi:3': "),
        ("positions/loose", {"without": "no room"}, 400, "`without`"),
    ],
)
def test_impossible_requests_are_refused_with_the_reason(
    url: str, archive: Archive, path: str, query: dict[str, Any], status: int, told: str
) -> None:
    with served(url) as api:
        answer = api.ask(path, "GET", None, **query)
    assert answer.status == status
    assert told in answer.json["detail"]


def test_an_unchanged_answer_is_304(served_games: Served) -> None:
    first = served_games.ask("cuts/loose", size=5)
    again = served_games.ask("cuts/loose", headers={"If-None-Match": first.headers["ETag"]}, size=5)
    assert (first.status, again.status, again.body) == (200, 304, b"")


@pytest.fixture
def served_games(archive: Archive, url: str) -> Iterator[Served]:
    archive.add(several(3))
    with served(url) as api:
        all_counted(api, archive)
        yield api
