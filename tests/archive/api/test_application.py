"""What the API answers, over a real socket, from both databases."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from archive.api.serving import BOUND, Answer, Everybody, Served, served
from archive.conftest import KINDS, database
from archive.games import START, a_game
from archive.test_archive import later
from pierule_archive import record
from pierule_archive.api import application, selection
from pierule_archive.archive import Archive
from pierule_archive.database import opened
from pierule_archive.game import Game
from pierule_protocol.state.room import UnknownGame

DAY = 86_400_000


@pytest.fixture
def api(archive: Archive, url: str) -> Iterator[Served]:
    """The API over the archive."""
    with served(url) as running:
        yield running


def problem(answer: Answer) -> Any:
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == answer.status
    assert answer.headers["cache-control"] == "no-store"
    return answer.json


def lettered(number: int) -> str:
    """A room's id."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:04}")


def feeds(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.body
    return [line["feed"] for line in answer.json["lines"]]


def fill(archive: Archive) -> None:
    """1 public, 2 private, 3 replaced by 4, 5 unlisted, 6 amends 1, 7 amends 2."""
    ended_anew = a_game("kobadimutelosa", plies=6)
    archive.add([
        a_game("bumatodigefoha", plies=4),
        replace(a_game("secretsecretse", plies=4, players=("ada", "eve")), access="private"),
        ended_anew, later(ended_anew),
        replace(a_game("unlistedunlist", game="taugo", size=7, plies=8), access="unlisted"),
    ])  # fmt: skip
    archive.void("bumatodigefoha", START, "cheating")
    archive.void("secretsecretse", START, "a secret")


@pytest.fixture(scope="module", params=KINDS)
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The API over an archive with the games of `fill`, for tests that only read."""
    file = tmp_path_factory.mktemp("filled") / "archive.sqlite"
    with database(request.param, request, file) as url:
        archive = Archive(opened(url))
        fill(archive)
        with served(url) as running:
            yield running
        archive.engine.dispose()


def test_the_feed_has_every_number_and_shows_public_games(filled: Served) -> None:
    answer = filled.ask("games")
    lines = answer.json["lines"]
    assert [line["feed"] for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert lines[1] == {"feed": 2, "private": True, "cursor": "2"}
    assert lines[2] == {"feed": 3, "superseded_by": 4, "cursor": "3"}
    assert lines[5] == {
        "feed": 6, "kind": "void", "at": START, "text": "cheating", "amends": 1,
        "room": "bumatodigefoha", "cursor": "6",
    }  # fmt: skip
    assert lines[6] == {"feed": 7, "private": True, "cursor": "7"}
    assert lines[0]["amendment"]["feed"] == 6
    assert lines[0]["players"] == [
        {"id": "ada", "name": "Ada", "bot": False}, {"id": "bob", "name": "Bob", "bot": False},
    ]  # fmt: skip
    assert lines[0]["result"] == {"winner": 1, "reason": "resigned"}
    assert (lines[4]["access"], lines[3]["epoch"]) == ("unlisted", 2)
    assert answer.json["next"] is None
    assert filled.ask("games", format="ndjson").lines == lines
    assert filled.ask("games", order="desc").json["lines"] == lines[::-1]
    for secret in (b"secret", b"eve"):
        assert secret not in answer.body


def test_each_page_leads_to_the_next(filled: Served) -> None:
    for order in ("asc", "desc"):
        whole = filled.ask("games", order=order).json["lines"]
        found, at = [], "/api/v1/games?limit=2&order=" + order
        while at is not None:
            page = filled.ask(at).json
            found += page["lines"]
            at = page["next"]
            assert at is None or at.startswith("/api/v1/games?")  # relative: proxies may lead here
        assert found == whole


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"game": "loose"}, [1, 4]),
        ({"game": "loose", "size": 5}, [1, 4]),
        ({"size": 7}, [5]),
        ({"player": "ada"}, [1, 4, 5]),
        ({"player": "Bob", "order": "desc"}, [5, 4, 1]),
        ({"player": "Bob", "result": "won", "limit": 2}, [1, 4]),
        ({"player": "bob", "result": "lost"}, []),
        ({"bot": "false"}, [1, 4, 5]),
        ({"bot": "true"}, []),
        ({"category": "none", "rated": "false"}, [1, 4, 5]),
        ({"category": "live"}, []),
        ({"result": "1"}, [1, 4, 5]),
        ({"result": "none"}, []),
        ({"reason": "resigned"}, [1, 4, 5]),
        ({"min_plies": 5, "max_plies": 6}, [4]),
        ({"since": START, "until": START + DAY}, [1, 4, 5]),
        ({"since": "2023-11-14", "until": "2023-11-15"}, [1, 4, 5]),
        ({"until": "2023-11-14"}, []),
        ({"game": "loose", "after": "1"}, [4]),
    ],
)
def test_games_are_found_by_every_parameter(
    filled: Served, query: dict[str, Any], found: list[int]
) -> None:
    assert feeds(filled.ask("games", **query)) == found
    assert [line["feed"] for line in filled.ask("games", format="ndjson", **query).lines] == found


def test_a_search_of_rare_games_goes_on_where_it_stopped(
    archive: Archive, api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many rows lie between two that match, each is looked at once."""
    monkeypatch.setattr(selection, "SCAN", 3)
    many = [a_game(lettered(n), plies=3) for n in range(80)]
    archive.add([replace(game, size=9 if n in (4, 77) else 5) for n, game in enumerate(many)])
    for order, wanted in (("asc", [5, 78]), ("desc", [78, 5])):
        for query in ({"size": 9}, {"size": 9, "player": "ada"}, {"size": 9, "game": "loose"}):
            streamed = api.ask("games", format="ndjson", order=order, **query).lines
            assert [line["feed"] for line in streamed] == wanted
            found, at = [], f"/api/v1/games?size=9&order={order}&limit=1"
            while at is not None:
                page = api.ask(at).json
                found += [line["feed"] for line in page["lines"]]
                at = page["next"]
            assert found == wanted


def test_a_game_is_answered_as_its_record(archive: Archive, api: Served) -> None:
    game = a_game("bumatodigefoha", plies=6)
    archive.add([game])
    answer = api.ask("games/bumatodigefoha").json
    assert answer == api.ask("games/1").json
    assert len(answer["actions"]) == 6
    events = answer["events"]
    assert [(event["record"], event["chain"]) for event in events] == [
        (entry.record, entry.chain) for entry in game.entries
    ]
    assert {frozenset(event) for event in events} == {
        frozenset(("epoch", "seq", "chain", "at", "record", "digest"))
    }
    assert "Ada" not in repr(events)


def test_the_latest_public_game_of_a_room_is_shown(archive: Archive, api: Served) -> None:
    first, second = a_game(seed=1, plies=3), a_game(seed=2, plies=4)
    archive.add([first, second, replace(a_game(seed=3, plies=5), access="private")])
    assert api.ask(f"games/{first.room}").json["feed"] == 2
    assert api.ask("games/1").json["feed"] == 1
    assert problem(api.ask("games/3"))["code"] == "unknown_room"


def test_a_game_whose_rules_are_missing_has_no_digests(
    archive: Archive, api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fold(*_: object) -> None:
        raise UnknownGame("bumatodigefoha", "loose", 2)

    archive.add([a_game("bumatodigefoha", plies=2)])
    monkeypatch.setattr(record, "fold", fold)
    answer = api.ask("games/1").json
    assert answer["actions"] is None
    assert {"digest" in event for event in answer["events"]} == {False}


def test_players_have_a_name_until_it_is_forgotten(archive: Archive, api: Served) -> None:
    fill(archive)
    ended = max(line["ended"] for line in api.ask("games", player="ada").json["lines"])
    wanted = {"id": "ada", "name": "Ada", "bot": False, "last": ended, "namesakes": []}
    assert api.ask("players/ada").json == api.ask("players/Ada").json == wanted
    assert feeds(api.ask("players/Ada/games")) == [1, 4, 5]
    assert feeds(api.ask("players/Ada/games", result="lost", order="desc")) == [5, 4, 1]
    for path in ("players/eve", "players/Eve", "players/Eve/games"):
        assert problem(api.ask(path))["code"] == "unknown_player"  # only a private game
    archive.forget("ada")
    assert api.ask("players/ada").json == wanted | {"name": None}
    assert problem(api.ask("players/Ada"))["code"] == "unknown_player"
    assert b"Ada" not in api.ask("games").body


def test_a_name_means_its_latest_player(archive: Archive, api: Served) -> None:
    archive.add([
        a_game("bumatodigefoha", plies=2, players=("ada", "bob")),
        replace(a_game("kobadimutelosa", plies=2, players=("bda", "bob"), at=START + DAY),
                names={"bda": "Ada"}),
    ])  # fmt: skip
    answer = api.ask("players/Ada").json
    assert (answer["id"], answer["namesakes"]) == ("bda", ["ada"])


def test_a_name_is_found_in_upper_and_lower_case(archive: Archive, api: Served) -> None:
    names = {"a1": "Ada", "a2": "ADA", "a3": "Ärger"}
    for n, (player, name) in enumerate(names.items()):
        game = a_game(f"bumatodigefo{n}", plies=2, players=(player, "bob"), at=START + n * DAY)
        archive.add([replace(game, names={player: name, "bob": "Bob"})])
    found = {name: api.ask(f"players/{name}").json for name in ("Ada", "ADA", "ada", "Ärger")}
    assert {name: answer["id"] for name, answer in found.items()} == {
        "Ada": "a1", "ADA": "a2", "ada": "a2", "Ärger": "a3",
    }  # fmt: skip
    assert found["Ada"]["namesakes"] == ["a2"]
    assert feeds(api.ask("players/bOB/games")) == [1, 2, 3]
    assert feeds(api.ask("games", player="bOB")) == [1, 2, 3]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("size=x", "size"), ("size=0", "size"), ("size=", "size"), ("after=-1", "after"),
        ("after=1e3", "after"), ("after=" + "9" * 19, "after"), ("order=up", "order"),
        ("since=tomorrow", "since"), ("since=-1", "since"), ("limit=1001", "limit"),
        ("limit=0", "limit"), ("bot=maybe", "bot"), ("category=blitz", "category"),
        ("reason=x", "reason"), ("result=won", "result"), ("format=xml", "format"),
        ("game=%00", "game"), ("player=%00", "player"), ("size=5&size=6", "size"),
        ("rated=null", "rated"), ("min_plies=-1", "min_plies"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named_with_what_is_allowed(
    filled: Served, query: str, parameter: str
) -> None:
    told = problem(filled.ask(f"/api/v1/games?{query}"))
    assert (told["status"], told["code"], told["parameter"]) == (400, "bad_parameter", parameter)
    assert told["allowed"]
    assert f"`{parameter}`" in told["detail"]
    assert "regex" not in told["detail"], "people read that"


WRONG_FORMS = {
    (
        "games",
        "after=tea",
    ): "it is not a cursor, a number of up to 18 digits: take it from the last line",
    ("games", "game=Tea"): "it is not the id of a game: these have 1 to 32 of the characters a-z, "
    "0-9, _ and -",
    ("games", "player=%00"): "it is neither the id nor the name of a player: these have 1 to 64 "
    "characters",
    ("cuts/loose", "since=May"): "it is not a month, such as 2026-11",
}


@pytest.mark.parametrize(("path", "query"), WRONG_FORMS)
def test_a_text_of_the_wrong_form_is_answered_in_words(
    filled: Served, path: str, query: str
) -> None:
    name, words = query.partition("=")[0], WRONG_FORMS[path, query]
    assert problem(filled.ask(f"/api/v1/{path}?{query}"))["detail"] == f"`{name}`: {words}"


def test_unknown_parameters_and_paths_are_refused(archive: Archive, api: Served) -> None:
    told = problem(api.ask("games", colour="red"))
    assert (told["status"], told["code"], told["parameter"]) == (400, "unknown_parameter", "colour")
    assert "player" in told["allowed"]
    assert problem(api.ask("games/1", x="1"))["code"] == "unknown_parameter"
    for path in ("games/nosuchroom", "games/17", "games/No-Room", "games/" + "9" * 30):
        assert problem(api.ask(path))["code"] == "unknown_room"
    archive.add([a_game()])
    told = problem(api.ask("games", player="nobody"))
    assert (told["status"], told["code"], told["parameter"]) == (404, "unknown_player", "player")
    for path in ("/", "/api", "/api/v1/games/", "/api/v2/games", "/api/v1/players"):
        assert problem(api.ask(path))["code"] == "unknown_path"
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = api.ask("games", method)
        assert problem(answer)["code"] == "method"
        assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_a_missing_archive_counts_as_empty(tmp_path: Path) -> None:
    file = tmp_path / "archive.sqlite"
    url = f"sqlite:///{file}"
    with served(url) as api:
        assert api.ask("games").json == {"lines": [], "next": None}
        assert api.ask("games", format="ndjson", game="loose").lines == []
        assert api.ask("games", player="ada").json["lines"] == []
        assert problem(api.ask("games/1"))["status"] == 404
        assert not file.exists()
        archive = Archive(opened(url))
        archive.add([a_game()])
        archive.engine.dispose()
        assert feeds(api.ask("games")) == [1]


def test_an_empty_postgresql_counts_as_an_empty_archive(postgres: str) -> None:
    with served(postgres) as api:
        assert api.ask("games").json == {"lines": [], "next": None}


def test_requests_get_503_while_the_database_is_away(tmp_path: Path) -> None:
    file = tmp_path / "archive.sqlite"
    file.write_bytes(b"this is no database" * 100)
    with served("postgresql://nobody@127.0.0.1:1/none") as api:
        answer = api.ask("games")
        assert problem(answer)["code"] == "away"
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_requests_get_503_if_the_file_of_the_archive_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "archive.sqlite"
    archive = Archive(opened(f"sqlite:///{file}"))
    archive.add([a_game()])
    with archive.engine.connect() as connection:
        pages = "SELECT rootpage FROM sqlite_master WHERE name = 'games'"
        root = connection.exec_driver_sql(pages).scalar_one()
    archive.engine.dispose()
    with sqlite3.connect(file) as last:  # what is in the log of writes would hide the damage
        last.execute("PRAGMA journal_mode = DELETE")
    last.close()
    with file.open("r+b") as opened_file:
        opened_file.seek((root - 1) * 4096)
        opened_file.write(b"\xff" * 4096)
    with served(f"sqlite:///{file}") as api:
        answer = api.ask("games")
    assert (answer.status, problem(answer)["code"]) == (503, "away")
    assert "damaged" in problem(answer)["detail"]


def test_a_restored_archive_is_read(tmp_path: Path) -> None:
    for name, game in (("archive", a_game()), ("other", a_game("kobadimutelosa"))):
        archive = Archive(opened(f"sqlite:///{tmp_path / name}"))
        archive.add([game])
        archive.engine.dispose()
    with served(f"sqlite:///{tmp_path / 'archive'}") as api:
        assert api.ask("games/1").json["room"] == "bumatodigefoha"
        # The files beside it go first, as the runbook says: a file of shared memory that SQLite
        # makes anew, while a connection to the old archive has it open, ends the process.
        for end in ("wal", "shm"):
            (tmp_path / f"archive-{end}").unlink(missing_ok=True)
        (tmp_path / "other").replace(tmp_path / "archive")
        assert api.ask("games/1").json["room"] == "kobadimutelosa"


def test_an_unchanged_answer_is_304(archive: Archive, api: Served) -> None:
    archive.add([a_game("bumatodigefoha"), a_game("kobadimutelosa")])
    for path in ("games", "games/1", "players/ada", "openapi.json"):
        tags = set()
        for coding in ("identity", "gzip"):
            asked = {"Accept-Encoding": coding}
            first = api.ask(path, headers=asked)
            tag = first.headers["etag"]
            tags.add(tag)
            assert not tag.startswith("W/")
            again = api.ask(path, headers=asked | {"If-None-Match": f'"x", {tag}'})
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
            assert api.ask(path, headers=asked | {"If-None-Match": '"x"'}).status == 200
            if first.headers.get("content-encoding") == "gzip":
                plain = api.ask(path, headers={"Accept-Encoding": "identity"})
                assert gzip.decompress(first.body) == plain.body
                assert "Accept-Encoding" in first.headers["vary"]
        assert len(tags) == (1 if path == "players/ada" else 2)
        assert "max-age" in first.headers["cache-control"]
    tag = api.ask("games").headers["etag"]
    archive.add([a_game("nidanidanidani")])
    assert api.ask("games", headers={"If-None-Match": tag}).status == 200


def test_streams_are_compressed_and_heads_have_no_body(archive: Archive, api: Served) -> None:
    archive.add([a_game("bumatodigefoha"), a_game("kobadimutelosa")])
    asked = {"Accept": "application/x-ndjson"}
    plain = api.ask("games", headers=asked)
    assert plain.headers["content-type"].startswith("application/x-ndjson")
    packed = api.ask("games", headers=asked | {"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert api.ask("games", format="json", headers=asked).json["lines"] == plain.lines
    for headers in (asked, {}):
        head = api.ask("games", "HEAD", headers=headers)
        assert (head.status, head.body) == (200, b"")


def test_pages_of_other_origins_may_read(filled: Served) -> None:
    there = {"Origin": "https://statistics.example.org"}
    for path in ("games", "games/nosuchroom", "openapi.json"):
        assert filled.ask(path, headers=there).headers["access-control-allow-origin"] == "*"
    asked = there | {
        "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match",
    }  # fmt: skip
    assert filled.ask("games", "OPTIONS", headers=asked).status == 200


class Stingy(Everybody):
    """Gives each address so many pages."""

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def name(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        return headers.get("x-forwarded-for", [peer])[0]

    def wait(self, name: str) -> float:
        self.pages -= name == "127.0.0.1"
        return 1.5 if self.pages < 0 and name == "127.0.0.1" else 0.0


def test_an_address_over_its_rate_is_told_when_to_retry(tmp_path: Path) -> None:
    with served(f"sqlite:///{tmp_path / 'archive.sqlite'}", Stingy(2)) as api:
        assert [api.ask("games").status for _ in range(2)] == [200, 200]
        answer = api.ask("games")
        assert (answer.status, answer.headers["retry-after"]) == (429, "2")
        assert problem(answer)["code"] == "rate"
        assert api.ask("games", headers={"X-Forwarded-For": "192.0.2.1"}).status == 200


def test_refusals_of_an_address_take_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise somebody could have the API refuse a thousand requests a second."""
    naps: list[float] = []
    sleep = asyncio.sleep

    async def nap(seconds: float) -> None:
        naps.append(seconds)
        await sleep(0)

    monkeypatch.setattr(application, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": nap}))
    with served(f"sqlite:///{tmp_path / 'archive.sqlite'}", Stingy(1)) as api:
        assert api.ask("games").status == 200
        assert naps == []
        assert api.ask("games").status == 429
        assert naps == [application.REST]
        monkeypatch.setattr(application, "RESTING", 0)
        assert api.ask("games").status == 429
        assert naps == [application.REST]


def cut_streams(port: int, wanted: int) -> tuple[list[bytes], int]:
    """The feed up to so many lines, over streams that are cut after two lines each, and how many
    were cut."""
    lines: list[bytes] = []
    cuts = 0
    while len(lines) < wanted:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=BOUND)
        after = f"&after={json.loads(lines[-1])['cursor']}" if lines else ""
        connection.request("GET", f"/api/v1/games?format=ndjson{after}")
        answer = connection.getresponse()
        assert answer.status == 200
        lines += filter(None, (answer.readline(), answer.readline()))
        cuts += bool(answer.readline())
        connection.close()
    return lines, cuts


def test_a_stream_cut_a_hundred_times_equals_one_that_was_not(
    archive: Archive, url: str, api: Served
) -> None:
    """While several threads add games."""
    several = [a_game(lettered(n), plies=2) for n in range(450)]
    archive.add(several[:300])

    def write(mine: list[Game]) -> None:
        for game in mine:
            archive.add([game])

    writers = [threading.Thread(target=write, args=(several[at::3],)) for at in (300, 301, 302)]
    for writer in writers:
        writer.start()
    lines, cuts = cut_streams(api.port, len(several))
    for writer in writers:
        writer.join(BOUND)
    assert cuts >= 100
    assert lines == api.ask("games", format="ndjson").body.splitlines(keepends=True)
    assert [json.loads(line)["feed"] for line in lines] == list(range(1, 451))
