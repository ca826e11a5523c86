"""Windows that stay open over the tests of a module, and in which each test begins as if nobody had
been there before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from browser.conftest import LAPTOP
from browser.person import Person
from browser.windows import Kept
from support.browsers import CHROMIUM, Kind
from support.serving import Serving

ELSEWHERE = "icon.svg"
"""No script runs there that could store anything."""
BEGIN = """kept => {
  sessionStorage.clear();
  localStorage.clear();
  Object.assign(localStorage, kept);
}"""


class Newcomers(Kept):
    """Opens each window when it is first asked for."""

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
