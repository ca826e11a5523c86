"""Test processes share what they have imported."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import collected

SAYS = "import os, sys; print(sys.modules['test_one'].importer, os.getpid())"


def test_programs_have_imported_the_tests_together(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_one.py").write_text("import os\nimporter = os.getpid()\n")
    python = collected.python(["--import-mode=importlib", str(tmp_path)])

    def run() -> list[int]:
        command = [*python, "-u", "-c", SAYS]
        said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return [int(number) for number in said.stdout.split()]

    importer, one = run()
    same, other = run()
    assert importer == same
    assert len({importer, one, other, os.getpid()}) == 4
