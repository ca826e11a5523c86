"""What goes wrong with real networks and servers: the page says so, and heals by itself."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import expect

from browser.conftest import PHONE, Visit
from browser.person import BOUND_MS, Person, alternate
from support.games import Game, game
from support.raw import Raw
from support.serving import Serving
from support.stores import free_port


def seat(visit: Visit, of: Game, address: str | None = None) -> tuple[Person, Person]:
    first, second = visit(address), visit(address, **PHONE)
    link = first.create(of.game, of.size)
    second.open()
    room = link.rpartition("#")[2]
    second.press(second.page.get_by_role("link", name=re.compile(f"^Play: {room},")))
    first.sees("You cut")
    return first, second


def test_a_reload_in_mid_game(visit: Visit) -> None:
    of = game("taugo", 6)
    people = seat(visit, of)
    alternate(people, of, 0, 5)
    for person in people:
        person.page.reload()
        person.sees_actions(of.actions[:5])
    alternate(people, of, 5, 8)
    people[0].open()
    people[0].press(people[0].page.get_by_role("link", name=re.compile("^Go on:")))
    people[0].sees_actions(of.actions[:8])
    alternate(people, of, 8, 10)


def test_a_phase_without_network(visit: Visit) -> None:
    of = game("loose", 5)
    people = seat(visit, of)
    alternate(people, of, 0, 4)
    mover, other = people[of.positions[4].to_act or 0], people[1 - (of.positions[4].to_act or 0)]
    mover.page.context.set_offline(True)
    expect(mover.page.locator('.connection:not([data-status="online"])')).to_be_attached()
    point = of.actions[4]
    mover.press(mover.point(point))
    mover.press(mover.button(f"Play {point}"))
    mover.sees(f"{point} will be sent as soon as there is a connection.")
    assert mover.board()[point] == "empty"  # nothing is played before it is kept
    mover.sees_actions(of.actions[:4])
    other.sees("away")
    mover.page.context.set_offline(False)
    for person in people:
        person.sees_actions(of.actions[:5])


def test_a_second_tab_of_the_same_player(visit: Visit) -> None:
    of = game("loose", 5)
    people = seat(visit, of)
    alternate(people, of, 0, 2)
    mover = people[of.positions[2].to_act or 0]
    tab = mover.tab()
    tab.page.goto(mover.page.url)
    tab.sees("Your turn")
    tab.play(of.actions[2], 2)
    for person in (*people, tab):
        person.sees_actions(of.actions[:3])


def test_a_node_is_killed_under_them(visit: Visit, tmp_path: Path) -> None:
    of = game("veletas", 7)
    port = free_port()
    serving = Serving(tmp_path, "--port", str(port))
    try:
        serving.start()
        people = seat(visit, of, f"http://127.0.0.1:{port}")
        alternate(people, of, 0, 4)
        serving.kill()
        for person in people:
            lost = person.page.locator('.connection:not([data-status="online"])')
            expect(lost).to_be_attached(timeout=BOUND_MS)
        serving.start()
        for person in people:
            person.online()
        alternate(people, of, 4, 8)
        for person in people:
            person.sees_actions(of.actions[:8])
    finally:
        serving.clear()


def test_a_link_to_nothing(visit: Visit) -> None:
    person = visit()
    person.open("#zzzzzzzz")
    person.sees("There is no such game, or it is no longer kept.")


def test_a_seat_that_somebody_else_took(visit: Visit) -> None:
    people = seat(visit, game("loose", 5))
    third = visit()
    third.page.goto(people[0].page.url)
    third.sees(re.compile("You are watching"))
    expect(third.button("Play here")).to_have_count(0)


def test_why_a_connection_is_refused(visit: Visit, tmp_path: Path) -> None:
    """The page tells in the server's words, and comes in as soon as there is a place."""
    serving = Serving(tmp_path, "--connections-per-address", "12")
    try:
        serving.start()
        person = visit(f"http://{serving.http}")
        with ExitStack() as others:
            for _ in range(12):
                others.enter_context(Raw(serving.url))
            person.page.goto(f"http://{serving.http}/")
            shown = person.page.locator(".connection .text")
            expect(shown).to_contain_text(
                "Your address has too many connections here.", timeout=BOUND_MS
            )
        expect(person.page.locator('.connection[data-status="online"]')).to_be_attached(
            timeout=BOUND_MS
        )
    finally:
        serving.clear()
