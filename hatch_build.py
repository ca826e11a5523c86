"""Puts the manual where `man` looks, and refuses to build a distribution without the manual or the
page, which could otherwise go unnoticed. Editable installations need neither."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "server/pierule_server/page/index.html"
MANUAL = "clients/python/pierule.1"


class BuiltHook(BuildHookInterface[Any]):
    """Checks before an sdist or a wheel is made that page and manual are built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise SystemExit if something is missing."""
        if version == "editable":
            return
        for name, target in ((PAGE, "page"), (MANUAL, "manual")):
            if not (Path(self.root) / name).exists():
                raise SystemExit(
                    f"{name} is missing: build it first with `make {target}`, or everything with "
                    "`make dist`."
                )
        if self.target_name == "wheel":
            build_data["shared_data"][MANUAL] = "share/man/man1/pierule.1"
