"""What `make dist` builds is whole, small, and says where it comes from."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from support import manual

ROOT = Path(__file__).parents[1]
MANUAL = "clients/python/pierule.1"
MOST_BYTES = 8 * 2**20
"""With node_modules the sdist had 30 MB."""


def build(root: Path, folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    wanted = [word for target in targets for word in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", *wanted, "-d", str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    manual.main(ROOT / MANUAL)
    done = build(ROOT, folder, "sdist", "wheel")
    assert done.returncode == 0, done.stderr
    return folder


def files_of(folder: Path, *patterns: str) -> dict[str, bytes]:
    found = [path for pattern in patterns for path in folder.glob(pattern) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def wheel_of(built: Path) -> dict[str, bytes]:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def metadata(built: Path) -> Message:
    files = wheel_of(built)
    (name,) = [name for name in files if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(files[name])


def test_the_wheel_has_the_documents_and_the_page_as_they_are(built: Path) -> None:
    shipped = wheel_of(built)
    documents = files_of(ROOT / "protocol", "*.md", "schema/*", "vectors/*")
    page = files_of(ROOT / "server" / "pierule_server" / "page", "**/*")
    assert {"index.html", "index.html.br"} < page.keys(), "the page is not built: make page"
    for folder, wanted in (("pierule_protocol/docs/", documents), ("pierule_server/page/", page)):
        found = {
            name.removeprefix(folder): shipped[name] for name in shipped if name.startswith(folder)
        }
        assert found == wanted


def test_the_sdist_has_the_page_and_nothing_installed(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    assert sdist.stat().st_size < MOST_BYTES
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert "server/pierule_server/page/index.html" in names
    assert "hatch_build.py" in names
    assert not [name for name in names if "node_modules" in name or name.startswith(".venv")]


def test_the_manual_is_where_man_looks(built: Path) -> None:
    (path,) = [name for name in wheel_of(built) if name.endswith("share/man/man1/pierule.1")]
    assert wheel_of(built)[path] == (ROOT / MANUAL).read_bytes()


def test_the_build_fails_without_the_page(tmp_path: Path) -> None:
    """As a fresh clone is, before `make page`."""
    names = subprocess.run(
        ["git", "ls-files", "protocol", "server", "clients/python", "README.md", "LICENSE",
         "pyproject.toml", "hatch_build.py"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for target in ("wheel", "sdist"):
        done = build(tmp_path, tmp_path / "dist", target)
        assert done.returncode != 0
        assert "make page" in done.stderr
    page = tmp_path / "server" / "pierule_server" / "page"
    page.mkdir()
    (page / "index.html").touch()
    done = build(tmp_path, tmp_path / "dist", "wheel")
    assert "make manual" in done.stderr


def test_the_metadata_link_to_the_project(built: Path) -> None:
    about = metadata(built)
    named = {text.partition(",")[0] for text in about.get_all("Project-URL", [])}
    assert {"Homepage", "Source", "Issues", "Changelog"} <= named
    readme = about.get_payload()
    assert isinstance(readme, str)
    links = re.findall(r"\]\(([^)\s]+)", readme)
    assert len(links) > 20
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_the_wheel_is_reproducible_to_the_last_byte(built: Path, tmp_path: Path) -> None:
    """By somebody else, elsewhere, later, from the sdist alone."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        # Debian 12's Python 3.11.2 has no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path)
    (source,) = tmp_path.iterdir()
    for path in source.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o700 if path.is_dir() else 0o600)
    done = build(source, tmp_path / "again", "wheel")
    assert done.returncode == 0, done.stderr
    (first,), (again,) = built.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    assert first.name == again.name
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-terminal.txt"])
def test_the_lock_is_of_the_pinned_versions(name: str) -> None:
    """`make lock` writes it; each line has hashes, and no registry is named."""
    lock = (ROOT / "deploy" / name).read_text()
    pinned = {
        line.partition("==")[0].lower().replace("_", "-"): line.partition("==")[2]
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", lock, re.MULTILINE))
    assert {"websockets", "msgspec", "cryptography"} <= locked.keys()
    for name, version in locked.items():
        assert pinned.get(name, version) == version, f"{name}: make lock"
    assert lock.count("--hash=sha256:") > len(locked)
    assert "://" not in lock
