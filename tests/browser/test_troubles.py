"""What goes wrong with real networks and servers: the page says so, and heals by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import pierule
from browser.company import Company
from browser.conftest import Visit
from browser.newcomers import Newcomers
from browser.person import BOUND_MS, Person, alternate
from browser.rooms import QUIET, TOKEN, apart, both_seats, go_on, known_as, opened, seat
from browser.wire import refuse
from support.games import game
from support.proxy import proxied
from support.raw import Raw
from support.serving import Serving
from support.stores import free_port


@pytest.fixture
def quick_to_notice(tmp_path: Path) -> Iterator[Serving]:
    """A server that notices soon if somebody is silent; by default that takes 40 s. After a new
    start it has the same port."""
    with Serving(tmp_path, "--ping-seconds", "3", "--port", str(free_port())) as serving:
        yield serving


def test_a_game_goes_on_after_a_reload(company: Company, server: Serving) -> None:
    of = game("taugo", 6)
    first, second, _ = company.people
    people = first, second
    first.open(QUIET)
    room = apart(opened(server.url, first.page.evaluate(TOKEN), of))
    first.open(f"#{room}")
    second.open("#/")
    second.press(second.page.get_by_role("link", name=re.compile(f"^Play: {room},")))
    first.sees("You cut")
    go_on(people, server, of, 0, 3)
    for person in people:
        person.page.reload()
        person.sees_actions(of.actions[:3])
    alternate(people, of, 3, 5)
    first.open()
    first.press(first.page.get_by_role("link", name=re.compile(f"^Continue: {room},")))
    first.sees_actions(of.actions[:5])
    alternate(people, of, 5, 7)


LOST = "No connection. Trying again…"
HEAR = """() => {
  const said = document.querySelector(".connection [role=status]");
  window.heard = [];
  const hear = () => heard.push(said.textContent);
  new MutationObserver(hear).observe(said, { childList: true, subtree: true, characterData: true });
}"""
"""Keeps what is said aloud of the connection from now on in `heard`."""


def act_offline(mover: Person, point: str) -> None:
    """Play a point after the connection is lost."""
    target = mover.page.locator(f'.board-box .target[data-point="{point}"]')
    expect(target).to_be_attached()  # it has to know what is legal
    mover.page.context.set_offline(True)
    expect(mover.page.locator('.connection:not([data-status="online"])')).to_be_attached()
    mover.press(mover.point(point))
    mover.press(mover.button(f"Play {point}"))
    hears(mover, f"The page sends {point} as soon as it is connected.")
    expect(waiting(mover)).to_have_accessible_name(re.compile(f"^{point}, empty, chosen"))
    expect(waiting(mover).locator(".chosen, .ghost")).to_be_visible()  # a ghost if it is known


def waiting(person: Person) -> Locator:
    """The points that are marked on the board."""
    return person.page.locator('.board-box [aria-selected="true"]')


def hears(person: Person, text: str) -> None:
    """What is on the screen is also said aloud."""
    person.sees(text)
    expect(person.page.locator("[aria-live].aloud")).to_have_text(text)


def test_the_page_recovers_from_a_network_outage_and_from_the_end_of_its_node(
    visit: Visit, quick_to_notice: Serving
) -> None:
    """What was called back meanwhile is not sent then, and what was not is."""
    of = game("loose", 5)
    people = seat(visit, quick_to_notice, of, 4)
    mover, other = people[of.positions[4].to_act or 0], people[1 - (of.positions[4].to_act or 0)]
    point = of.actions[4]
    mover.page.evaluate(HEAR)
    act_offline(mover, point)
    assert mover.board()[point] == "empty"  # nothing is played before it is kept
    mover.sees_actions(of.actions[:4])
    other.sees("away")
    expect(mover.page.locator(".presence")).to_have_count(0)  # nobody knows who is here
    mover.press(mover.button("Resign"))
    mover.press(mover.button("Yes, I resign"))
    hears(mover, "The page sends this as soon as it is connected: Resign.")
    assert mover.button("Ask for a takeback").get_attribute("aria-disabled") == "true"
    for left in (1, 0):  # the action, and the resignation
        mover.press(mover.button("Do not send it").first)
        expect(mover.button("Do not send it")).to_have_count(left)
    expect(waiting(mover)).to_have_count(0)
    expect(mover.page.locator(".connection [role=status]")).to_have_text(LOST)
    mover.page.context.set_offline(False)
    for person in people:
        person.online()
        person.sees_actions(of.actions[:4])  # it was called back, and so nobody has resigned
    assert mover.page.evaluate("heard") == [LOST, "Connected"]  # not each try
    act_offline(mover, point)
    mover.page.context.set_offline(False)
    for person in people:
        person.sees_actions(of.actions[:5])
    quick_to_notice.kill()
    for person in people:
        lost = person.page.locator('.connection:not([data-status="online"])')
        expect(lost).to_be_attached()
    quick_to_notice.start()
    for person in people:
        person.online()
    alternate(people, of, 5, 7)
    for person in people:
        person.sees_actions(of.actions[:7])


def test_a_second_tab_of_the_same_player_shows_the_game(company: Company) -> None:
    """Somebody else finds both seats taken, and watches."""
    of = game("loose", 5)
    first, second, third = company.sit(of, 2)
    people = first, second
    expect(third.button("Play here")).to_have_count(0)
    mover = people[of.positions[2].to_act or 0]
    tab = mover.tab()
    tab.page.goto(mover.page.url)
    tab.sees("Your turn")
    tab.play(of.actions[2], 2)
    for person in (*people, third, tab):
        person.sees_actions(of.actions[:3])
    assert tab.faults == []
    tab.page.close()


def test_a_link_to_an_unknown_room_is_explained(company: Company) -> None:
    person, _, _ = company.people
    person.page.goto("about:blank")
    person.open("#zzz_")
    person.sees("This link is incomplete.")
    person.open("#zzzzzzzz.")  # as a sentence ends
    person.sees("This game does not exist, or the server no longer has it.")
    person.press(person.page.get_by_role("link", name="To the lobby"))
    expect(person.button("Play now")).to_be_visible()


def test_what_does_not_come_is_explained(visit: Visit, server: Serving) -> None:
    """A record, the rules with which to read it, and those of another game."""
    room, token = apart(both_seats(server.url, None, game("loose", 5), 1))
    person = visit()
    refused = {"log": "unknown_room"}
    refuse(person, refused)
    known_as(person, token)
    person.open(f"#{room}")
    person.press(person.button("Resign"))
    person.press(person.button("Yes, I resign"))
    for name in ("Copy record", "Download record", "Analyze"):
        person.press(person.button(name))
        refusal = person.page.locator(".footer .refusal")
        expect(refusal).to_have_text("This game does not exist, or the server no longer has it.")
        person.open(QUIET)
        expect(refusal).to_have_count(0)
        person.open(f"#{room}")
    del refused["log"]
    blames_no_record(person, refused)
    refused["game"] = "no_game"
    person.page.route("**/games/**", lambda route: route.fulfill(body="{}"))
    for screen in ("rules/taugo", "analysis/taugo-6"):
        person.open(f"#/{screen}")
        person.sees("The page could not load this part.")


def blames_no_record(person: Person, refused: dict[str, str]) -> None:
    """For what the server lacks."""
    refused["replay"] = "no_game"
    with person.page.expect_download() as saved:
        person.press(person.button("Download record"))
    person.open(QUIET)
    person.page.locator("input[type=file]").set_input_files(saved.value.path())
    person.sees("The rules of this game are not installed on this server now.")
    expect(person.page.get_by_text("This record is wrong")).to_have_count(0)


def test_the_page_says_why_a_connection_is_refused(newcomers: Newcomers, tmp_path: Path) -> None:
    """The page tells in the server's words, and comes in as soon as there is a place."""
    with Serving(tmp_path, "--connections-per-address", "12") as serving:
        person = newcomers.get(serving)
        with ExitStack() as others:
            for _ in range(12):
                others.enter_context(Raw(serving.url))
            person.page.goto(f"http://{serving.http}/{QUIET}")
            shown = person.page.locator(".connection .text")
            expect(shown).to_contain_text("Your address has too many connections here.")
        expect(person.page.locator('.connection[data-status="online"]')).to_be_attached(
            timeout=BOUND_MS
        )


