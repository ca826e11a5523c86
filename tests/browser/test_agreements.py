"""What two people agree on beside playing, each in their own browser, while a third one watches."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.company import Company, Three
from browser.person import Person, alternate
from browser.rooms import QUIET, TOKEN, apart, both_seats, go_on, opened
from browser.screen import violations
from support.games import game
from support.serving import Serving


def test_a_takeback_and_a_pause_are_offered_and_accepted(company: Company, server: Serving) -> None:
    of = game("loose", 5)
    people = first, second, third = company.sit(of, 4, clock="3+2")
    other, mover = (first, second)[:: 1 if of.positions[3].to_act == 1 else -1]
    mover.press(mover.button("Ask for a takeback"))
    mover.sees("You asked for a takeback.")
    third.sees("asks to take their last action back.")
    expect(third.button("Accept")).to_have_count(0)
    other.press(other.button("Decline"))
    mover.sees(re.compile("declined a takeback"))
    expect(mover.button("Ask for a takeback")).to_be_disabled()
    go_on((first, second), server, of, 4, 5)
    mover.press(mover.button("Ask for a takeback"))
    other.press(other.button("Accept"))
    for person in people:
        person.sees("Agreed: a takeback.")
        person.sees_actions(of.actions[:3])
    mover.sees("Your turn")
    stops_the_clocks(mover, other, people)
    alternate((first, second), of, 3, 5)


def stops_the_clocks(mover: Person, other: Person, people: Three) -> None:
    """A pause does, for everybody, until the two agree to continue."""
    other.press(other.button("Offer a pause"))
    mover.press(mover.button("Accept"))
    for person in people:
        person.sees("The clocks are paused. They start again in")
        expect(person.page.locator(".clock.running")).to_have_count(0)
    assert violations(mover) == []
    shown = mover.page.locator(".clock .time").all_text_contents()
    left = mover.page.locator(".controls .prompt")
    told = left.text_content() or ""
    expect(left).not_to_have_text(told)  # time goes by, but not on the clocks
    assert mover.page.locator(".clock .time").all_text_contents() == shown
    expect(mover.page.locator(".board-box .target")).to_have_count(0)
    mover.press(mover.button("Offer to continue"))
    other.press(other.button("Accept"))
    for person in people:
        expect(person.page.locator(".clock.running")).to_have_count(1)


def test_a_draw_lapses_with_the_next_action_is_withdrawn_and_accepted(company: Company) -> None:
    of = game("taugo", 6)
    people = first, second, _ = company.sit(of, 4)
    first.press(first.button("Offer a draw"))
    second.sees("offers a draw.")
    alternate((first, second), of, 4, 5)
    for person in people:
        person.sees("The offer has lapsed: a draw.")
        expect(person.button("Accept")).to_have_count(0)
    second.press(second.button("Offer a draw"))
    second.press(second.button("Withdraw"))
    first.sees("withdrew the offer: a draw.")
    first.press(first.button("Offer a draw"))
    second.press(second.button("Accept"))
    for person in people:
        person.sees("A draw by agreement.")
        expect(person.page.locator("[aria-live].aloud")).to_have_text("A draw by agreement.")


def test_a_rematch_of_a_private_game_takes_everybody_along(
    company: Company, server: Serving
) -> None:
    """Nobody else finds it. What the form and its link are like is tested in test_previews."""
    of = game("loose", 5)
    people = first, second, third = company.people
    first.open(QUIET)
    link = "#" + apart(opened(server.url, first.page.evaluate(TOKEN), of, "private"))
    room, _, invitation = link.removeprefix("#").partition(".")
    first.open(link)
    second.open(link)
    second.press(second.button("Play here"))
    first.sees("You cut")
    third.open("#/")  # as a stranger
    expect(third.button("Play now")).to_be_visible()
    expect(third.page.get_by_role("link", name=re.compile(room))).to_have_count(0)
    third.open(f"#{room}")
    third.sees("This game is private. Ask for its whole link.")
    third.open(link)
    third.sees("You are watching")
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    second.press(second.button("Offer a rematch"))
    first.sees("offers a rematch.")
    expect(second.button("Withdraw")).to_be_focused()  # in place of its button
    first.press(first.button("Accept"))
    for person in people:
        address = re.compile(rf"#(?!{room})[a-z]+\.{invitation}$")
        expect(person.page).to_have_url(address)
    second.sees("You cut")  # the seats are swapped
    assert second.page.evaluate("document.querySelector('main').scrollTop") == 0
    alternate((second, first), of, 0, 2)
    third.sees_actions(of.actions[:2])
    third.press(third.page.get_by_role("link", name="Previous game"))
    third.sees("resigned")
    assert violations(third) == []
    third.press(third.page.get_by_role("link", name="To the rematch"))
    third.sees_actions(of.actions[:2])


def test_a_player_who_has_not_acted_can_abort(company: Company) -> None:
    people = first, second, _ = company.sit(game("loose", 5), 1)
    expect(first.button("Call off")).to_have_count(0)  # it has acted
    second.button("Call off").dispatch_event("click", {"detail": 2})  # the end of a double click
    expect(second.button("No, continue")).to_have_count(0)
    second.press(second.button("Call off"))
    assert violations(second) == []
    second.press(second.button("No, continue"))
    second.pause()
    second.press(second.button("Call off"))
    second.press(second.button("Yes, call it off"))
    for person in people:
        person.sees("The game did not begin. Nobody lost.")
        expect(person.button("Offer a rematch")).to_have_count(int(person is not people[2]))


def test_a_game_that_nobody_joins_can_be_closed(company: Company, server: Serving) -> None:
    alone, _, _ = company.people
    alone.open(QUIET)
    room = apart(opened(server.url, alone.page.evaluate(TOKEN), game("loose", 5)))
    alone.open(f"#{room}")
    alone.press(alone.button("Close this game"))
    alone.press(alone.button("Yes, call it off"))
    alone.sees("The game did not begin. Nobody lost.")


def test_a_player_of_both_sides_needs_no_confirmation(company: Company, server: Serving) -> None:
    of = game("loose", 5)
    person, _, _ = company.people
    person.open(QUIET)
    room, _ = apart(both_seats(server.url, person.page.evaluate(TOKEN), of, 5))
    person.open(f"#{room}")
    person.sees("You play both sides.")
    names = "all => all.map((each) => each.ariaLabel.split(', ')[1])"
    seats = person.page.locator(".player").evaluate_all(names)
    assert seats == ["second player", "first player"]  # their player is the same
    for left in (4, 3):
        person.press(person.button("Take the last action back"))
        person.sees_actions(of.actions[:left])
    alternate((person, person), of, 3, 4)
    person.press(person.button("Resign"))
    person.press(person.button("Yes, I resign"))
    person.press(person.button("Play again"))
    person.sees("No actions yet.")
