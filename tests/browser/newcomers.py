"""Windows that stay open over the tests of a module, and in which each test begins as if nobody had
been there before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from browser.conftest import LAPTOP, Browsers, needs_firefox
from browser.person import Person
from support.browsers import CHROMIUM, FIREFOX, Kind
from support.serving import Serving

ELSEWHERE = "icon.svg"
"""No script runs there that could store anything."""
BEGIN = """kept => {
  sessionStorage.clear();
  localStorage.clear();
  Object.assign(localStorage, kept);
}"""


class Newcomers:
    """Opens each window when it is first asked for."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers
        self._open: dict[str, Person] = {}

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
        address = f"http://{serving.http}"
        whose = f"{address} {number} {engine.name} {how}"
        if whose not in self._open:
            context = self._browsers.get(engine).new_context(
                reduced_motion="reduce", service_workers="block", **how
            )
            self._open[whose] = Person(context, address, tap=bool(how.get("has_touch")))
        person = self._open[whose]
        for other in person.page.context.pages:
            if other is not person.page:
                other.close()
        if person.page.viewport_size != how["viewport"]:
            person.page.set_viewport_size(how["viewport"])
        person.page.goto(f"{address}/{ELSEWHERE}")
        kept = {f"pierule.{name}": text for name, text in (keeps or {}).items()}
        person.page.evaluate(BEGIN, kept)
        return person

    def borrow(self, request: pytest.FixtureRequest) -> Iterator[Newcomers]:
        """For one test. Its errors inside a page fail it, and after a failed test windows begin
        anew."""
        if not needs_firefox(request.node):
            self._browsers.close(FIREFOX)  # it works even while nobody looks
        failed = request.session.testsfailed
        yield self
        faults = [fault for person in self._open.values() for fault in person.faults]
        if faults or request.session.testsfailed > failed:
            self.close()
        assert faults == []

    def close(self) -> None:
        for person in self._open.values():
            person.page.context.close()
        self._open.clear()
