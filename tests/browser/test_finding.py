"""How people find somebody to play with: by `Play now`, by a list, by a link; or a house bot."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import pierule
from browser.elsewhere import BOUND_S, elsewhere
from browser.newcomers import Newcomers
from browser.person import BOUND_MS, Person, room_of
from browser.rooms import apart, continued, prepare
from pierule import Room
from support.forked import Forked
from support.games import game
from support.serving import Serving

TURNS = 60
"""More than a player has in any game on the small boards."""


@pytest.fixture(scope="module")
def no_bots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server without house bots. On a busy machine somebody needs more than 15 s
    to come, and elsewhere a bot plays by then."""
    with Serving(tmp_path_factory.mktemp("without")) as serving:
        yield serving


def waiting(person: Person, text: str) -> Locator:
    """The games in the list of open ones in which this stands."""
    return person.page.locator(".list li").filter(has_text=text)


def test_a_whole_game_is_played_with_a_house_bot(
    newcomers: Newcomers, server: Serving, rng: random.Random
) -> None:
    person = newcomers.get(server)
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


OFFERED = """() => {
  const { length } = document.querySelectorAll(".actions ol button");
  const targets = [...document.querySelectorAll(".board-box .target")];
  return {
    turn: length,
    isOver: !!document.querySelector(".result"),
    isColor: !!document.querySelector(".controls .choice"),
    points: targets.map((cell) => cell.dataset.point),
    text: document.querySelector(".controls").innerText,
    isWhole: !!document.querySelector(".controls button.primary:enabled"),
  };
}"""
"""What the page offers: a color, or points that may be chosen next; what it says of them, and
whether what is chosen is an action."""


def take_turn(person: Person, rng: random.Random) -> bool:
    """Play something that the board offers, once it is one's turn; False if the game is over."""
    page = person.page
    expect(page.locator(".board-box .target, .controls .choice, .result").first).to_be_attached()
    offered = page.evaluate(OFFERED)
    if offered["isOver"]:
        return False
    if offered["isColor"]:
        person.press(person.button("Play Black"))
        person.confirm("Black")
    else:
        pick(person, rng, offered)
    expect(page.locator(".actions ol button").nth(offered["turn"])).to_be_attached()
    return True


def pick(person: Person, rng: random.Random, offered: dict[str, Any]) -> None:
    """Point after point, until that is an action; then play it."""
    play, step = ".controls button.primary:enabled", person.page.locator(".controls")
    while not offered["isWhole"]:
        person.press(person.point(rng.choice(offered["points"])))
        expect(step).not_to_have_text(offered["text"], use_inner_text=True)
        expect(person.page.locator(f"{play}, .board-box .target").first).to_be_attached()
        offered = person.page.evaluate(OFFERED)
    person.press(person.page.locator(play))


def test_play_now_pairs_two_users_with_the_same_choice(
    newcomers: Newcomers, no_bots: Serving
) -> None:
    """And nobody else: somebody who chose another size waits on."""
    first, second = newcomers.get(no_bots), newcomers.get(no_bots, number=1)
    with elsewhere(no_bots.url) as other:
        sought = other.begin(other.client.seek("taugo", 8))
        first.wish("taugo", 7)
        first.press(first.button("Play now"))
        first.sees("Looking for an opponent: Taugo 7")
        second.wish("taugo", 7)
        second.press(second.button("Play now"))
        meet(first, second)
        assert not sought.done()
        sought.cancel()


def meet(first: Person, second: Person) -> None:
    """Both have come to the same game."""
    for person in (first, second):
        expect(person.page.locator(".board-box")).to_be_visible()
    expect(second.page).to_have_url(first.page.url)
    expect(first.button("Resign")).to_be_visible()


def is_met(person: Person, sought: Future[Room]) -> None:
    """They have come to the game that a client elsewhere sought."""
    expect(person.page.locator(".board-box")).to_be_visible()
    expect(person.button("Resign")).to_be_visible()
    assert room_of(person.page.url) == sought.result(BOUND_S).id


