"""What is installed brings the protocol's documents and the built page along."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def files_of(folder: Path, *patterns: str) -> dict[str, bytes]:
    found = [path for pattern in patterns for path in folder.glob(pattern) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_the_wheel_has_the_documents_and_the_page_as_they_are(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name: archive.read(name) for name in archive.namelist()}
    documents = files_of(ROOT / "protocol", "*.md", "schema/*", "vectors/*")
    page = files_of(ROOT / "server" / "pierule_server" / "page", "**/*")
    assert {"index.html", "index.html.br"} < page.keys(), "the page is not built: make page"
    for folder, wanted in (("pierule_protocol/docs/", documents), ("pierule_server/page/", page)):
        found = {
            name.removeprefix(folder): shipped[name] for name in shipped if name.startswith(folder)
        }
        assert found == wanted
