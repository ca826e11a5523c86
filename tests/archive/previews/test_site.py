"""The paths of games and players over a real socket: who is told what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from archive.api.serving import Answer, Everybody, Served, served
from archive.games import a_game
from archive.previews.drawn import near, opened, seen
from archive.previews.test_tags import PAGE, Head
from pierule_archive.archive import Archive
from pierule_archive.database import opened as opened_archive
from pierule_archive.previews import site as sites
from pierule_archive.previews.board import BLACK, WHITE
from pierule_archive.previews.site import NotTold, Site
from pierule_games import GAMES
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Card
from pierule_protocol.state.room import Room, UnknownGame

SITE = Site(PAGE, {"Content-Security-Policy": "default-src 'none'"})
HOSTILE = '"><script>alert(1)</script>'


@dataclass
class Listed:
    """A listing of one room; None: it is away."""

    room: Card | None

    async def card(self, room: str) -> Card | None:
        if self.room is None:
            raise NotTold
        return self.room if self.room.room == room else None

    async def close(self) -> None:
        pass


CARD = Card(
    room="running", game="loose", size=7, status="running", names=("Cleo", "Dan"), turn=9, at=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An archive with games of all kinds."""
    url = f"sqlite:///{tmp_path_factory.mktemp('previews') / 'archive.sqlite'}"
    archive = Archive(opened_archive(url))
    archive.add([
        *(a_game(f"{name}ended", game=name, size=GAMES[name].sample.size) for name in GAMES),
        replace(a_game("secretsecret", plies=4, players=("eve", "mal")), access="private"),
        a_game("unlisted", plies=4, access="unlisted"),
        a_game("hostile", plies=4, players=(HOSTILE, "bob")),
        a_game("void", plies=4, players=("vera", "bob")),
    ])  # fmt: skip
    archive.void("void", 5, "cheating")
    archive.engine.dispose()
    return url


@pytest.fixture(scope="module")
def api(url: str) -> Iterator[Served]:
    with served(url, site=SITE, listing=Listed(CARD)) as running:
        yield running


