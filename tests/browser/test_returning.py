"""Somebody who comes back: their games come first, the main button stays in reach, and the people
whom they played are a tap away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import pierule
from browser.conftest import LAPTOP, PHONE
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import QUIET, apart
from browser.screen import WIDTHS, check, overflow, unpainted
from browser.test_layout import SHIFTS, jumped
from pierule_protocol.log.record import read_record
from pierule_protocol.log.verify import verify
from support.browsers import CHROMIUM, Kind
from support.games import game
from support.serving import Serving

WIDE = {"viewport": {"width": 1366, "height": 768}}
NARROW = {"viewport": {"width": 360, "height": 740}}
SMALL = ((320, 568), (360, 740), (740, 360), (640, 360), (568, 320))
"""Telephones, upright and on their side; 1280x720 at 200 %."""
TALL = 0.3
"""The most of a window's height that the button takes."""

REACH = """() => {
  const button = document.getElementById("play-now");
  const { left, top, right, bottom } = button.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return { left, top, right, bottom, isFree: button.contains(seen) };
}"""
COVERED = """() => {
  scrollTo(0, document.documentElement.scrollHeight);
  const parts = [...document.querySelectorAll(".home > *")];
  const last = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
  return last - document.getElementById("play-now").getBoundingClientRect().top;
}"""
"""By how much the end of the page is behind the button."""


def out_of_reach(person: Person, sizes: Sequence[tuple[int, int]] = SMALL) -> list[str]:
    """The windows in which the main button is not where a thumb is, on a page that was not
    scrolled."""
    with unpainted(person):
        return [fault for size in sizes for fault in _unreached(person, *size)]


def _unreached(person: Person, width: int, height: int) -> Iterator[str]:
    person.page.set_viewport_size({"width": width, "height": height})
    person.page.evaluate("scrollTo(0, 0)")
    at = person.page.evaluate(REACH)
    inside = at["left"] >= 0 and at["right"] <= width and at["bottom"] <= height
    low = at["top"] >= height / 2 and at["bottom"] - at["top"] <= TALL * height
    if not (inside and low and at["isFree"]):
        yield f"{width}x{height}: {at}"
    if person.page.evaluate(COVERED) > 0:
        yield f"{width}x{height}: the end of the page is covered"


async def _meets(url: str, names: tuple[str, str], games: int, ended: int) -> dict[str, Any]:
    """Games of two registered users, of which the first `ended` are over: the second player has
    resigned after four turns. What the browser of the first one keeps, and the latest room."""
    of = game("loose", 5)
    async with pierule.connect(url) as first, pierule.connect(url) as second:
        accounts = [await first.register(names[0]), await second.register(names[1])]
        for number in range(games):
            rooms = [await first.create(of.game, of.size, seat=0, clock="20+10")]
            rooms.append(await second.join(rooms[0].id, seat=1))
            for turn in range(4):
                await rooms[of.positions[turn].to_act or 0].act(of.actions[turn], turn)
            if number < ended:
                await rooms[1].resign()
        account = accounts[0]
        kept = {"token": account.token, "registered": first.user}
        return {"kept": kept, "room": rooms[0].id, "code": account.recovery}


