"""Test processes share what they have imported, and what they start for all of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import collected

TEST = """
import os
from support.sharing import shared

importer = os.getpid()

@shared
def start(what: str) -> str:
    return f"{what}-{os.getpid()}"
"""
SAYS = """
import os, sys
test = sys.modules["test_one"]
print(os.getpid(), test.importer, test.start("one"), test.start("other"))
"""


def test_programs_share_what_tests_import_and_start(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_one.py").write_text(TEST)
    python = collected.python(["--import-mode=importlib", str(tmp_path)])

    def run() -> list[str]:
        command = [*python, "-u", "-c", SAYS]
        said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return said.stdout.split()

    first, importer, *started = run()
    second, *same = run()
    assert same == [importer, *started]
    assert started == [f"one-{importer}", f"other-{importer}"]
    assert len({importer, first, second, str(os.getpid())}) == 4
