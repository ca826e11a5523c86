"""What is installed brings the protocol's documents along."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_has_the_documents_as_they_are(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {
            name.removeprefix("pierule_protocol/docs/"): archive.read(name)
            for name in archive.namelist()
            if name.startswith("pierule_protocol/docs/")
        }
    sources = ROOT / "protocol"
    wanted = {
        str(path.relative_to(sources)): path.read_bytes()
        for pattern in ("*.md", "schema/*", "vectors/*")
        for path in sources.glob(pattern)
    }
    assert shipped == wanted
