"""The archive of finished games on the page: games, players, cuts, positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Locator, expect

from archive.games import START, a_game, turned
from browser.conftest import PHONE, Visit
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import prepare
from browser.screen import WIDTHS, check, overflow, violations
from browser.test_keyboard import Typist
from browser.windows import Windows
from pierule_archive.archive import Archive
from pierule_archive.counting import count
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, Kind
from support.games import game
from support.serving import Serving

FORGOTTEN = "forgottengame"
"""A room of the archive that the store does not have."""
LOSE_RATINGS = """() => {
  window.whole = fetch;
  window.fetch = (url, how) => url.endsWith("/ratings") ? Promise.reject(Error()) : whole(url, how);
}"""
MONTH = 30 * 86_400_000
CUT = """names => names.filter((name) =>
  getComputedStyle(name).visibility === "visible" && name.scrollWidth > name.clientWidth).length"""
"""How many names are seen, but not whole."""
TIGHT = """selects => selects.filter((select) => {
  const [free, width] = [select.cloneNode(true), select.offsetWidth];
  free.style.width = "max-content";
  select.after(free);
  const tight = free.offsetWidth > width;
  free.remove();
  return tight;
}).map(({ name, textContent }) => name + textContent)"""
"""The selections that are too narrow for one of their options."""
EXPLORER = "This position in other games"


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose archive has games from before its store began."""
    folder = tmp_path_factory.mktemp("keeping")
    serving = Serving(folder, "--api-port", "0")
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    games = [a_game("rooma", seed=0, at=START - 10 * MONTH)]
    games += [a_game(f"room{letter}", seed=at) for at, letter in enumerate("bcdef", 1)]
    games.append(a_game(FORGOTTEN, plies=9))
    setup = a_game("setup", game="veletas", size=7, players=("cleo", "ada"), plies=4)
    archive.add([*games, setup, turned(setup, "turnedsetup", ("dora", "bo"))])
    while count(archive.engine):
        pass
    archive.engine.dispose()
    with serving:
        yield serving


@pytest.fixture(scope="module")
def host(keeping: Serving) -> Serving:
    return keeping


def go(person: Person, where: str) -> None:
    person.page.evaluate("where => { location.hash = where }", where)


def row(person: Person, text: str) -> Locator:
    return person.page.locator(".list li", has_text=text)


def follow(typist: Typist, link: Locator) -> None:
    """Go to a link by keyboard, and along it."""
    typist.reach(link)
    typist.press("Enter")


def searches_by_keyboard(typist: Typist) -> None:
    """Filter the list, and show all of it again. The focus stays where people go on."""
    person, page = typist.person, typist.person.page
    name = page.get_by_label("Player", exact=True)
    typist.reach(name)
    typist.press(*"cleo", "Enter")
    expect(row(person, "Replay")).to_have_count(1)
    expect(name).to_be_focused()
    typist.push("Show all")
    expect(row(person, "Replay")).to_have_count(9)
    expect(page.get_by_role("combobox", name="Game")).to_be_focused()
    expect(name).to_have_value("")
    gear = page.locator(".gear")
    for close in (partial(typist.press, "Escape"), partial(typist.push, "Close")):
        typist.reach(gear)
        typist.press("Enter")
        expect(page.locator(".settings")).to_be_visible()
        close()
        expect(page.locator(".settings")).to_have_count(0)
        expect(gear).to_be_focused()


def reaches_a_player(typist: Typist) -> None:
    """From the first screen by the list of all games."""
    person, page = typist.person, typist.person.page
    go(person, "#/")
    expect(row(person, "Replay")).to_have_count(5)
    follow(typist, page.get_by_role("link", name="All finished games"))
    expect(row(person, "Replay")).to_have_count(9)
    check(person)
    searches_by_keyboard(typist)
    follow(typist, row(person, "Veletas").get_by_role("link", name="Ada", exact=True))
    person.sees("Activity")
    expect(page.get_by_role("row", name=re.compile("^Loose 5 . 5 7 "))).to_be_visible()
    with page.expect_download():
        typist.push("Download these games")
    person.sees("games so far: 8")
    check(person)


