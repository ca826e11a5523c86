"""People and each other: what they say, whom they ask for a game, what they are called, and what
becomes of a game that somebody leaves."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
from playwright.sync_api import Locator, WebSocketRoute, expect

import pierule
from browser.company import Company
from browser.conftest import Visit
from browser.elsewhere import elsewhere
from browser.newcomers import Newcomers
from browser.person import BOUND_MS, Person, room_of
from browser.rooms import QUIET, Account, apart, known_as, prepare, registered, signed_in
from browser.screen import check, unpainted
from browser.windows import resize
from support.games import game
from support.serving import Serving

LEFT_MS = 75_000
"""A player of a quick game is waited for 30 s (SPEC 25.2), and that takes a while to be noticed."""


def chat(person: Person) -> Locator:
    """The chat, opened if it was not."""
    title = person.page.locator(".chat .title")
    if title.get_attribute("aria-expanded") == "false":
        person.press(title)
    return person.page.locator(".chat")


def say(person: Person, text: str) -> None:
    box = chat(person).get_by_label("Write a message")
    box.fill(text)
    person.press(person.button("Send"))
    expect(box).to_have_value("")


def test_a_player_may_wait_for_an_absent_opponent_or_claim(company: Company) -> None:
    first, second, _ = company.sit(game("loose", 5), clock="3+2", watched=False)
    link = first.page.url
    second.page.goto("about:blank")
    first.sees("You can end the game in")
    expect(first.page.locator(".presence.away .since")).to_be_visible()
    check(first)
    second.page.goto(link)
    expect(first.page.locator(".absence")).to_have_count(0)
    second.page.goto("about:blank")
    with unpainted(first):  # for half a minute its clock runs
        expect(first.page.locator(".absence .primary")).to_be_attached(timeout=LEFT_MS)
    expect(first.page.locator(".absence .primary")).to_be_visible()
    claim = first.button("Claim the win")
    check(first)
    resize(first, (320, 568))
    expect(first.page.locator(".signs:not(.above) .sign.down.to-absence")).to_be_visible()
    first.page.evaluate("document.querySelector('main').scrollTop = 9999")
    expect(claim).not_to_be_in_viewport()
    expect(first.page.locator(".signs.above .sign.up.to-absence")).to_be_visible()
    first.press(first.button("The other player is gone"))
    expect(claim).to_be_in_viewport(ratio=1)
    expect(first.page.locator(".sign.to-absence")).to_have_count(0)
    first.press(claim)
    first.sees(re.compile("You won.*left"))
    second.page.goto(link)
    second.sees(re.compile("You lost.*left"))


def test_players_and_spectators_have_separate_chats(company: Company) -> None:
    first, second, third = company.sit(game("loose", 5))
    say(first, "Good luck!")
    expect(second.page.locator(".chat .unread")).to_have_text("1 new")
    second.page.locator('.board-box g[tabindex="0"]').focus()
    focused = "document.activeElement.tagName"
    assert second.page.evaluate(focused) == "g"  # the board has it: what comes does not take it
    log, sign = second.page.locator("[role=log]"), second.button("Chat: 1 new")
    second.press(sign)  # which is in sight, while the chat is not
    expect(log).to_contain_text("Good luck!")
    expect(log).to_be_in_viewport(ratio=1)
    expect(second.page.locator(".unread, .sign")).to_have_count(0)
    second.page.evaluate("document.querySelector('main').scrollTop = 0")
    expect(log).not_to_be_in_viewport()
    say(first, "You begin.")
    expect(sign).to_be_in_viewport(ratio=1)  # open, but out of sight
    second.pause()
    second.press(sign)
    expect(log).to_contain_text("You begin.")
    expect(sign).to_have_count(0)
    say(third, "Black is better.")
    expect(chat(third).locator("[role=log]")).to_contain_text("Black is better.")
    expect(chat(third).locator("[role=log]")).not_to_contain_text("Good luck!")
    check(first)
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    for person in (first, second, third):
        log = chat(person).locator("[role=log]")
        expect(log).to_contain_text("Good luck!")
        expect(log).to_contain_text("Black is better.")
    expect(chat(first).locator(".tag")).to_have_text("spectator")


def test_a_user_is_muted_unmuted_and_reported(company: Company) -> None:
    first, second, _ = company.sit(game("loose", 5), watched=False)
    say(second, "Pah!")
    line = chat(first).locator("li")
    expect(line).to_contain_text("Pah!")
    first.press(line.locator(".more"))
    check(first)
    first.press(first.button("Mute"))
    expect(line).to_contain_text("muted")
    expect(line).not_to_contain_text("Pah!")
    say(second, "Hello?")
    expect(line).to_have_count(2)
    expect(chat(first)).not_to_contain_text("Hello?")
    first.press(line.last.locator(".more"))
    first.press(first.button("Unmute"))
    expect(line.last).to_contain_text("Hello?")
    first.press(line.first.locator(".more"))
    first.press(first.button("Report"))
    first.page.get_by_label("What is wrong with it?").fill("Rude.")
    first.press(line.first.get_by_role("button", name="Report"))
    first.sees("The operators will look at it.")


def test_a_user_is_blocked_and_unblocked(company: Company) -> None:
    """In the chat, and in the settings, which Escape then closes although the button is gone."""
    first, second, _ = company.sit(game("loose", 5), watched=False)
    say(second, "Pah!")
    line = chat(first).locator("li")
    for _ in range(2):
        expect(line).to_contain_text("Pah!")
        first.press(line.locator(".more"))
        first.press(first.button("Block"))
        expect(line).to_have_text(re.compile("^blocked"))
        first.press(line.locator(".more"))
        first.press(first.button("Unblock"))
    expect(line).to_contain_text("Pah!")
    first.press(line.locator(".more"))
    first.press(first.button("Block"))
    first.settings()
    first.press(first.page.get_by_text("Muted and blocked players (1)"))
    first.page.get_by_role("button", name=re.compile("^Unblock: ")).press("Enter")
    expect(first.page.locator(".gear")).to_be_focused()
    first.page.keyboard.press("Escape")
    expect(first.page.get_by_role("region", name="Settings")).to_have_count(0)
    expect(line).to_contain_text("Pah!")


def register(person: Person, name: str) -> str:
    """Have a name of one's own; the recovery code."""
    person.open(QUIET)
    person.settings()
    person.page.get_by_label("Your name").fill(name)
    person.press(person.button("Register this name"))
    person.sees("Nobody else can have this name now.")
    expect(person.page.locator(".code")).to_be_focused()  # its button is gone
    code = person.page.locator(".code output").inner_text()
    check(person)
    person.press(person.button("Close"))
    expect(person.page.locator(".gear")).to_be_focused()
    return code


