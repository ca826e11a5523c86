"""Finds or installs the browsers that the tests of the page run in.

`python -m support.browsers` is the first step of `make test`. It takes an installed browser, else
Playwright's own download, else Debian's package if it may install that. If none of these is there,
it stops and says what to install.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import sync_playwright

SECONDS = 600
"""The longest that a download or an installation may take."""

TRIES = 3
"""How often downloading the lists of packages is tried."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A browser: the variable that names its program, the names under which it may be installed
    (the first is preferred), and Debian's package. `playwright` is Playwright's name of it if the
    tests can use the build that Playwright downloads. `least` is the oldest version that Playwright
    can drive."""

    name: str
    variable: str
    programs: tuple[str, ...]
    package: str
    playwright: str | None = None
    least: int = 0


# Chromium without its own windows takes a third less time for each of the tests' windows.
CHROMIUM = Kind(
    "Chromium", "CHROMIUM",
    ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    "chromium-headless-shell", playwright="chromium",
)  # fmt: skip

# Playwright asks for network.addDataCollector, which came with this version.
FIREFOX = Kind("Firefox", "FIREFOX", ("firefox-esr", "firefox"), "firefox-esr", least=143)

KINDS = (CHROMIUM, FIREFOX)


class Missing(Exception):
    """A browser is not installed. The text says what to do."""


def find(kind: Kind) -> str:
    """The browser's program. Raises Missing."""
    named = os.environ.get(kind.variable)
    if named:
        if Path(named).exists():
            return named
        raise Missing(f"{kind.variable} names {named}, which does not exist")
    for program in kind.programs:
        found = shutil.which(program)
        if found and version_of(found) >= kind.least:
            return found
    if kind.playwright is not None:
        with sync_playwright() as playwright:
            own: str = getattr(playwright, kind.playwright).executable_path
        if Path(own).exists():
            return own
    raise Missing(
        f"The tests of the page need {kind.name}{f' {kind.least} or later' if kind.least else ''}. "
        "Install it (on Debian: "
        f"apt install {kind.package}), or set {kind.variable} to the path of its program."
    )


def version_of(program: str) -> int:
    """The major version of a browser; 0 if it tells none."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=SECONDS)
    found = re.search(r"\d+", done.stdout)
    return int(found[0]) if found else 0


def get(kind: Kind) -> str:
    """The browser's program, installed now if necessary. Raises Missing."""
    try:
        return find(kind)
    except Missing:
        if os.environ.get(kind.variable):
            raise
    if kind.playwright is not None:
        _run(sys.executable, "-m", "playwright", "install", kind.playwright)
        try:
            return find(kind)
        except Missing:
            pass
    if shutil.which("apt-get") and os.geteuid() == 0:
        # With some lists missing, apt would install an old version or none, and report success.
        for _ in range(TRIES):
            if _run("apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any"):
                break
        _run("apt-get", "install", "-y", "-q", "--no-install-recommends", kind.package)
    return find(kind)


def _run(*command: str) -> bool:
    """Run a command; whether it reports success. Only the presence of the browser shows whether it
    helped."""
    print("+", *command, flush=True)
    try:
        done = subprocess.run(
            command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error)
        return False
    if done.returncode:
        print(f"{command[0]} has failed with status {done.returncode}")
    return not done.returncode


def main() -> None:
    """Get all browsers. Exit with status 1 if one is missing."""
    for kind in KINDS:
        try:
            print(f"{kind.name}: {get(kind)}")
        except Missing as missing:
            sys.exit(str(missing))


if __name__ == "__main__":
    main()
