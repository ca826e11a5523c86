"""Windows that stay open over all tests of a process, and in which each test begins as if nobody
had been there before. To open one takes as long as to load the page in it, in Firefox longer. Tests
that change one for good, as scripts before the page do, `visit` a window of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import pytest
from playwright.sync_api import Error

from browser.conftest import LAPTOP, Browsers
from browser.person import Person
from browser.windows import Kept
from support.browsers import CHROMIUM, Kind
from support.serving import Serving

ELSEWHERE = "icon.svg"
"""No script runs there that could store anything, or go on with what a test began."""
BEGIN = """kept => {
  sessionStorage.clear();
  localStorage.clear();
  Object.assign(localStorage, kept);
}"""


class Newcomers(Kept):
    """Opens each window when it is first asked for. Those that differ in size alone are one. They
    wait at this server, where most tests begin: to go to an empty page and back takes longer."""

    def __init__(self, browsers: Browsers, serving: Serving) -> None:
        super().__init__(browsers)
        self._waits = f"http://{serving.http}/{ELSEWHERE}"

    def get(
        self,
        serving: Serving,
        how: Mapping[str, Any] = LAPTOP,
        *,
        number: int = 0,
        engine: Kind = CHROMIUM,
        keeps: Mapping[str, str] | None = None,
    ) -> Person:
        """A window of this number, made like this, at this server. It keeps nothing else from an
        earlier visit, and has to open the page."""
        kind = {name: value for name, value in how.items() if name != "viewport"}
        whose = f"{number} {engine.name} {kind}"
        start = f"http://{serving.http}/{ELSEWHERE}"
        person = self._open.get(whose)
        if person is None or not _leads(person, start):
            context = self._browsers.get(engine).new_context(
                reduced_motion="reduce", service_workers="block", **how
            )
            person = self._open[whose] = Person(context, "", tap=bool(how.get("has_touch")))
            person.page.goto(start)
        person.address = f"http://{serving.http}"
        if person.page.viewport_size != how["viewport"]:
            person.page.set_viewport_size(how["viewport"])
        kept = {f"pierule.{name}": text for name, text in (keeps or {}).items()}
        person.page.evaluate(BEGIN, kept)
        return person

    def borrow(self, request: pytest.FixtureRequest) -> Iterator[Self]:
        yield from super().borrow(request)
        for person in self._open.values():
            if not person.page.is_closed() and person.page.url != self._waits:
                for other in person.page.context.pages:
                    if other is not person.page:
                        other.close()
                _leads(person, self._waits)


def _leads(person: Person, start: str) -> bool:
    """Go there with a window that has been in use. In one of some thousand cases Chromium gave that
    up (ERR_ABORTED), though no script was left to stop it; such a window is closed."""
    if person.page.is_closed():
        return False
    try:
        if person.page.url != start:
            person.page.goto(start)
    except Error as error:
        if "ERR_ABORTED" not in str(error):
            raise
        person.page.context.close()
    return not person.page.is_closed()
