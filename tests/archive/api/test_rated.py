"""Ratings as the API tells them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from archive.api.serving import Served, served
from archive.conftest import KINDS, database
from archive.games import START, a_game
from archive.test_rating import folded, rate_all
from pierule_archive.archive import Archive
from pierule_archive.database import opened
from pierule_ratings import MODELS, VERSION, Pool
from pierule_ratings.model import DAY

NAMES = ["ada", "bob", "cyd", "dan", "eve"]
GAMES = 70
LAST = START + GAMES * DAY // 2


def game(number: int) -> Any:
    one, other = number % 4, (number + 1 + number // 4 % 3) % 4
    players = ("eve", "ada") if number in (3, 9) else (NAMES[one], NAMES[other])
    name = "".join("abcdefghij"[int(digit)] for digit in f"{number:04}")
    played = a_game(name, seed=number % 5, players=players, plies=4, rated="either")
    return replace(played, ended=START + number * DAY // 2, winner="01"[number % 3 == 0])


@pytest.fixture(scope="module", params=KINDS)
def rated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, Pool]]:
    """Four who play a lot, of whom Bob has no name any more, one who played twice, and a game that
    does not count."""
    file = tmp_path_factory.mktemp("rated") / "archive.sqlite"
    with database(request.param, request, file) as url:
        archive = Archive(opened(url))
        archive.add([*map(game, range(GAMES)), a_game("notcounted", plies=5)])
        archive.forget("bob")
        rate_all(archive)
        with served(url) as running:
            yield running, folded(archive)
        archive.engine.dispose()


def told(pool: Pool, at: int) -> dict[str, tuple[str, str]]:
    return {player: (str(it.value), str(it.deviation)) for player, it in pool.table(at)}


def test_pages_of_ratings_list_everybody_exactly(rated: tuple[Served, Pool]) -> None:
    api, pool = rated
    for at in (LAST, LAST + 40 * DAY):
        found: list[Any] = []
        after: dict[str, Any] = {}
        while True:
            table = api.ask("ratings/loose", players="all", at=at, limit=2, **after).json
            assert (table["version"], table["through"], table["at"]) == (VERSION, GAMES + 1, at)
            found += table["players"]
            if table["next"] is None:
                break
            after = {"after": table["next"]}
        shown = {row["player"]["id"]: (row["rating"], row["deviation"]) for row in found}
        assert shown == told(pool, at)
        assert [row["player"]["id"] for row in found] == sorted(NAMES)
        assert all(row["rank"] is None for row in found)


def test_a_leaderboard_lists_players_with_many_and_recent_games(rated: tuple[Served, Pool]) -> None:
    api, pool = rated
    table = api.ask("ratings/loose", at=LAST).json
    order = [player for player, _ in pool.table(LAST) if player not in ("eve", "bob")]
    assert [row["player"]["id"] for row in table["players"]] == order
    assert [row["rank"] for row in table["players"]] == [1, 2, 3]
    names = {row["player"]["id"]: row["player"]["name"] for row in table["players"]}
    assert names == {"ada": "Ada", "cyd": "Cyd", "dan": "Dan"}
    assert not any(row["provisional"] for row in table["players"])
    assert api.ask("ratings/loose", at=LAST, limit=2).json["players"] == table["players"][:2]
    assert api.ask("ratings/loose", at=LAST + 91 * DAY).json["players"] == []
    assert api.ask("ratings/loose", at="0400-02-21").json["at"] == 0
    assert api.ask("ratings/veletas").json["players"] == []


def test_a_player_has_a_curve_of_ratings(rated: tuple[Served, Pool]) -> None:
    api, pool = rated
    said = api.ask("players/ada/ratings").json
    assert (said["id"], said["name"], said["version"]) == ("ada", "Ada", VERSION)
    [loose] = said["ratings"]
    mine, curve = pool.rating("ada"), loose["curve"]
    assert (loose["game"], loose["games"], loose["rating"]) == (
        "loose",
        mine.games,
        str(mine.value),
    )
    assert Decimal(loose["deviation"]) > mine.deviation  # it is years later
    assert len(curve) == mine.games
    now = str(mine.value), str(mine.deviation)
    assert (curve[-1]["rating"], curve[-1]["deviation"]) == now
    assert [point["feed"] for point in curve] == sorted(point["feed"] for point in curve)
    assert api.ask("players/nobody/ratings").status == 404


def test_a_game_says_how_it_changed_ratings(rated: tuple[Served, Pool]) -> None:
    api, _ = rated
    first = api.ask("games/1").json
    fresh = {"rating": "1500.000000", "deviation": "250.000000", "games": 0, "provisional": True}
    assert [each["before"] for each in first["ratings"]] == [fresh, fresh]
    assert (first["rated"], first["unrated"]) == (True, None)
    after = [Decimal(each["after"]["rating"]) for each in first["ratings"]]
    assert after[1] > MODELS[VERSION].rating > after[0]
    last = api.ask(f"games/{GAMES + 1}").json
    assert (last["rated"], last["unrated"], last["ratings"]) == (False, "before", None)


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        ("ratings/Loose!", {}, "unknown_path"),
        ("ratings/loose", {"limit": 0}, "bad_parameter"),
        ("ratings/loose", {"players": "some"}, "bad_parameter"),
        ("ratings/loose", {"at": "yesterday"}, "bad_parameter"),
        ("ratings/loose", {"at": 2**60}, "bad_parameter"),
        ("ratings/loose", {"players": "all", "after": "\0"}, "bad_parameter"),
        ("ratings/loose", {"players": "all", "after": ""}, "bad_parameter"),
        ("players/ada/ratings", {"limit": 3}, "unknown_parameter"),
    ],
)
def test_a_wrong_parameter_is_named(
    rated: tuple[Served, Pool], path: str, query: dict[str, Any], code: str
) -> None:
    answer = rated[0].ask(path, **query)
    assert answer.status in (400, 404)
    assert answer.json["code"] in (code, "unknown_game")