def challenge(person: Person, name: str) -> None:
    person.wish("taugo", 6)
    person.more()
    challenge_here(person, name)


def challenge_here(person: Person, name: str) -> None:
    """Where the form is open."""
    person.page.get_by_label("Challenge somebody").fill(name)
    person.press(person.button("Challenge"))
    person.sees(f"You challenged {name}")


HEAR = """window.said = [];
const form = document.querySelector(".challenge");
new MutationObserver(() => said.push(form.querySelector("[role=status]").textContent))
  .observe(form, { childList: true, subtree: true, characterData: true })"""


def challenge_nobody(person: Person, name: str) -> None:
    """The form never says that this was sent."""
    person.page.evaluate(HEAR)
    person.page.get_by_label("Challenge somebody").fill(name)
    person.press(person.button("Challenge"))
    person.sees(f"Nobody is registered as {name}.")
    assert set(person.page.evaluate("said")) == {""}


def test_a_registered_name_can_be_challenged(newcomers: Newcomers, server: Serving) -> None:
    """And the challenge outlives a reload on one side, and a connection on the other."""
    first, second, third = (newcomers.get(server, number=number) for number in range(3))
    code = register(first, "Ada-7")
    challenge(second, "ada-7")
    second.sees("Sent. It stays at the top of the page")
    first.sees("challenges you:")
    check(first)
    first.press(first.button("Decline"))
    second.sees("ada-7 does not want to play now.")
    second.press(second.page.locator(".meeting").get_by_role("button", name="Close"))
    challenge_nobody(second, "Zorro")
    challenge_here(second, "ada-7")
    second.page.reload()
    second.sees("You challenged ada-7")
    first.button("Accept").focus()
    first.page.context.set_offline(True)
    expect(first.page.locator('.connection:not([data-status="online"])')).to_be_attached()
    first.page.context.set_offline(False)
    first.online()
    expect(first.button("Accept")).to_be_focused()
    first.press(first.button("Accept"))
    for person in (first, second):
        expect(person.page.locator(".board-box")).to_be_visible()
    second.sees("Ada-7")
    become_again(third, code)