def test_a_seeker_appears_in_other_lobbies(newcomers: Newcomers, no_bots: Serving) -> None:
    person = newcomers.get(no_bots)
    with elsewhere(no_bots.url) as seeker:
        sought = seeker.begin(seeker.client.seek("loose", 11))
        person.open()
        person.press(person.page.get_by_role("button", name=re.compile("^Play: Loose 11")))
        is_met(person, sought)


PLAYS_MS = 90_000
"""A house bot comes after 15 s, and what it takes to notice."""


def aloud(person: Person, text: str | re.Pattern[str]) -> None:
    """A screen reader is told so."""
    expect(person.page.locator('.aloud[aria-live="polite"]')).to_contain_text(text)


LISTEN = """() => {
  const live = document.querySelector('.aloud[aria-live="polite"]');
  window.told = [];
  const how = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => told.push(live.textContent)).observe(live, how);
}"""
TOLD = "pattern => told.some((text) => new RegExp(pattern).test(text))"
"""Whether a screen reader was told something since then; more may have been told after it."""


def test_a_house_bot_plays_if_nobody_comes(newcomers: Newcomers, server: Serving) -> None:
    """What was chosen: its coming is shown and told, and the focus stays where it was."""
    person = newcomers.get(server)
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
    person.page.evaluate(LISTEN)
    person.page.keyboard.press("Enter")
    strip = person.page.locator(".strip")
    expect(strip).to_contain_text(re.compile(r"a house bot plays in \d+ seconds"))
    expect(strip.locator("progress")).to_be_visible()
    aloud(person, re.compile(r"Looking for an opponent\. If nobody comes, a house bot plays in"))
    expect(play).to_be_focused()
    person.page.keyboard.press("Enter")
    expect(strip).to_have_count(1)
    begins = "A house bot is joining you|Your game begins"
    person.page.wait_for_function(TOLD, arg=begins, timeout=PLAYS_MS)
    expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible(timeout=PLAYS_MS)
    expect(person.page.get_by_role("heading", name=re.compile("Veletas 9"))).to_be_attached()
    expect(person.page.locator(".clock .time").first).to_have_text(re.compile(r"^[45]:\d\d"))


def test_people_are_paired_before_bots_and_a_cancelled_seek_is_not_paired(
    newcomers: Newcomers, server: Serving
) -> None:
    person = newcomers.get(server)
    play, meeting = person.button("Play now"), person.page.locator(".meeting")
    person.wish("taugo", 10)
    with elsewhere(server.url) as first, elsewhere(server.url) as second:
        person.press(play)
        expect(meeting).to_contain_text("a house bot plays in")
        person.press(person.button("Cancel"))
        expect(play).to_be_focused()
        expect(meeting).to_have_count(0)
        others = [each.begin(each.client.seek("taugo", 10)) for each in (first, second)]
        assert len({room.result(BOUND_S).id for room in others}) == 1  # nobody else was waiting
        person.sees("You have no games yet.")
        person.press(play)
        expect(meeting).to_contain_text("a house bot plays in")
        sought = first.begin(first.client.seek("taugo", 10, bot_after=15))
        is_met(person, sought)
        expect(person.page.locator(".player .tag", has_text="bot")).to_have_count(0)


def test_no_bot_is_promised_if_none_is_free(
    newcomers: Newcomers, no_bots: Serving, tmp_path: Path
) -> None:
    """Nor where there are none at all. That all of them are playing is said."""
    bot = ["bot", "loose", "--size", "5", "--games", "1", "--server", no_bots.url]
    home = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    person, player = newcomers.get(no_bots), newcomers.get(no_bots, number=1)
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


def test_two_windows_of_a_browser_can_be_two_players(
    newcomers: Newcomers, no_bots: Serving
) -> None:
    """They are one user, and nobody is paired with themselves: the page says so, and mends it."""
    first = newcomers.get(no_bots)
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


