"""A package with a game, installed only for the tests that want it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

from pierule_games.package import Game

CITADEL = Path(__file__).parents[1] / "packages" / "citadel"
"""The sources of a game on hexagons (`pierule-citadel`)."""


@cache
def citadel() -> Game:
    """The game Citadel, imported from its sources, so that it is not among the installed games."""
    sys.path.insert(0, str(CITADEL))
    try:
        game = import_module("pierule_citadel").GAME
    finally:
        sys.path.remove(str(CITADEL))
    assert isinstance(game, Game)
    return game


def install(source: Path, target: Path) -> dict[str, str]:
    """`pip install` a package into a folder if it is not there; the environment in which programs
    find it there."""
    environment = {"PYTHONPATH": str(target)}
    if target.exists():
        return environment
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    begun = target.with_suffix(".begun")
    command += ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(begun)]
    subprocess.run([*command, str(source)], check=True, timeout=120)
    begun.rename(target)
    return environment
