"""Paths of games and players (SPEC 29): they lead to their screens, and buttons give them away."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from archive.games import a_game
from browser.elsewhere import elsewhere
from browser.person import Person, room_of
from browser.screen import check
from browser.windows import Windows
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from support.browsers import CHROMIUM, Kind
from support.serving import Serving

PLAYED = "playedlongago"
APART = "unlistedgame"


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server whose archive has games from before its store began."""
    serving = Serving(tmp_path_factory.mktemp("keeping"), "--api-port", "0")
    serving.data.mkdir()
    archive = Archive(opened(url_in(serving.data)))
    archive.add([a_game(PLAYED, plies=9), a_game(APART, plies=4, access="unlisted")])
    archive.engine.dispose()
    with serving:
        yield serving


@pytest.fixture(scope="module")
def host(keeping: Serving) -> Serving:
    return keeping


def go(person: Person, where: str) -> None:
    person.page.evaluate("where => { location.hash = where }", where)


def copied(person: Person, label: str) -> str:
    """What "Copy link" gives, beside the field of this label."""
    person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share = person.page.locator(".share", has=person.page.get_by_label(label))
    person.press(share.get_by_role("button", name="Copy link"))
    expect(share.get_by_role("button", name="Copied")).to_be_visible()
    found: str = person.page.evaluate("navigator.clipboard.readText()")
    assert found == person.page.get_by_label(label).input_value()
    return found


def test_a_path_leads_to_a_game_and_on_from_it(
    windows: Windows, keeping: Serving, engine: Kind
) -> None:
    """And the link that a screen gives away is that path."""
    base = f"http://{keeping.http}"
    person = windows.get(0, engine)
    there = f"{base}/game/{PLAYED}"
    person.page.goto(there)
    person.sees("Every board matches the record.")
    assert person.page.url == there
    person.press(person.page.get_by_role("link", name="Games", exact=True))
    person.sees("Finished games")
    assert person.page.url == f"{base}/#/games"
    person.page.go_back()
    person.sees("Every board matches the record.")
    assert person.page.url == there
    person.page.reload()
    person.sees("Every board matches the record.")
    person.page.goto(f"{base}/game/1")
    person.sees(f"Record of {PLAYED}")
    if engine is CHROMIUM:  # others do not let pages read what was copied
        gives_links_to_games(person, base)


def gives_links_to_games(person: Person, base: str) -> None:
    """By what it is called in the address. What not everybody may find is not in the path."""
    person.sees("Every board matches the record.")
    assert copied(person, "Link to this game") == f"{base}/game/1"
    go(person, f"#/game/{APART}")
    person.sees(f"Record of {APART}")
    assert copied(person, "Link to this game") == f"{base}/#/game/{APART}"
    go(person, f"#/game/{PLAYED}")
    person.sees(f"Record of {PLAYED}")
    person.sees("Every board matches the record.")
    assert copied(person, "Link to this game") == f"{base}/game/{PLAYED}"
    check(person)


def test_a_path_leads_to_a_player(windows: Windows, keeping: Serving) -> None:
    base = f"http://{keeping.http}"
    person = windows.get()
    person.page.goto(f"{base}/player/Ada")
    person.sees("Activity")
    assert copied(person, "Link to this player") == f"{base}/player/Ada"
    person.page.get_by_role("combobox", name="Result").select_option("lost")
    expect(person.page).to_have_url(f"{base}/#/player/Ada?result=lost")
    check(person)


def test_a_public_room_is_shared_by_its_path(windows: Windows, keeping: Serving) -> None:
    """Another player comes along it, whose page keeps it; and then the first one copies it."""
    first, second = windows.get(), windows.get(1)
    with elsewhere(keeping.url, token=windows.token()) as maker:
        room = maker.do(maker.client.create("loose", 5, seat=0)).id
    go(first, f"#{room}")
    link = first.page.get_by_label("Send this link").input_value()
    assert link == f"http://{keeping.http}/game/{room}"
    second.page.goto(link)
    second.press(second.button("Play here"))
    first.sees("You cut")
    assert second.page.url == link
    first.press(first.page.locator("summary", has_text="Invite"))
    assert copied(first, "Link to this game") == link


def test_unlisted_and_private_rooms_are_shared_behind_the_hash(
    windows: Windows, keeping: Serving
) -> None:
    """As they come out of the form; and whoever comes back finds the link again."""
    person = windows.get()
    for finds in ("unlisted", "private"):
        link = person.create("loose", 5, finds=finds)
        assert link == person.page.url, finds
        assert re.fullmatch(rf"http://{keeping.http}/#[a-z]+(\.[\w-]{{16,}})?", link)
        assert ("." in link.rpartition("#")[2]) is (finds == "private")
    go(person, "#/")
    private = room_of(link).partition(".")[0]
    person.press(person.page.get_by_role("link", name=re.compile(f"^Continue: {private}")))
    expect(person.page.get_by_label("Send this link")).to_have_value(link)