def know_late(person: Person, game: str) -> None:
    """From now on a connection tells of this game only after it has told of another one."""

    def between(page: WebSocketRoute) -> None:
        known, late = False, list[str | bytes]()

        def said(frame: str | bytes) -> None:
            nonlocal known
            assert isinstance(frame, bytes)
            message = msgspec.msgpack.decode(frame)
            shows = message["type"] == "snapshot" and message["state"]["room"] == game
            if shows and not known:
                late.append(frame)
                return
            page.send(frame)
            known = known or (message["type"] == "ok" and message.get("room") not in (None, game))
            while known and late:
                page.send(late.pop())

        page.connect_to_server().on_message(said)

    person.page.route_web_socket(re.compile(r"/ws(\?|$)"), between)


def test_a_challenge_accepted_during_a_reload_leaves_the_current_game_open(
    visit: Visit, server: Serving
) -> None:
    current, (token, _) = prepare(server, game("loose", 5), 0)
    first = visit()
    known_as(first, token)
    with elsewhere(server.url, token=registered(server, "Cleo-7").token) as third:
        challenge(first, "Cleo-7")
        first.page.goto("about:blank")
        begun = third.do(accepted(third.client))
        know_late(first, current)
        first.open(f"#{current}")
        way = first.page.get_by_role("link", name="To the game")
        expect(way).to_be_visible()
        first.sees("You cut")
        assert room_of(first.page.url) == current
        check(first)
        first.press(way)
        expect(first.page.locator(".player .presence.here")).to_have_count(2)
        assert room_of(first.page.url) == begun.id


async def accepted(client: pierule.Client) -> pierule.Room:
    """The game of the first challenge to this client."""
    async for challenged in client.challenges():
        return await client.accept(challenged.challenge)
    raise AssertionError


def test_a_player_who_offered_a_rematch_and_left_is_taken_to_it(company: Company) -> None:
    first, second, _ = company.sit(game("loose", 5), watched=False)
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    first.press(first.button("Offer a rematch"))
    second.sees("offers a rematch.")
    first.press(first.page.get_by_role("link", name="Play", exact=True))
    second.press(second.button("Accept"))
    way = first.page.get_by_role("link", name="To the game")
    expect(way).to_be_visible()
    first.page.evaluate("hash => { location.hash = hash }", way.get_attribute("href"))
    expect(first.button("Resign")).to_be_visible()
    expect(way).to_have_count(0)


def sign_in(person: Person, name: str, code: str) -> None:
    """Be the user of a registered name on another device. The page begins anew, at its top."""
    person.open()
    before = person.page.viewport_size
    person.page.set_viewport_size({"width": 683, "height": 384})
    person.settings()
    person.press(person.page.get_by_text("I have a registered name"))
    for told, words in (("wrong", "The name or the recovery code is wrong."), (code, None)):
        person.page.get_by_label("Registered name").fill(name)
        person.page.get_by_label("Recovery code").fill(told)
        person.press(person.button("Sign in"))
        if words:
            expect(person.page.locator(".refusal")).to_have_text(words)
    expect(person.page.locator(".settings")).to_have_count(0)  # loaded again
    person.online()
    person.sees(f"You are {name} now.")
    assert person.page.evaluate("scrollY") == 0
    if before is not None:
        person.page.set_viewport_size(before)


