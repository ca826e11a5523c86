"""A package with a game of its own, installed beside everything for the tests that want it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CITADEL = Path(__file__).parents[1] / "packages" / "citadel"
"""The sources of a game of hexagons (`pierule-citadel`)."""


def install(source: Path, target: Path) -> dict[str, str]:
    """`pip install` a package into a folder; the environment in which programs find it there."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    subprocess.run([*command, str(source)], check=True, timeout=120)
    return {"PYTHONPATH": str(target)}
