"""What operators do, as those see it whom it concerns."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import WebSocketRoute, expect

import pierule
from browser.company import Company
from browser.conftest import LAPTOP, PHONE, Visit
from browser.newcomers import Newcomers
from browser.person import Person, room_of
from browser.rooms import QUIET, TOKEN, apart, known_as, prepare
from browser.screen import check
from support.browsers import FIREFOX
from support.forked import run
from support.games import game
from support.serving import Serving
from support.stores import free_port

MOST_LINES = 20
"""One line a second is what the server takes in that test; some two of so many come faster."""


def admin(server: Serving, *words: str) -> None:
    status, _, errors = run("admin", *words, "--data", str(server.data), timeout=60)
    assert status == 0, errors


def test_players_see_that_operators_closed_their_game(company: Company, server: Serving) -> None:
    first, second, late = company.sit(game("loose", 5), watched=False)
    link = first.page.url
    admin(server, "announce", "Tea at five.")
    first.sees("Tea at five.")
    check(first)
    room = room_of(link)
    admin(server, "rooms", "close", room, "--reason", "a fault of the clock", "--yes")
    for person in (first, second):
        person.sees("This server ended the game.")
        person.sees("The operators say: a fault of the clock")
    late.page.goto(link)
    late.sees("The operators say: a fault of the clock")


def test_players_see_that_their_result_was_voided(company: Company, server: Serving) -> None:
    first, second, late = company.sit(game("loose", 5), watched=False)
    link = first.page.url
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    second.sees("You won.")
    room = room_of(link)
    admin(server, "rooms", "close", room, "--reason", "played with an engine", "--yes")
    late.page.goto(link)
    for person in (first, second, late):
        result = person.page.locator(".result")
        expect(result).to_have_text("The operators of this server took back the result.")
        person.sees("The operators say: played with an engine")
    for person in (second, late):
        check(person)
    with late.page.expect_download() as saved:
        late.press(late.button("Download record"))
    late.open("#/replay")
    late.page.locator("input[type=file]").set_input_files(saved.value.path())
    late.sees("Every board matches the record.")
    late.sees("The operators of this server took back the result.")
    late.sees("The operators say: played with an engine")


ASIDE = "Something may be wrong with this game, so it is set aside."
LOOK = ("--reason", "a look at its log")


def test_a_game_that_was_set_aside_stands_still_also_for_spectators_in_firefox(
    newcomers: Newcomers, server: Serving
) -> None:
    """Until it is released, for those who sit there, those who watch, and those who come
    meanwhile."""
    of = game("loose", 5)
    room, tokens = prepare(server, of, 4, clock="20+10")
    kept = {"token": tokens[of.positions[4].to_act or 0]}
    player = newcomers.get(server, keeps=kept)
    spectator = newcomers.get(server, {"viewport": PHONE["viewport"]}, engine=FIREFOX)
    target = player.page.locator(".board-box .target")
    player.open(f"#{room}")
    expect(target.first).to_be_attached()
    spectator.open(f"#{room}")
    spectator.sees("You are watching")
    admin(server, "rooms", "quarantine", room, *LOOK)
    for person in (player, spectator):
        why = person.page.locator(".controls .refusal")
        expect(why).to_contain_text(ASIDE)
        expect(why).to_be_in_viewport(ratio=1)
        expect(person.page.locator(".board-box")).to_be_in_viewport(ratio=1)
        for gone in (".target", ".clock.running", ".presence", ".agreements button", ".prompt"):
            expect(person.page.locator(gone)).to_have_count(0)
    check(player)
    admin(server, "rooms", "quarantine", room, "--release", *LOOK)
    player.press(player.button("Reload the page"))
    expect(target.first).to_be_attached()
    expect(player.page.locator(".clock.running")).to_have_count(1)
    spectator.press(spectator.button("Reload the page"))
    spectator.sees("You are watching")
    admin(server, "rooms", "quarantine", room, *LOOK)
    spectator.sees(ASIDE)
    spectator.page.reload()  # as whoever comes meanwhile
    spectator.sees(ASIDE)
    newcomers.get(server, keeps=kept).open()  # as on another device
    expect(player.page.locator(".list li .state")).to_have_text("set aside")


def test_a_restart_is_announced_and_the_game_goes_on(visit: Visit, tmp_path: Path) -> None:
    """With the new settings of its server: it had no chat, and then it has a slow one. So few are
    sent away at once: here what closes their connections comes late."""
    port = free_port()
    quiet = Serving(tmp_path, "--port", str(port), "--chat", "off")
    slow = Serving(tmp_path, "--port", str(port), "--chat-rate", "1", "--chat-burst", "1")
    closing: list[Callable[[], None]] = []
    people = [visit(f"http://127.0.0.1:{port}", **how) for how in (LAPTOP, PHONE)]
    for person in people:
        person.page.route_web_socket(re.compile(r"/ws(\?|$)"), functools.partial(late, closing))
    try:
        quiet.start()
        room, tokens = prepare(quiet, game("loose", 5), 0)
        for person, token in zip(people, tokens, strict=True):
            known_as(person, token)
            person.open(f"#{room}")
        for person in people:  # they have all that they load later
            expect(person.page.locator(".player .presence.here")).to_have_count(2)
            expect(person.page.locator("svg.art")).to_be_attached()
        has_no_chat(people[0])
        assert quiet.terminate() == 0
        announced(people)
        slow.start()
        for close in closing:
            close()
        for person in people:
            told = person.page.locator(".connection .text")
            expect(told).to_have_text("Connected")
        people[0].play("komi:12", 0)
        chats_too_fast(people[0])
    finally:
        (slow if slow.process else quiet).clear()  # they have one store


def late(closing: list[Callable[[], None]], page: WebSocketRoute) -> None:
    """Keep for later what closes this connection."""

    def closed(code: int | None, reason: str | None) -> None:
        closing.append(lambda: page.close(code=code, reason=reason))

    page.connect_to_server().on_close(closed)


def announced(people: list[Person]) -> None:
    """The restart, as they see it."""
    for person in people:
        told = person.page.locator(".connection .text")
        expect(told).to_have_text("The server is about to restart.")
        box = told.bounding_box()
        assert box
        assert box["width"] > 50  # what is only said aloud has one pixel
    check(people[1])


def has_no_chat(person: Person) -> None:
    person.sees("This server has no chat.")
    expect(person.page.get_by_label("Write a message")).to_have_count(0)
    check(person)


def chats_too_fast(person: Person) -> None:
    """A message over the rate is sent later."""
    too_fast = person.page.get_by_text("That was too fast.")
    for number in range(MOST_LINES):
        person.page.get_by_label("Write a message").fill(f"line {number}")
        person.press(person.button("Send"))
        line = person.page.locator(".chat .text", has_text=re.compile(f"^line {number}$"))
        expect(line.or_(too_fast)).to_be_visible()
        if too_fast.count():
            break
    else:
        pytest.fail("so many lines are not too many")
    expect(line).to_be_visible()
    expect(too_fast).to_have_count(0)


def test_a_user_is_told_of_a_disabled_webhook_and_of_a_ban(visit: Visit, server: Serving) -> None:
    """The server says the first after every hello (SPEC 23.13). To come there takes hours, so
    here it is put among what the server says."""
    off = msgspec.msgpack.encode({"type": "notice", "kind": "webhook_off"})

    def between(page: WebSocketRoute) -> None:
        def said(message: str | bytes) -> None:
            page.send(message)
            page.send(off)

        page.connect_to_server().on_message(said)

    person = visit()
    person.page.route_web_socket(re.compile(r"/ws(\?|$)"), between)
    person.open(QUIET)
    person.sees("The server no longer calls your webhook")
    check(person)
    person.press(person.page.locator(".banner").get_by_role("button", name="Close"))
    expect(person.page.locator(".banner")).to_have_count(0)
    person.settings()
    person.page.get_by_label("Your name").fill("Heard again")
    person.press(person.button("Change"))
    person.sees("Name changed.")
    expect(person.page.locator(".banner")).to_have_count(0)
    person.settings()
    user = apart(who(server.url, person.page.evaluate(TOKEN)))
    admin(server, "users", "ban", user, "--for", "1h", "--reason", "spoilers", "--yes")
    person.sees("The operators have banned you for now.")
    check(person)
    person.press(person.button("Reload the page"))
    person.sees(re.compile("The operators have banned you for now.*spoilers"))


async def who(url: str, token: str) -> str:
    async with pierule.connect(url, token=token) as client:
        return client.user