def test_whoever_signs_out_everywhere_else_stays_signed_in_on_this_device(
    visit: Visit, server: Serving
) -> None:
    """In all of its windows. The other device says what has happened."""
    account = registered(server, "Ada-9")
    first, second = visit(), visit()
    window = first.tab()
    signed_in(first, account)
    signed_in(second, apart(again(server.url, "Ada-9", account)))
    for person in (first, second):
        person.open()
        expect(person.page.get_by_text("New here?")).to_have_count(0)
        person.open(QUIET)
    window.open(QUIET)
    first.settings()
    first.press(first.button("Sign out everywhere else"))
    check(first)
    with window.page.expect_navigation():  # it goes on with the token of the new session
        first.press(first.button("Yes, sign out"))
    first.sees("Signed out on all other devices.")
    second.sees("You are signed out on this device, or")
    check(second)
    second.press(second.button("Continue as a new guest"))
    second.online()
    second.sees("guest-")
    second.open("#/")
    second.sees("New here?")
    for person in (first, window):
        person.page.reload()
        person.online()
        person.sees("Ada-9")
    assert window.faults == []


async def again(url: str, name: str, account: Account) -> Account:
    """The same user on another device."""
    async with pierule.connect(url, name=name, recovery=account.recovery) as client:
        return account._replace(token=client.token)


def become_again(third: Person, code: str) -> None:
    """The user of Ada-7 comes back on another device, and deletes the account there."""
    sign_in(third, "Ada-7", code)
    third.sees("their turn")  # the game that was begun elsewhere
    third.open(QUIET)
    third.settings()
    third.press(third.page.get_by_text("Webhook: a call when it is your turn"))
    third.page.get_by_label("Address").fill("http://localhost/")
    third.press(third.button("Set webhook"))
    third.sees("The address must begin with https://")
    check(third)
    with third.page.expect_download() as saved:
        third.press(third.button("Download my data"))
    lines = [json.loads(line) for line in Path(saved.value.path()).read_text().splitlines()]
    assert (lines[0]["name"], lines[-1]["kind"]) == ("Ada-7", "room")
    third.sees(f"Lines: {len(lines)}")
    change_name(third, "Ada-7", "Bea-7")
    for label in ("Sign out", "New recovery code", "Delete account"):
        third.press(third.button(label))
        expect(third.button("No, go back")).to_be_focused()
        third.page.keyboard.press("Escape")
    third.press(third.button("Delete account"))
    third.press(third.button("Yes, delete it"))
    third.sees("You have no games yet.")


def change_name(person: Person, before: str, name: str) -> None:
    """The page asks first, as the recovery code changes, too."""
    field = person.page.get_by_label("Your name")
    expect(person.button("Change")).to_be_disabled()  # for the same name
    field.fill(name)
    field.press("Enter")
    person.sees(f"{before} stays reserved for you for 30 days")
    expect(person.button("No, go back")).to_be_focused()
    check(person)
    person.page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(person.page.locator(".gear")).to_contain_text(before)
    expect(person.page.locator(".code")).to_have_count(0)
    field.press("Enter")
    person.press(person.button("Yes, change it"))
    expect(person.page.locator(".code")).to_be_focused()
    expect(person.page.locator(".gear")).to_contain_text(name)


def test_a_returning_user_is_told_when_the_server_is_down(visit: Visit) -> None:
    person = visit()
    person.page.clock.install()
    person.open(QUIET)
    person.settings()
    person.press(person.page.get_by_text("I have a registered name"))
    person.page.context.set_offline(True)
    person.page.get_by_label("Registered name").fill("Ada-8")
    person.page.get_by_label("Recovery code").fill("any")
    person.press(person.button("Sign in"))
    shown = person.page.locator(".connection")
    expect(shown.locator(".text")).to_contain_text("Next try in")
    expect(shown.get_by_role("status")).to_have_text("No connection. Trying again…")
    person.page.clock.run_for(BOUND_MS)
    told = person.page.get_by_text("The page cannot reach the server.")
    expect(told).to_be_visible()