def test_a_player_and_a_position_of_theirs_are_reached_by_keyboard(
    windows: Windows, engine: Kind
) -> None:
    """In Firefox from the player's own address."""
    person = windows.get(engine=engine)
    typist, page = Typist(person), person.page
    if engine is CHROMIUM:
        reaches_a_player(typist)
    else:
        go(person, "#/player/Ada")
    typist.reach(page.get_by_role("combobox", name="Game"))
    typist.press("V")
    expect(row(person, "Replay")).to_have_count(1)
    assert re.search(r"#/player/[Aa]da\?game=veletas$", page.url)
    follow(typist, row(person, "Veletas").get_by_role("link", name=re.compile("^Replay")))
    person.sees("Every board matches the record.")
    same = page.locator('.explorer li[aria-current="true"]')
    person.sees("Reached in 1 other game.")
    expect(same).to_contain_text("as in this game")  # though its board lies another way
    typist.press("ArrowRight")
    expect(same).to_have_text(re.compile("^(Black|White)"))
    aloud = page.locator("[aria-live].aloud")
    expect(aloud).to_have_text(re.compile("^Action 1: .*\\. second player to act$"))
    if engine is CHROMIUM:
        check(person)
    page.go_back()
    expect(row(person, "Replay")).to_have_count(1)


def test_cuts_are_compared(windows: Windows) -> None:
    person = windows.get()
    page = person.page
    go(person, "#/rules/loose")
    person.press(page.get_by_role("link", name="Which cuts players offer"))
    size = page.get_by_role("combobox", name="Size")
    expect(size).to_have_value("5")  # where games are
    size.select_option("9")
    person.sees("Nobody offered a cut in Loose 9 \xd7 9 in this period.")
    size.select_option("5")
    expect(page.locator(".cuts li").first).to_contain_text("few games")
    shown = page.locator(".cuts li h2").all_text_contents()
    page.get_by_role("combobox", name="Order").select_option("cut")
    komi = [
        int(text.removeprefix("Komi ")) for text in page.locator(".cuts li h2").all_text_contents()
    ]
    assert (len(shown), komi) == (len(komi), sorted(komi))
    check(person)
    page.get_by_role("combobox", name="Ratings of both players").select_option("1400")
    person.sees("Nobody offered a cut in Loose 5 \xd7 5 in this period.")
    page.get_by_role("combobox", name="Ratings of both players").select_option("")
    expect(page.locator(".cuts li").first).to_contain_text("few games")
    page.get_by_label("From month").fill("2024-01")
    page.get_by_label("From month").blur()
    person.sees("Nobody offered a cut in Loose 5 \xd7 5 in this period.")
    go(person, "#/cuts/veletas?size=7")
    person.press(page.get_by_text("Show the board"))
    expect(page.locator(".cut-board [role=gridcell]")).to_have_count(49)
    check(person)


def test_a_game_is_found_again_when_it_is_over(newcomers: Newcomers, keeping: Serving) -> None:
    of = game("loose", 5)
    _, tokens = prepared = prepare(keeping, of, 6)
    person = newcomers.get(keeping, PHONE, keeps={"token": tokens[0]})
    person.open(f"#{prepared[0]}")
    person.sees("Resign")
    expect(person.page.get_by_text(EXPLORER)).to_have_count(0)
    person.press(person.button("Resign"))
    person.press(person.button("Yes, I resign"))
    person.press(person.page.get_by_role("link", name="Review"))
    person.page.get_by_text(EXPLORER).wait_for()  # it comes within 5 s
    person.sees("Every board matches the record.")
    person.press(person.page.locator(".panel").get_by_role("link", name="Bo"))
    person.sees("Last game on")
    go(person, f"#{FORGOTTEN}/3")
    person.sees(EXPLORER)
    person.sees("Every board matches the record.")
    current = person.page.locator('.actions [aria-current="true"]')
    expect(current).to_have_text(re.compile("^3 "))
    person.press(person.page.locator(".actions li button").nth(4))
    person.press(person.button("Analyze from here"))
    expect(person.page.locator('.tree .node[aria-current="true"]')).to_have_accessible_name(
        re.compile("^Action 5: ")
    )
    person.page.go_back()
    expect(current).to_have_text(re.compile("^5 "))


