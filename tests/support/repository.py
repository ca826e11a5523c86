"""The text files of this repository, for tests of their contents."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "protocol/SPEC.md").read_text()
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()

NOT_OURS = ("tests/protocol/asyncapi/", "tests/bench/peers/", "tests/vectors/", "tests/bench/last/")
SUFFIXES = {
    ".py", ".lua", ".ts", ".tsx", ".mjs", ".md", ".json", ".toml", ".yml", ".c", ".css", ".conf",
}  # fmt: skip


@cache
def files() -> list[str]:
    """All text files in git or to be added, except those of third parties."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return [
        name for name in listed.splitlines()
        if Path(name).suffix in SUFFIXES and not name.startswith(NOT_OURS)
        and not name.endswith("package-lock.json") and (ROOT / name).is_file()
    ]  # fmt: skip