def meets(
    serving: Serving, name: str, other: str, *, games: int = 1, ended: int = 0
) -> dict[str, Any]:
    return apart(_meets(serving.url, (name, other), games, ended))


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with an archive."""
    with Serving(tmp_path_factory.mktemp("returning"), "--api-port", "0") as serving:
        yield serving


def games_first(person: Person) -> Locator:
    """My games, where they are the first there is to see."""
    return person.page.locator(".home > .list:has(+ .new)")


def test_play_now_is_in_reach_of_a_thumb_at_the_first_visit(
    newcomers: Newcomers, server: Serving
) -> None:
    """With large letters, too."""
    person = newcomers.get(server, PHONE)
    person.open()
    expect(person.page.locator(".bot-card").first).to_be_visible()
    assert out_of_reach(person) == []
    person.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert out_of_reach(person, ((360, 740), (740, 360))) == []


def too_wide(person: Person) -> list[int]:
    """The widths of windows into which the screen does not fit."""
    found = []
    with unpainted(person):
        for width in WIDTHS:
            person.page.set_viewport_size({"width": width, "height": 900})
            if overflow(person) > 0:
                found.append(width)
    person.page.set_viewport_size({"width": 1280, "height": 800})
    return found


LANGUAGES = ("en", "es", "ko")


def in_each_language(person: Person) -> Iterator[str]:
    """The first screen, for whoever comes back, in one language after the other: they have chosen
    it earlier."""
    person.open()
    expect(person.page.locator(".list li .state").first).to_be_visible()
    person.open(QUIET)
    person.open("#/")  # in English
    for tag in LANGUAGES:
        if tag != "en":
            person.page.evaluate("tag => localStorage.setItem('pierule.language', tag)", tag)
            person.page.reload()
        expect(person.page.locator(f"html[lang={tag}]")).to_be_attached()
        expect(games_first(person).locator("li")).to_have_count(4)
        person.online()
        yield tag


def test_play_now_is_in_reach_of_a_thumb_below_your_games(
    newcomers: Newcomers, server: Serving
) -> None:
    of = meets(server, "Ida-1", "Jon-1", games=6)
    person = newcomers.get(server, PHONE, keeps=of["kept"])
    for tag in in_each_language(person):
        assert out_of_reach(person) == [], tag
        person.page.set_viewport_size({"width": 740, "height": 360})
        button = person.page.locator("#play-now")
        expect(button).to_contain_text(re.compile("5 . 5"))  # what is chosen is out of sight
        check(person)


LAPTOPS = ((1366, 768), (1280, 720), (1024, 768), (1366, 650), (1536, 864))


SEEN = """all => Promise.all(all.map((each) => new Promise((done) =>
  new IntersectionObserver(([found]) => done(found.intersectionRatio)).observe(each))))"""
"""How much of each element is in sight."""


def test_a_laptop_shows_play_now_beside_your_games(newcomers: Newcomers, server: Serving) -> None:
    of = meets(server, "Una-1", "Val-1", games=6)
    person = newcomers.get(server, WIDE, keeps=of["kept"])
    for tag in in_each_language(person):
        expect(person.page.locator(".bot-card").first).to_be_visible()
        shown = games_first(person).locator("li").or_(person.page.locator("#play-now"))
        with unpainted(person):
            for width, height in LAPTOPS:
                person.page.set_viewport_size({"width": width, "height": height})
                assert shown.evaluate_all(SEEN) == [1] * 5, (tag, width, height)
                assert overflow(person) <= 0, (tag, width)
    check(person)


def test_nothing_jumps_as_games_come_first_after_signing_in(
    newcomers: Newcomers, server: Serving
) -> None:
    """On a device that has never seen them; nor when the page is opened again. The page is loaded
    as they sign in; for each other size of the window, it is loaded again in the same way."""
    of = meets(server, "Kay-1", "Lou-1", games=2)
    person = newcomers.get(server, NARROW)
    person.page.add_init_script(SHIFTS)
    person.open()
    person.settings()
    person.press(person.page.get_by_text("I have a registered name"))
    person.page.get_by_label("Registered name").fill("Kay-1")
    person.page.get_by_label("Recovery code").fill(of["code"])
    person.press(person.button("Sign in"))
    expect(person.page.locator(".settings")).to_have_count(0)  # loaded again
    news = person.page.locator(".banner.news")
    for width, height in ((360, 740), (740, 360), (1366, 768)):
        if width > 360:
            person.page.set_viewport_size({"width": width, "height": height})
            person.page.evaluate("sessionStorage.setItem('pierule.changed', 'signed_in')")
            person.page.reload()
        expect(news).to_be_visible()
        stays(person)
        person.page.reload()
        expect(news).to_have_count(0)
        stays(person)


def stays(person: Person) -> None:
    """The first screen is whole, and nothing has jumped on the way."""
    person.online()
    expect(games_first(person).locator("li")).to_have_count(2)
    expect(person.page.locator(".bot-card").first).to_be_visible()
    expect(person.page.locator(".game .board")).to_have_count(3)
    shifts = person.page.evaluate("window.shifts")
    assert jumped(shifts) < 0.05, (person.page.viewport_size, shifts)


def test_the_news_of_who_you_are_goes_when_you_go_elsewhere(
    newcomers: Newcomers, server: Serving
) -> None:
    person = newcomers.get(server, PHONE)
    person.page.evaluate("sessionStorage.setItem('pierule.changed', 'signed_out')")
    person.open(QUIET)
    news = person.page.locator(".banner.news")
    expect(news).to_be_visible()
    person.press(person.page.get_by_role("link", name="Learn", exact=True))
    expect(news).to_have_count(0)


def test_what_becomes_of_games_does_not_move_the_first_screen(
    newcomers: Newcomers, server: Serving
) -> None:
    of = meets(server, "Max-8", "Ned-8", games=1)
    person = newcomers.get(server, PHONE, keeps=of["kept"])
    person.open()
    expect(person.page.locator(".list li .state")).to_be_visible()
    expect(games_first(person)).to_have_count(0)
    person.open(QUIET)
    person.open("#/")
    expect(games_first(person)).to_have_count(1)


def asked(person: Person) -> Locator:
    """The field of the challenge form, in sight."""
    field = person.page.get_by_label("Challenge somebody")
    expect(field).to_be_in_viewport()
    return field


@pytest.mark.parametrize("how", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_names_of_a_game_lead_to_the_player_and_to_a_challenge(
    newcomers: Newcomers, keeping: Serving, how: dict[str, Any]
) -> None:
    ada, bo = ("Ada-9", "Bo-9") if how is PHONE else ("Ada-8", "Bo-8")
    of = meets(keeping, ada, bo, ended=1)
    person = newcomers.get(keeping, how, keeps=of["kept"])
    page = person.page
    way = page.get_by_role("link", name=f"Challenge: {bo}")
    person.open(f"#{of['room']}")  # at the end of the game
    expect(page.locator(".player").get_by_role("link", name=bo, exact=True)).to_be_visible()
    if how is PHONE:
        check(person)
    else:
        assert too_wide(person) == []
    expect(way).to_have_count(1)
    person.press(way)
    expect(asked(person)).to_have_value(bo)
    page.reload()  # in the list of your games
    expect(page.get_by_label("Challenge somebody")).to_have_count(0)
    row = page.locator(".list li", has_text=of["room"]).or_(page.locator(".list li", has=way))
    expect(row.get_by_role("link", name=bo, exact=True)).to_be_visible()
    person.press(way)
    expect(asked(person)).to_have_value(bo)
    person.open(f"#/game/{of['room']}")  # in the review
    person.sees("Every board matches the record.")
    if how is PHONE:
        has_clocks_and_a_whole_record(person)
    heading = page.get_by_role("heading", level=1)
    expect(heading.get_by_role("link", name=ada)).to_be_visible()
    person.press(page.locator(".panel").get_by_role("link", name=f"Challenge: {bo}"))
    expect(asked(person)).to_have_value(bo)
    person.open(f"#/game/{of['room']}")
    person.press(heading.get_by_role("link", name=bo))
    person.sees("Last game on")


def has_clocks_and_a_whole_record(person: Person) -> None:
    """The review."""
    page = person.page
    left = page.locator(".names .left")
    expect(left).to_have_text(["20:00", "20:00"])
    person.press(person.button("To the latest action"))
    for each in left.all():
        expect(each).to_have_text(re.compile(r"^(19:|20:)\d\d$"))
        expect(each).not_to_have_text("20:00")  # with the increments
    check(person)
    with page.expect_download() as saved:
        person.press(person.button("Download record"))
    record = read_record(Path(saved.value.path()).read_bytes())
    assert verify(record) is None
    assert [holder.registered for holder in record.seats if holder] == [True, True]


def test_the_challenge_form_offers_recent_opponents(
    newcomers: Newcomers, keeping: Serving, engine: Kind
) -> None:
    """Also on a device that has not seen these games."""
    ada, bo = f"Ada-{engine.name}", f"Bo-{engine.name}"
    of = meets(keeping, ada, bo, ended=1)
    person = newcomers.get(keeping, keeps=of["kept"], engine=engine)
    person.open(f"#/game/{of['room']}")
    person.sees("Every board matches the record.")  # so the archive has it
    person.open("#/")
    person.more()
    person.press(person.button(bo))
    expect(asked(person)).to_have_value(bo)
    expect(person.button("Challenge")).to_be_focused()
    if engine is CHROMIUM:
        check(person)
    else:
        assert too_wide(person) == []
    person.press(person.button("Challenge"))
    person.sees(f"You challenged {bo}")
