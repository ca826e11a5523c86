"""Finds or installs the browsers that the tests of the page run in.

`python -m support.browsers` is the first step of `make test`. It takes an installed browser, else
Playwright's own download, else the one in a package of npm, else Debian's package if it may install
that. If none of these is there, it stops and says what to install.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from playwright.sync_api import sync_playwright

from support.nodejs import NODE

PACKED = Path(__file__).parent / "chromium"
"""The package with a Chromium for Linux on x86-64. To install it takes no rights. It is built with
the optimizations that Debian's lacks: the tests of the page take a fifth less time in it."""

UNPACKED = Path(sys.prefix) / "chromium"
"""Where its program, fonts and libraries are."""

UNPACK = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())'
UNPACKING = {"TMPDIR": str(UNPACKED), "AWS_LAMBDA_JS_RUNTIME": "22.x"}
"""Tells the package where to unpack, and that the system may lack the libraries."""

LOCKED = sha256((PACKED / "package-lock.json").read_bytes()).hexdigest()
START = f"""#!/bin/sh
# from {LOCKED}
here={shlex.quote(str(UNPACKED))}
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$here/fonts"
LD_LIBRARY_PATH="$here/al2023/lib" exec "$here/chromium" "$@"
"""
"""Starts it. What another lock has brought is fetched anew."""

NPM = Path(__file__).parents[2] / "clients" / "web" / "npm.sh"

SECONDS = 600
"""The longest that a download or an installation may take."""

TRIES = 3
"""How often downloading the lists of packages is tried."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A browser: the variable that names its program, the names under which it may be installed
    (the first is preferred), and Debian's package. `playwright` is Playwright's name of it if the
    tests can use the build that Playwright downloads, `packed` its program if npm has a package.
    `least` is the oldest version that Playwright can drive."""

    name: str
    variable: str
    programs: tuple[str, ...]
    package: str
    playwright: str | None = None
    packed: Path | None = None
    least: int = 0


# Chromium without its own windows takes a third less time for each of the tests' windows.
CHROMIUM = Kind(
    "Chromium", "CHROMIUM",
    ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    "chromium-headless-shell", playwright="chromium", packed=UNPACKED / "start",
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
    if kind.packed and _is_current(kind.packed):
        return str(kind.packed)
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
    if kind.packed and (sys.platform, platform.machine()) == ("linux", "x86_64"):
        _unpack(kind.packed)
        if _is_current(kind.packed):
            return str(kind.packed)
    if shutil.which("apt-get") and os.geteuid() == 0:
        # With some lists missing, apt would install an old version or none, and report success.
        for _ in range(TRIES):
            if _run("apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any"):
                break
        _run("apt-get", "install", "-y", "-q", "--no-install-recommends", kind.package)
    return find(kind)


def _is_current(start: Path) -> bool:
    return start.exists() and start.read_text() == START


def _unpack(start: Path) -> None:
    """Fetch the package, and write a script that starts its program with its libraries; none if it
    does not run here."""
    shutil.rmtree(UNPACKED, ignore_errors=True)
    UNPACKED.mkdir()
    if not _run(
        str(NPM), sys.prefix, "--prefix", str(PACKED), "ci", "--ignore-scripts", "--loglevel=error"
    ):
        return
    if not _run(str(NODE), "--eval", UNPACK, cwd=PACKED, **UNPACKING):
        return
    start.write_text(START)
    start.chmod(0o755)
    if not version_of(str(start)):
        start.unlink()


def _run(*command: str, cwd: Path | None = None, **variables: str) -> bool:
    """Run a command; whether it reports success. Only the presence of the browser shows whether it
    helped."""
    print("+", *command, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", **variables}
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, timeout=SECONDS)
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