def test_the_address_of_a_game_leads_to_its_room_until_it_is_over(
    windows: Windows, keeping: Serving
) -> None:
    """A room that never was leads nowhere."""
    person, page = windows.get(), windows.get().page
    room, _ = prepare(keeping, game("loose", 5), 6)
    go(person, f"#/game/{room}/3")
    expect(page.locator('.actions [aria-current="true"]')).to_have_text(re.compile("^3 "))
    assert page.url.endswith(f"#{room}/3")
    go(person, "#/game/nowhereatall")
    person.sees("This game does not exist, or the server no longer has it.")
    page.go_back()  # no screen of the archive stands between
    expect(page.locator(".table")).to_be_attached()
    assert page.url.endswith(f"#{room}/3")


def test_an_archive_that_does_not_answer_can_be_asked_again(windows: Windows) -> None:
    person = windows.get()
    person.page.route("**/api/v1/**", lambda route: route.abort())
    person.page.goto("about:blank")
    person.open("#/games")
    person.sees("The archive does not answer right now.")
    check(person)
    person.page.unroute("**/api/v1/**")
    person.press(person.button("Try again"))
    expect(person.page.locator("#main")).to_be_focused()  # the button is gone
    expect(row(person, "Replay").first).to_be_visible()
    person.page.get_by_label("Player", exact=True).fill("Nobody")
    person.press(person.button("Find"))
    person.sees("“Nobody” has no finished games that everyone can see.")
    go(person, "#/games?size=0")
    person.sees("The archive does not accept this: `size`")
    person.page.evaluate(LOSE_RATINGS)
    go(person, "#/player/ada")
    person.sees("The archive does not answer right now.")
    person.page.evaluate("() => { window.fetch = window.whole; }")
    person.press(person.button("Try again"))
    expect(person.button("Try again")).to_have_count(0)
    go(person, "#nowhereatall")
    person.sees("This game does not exist, or the server no longer has it.")


@pytest.mark.parametrize(("tag", "figures"), [("es", "Actividad"), ("ko", "활동")])
def test_the_archive_is_shown_in_other_languages(
    visit: Visit, keeping: Serving, tag: str, figures: str
) -> None:
    person = visit(f"http://{keeping.http}", locale=tag, **PHONE)
    for path, seen in (
        ("#/player/ada", figures),
        ("#/cuts/loose?size=5", "Komi|덤"),
        ("#/game/7", FORGOTTEN),
    ):
        person.open(path)
        person.sees(re.compile(seen))
        assert violations(person) == []
        for width in WIDTHS[:2]:
            person.page.set_viewport_size({"width": width, "height": 780})
            assert overflow(person) <= 0, (path, width)
            assert person.page.locator(".activity .month").evaluate_all(CUT) == 0
    person.open("#/games?game=veletas")
    selects = person.page.locator(".filters select")
    expect(selects).to_have_count(6)
    for width in (320, 768, 1024, 1366):
        person.page.set_viewport_size({"width": width, "height": 780})
        assert selects.evaluate_all(TIGHT) == [], width
        assert overflow(person) <= 0, width


def test_without_an_archive_nothing_leads_to_it(newcomers: Newcomers, server: Serving) -> None:
    person = newcomers.get(server)
    person.open()
    person.sees("Play now")
    assert person.page.get_by_text("Finished games").count() == 0
    assert person.page.get_by_role("link", name="Games").count() == 0
    go(person, "#/games")
    person.sees("This server keeps no archive of finished games.")
