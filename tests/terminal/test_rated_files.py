"""What `pierule ratings` reads: whatever changes in a dump, it says so or gives the same table."""

from __future__ import annotations

import gzip
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive.games import START
from archive.test_rating import fill
from archive.tools.scripts import quiet
from pierule_archive import proofs
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_archive.keys import Signer
from pierule_archive.tools.dump import dump
from pierule_ratings import MODELS, VERSION
from pierule_ratings.model import DAY
from pierule_terminal.rated_feed import BadDump, Feed
from pierule_terminal.rated_files import read_feed
from support.examples import up_to
from support.signing import KEY

Table: TypeAlias = list[tuple[str, Decimal, Decimal]]

LAST = 16
"""The last number of `fill`; a digest covers four."""

CHARACTERS = '0123456789"{}[],:.-+e \\n\\\\abcdefuxyzAZñ€🙂'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dump of an archive that signs: games that count and do not, private ones, voids."""
    made = tmp_path_factory.mktemp("rated")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(proofs, "RANGE", 4)
        archive = Archive(opened(url_in(made)), Signer(KEY))
        fill(archive)
        dump(archive.engine, made / "dump", quiet())
        archive.engine.dispose()
    return made / "dump"


@pytest.fixture(scope="module")
def truth(folder: Path) -> Feed:
    return read_feed([str(folder)])


def lines_in(folder: Path, names: str) -> dict[str, list[str]]:
    """The lines of a dump's files whose names begin so, by the names of plain files."""
    return {
        path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes())
        .decode()
        .splitlines(keepends=True)
        for path in sorted(folder.glob("*.gz"))
        if re.match(names, path.name)
    }


def table(feed: Feed, through: int) -> Table:
    listed = feed.pool(MODELS[VERSION], "loose", through).table(START + 99 * DAY)
    return [(player, rating.value, rating.deviation) for player, rating in listed]


@st.composite
def changed(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """A character or a line of a file is another one, there twice, or gone."""
    at = draw(st.integers(0, len(lines) - 1))
    line, other = lines[at], draw(st.sampled_from(lines))
    match draw(st.sampled_from(["delete", "double", "replace", "swap", *["character"] * 12])):
        case "delete":
            return [*lines[:at], *lines[at + 1 :]]
        case "double":
            return [*lines[:at], line, *lines[at:]]
        case "replace":
            return [*lines[:at], other, *lines[at + 1 :]]
        case "swap":
            return [*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]]
    place, gone = draw(st.integers(0, len(line) - 1)), draw(st.integers(0, 1))
    new = draw(st.sampled_from(CHARACTERS)) if not gone or draw(st.booleans()) else ""
    return [*lines[:at], line[:place] + new + line[place + gone :], *lines[at + 1 :]]


def judge(files: list[Path], truth: Feed, place: str) -> None:
    """Reading these files gives an error that names a place, or the true table."""
    feed, why = None, ""
    try:
        feed = read_feed([str(file) for file in files])
    except BadDump as error:
        why = str(error)
    if feed is None:
        assert re.search(place, why), why
        return
    assert table(feed, feed.last) == table(truth, feed.last)
    # Without manifest and digests nobody can know of what came last.
    assert feed.last == LAST or (feed.last == LAST - 1 and "digests" not in str(files))


@pytest.mark.parametrize("names", ["20|am|pr|pl", "20|am|pr|pl|di"])
@settings(max_examples=up_to(60), deadline=None)
@given(data=st.data())
def test_any_change_of_plain_files_is_found_or_harmless(
    folder: Path, truth: Feed, names: str, data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    """Also where the digests are at hand, but no manifest."""
    several = lines_in(folder, names)
    spoilt = data.draw(st.sampled_from(sorted(several)))
    several[spoilt] = data.draw(changed(several[spoilt]))
    target = tmp_path_factory.mktemp("plain")
    for name, lines in several.items():
        (target / name).write_text("".join(lines))
    judge([target / name for name in several], truth, rf"{re.escape(str(target))}/[^:]+:\d+")
    shutil.rmtree(target)


@settings(max_examples=up_to(40), deadline=None)
@given(data=st.data())
def test_any_change_of_a_dump_folder_is_found_or_harmless(
    folder: Path, truth: Feed, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lines of packed files, and bytes of any file, also of the manifest."""
    target = tmp_path_factory.mktemp("folder") / "dump"
    shutil.copytree(folder, target)
    files = sorted(path for path in target.iterdir() if path.name != ".lock")
    spoilt = data.draw(st.sampled_from(files))
    if spoilt.suffix == ".gz" and data.draw(st.booleans()):
        lines = gzip.decompress(spoilt.read_bytes()).decode().splitlines(keepends=True)
        spoilt.write_bytes(gzip.compress("".join(data.draw(changed(lines))).encode()))
    else:
        bytes_ = bytearray(spoilt.read_bytes())
        bytes_[data.draw(st.integers(0, len(bytes_) - 1))] = data.draw(st.integers(0, 255))
        spoilt.write_bytes(bytes_)
    judge([target], truth, re.escape(str(target)))
    shutil.rmtree(target)


def test_an_altered_winner_is_found_without_a_manifest(folder: Path, tmp_path: Path) -> None:
    """The line is well formed, and its events say something else."""
    several = lines_in(folder, "20|am|pr|pl")
    name = next(iter(several))
    line = several[name][0]
    winner = re.search(r'"winner":(\d)', line)
    assert winner is not None
    other = f'"winner":{1 - int(winner[1])}'
    several[name][0] = line[: winner.start()] + other + line[winner.end() :]
    for file, lines in several.items():
        (tmp_path / file).write_text("".join(lines))
    with pytest.raises(BadDump, match=f"{name}:1: the record contradicts its own events"):
        read_feed([str(tmp_path / file) for file in several])


def test_a_missing_number_names_its_neighbours(folder: Path, tmp_path: Path) -> None:
    several = lines_in(folder, "20|am|pr|pl")
    name = next(iter(several))
    del several[name][1]
    for file, lines in several.items():
        (tmp_path / file).write_text("".join(lines))
    found = f"number 2 is in none of the files, number 1 is in .*{name}:1, number 3 is in .*:2"
    with pytest.raises(BadDump, match=found):
        read_feed([str(tmp_path / file) for file in several])
