"""How people find somebody to play with: by `Play now`, by a list, by a link; or a house bot."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import Visit
from browser.person import BOUND_MS, Person, room_of
from support.forked import Forked
from support.serving import Serving

TURNS = 60
"""More than a player has in any game on the small boards."""


@pytest.fixture(scope="module")
def no_bots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without house bots. On a busy machine somebody needs more than 15 s
    to come, and elsewhere a bot plays by then."""
    with Serving(tmp_path_factory.mktemp("without")) as serving:
        yield f"http://{serving.http}"


def waiting(person: Person, text: str) -> Locator:
    """The games in the list of open ones in which this stands."""
    return person.page.locator(".list li").filter(has_text=text)


def test_a_whole_game_is_played_with_a_house_bot(visit: Visit, rng: random.Random) -> None:
    person = visit()
    person.wish("veletas", 7)
    offered = waiting(person, "Veletas 7").filter(has_text="Pip")
    expect(offered.locator(".tag", has_text="bot")).to_have_count(1)
    person.press(person.button("Play now"))
    person.press(person.button("Play a house bot"))
    expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible()
    for _ in range(TURNS):
        if not take_turn(person, rng):
            break
    expect(person.page.locator(".result")).to_contain_text("shooters claimed")
    over = person.page.url
    person.press(person.button("Play Pip again"))
    expect(person.page).not_to_have_url(over)
    expect(person.button("Resign")).to_be_visible()


def take_turn(person: Person, rng: random.Random) -> bool:
    """Play something that the board offers, once it is one's turn; False if the game is over."""
    page = person.page
    color = person.button("Play Black")
    target, result = page.locator(".board-box .target"), page.locator(".result")
    expect(color.or_(target.first).or_(result).first).to_be_attached()
    if result.count():
        return False
    played = page.locator(".actions ol button").count()
    if color.count():
        person.press(color)
        person.confirm("Black")
    else:
        pick(person, target, rng)
    expect(page.locator(".actions ol button").nth(played)).to_be_attached()
    return True


def pick(person: Person, target: Locator, rng: random.Random) -> None:
    """Point after point, until that is an action; then play it."""
    play = person.page.locator(".controls button.primary:enabled")
    step = person.page.locator(".controls")
    while not play.count():
        points = target.evaluate_all("cells => cells.map(cell => cell.dataset.point)")
        before = step.inner_text()
        person.press(person.point(rng.choice(points)))
        expect(step).not_to_have_text(before, use_inner_text=True)
        expect(play.or_(target.first).first).to_be_attached()
    person.press(play)


def test_play_now_pairs_two_users_with_the_same_choice(visit: Visit, no_bots: str) -> None:
    first, second, other = visit(no_bots), visit(no_bots), visit(no_bots)
    for person, size in ((other, 8), (first, 7)):
        person.wish("taugo", size)
        person.press(person.button("Play now"))
        person.sees(f"Looking for an opponent: Taugo {size}")
    second.wish("taugo", 7)
    second.press(second.button("Play now"))
    meet(first, second)
    other.sees("Looking for an opponent")
    other.press(other.button("Cancel"))
    expect(other.page.locator(".meeting")).to_have_count(0)


def meet(first: Person, second: Person) -> None:
    """Both have come to the same game."""
    for person in (first, second):
        expect(person.page.locator(".board-box")).to_be_visible()
    expect(second.page).to_have_url(first.page.url)
    expect(first.button("Resign")).to_be_visible()


def test_a_seeker_appears_in_other_lobbies(visit: Visit, no_bots: str) -> None:
    first, second = visit(no_bots), visit(no_bots)
    first.wish("loose", 11)
    first.press(first.button("Play now"))
    second.open()
    second.press(second.page.get_by_role("button", name=re.compile("^Play: Loose 11")))
    meet(first, second)


PLAYS_MS = 90_000
"""A house bot comes after 15 s, and what it takes to notice."""


def aloud(person: Person, text: str | re.Pattern[str]) -> None:
    """A screen reader is told so."""
    spoken = person.page.locator('.aloud[aria-live="polite"]')
    expect(spoken).to_contain_text(text, timeout=PLAYS_MS)


def test_a_house_bot_plays_if_nobody_comes(visit: Visit) -> None:
    """What was chosen: its coming is shown and told, and the focus stays where it was."""
    person = visit()
    person.wish("veletas", 9)  # in this size no bot keeps a room open
    person.page.get_by_role("combobox", name="Clock").select_option("5 min + 3 s")
    person.more()
    wish = person.page.get_by_label("Rated")
    wish.select_option("yes")  # that is for people
    expect(person.page.get_by_text("a house bot plays.")).to_have_count(0)
    wish.select_option("either")
    person.sees("If nobody comes within 15 seconds, a house bot plays.")
    play = person.button("Play now")
    play.focus()
    person.page.keyboard.press("Enter")
    strip = person.page.locator(".strip")
    expect(strip).to_contain_text(re.compile(r"a house bot plays in \d+ seconds"))
    expect(strip.locator("progress")).to_be_visible()
    aloud(person, re.compile(r"Looking for an opponent\. If nobody comes, a house bot plays in"))
    expect(play).to_be_focused()
    person.page.keyboard.press("Enter")
    expect(strip).to_have_count(1)
    aloud(person, re.compile("A house bot is joining you|Your game begins"))
    expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible(timeout=PLAYS_MS)
    expect(person.page.get_by_role("heading", name=re.compile("Veletas 9"))).to_be_attached()
    expect(person.page.locator(".clock .time").first).to_have_text(re.compile(r"^[45]:\d\d"))