async def cut(url: str, action: str) -> tuple[str, str]:
    """A game on a clock in which Bo is to choose: the room, and Bo's token."""
    async with pierule.connect(url, name="Ada") as ada, pierule.connect(url, name="Bo") as bo:
        room = await ada.create("loose", 5, seat=0, clock="10+2")
        await bo.join(room.id, seat=1)
        await room.act(action)
        return room.id, bo.token


async def play_slowly(http: str, room_id: str, token: str, actions: list[str]) -> None:
    """Play over a line that takes 0.3 s."""
    async with proxied(int(http.rpartition(":")[2])) as proxy:
        proxy.delay["down"] = 0.3
        async with pierule.connect(f"ws://127.0.0.1:{proxy.port}/ws", token=token) as bo:
            room = await bo.join(room_id)
            for action in actions:
                await room.act(action)
                await room.legal()  # which is answered behind the ping of the turn


LAG = {
    "en": r"\+[01]\.\d s for lag",
    "es": r"\+[01],\d s por la red",
    "ko": r"통신 지연 \+[01]\.\d초",
}


def test_compensated_lag_is_shown(company: Company, server: Serving) -> None:
    """To everybody, beside the player who got it, until something else happens."""
    of = game("loose", 5)
    laptop, phone, _ = company.people
    room, token = apart(cut(server.url, of.actions[0]))
    for person in (laptop, phone):
        person.open(f"#{room}")
        expect(person.page.locator(".actions ol button")).to_have_count(1)
    apart(play_slowly(server.http, room, token, of.actions[1:3]))
    laptop.settings()
    for person, language in ((laptop, "es"), (laptop, "ko"), (laptop, "en"), (phone, "en")):
        if person is laptop:  # who speaks one after the other
            person.page.locator(f".settings select:has([value={language}])").select_option(language)
        expect(person.page.locator(".actions ol button")).to_have_count(3)
        lag = person.page.get_by_role("region", name="Bo").locator(".lag")
        expect(lag).to_have_text(re.compile(LAG[language]))
        expect(person.page.locator(".lag")).to_have_count(1)
    laptop.page.reload()
    laptop.sees_actions(of.actions[:3])
    expect(laptop.page.locator(".lag")).to_have_count(0)