async def opened(url: str, game: str, size: int) -> tuple[str, str]:
    """A room in which the other seat is free, and the token of its maker."""
    async with pierule.connect(url) as maker:
        return (await maker.create(game, size, seat=0)).id, maker.token


def test_the_link_opened_in_a_second_window_offers_another_player(
    newcomers: Newcomers, server: Serving
) -> None:
    room, token = apart(opened(server.url, "loose", 5))
    first = newcomers.get(server, keeps={"token": token})
    first.open(f"#{room}")
    link = first.page.get_by_label("Send this link").input_value()
    second = first.tab()
    second.page.goto(link)
    second.press(second.button("Be another player in this window"))
    meet(first, second)
    assert second.faults == []


def test_the_list_has_open_and_running_games_that_are_not_unlisted(
    newcomers: Newcomers, server: Serving
) -> None:
    """Those that run appear and disappear. An unlisted one is found by its link, which
    test_previews gets from the form."""
    looker = newcomers.get(server)
    looker.open()
    with elsewhere(server.url) as first, elsewhere(server.url) as second:
        unlisted = first.do(first.client.create("taugo", 6, seat=0, access="unlisted"))
        room = first.do(first.client.create("taugo", 9, seat=0))
        entry = looker.page.get_by_role("link", name=re.compile(room.id))
        expect(entry).to_have_text("Play")
        second.do(second.client.join(room.id, seat=1))
        expect(entry).to_have_text("Watch")
        card = looker.page.locator("li").filter(has=entry)
        with elsewhere(server.url) as third:
            third.do(third.client.join(room.id))
            expect(card).to_contain_text("1 spectator", timeout=2 * BOUND_MS)
        first.do(room.resign())
        expect(entry).to_have_count(0)
        expect(waiting(looker, "Pip").first).to_be_attached()
        expect(looker.page.get_by_role("link", name=re.compile(unlisted.id))).to_have_count(0)
        looker.open(f"#{unlisted.id}")
        looker.press(looker.button("Play here"))
        looker.sees(re.compile("is setting up the game"))


def test_my_games_say_whose_turn_it_is(newcomers: Newcomers, server: Serving) -> None:
    of = game("loose", 5)
    room, tokens = prepare(server, of, 0)
    person = newcomers.get(server, keeps={"token": tokens[1]})
    person.open()
    mine = person.page.locator(".list", has_text="My games").locator("li")
    expect(mine).to_contain_text("their turn")
    apart(continued(server.url, room, tokens, [(0, "komi:6")], 0))
    expect(mine).to_contain_text("your turn")
    expect(person.page.locator(".top .unread")).to_contain_text("1")
    person.press(mine.get_by_role("link", name=re.compile("^Continue:")))
    person.play("black", 1)


def test_a_game_is_made_with_a_random_seat_and_delayed_spectators(
    newcomers: Newcomers, server: Serving
) -> None:
    """The game as its maker sees it, and what the other one's client knows of it."""
    person = newcomers.get(server)
    person.wish("taugo", 6)
    person.more()
    person.page.get_by_role("combobox", name="You").select_option("random")
    # Not for challenges: nothing sends it with them.
    only = person.page.get_by_role("group", name="Create game")
    expect(only.get_by_role("combobox", name="Who can find it")).to_be_visible()
    only.get_by_role("combobox", name="Spectators see it").select_option("5")
    person.press(person.button("Create game"))
    room = room_of(person.page.get_by_label("Send this link").input_value())
    with elsewhere(server.url) as other:
        joined = other.do(other.client.join(room, seat="any"))
        person.sees("Spectators see this game with a delay of 5 actions.")
        assert joined.state.delay == 5
        person.sees(re.compile("You cut|is setting up the game"))
        cuts = [person.page.get_by_text("You cut").count(), joined.seats.count(0)]
    assert sorted(cuts) == [0, 1]
