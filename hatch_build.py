"""Refuses to build a distribution without the page: the server in it would show none, and nobody
would notice before they open it. Editable installations need none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "server/pierule_server/page/index.html"


class PageHook(BuildHookInterface[Any]):
    """Looks for the built page before the sdist or the wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Raises SystemExit where the page is missing."""
        if version != "editable" and not (Path(self.root) / PAGE).exists():
            raise SystemExit(
                f"{PAGE} is missing: build the page first with `make page`, or everything with "
                "`make dist`."
            )