def head(answer: Answer, status: int = 200) -> dict[str, str]:
    assert (answer.status, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert answer.headers["content-security-policy"] == "default-src 'none'"
    assert b'<div id="app">' in answer.body
    return Head(answer.body).tags


def path_of(api: Served, address: str) -> str:
    return address.removeprefix(f"http://127.0.0.1:{api.port}")


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_finished_game_has_its_title_and_picture(api: Served, name: str) -> None:
    said = head(api.ask(f"/game/{name}ended"))
    game = GAMES[name]
    assert said["og:title"].startswith(f"Ada vs Bob: {game.texts['en'].name} {game.sample.size}")
    assert said["og:url"] == f"http://127.0.0.1:{api.port}/game/{name}ended"
    assert "wins" in said["og:description"] or "draw" in said["og:description"]
    answer = api.ask(path_of(api, said["og:image"]))
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    picture, room = opened(answer.body), replayed(name)
    assert picture.size == (1200, 630)
    stones = {1: BLACK, 2: WHITE}
    names = [f"{chr(97 + at % room.position.size)}{at // room.position.size + 1}"
             for at in range(room.position.size**2)]  # fmt: skip
    looked = 0
    for point, cell in zip(names, room.position.cells, strict=True):
        if cell in stones:
            color = seen(picture, game, room.position.size, point, (0.2, 0.2))
            assert near(color, stones[cell]), point
            looked += 1
    assert looked > 3


def replayed(name: str) -> Room:
    room = None
    for entry in a_game(f"{name}ended", game=name, size=GAMES[name].sample.size).entries:
        room = fold(room, f"{name}ended", entry)
    assert room is not None
    return room


def test_the_number_of_a_game_leads_to_its_page(api: Served) -> None:
    by_room, by_number = (head(api.ask(f"/game/{name}")) for name in ("looseended", "1"))
    assert by_room["og:title"] == by_number["og:title"]


def test_the_page_of_a_player_shows_their_latest_game(api: Served) -> None:
    said = head(api.ask("/player/Bob"))
    assert said["og:title"] == "Bob"
    assert said["og:description"].startswith("Latest game: Vera vs Bob: ")
    assert api.ask(path_of(api, said["og:image"])).headers["content-type"] == "image/png"
    assert head(api.ask("/player/ada"))["og:description"].startswith("Latest game: Ada vs Bob")


def test_a_voided_game_shows_no_result(api: Served) -> None:
    about = head(api.ask("/game/void"))["og:description"]
    assert about.startswith("The operators took back the result.")
    assert "wins" not in about


def test_private_and_unknown_rooms_have_the_same_page(api: Served) -> None:
    private, unknown = (api.ask(f"/game/{name}") for name in ("secretsecret", "unknownroomx"))
    shown = [answer.body.replace(name, b"ROOM") for answer, name in
             ((private, b"secretsecret"), (unknown, b"unknownroomx"))]  # fmt: skip
    assert shown[0] == shown[1]
    assert head(private)["og:title"] == "Pierule"
    kept = [{**answer.headers, "date": ""} for answer in (private, unknown)]
    assert kept[0] == kept[1]
    for name in ("games/secretsecret", "games/unknownroomx", "games/4", "players/Eve"):
        assert api.ask(f"{name}/picture.png").status == 404
    told = [api.ask(path_of(api, head(answer)["og:image"])) for answer in (private, unknown)]
    assert told[0].body == told[1].body
    assert b"Eve" not in private.body + head(api.ask("/player/Eve"), 404)["og:title"].encode()


def test_a_listed_room_is_drawn_as_it_began(api: Served) -> None:
    said = head(api.ask("/game/running"))
    assert said["og:title"] == "Cleo vs Dan: Loose 7 × 7"  # noqa: RUF001
    assert said["og:description"].endswith("The game is on: come and watch.")
    drawn = api.ask("games/running/picture.png")
    assert drawn.headers["cache-control"] == "public, max-age=30"
    for point in ("a1", "d4", "g7"):
        assert not near(seen(opened(drawn.body), GAMES["loose"], 7, point), BLACK)


def test_the_page_of_an_open_room_says_that_it_waits(url: str) -> None:
    card = Card(
        room="waiting", game="gone", size=7, status="open", names=("Cleo", None), turn=0, at=1
    )
    with served(url, site=SITE, listing=Listed(card)) as api:
        said = head(api.ask("/game/waiting"))
        assert said["og:title"] == "Cleo waits for an opponent: gone 7"
        assert api.ask("games/waiting/picture.png").status == 200


@pytest.mark.parametrize("listing", [None, Listed(None)])
def test_without_a_listing_rooms_have_a_general_page(url: str, listing: Listed | None) -> None:
    with served(url, site=SITE, listing=listing) as api:
        assert head(api.ask("/game/running"))["og:title"] == "Pierule"
        assert api.ask("games/running/picture.png").status == 404
        assert "Ada" in head(api.ask("/game/looseended"))["og:title"]


def test_without_an_archive_games_have_a_general_page(tmp_path: Path) -> None:
    with served(f"sqlite:///{tmp_path / 'none.sqlite'}", site=SITE) as api:
        assert head(api.ask("/game/looseended"))["og:title"] == "Pierule"
        assert head(api.ask("/player/Ada"), 404)["og:title"] == "Pierule"


@pytest.mark.parametrize(
    "path", ["/game/Bad", "/game/a.b", "/game/%3Cscript%3E", "/game/99", "/player/nobody",
             f"/player/{'x' * 65}", "/player/%00", "/game/" + "a" * 33],
)  # fmt: skip
def test_an_unknown_path_is_answered_with_the_page(api: Served, path: str) -> None:
    said = head(api.ask(path), 404)
    assert said["og:title"] == "Pierule"
    assert api.ask(path).headers["cache-control"] == "no-store"
    assert api.ask(path_of(api, said["og:image"])).status == 200


def test_hostile_names_are_escaped(api: Served) -> None:
    answer = api.ask("/game/hostile")
    assert b"<script>alert" not in answer.body
    assert head(answer)["og:title"].startswith(f"{HOSTILE.title()} vs Bob")
    assert api.ask("games/hostile/picture.png").status == 200


def test_an_unchanged_picture_is_304(api: Served) -> None:
    first = api.ask("games/looseended/picture.png")
    known = {"If-None-Match": first.headers["etag"]}
    again = api.ask("games/looseended/picture.png", headers=known)
    assert (again.status, again.body) == (304, b"")
    assert first.headers["cache-control"] == "public, max-age=600"
    assert api.ask("games/looseended/picture.png", "HEAD").body == b""


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ({"Host": "play.example.org"}, "http://play.example.org/game/1"),
        ({"Host": "[::1]:8000"}, "http://[::1]:8000/game/1"),
        ({"Host": 'a"><script>'}, "/game/1"),
        ({"Host": "a.org/x"}, "/game/1"),
    ],
)
def test_links_use_the_host_of_the_request_if_it_is_valid(
    api: Served, headers: Mapping[str, str], address: str
) -> None:
    assert head(api.ask("/game/1", headers=headers))["og:url"] == address


def test_links_use_the_configured_address(url: str) -> None:
    site = replace(SITE, url="https://play.example.org/below/")
    with served(url, site=site) as api:
        said = head(api.ask("/game/1", headers={"Host": "else.example.org"}))
        assert said["og:url"] == "https://play.example.org/below/game/1"
        assert said["og:image"].startswith("https://play.example.org/below/api/v1/games/1/picture")


class Refusing(Everybody):
    """Lets nobody in, who come by TLS."""

    def wait(self, name: str) -> float:
        return 7.0

    def scheme(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        return "https"


def test_a_client_over_its_rate_gets_the_general_page(url: str) -> None:
    with served(url, Refusing(), SITE) as api:
        answer = api.ask("/game/1")
        said = head(answer, 429)
        assert said["og:url"].startswith("https://127.0.0.1:")
        assert (said["og:title"], answer.headers["retry-after"]) == ("Pierule", "7")
        assert api.ask("games/1/picture.png").json["code"] == "rate"


def test_a_bounded_number_of_previews_may_wait(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "WAITING", 0)
    with served(url, site=SITE) as api:
        head(api.ask("/game/1"), 503)
        assert api.ask("games/1/picture.png").json["code"] == "away"


def test_a_few_pictures_are_cached_and_none_is_drawn_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "KEPT", 2)
    made: list[str] = []
    latest: sites.Latest[str, str] = sites.Latest()

    def get(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key.upper()

        return latest.get(key, make)

    assert [get(key) for key in "abacab"] == [*"ABACAB"]
    assert "".join(made) == "abcb"


def test_a_game_whose_rules_are_missing_has_no_board(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_rules(*_: object) -> None:
        raise UnknownGame("room", "none", 1)

    monkeypatch.setattr("pierule_archive.previews.story.fold", no_rules)
    with served(url, site=SITE) as api:
        assert head(api.ask("/game/unlisted"))["og:title"].startswith("Ada vs Bob: ")
        assert api.ask("games/unlisted/picture.png").status == 200
