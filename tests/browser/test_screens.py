"""Every screen as it is seen and heard: without violations of axe-core, at every width, in every
language, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.conftest import PHONE, Visit
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import QUIET, TOKEN, apart, go_on, opened, user
from browser.screen import check, overflow, unpainted, violations
from browser.windows import resize
from support.browsers import Kind
from support.games import game
from support.serving import Serving

FILLS = """elements =>
  new Set(elements.map((element) => getComputedStyle(element).backgroundColor)).size"""
"""In how many colors these elements are filled."""


def check_forced(person: Person, *pairs: str) -> None:
    """Where the system forces its own colors, each pair of elements is still told apart. The page
    was loaded there."""
    expect(person.page.locator("html")).to_have_css("--on-accent", "HighlightText")
    for pair in pairs:
        person.page.locator(pair).nth(1).wait_for()
        assert person.page.locator(pair).evaluate_all(FILLS) == 2, pair
    person.page.emulate_media(forced_colors="none")


def test_every_screen_is_accessible_and_fits(newcomers: Newcomers, server: Serving) -> None:
    """That of a seek is looked at in test_ratings."""
    person = newcomers.get(server)
    person.page.emulate_media(forced_colors="active")
    person.open()
    person.page.locator("svg.art").wait_for(state="attached")
    check_forced(person, ".top nav a", ".ways button")
    person.more()
    check(person)
    for name in ("loose", "veletas", "taugo"):
        person.open(f"#/rules/{name}")
        person.page.get_by_role("heading", name=name.capitalize()).wait_for()
        check(person)
    person.open("#/learn/taugo")
    person.page.locator(".titles li").first.wait_for()
    check(person)
    person.open("#/learn")
    person.page.locator(".course .board").nth(2).wait_for()
    check(person)
    person.open("#/learn/veletas/choose")
    person.press(person.button("Play Black"))
    person.button("Continue").wait_for()
    check(person)
    person.open("#/rules/chess")
    person.sees("This server has no game called “chess”.")
    expect(person.page).to_have_title("Rules · Pierule")
    check(person)
    for title in ("Replay", "Analysis"):
        person.open(f"#/{title.lower()}")
        person.page.get_by_role("heading", name=title, level=1).wait_for()
        expect(person.page).to_have_title(f"{title} · Pierule")
        check(person)
    for screen, title in (("learn", "Learn"), ("analysis", "Analysis")):
        person.open(f"#/{screen}/chess-9")
        expect(person.page).to_have_title(f"{title} · Pierule")
    person.open("#/chess")
    person.sees("This link is incomplete.")
    person.open(QUIET)
    person.settings()
    person.page.locator(".settings select").first.wait_for()
    check(person)


def test_a_room_is_accessible_and_fits_from_its_link_to_its_end(
    newcomers: Newcomers, server: Serving
) -> None:
    of = game("veletas", 7)
    token = apart(user(server.url, "Ada"))
    first, second = newcomers.get(server, keeps={"token": token}), newcomers.get(server, number=1)
    room = apart(opened(server.url, token, of))
    first.open(f"#{room}")
    first.page.get_by_label("Send this link").wait_for()
    check(first)
    second.open(f"#{room}")
    second.button("Play here").wait_for()
    check(second)
    second.press(second.button("Play here"))
    go_on((first, second), server, of, 0, 1)
    second.sees("Choose your color.")
    check(second)
    go_on((first, second), server, of, 1, 6)
    first.press(first.button("One action back"))
    first.page.emulate_media(forced_colors="active")
    first.page.reload()
    check_forced(first, ".player .token", ".actions ol button")
    first.press(first.button("Turn the board around"))
    first.press(first.button("Ask for a takeback"))
    first.sees("You asked for a takeback.")
    check(first)
    second.press(second.button("Resign"))
    second.sees("asks to take their last action back.")
    expect(second.button("Accept")).to_be_visible()
    expect(second.button("Yes, I resign")).to_be_visible()
    check(second)
    second.press(second.button("Yes, I resign"))
    first.sees("resigned")
    check(first)


@pytest.mark.parametrize(
    ("tag", "title", "wins"), [("es", "Partida nueva", "Reglas"), ("ko", "새 게임", "규칙")]
)
def test_screens_in_other_languages_are_accessible_and_fit(
    visit: Visit, tag: str, title: str, wins: str
) -> None:
    """Spoken as the browser does. The first screen itself is looked at in test_returning."""
    person = visit(locale=tag, **PHONE)
    person.open()
    person.page.get_by_role("heading", name=title).wait_for()
    assert person.page.locator("html").get_attribute("lang") == tag
    person.press(person.page.locator(".new summary"))
    wide = person.page.locator(".new details select").first.bounding_box()
    assert wide
    assert wide["width"] > 250  # its options are long
    for name in ("loose", "veletas", "taugo"):
        person.open(f"#/rules/{name}")
        person.page.get_by_role("heading", name=wins).wait_for()
        assert violations(person) == []
        assert overflow(person) <= 0


def test_the_replay_without_a_record_is_as_wide_as_the_rules(visit: Visit) -> None:
    person = visit()
    boxes = []
    for path, screen in (
        ("rules/loose", ".rules"),
        ("replay", ".replay"),
        ("analysis", ".analyses"),
    ):
        person.open(f"#/{path}")
        box = person.page.locator(screen).bounding_box()
        assert box
        boxes.append((box["x"], box["width"]))
    assert len(set(boxes)) == 1, boxes


COVERED = """() => {
  const parts = ".settings :is(input, select, button, .hint-text, summary)";
  const boxes = [...document.querySelectorAll(parts)]
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, box]) => box.width);
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map(([other]) => `${one.outerHTML} covers ${other.outerHTML}`));
}"""
"""What lies over something else in the settings."""


def test_the_settings_fit_and_close(visit: Visit, engine: Kind) -> None:
    person = visit(engine=engine, locale="es")
    person.open()
    person.settings()
    person.press(person.page.locator(".settings summary"))
    with unpainted(person):
        for width in (320, 360, 430, 560, 640, 1280):
            resize(person, (width, 900))
            assert person.page.evaluate(COVERED) == [], width
            assert overflow(person) <= 0, width
    person.page.get_by_label("Tu nombre").fill("1 x")
    person.press(person.button("Registrar este nombre"))
    person.sees("Un nombre registrado tiene de 2 a 24 letras")
    person.press(person.page.get_by_role("link", name="Reglas"))
    expect(person.page.locator(".settings")).to_have_count(0)


def test_the_user_name_can_be_changed(newcomers: Newcomers, server: Serving) -> None:
    first, second = newcomers.get(server), newcomers.get(server, number=1)
    first.open(QUIET)
    first.settings()
    first.page.get_by_label("Your name").fill("Žofie 棋")
    first.press(first.button("Change"))
    first.sees("Name changed.")
    expect(first.page.locator(".me")).to_have_text("Žofie 棋")
    first.press(first.button("Close"))  # goes back, which would end a visit that begins meanwhile
    expect(first.page.locator(".settings")).to_have_count(0)
    room = apart(opened(server.url, first.page.evaluate(TOKEN), game("loose", 5)))
    for person in (first, second):
        person.open(f"#{room}")
    second.sees("Žofie 棋")
    second.settings()
    second.page.get_by_label("Your name").fill("a\u200bb")
    second.press(second.button("Change"))
    expect(second.page.locator(".account > .name .refusal")).not_to_be_empty()
    second.online()
    second.press(second.button("Close"))
    second.press(second.button("Play here"))
    first.sees("guest-")
