"""Checks a screen as people see and hear it: with axe-core, and whether it fits its window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from browser.person import Person

AXE = Path(__file__).parents[2] / "clients" / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (320, 390, 768, 3840, 1280)
SCHEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
"""The last one is the default of these tests."""
RULES: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}
"""The rules of axe-core: all of them, and in the dark those about colors."""
RUN = """([how, html]) => {
  if (html) axe.reset();
  else axe.configure({ noHtml: true });
  return axe.run(document, { resultTypes: ["violations"], ...how })
    .then((found) => found.violations);
}"""
"""Runs axe-core. Recording the HTML of every element takes as long as all the rest, so it does that
only if something was found."""


OPACITY = "share => { document.documentElement.style.opacity = share }"


def violations(person: Person) -> list[str]:
    """What axe-core finds on the present screen, dark and light."""
    if not person.page.evaluate("'axe' in window"):
        person.page.evaluate(AXE.read_text())
    return [text for scheme in SCHEMES for text in _found(person, scheme)]


def _found(person: Person, scheme: Literal["dark", "light"]) -> list[str]:
    person.page.emulate_media(color_scheme=scheme)
    rules = RULES[scheme]
    found: list[dict[str, Any]] = person.page.evaluate(RUN, [rules, False])
    told: list[dict[str, Any]] = person.page.evaluate(RUN, [rules, True]) if found else []
    return [
        f"{scheme}: {each['id']}: {(node['html'] or '')[:200]} {node['failureSummary']}"
        for each in told or found
        for node in each["nodes"]
    ]


def overflow(person: Person) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = person.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


@contextmanager
def unpainted(person: Person) -> Iterator[None]:
    """While a screen is measured at many sizes, it is laid out but not painted, which takes nearly
    half of the time. Opacity moves nothing, and leaves the focus where it is."""
    person.page.evaluate(OPACITY, "0")
    yield
    person.page.evaluate(OPACITY, "")


def check(person: Person) -> None:
    """The window has the last one of the widths afterwards."""
    assert violations(person) == []
    with unpainted(person):
        for width in WIDTHS:
            person.page.set_viewport_size({"width": width, "height": 800})
            assert overflow(person) <= 0, width