def test_people_are_paired_before_bots_and_a_cancelled_seek_is_not_paired(visit: Visit) -> None:
    first, second, third = visit(), visit(), visit()
    for person in (first, second, third):
        person.wish("taugo", 10 if person is third else 9)
    third.press(third.button("Play now"))
    third.sees("a house bot plays in")
    third.press(third.button("Cancel"))
    expect(third.button("Play now")).to_be_focused()
    first.press(first.button("Play now"))
    second.press(second.button("Play now"))
    meet(first, second)
    for person in (first, second):
        expect(person.page.locator(".player .tag", has_text="bot")).to_have_count(0)
    third.press(third.button("Play now"))
    third.sees("a house bot plays in")
    third.press(third.button("Cancel"))
    expect(third.page.locator(".meeting")).to_have_count(0)
    third.sees("You have no games yet.")


def test_no_bot_is_promised_if_none_is_free(visit: Visit, tmp_path: Path) -> None:
    """Nor where there are none at all. That all of them are playing is said."""
    serving = Serving(tmp_path)
    serving.start()
    bot = ["bot", "loose", "--size", "5", "--games", "1", "--server", serving.url]
    home = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    try:
        person, player = visit(f"http://{serving.http}"), visit(f"http://{serving.http}")
        person.wish("loose", 7)
        person.press(person.button("Play now"))
        aloud(person, "Looking for an opponent.")
        process = Forked(bot, home, tmp_path / "bot.log")
        try:
            player.open()
            player.press(player.page.locator(".bots summary"))
            expect(person.page.locator(".prospect")).to_have_count(0)
            player.press(player.page.locator(".bots").get_by_role("link", name=re.compile("Play")))
            person.sees("All house bots are playing.")
            aloud(person, "All house bots are playing.")
        finally:
            process.kill()
            process.wait()
    finally:
        serving.clear()


def test_two_windows_of_a_browser_can_be_two_players(visit: Visit, no_bots: str) -> None:
    """They are one user, and nobody is paired with oneself: the page says so, and mends it."""
    first = visit(no_bots)
    second = first.tab()
    for person in (first, second):
        person.wish("loose", 13)
        person.press(person.button("Play now"))
    second.sees("The server does not pair you with yourself.")
    second.press(second.button("Be another player in this window"))
    meet(first, second)
    second.page.reload()
    meet(first, second)
    third = first.tab()
    third.open()
    third.page.get_by_role("link", name=re.compile("^Continue:")).first.wait_for()
    expect(third.page.get_by_text("Your game begins.")).to_have_count(0)  # it began before
    assert second.faults + third.faults == []


def test_the_link_opened_in_a_second_window_offers_another_player(visit: Visit) -> None:
    first = visit()
    link = first.create("loose", 5)
    second = first.tab()
    second.page.goto(link)
    second.press(second.button("Be another player in this window"))
    meet(first, second)
    assert second.faults == []


def test_running_games_appear_and_disappear_in_the_list(visit: Visit) -> None:
    looker, first, second = visit(), visit(), visit()
    looker.open()
    link = first.create("taugo", 9)
    room = room_of(link)
    entry = looker.page.get_by_role("link", name=re.compile(room))
    expect(entry).to_have_text("Play")
    second.page.goto(link)
    second.press(second.button("Play here"))
    expect(entry).to_have_text("Watch")
    third = visit()
    third.page.goto(link)
    third.sees("You are watching")
    card = looker.page.locator("li").filter(has=entry)
    expect(card).to_contain_text("1 spectator", timeout=2 * BOUND_MS)
    first.press(first.button("Resign"))
    first.press(first.button("Yes, I resign"))
    expect(entry).to_have_count(0)


def test_my_games_say_whose_turn_it_is(visit: Visit) -> None:
    first, second = visit(), visit()
    link = first.create("loose", 5)
    second.page.goto(link)
    second.press(second.button("Play here"))
    second.open()
    mine = second.page.locator(".list", has_text="My games").locator("li")
    expect(mine).to_contain_text("their turn")
    first.play("komi:6", 0)
    expect(mine).to_contain_text("your turn")
    expect(second.page.locator(".top .unread")).to_contain_text("1")
    second.press(mine.get_by_role("link", name=re.compile("^Continue:")))
    second.play("black", 1)


def test_an_unlisted_game_is_found_by_its_link(visit: Visit) -> None:
    first, second = visit(), visit()
    link = first.create("taugo", 6, finds="unlisted")
    room = room_of(link)
    assert re.fullmatch("[a-z]+", room)
    second.open()
    expect(waiting(second, "Pip").first).to_be_attached()
    expect(second.page.get_by_role("link", name=re.compile(room))).to_have_count(0)
    second.page.goto(link)
    second.press(second.button("Play here"))
    first.sees("You cut")


def test_the_link_of_a_private_game_is_found_again(visit: Visit) -> None:
    first = visit()
    link = first.create("taugo", 6, finds="private")
    first.open()
    first.press(first.page.get_by_role("link", name=re.compile("^Continue:")))
    expect(first.page.get_by_label("Send this link")).to_have_value(link)


def test_a_game_is_made_with_a_random_seat_and_delayed_spectators(visit: Visit) -> None:
    first, second = visit(), visit()
    first.wish("taugo", 6)
    first.more()
    first.page.get_by_role("combobox", name="You").select_option("random")
    first.page.get_by_role("combobox", name="Spectators see it").select_option("5")
    first.press(first.button("Create game"))
    second.page.goto(first.page.get_by_label("Send this link").input_value())
    second.press(second.button("Play here"))
    for person in (first, second):
        person.sees("Spectators see this game with a delay of 5 actions.")
        person.sees(re.compile("You cut|is setting up the game"))
    cuts = [person.page.get_by_text("You cut").count() for person in (first, second)]
    assert sorted(cuts) == [0, 1]
