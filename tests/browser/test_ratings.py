"""Ratings on the page: leaderboards, a player's curve, and what a game did (SPEC 30)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import time

import pytest
import redis
from msgspec.structs import asdict
from playwright.sync_api import expect
from sqlalchemy import insert

import pierule
from archive.test_rating import rate_all, rated_game
from browser.conftest import PHONE, Visit
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import TOKEN, apart, known_as
from browser.screen import WIDTHS, check, overflow
from browser.test_keyboard import Typist
from browser.windows import resize
from browser.wire import sent, tap
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in, writing
from pierule_archive.schema import ratings
from pierule_protocol.log.events import Standing
from pierule_server.store.buckets import inbox_key
from support.browsers import CHROMIUM, Kind
from support.games import game
from support.issuer import AUDIENCE, ISSUER, Issuer
from support.serving import Serving

GAMES = 44
ISSUING = Issuer()


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose archive has rated games of four players. One of them has played too few for
    the leaderboard. The server knows an identity provider."""
    folder = tmp_path_factory.mktemp("rated")
    keys = folder / "jwks.json"
    keys.write_bytes(ISSUING.jwks)
    provider = ("--jwks", str(keys), "--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE)
    serving = Serving(folder, "--api-port", "0", *provider)
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    archive.add([rated_game(number, today=True) for number in range(GAMES)])
    archive.add([rated_game(GAMES, rated="no")])
    rate_all(archive)
    archive.engine.dispose()
    with serving:
        yield serving


def test_the_curve_of_a_player_is_reached_by_keyboard(
    newcomers: Newcomers, keeping: Serving, engine: Kind
) -> None:
    person = newcomers.get(keeping, engine=engine)
    typist, page = Typist(person), person.page
    person.open("#/games")
    typist.reach(page.get_by_role("link", name="Ratings"))
    typist.press("Enter")
    rows = page.locator(".board-of-players tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_have_text(re.compile(r"^1\. [A-Z][a-z]+1[4-7]\d\d\d+"))
    bots = page.get_by_role("table").nth(1).get_by_role("rowheader")
    expect(bots).to_have_text(["Otto", "Mira", "Pip"])
    person.sees("On this server, games against bots are not rated.")
    if engine is CHROMIUM:
        check(person)
    typist.reach(rows.first.get_by_role("link"))
    typist.press("Enter")
    person.sees(re.compile(r"\d+ games from .* between \d+ and \d+"))
    expect(page.get_by_role("heading", name="Ratings")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("games from"))).to_be_visible()
    if engine is CHROMIUM:
        check(person)


def test_ratings_are_read_on_a_phone(visit: Visit, keeping: Serving) -> None:
    """The filter for them, a list without anybody, and in a wider window what a game did; at last
    the range that somebody wishes for."""
    person = visit(f"http://{keeping.http}", **PHONE)
    shows_the_rating_of_the_address(person)
    person.open("#/ratings/taugo")
    person.sees("Nobody has enough rated games yet.")
    person.sees("The rating of a bot never changes.")
    person.sees(re.compile(r"Version 1 of the model, up to game number \d+, computed for "))
    check(person)
    says_how_ratings_changed_or_why_not(person)
    wishes_for_a_range(person)


def shows_the_rating_of_the_address(person: Person) -> None:
    """In the filters."""
    ratings = person.page.get_by_label("Ratings of both players")
    for path in ("#/games", "#/cuts/loose", "#/player/Ada"):
        person.open(f"{path}?rating=1450")
        expect(ratings).to_have_value("1450")
        expect(ratings.locator("option:checked")).to_have_text("1450 or more")
        person.open(f"{path}?rating=many")
        expect(ratings).to_have_value("")
    person.open("#/games?category=sundial")
    expect(person.page.get_by_label("Clock").locator("option:checked")).to_have_text("sundial")


def says_how_ratings_changed_or_why_not(person: Person) -> None:
    person.open("#/game/1")
    person.sees(re.compile(r"Ada: \d+.±\d+ \(.\d+\)\. Bob: \d+.±\d+ \(.\d+\)\."))
    person.open(f"#/game/{GAMES + 1}")
    person.sees("This game is not rated: a player wanted an unrated game.")


PHONE_SIZE = 390, 780
RANGE = re.compile("Opponent.s rating")


def wishes_for_a_range(person: Person) -> None:
    """That is for users of an identity provider, too, and not for guests."""
    resize(person, PHONE_SIZE)
    person.open("#/")
    person.more()  # as a guest
    expect(person.page.get_by_label("Rated")).to_be_visible()
    expect(person.page.get_by_label(RANGE)).to_have_count(0)
    known_as(person, ISSUING.token("someone", name="Zoe"))
    tap(person)
    person.open()
    person.settings()
    menu = person.page.locator(".account")
    expect(menu).to_contain_text("Your name: Zoe")
    expect(menu.get_by_role("textbox")).to_have_count(0)
    assert menu.get_by_role("button").all_text_contents() == ["Delete account", "Download my data"]
    check(person)
    person.page.keyboard.press("Escape")
    person.more()
    chosen = person.page.get_by_label(RANGE)
    chosen.select_option("±100")
    person.press(person.button("Play now"))
    expect(person.page.locator(".meeting .since")).to_be_visible()
    person.sees(re.compile("Opponent.s rating: ±100"))
    expect(chosen).to_be_visible()
    check(person)  # the form and the seek
    sought = [each for each in sent(person) if each["type"] == "seek"]
    assert [each["range"] for each in sought] == [{"below": 100, "above": 100}]
    assert not person.page.locator(".refusal").count()


def fits(person: Person, widths: tuple[int, ...], path: str, text: str | re.Pattern[str]) -> None:
    person.open(path)
    person.sees(text)
    for width in widths:
        person.page.set_viewport_size({"width": width, "height": 700})
        assert overflow(person) <= 0, (path, width)


NAMES = "Wilhelmina-Featherstone", "Bo"
RATED = Standing(1583, 84), Standing(1600, 130)
CUT = """all => all.map((rating) => {
  const text = rating.querySelector("[aria-hidden]").firstChild;
  const figures = document.createRange();
  figures.setStart(text, 0);
  figures.setEnd(text, 4);
  return figures.getBoundingClientRect().right - rating.getBoundingClientRect().right;
})"""
"""How much of the figures is outside of each rating, without how sure it is."""
LONG_CLOCK = "3d"
"""The clock whose time takes the most room beside a name and a rating."""


async def two_who_are_rated(keeping: Serving) -> tuple[str, list[str]]:
    """The room of two players who had ratings as they sat down, and their tokens."""
    of, engine = game("loose", 5), opened(url_in(keeping.data))
    async with pierule.connect(keeping.url) as first, pierule.connect(keeping.url) as second:
        for each, name, rated in zip((first, second), NAMES, RATED, strict=True):
            await each.register(name)
            units = {name: 1_000_000 * points for name, points in asdict(rated).items()}
            row = {"game": of.game, "player": each.user, "games": 2, "at": int(time() * 1_000),
                   "value": units["rating"], "deviation": units["deviation"]}  # fmt: skip
            with writing(engine) as connection:
                connection.execute(insert(ratings), [row])
        engine.dispose()
        rooms = [await first.create(of.game, of.size, seat=0, clock=LONG_CLOCK)]
        rooms.append(await second.join(rooms[0].id, seat=1))
        for turn in range(4):
            await rooms[of.positions[turn].to_act or 0].act(of.actions[turn], turn)
        return rooms[0].id, [first.token, second.token]


async def resigned(keeping: Serving, room: str, token: str) -> None:
    async with pierule.connect(keeping.url, token=token) as client:
        await (await client.join(room)).resign()


def test_the_screens_of_ratings_fit_and_a_game_changes_them(
    newcomers: Newcomers, keeping: Serving
) -> None:
    """On a page that was opened as a telephone has it, or as a laptop, which decides what is
    folded. How a leaderboard and a player fit a laptop is checked where they are reached."""
    narrow, wide = WIDTHS[:2], WIDTHS[2:]
    room, tokens = apart(two_who_are_rated(keeping))
    size = {"width": narrow[0], "height": 700}
    person = newcomers.get(keeping, {"viewport": size}, keeps={"token": tokens[0]})
    games = ("#/games?rating=1400", re.compile(r"^1\d\d\d \(.\d+\)$"))
    fits(person, narrow, "#/ratings/loose", "Version 1 of the model")
    fits(person, narrow, "#/player/Ada", "Ratings")
    fits(person, narrow, *games)
    are_shown_beside_names(person, room)
    apart(resigned(keeping, room, tokens[1]))
    told = re.compile(rf"{NAMES[0]}: 1\d+ \(\+\d+\)\. Bo: 1\d+.±\d+ \(.\d+\)\.")
    expect(person.page.locator(".controls")).to_contain_text(told, timeout=90_000)
    person.page.set_viewport_size({"width": wide[0], "height": 700})
    person.page.reload()
    fits(person, wide, *games)


def are_shown_beside_names(person: Person, room: str) -> None:
    """In the list of your games, and in the game."""
    person.page.set_viewport_size({"width": 320, "height": 700})
    person.open("#/")
    bo = "Bo, provisional rating 1600, between 1340 and 1860"
    aloud = f"{room}, {NAMES[0]}, rating 1583 and {bo}"
    there = person.page.get_by_role("link", name=re.compile(aloud)).first
    expect(there).to_be_visible()
    shown = person.page.locator(".list li", has=there).locator(".rating [aria-hidden]")
    expect(shown).to_have_text(["1583", "1600 ±260"])
    assert overflow(person) <= 0
    person.press(there)
    beside = person.page.locator(".player .rating")
    expect(beside).to_have_count(2)
    check(person)
    person.page.set_viewport_size({"width": 320, "height": 700})
    for each, text in zip(beside.all(), ("1600.±260", "1583"), strict=True):
        expect(each).to_contain_text(re.compile(text))
        outside = each.evaluate("it => it.getBoundingClientRect().right - innerWidth")
        hidden = each.evaluate(
            "it => it.getBoundingClientRect().right"
            " - it.closest('.who').getBoundingClientRect().right"
        )
        assert max(outside, hidden) < 1
    cut = beside.evaluate_all(CUT)
    assert max(cut) <= 0, "a figure of a rating is cut"
    names = person.page.locator(".player .called")
    wide, whole = names.evaluate_all("all => all.map((it) => [it.clientWidth, it.scrollWidth])")[0]
    assert wide >= whole, "a short name is cut"
    for clock in person.page.locator(".clock").all():
        assert clock.evaluate("it => it.clientHeight") < 40, "a clock takes two lines"


async def who(url: str, token: str) -> str:
    async with pierule.connect(url, token=token) as client:
        return client.user


def test_whose_games_are_not_rated_is_told(newcomers: Newcomers, server: Serving) -> None:
    """A guest is told what is missing; and so is a player who left rated games too often. To leave
    games takes hours, so the store gets the marks from us (SPEC 30.7)."""
    person = newcomers.get(server, PHONE)
    page = person.page
    person.open()
    person.more()
    rated = page.get_by_label("Rated")
    rated.select_option("yes")
    for button in ("Create game", "Play now"):
        person.press(person.button(button))
        person.sees("This game could not be rated. Register a name, or play without ratings.")
        assert not page.url.partition("#")[2].strip("/")
    rated.select_option("no")
    creates_an_unrated_game(person)

    user = apart(who(server.url, page.evaluate(TOKEN)))
    now = round(time() * 1_000)
    with redis.Redis.from_url(server.store_url) as store:
        store.hset(
            inbox_key(user), mapping={f"left:{n}": f"{now + 3_600_000} {now}" for n in "abc"}
        )
    person.open()
    person.sees(re.compile("You left too many rated games. Until .*, your new games are not rated"))
    person.more()
    expect(rated).to_be_disabled()
    expect(rated).to_have_value("no")
    check(person)
    creates_an_unrated_game(person)


def creates_an_unrated_game(person: Person) -> None:
    person.press(person.button("Create game"))
    person.sees("This game is not rated: a player wanted an unrated game.")
