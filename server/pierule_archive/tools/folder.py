"""Folders of compressed lines with a manifest, for backups and dumps (SPEC 17.5).

A file never changes. When it grows, it gets a new name, and the manifest, which is replaced at the
end, names it. So a reader finds a complete backup at any time. An interrupted writer can continue:
`manifest.part.json` says which files are done.
"""

from __future__ import annotations

import fcntl
import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

import msgspec

from pierule_archive.tools.lines import Numbered

Format: TypeAlias = Literal["pierule.backup", "pierule.dump"]
VERSION = 1

MANIFEST = "manifest.json"
_PART = "manifest.part.json"
_LOCK = ".lock"
SUFFIX = ".ndjson.gz"

_OURS = re.compile(r".+\.([0-9]+|[0-9a-f]{16})\.ndjson\.gz")
"""The names of our files in the folder."""

_LEVEL = 6
"""The compression level of gzip. A higher level takes three times as long, to save 1 %."""


class BadFolder(Exception):
    """The folder is not a backup or dump, or cannot be used; the text says why."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file: its name, the number of its lines and bytes, and their SHA-256."""

    name: str
    lines: int
    bytes: int
    sha256: str


class FeedFile(File, frozen=True, kw_only=True):
    """A file of numbered lines, with the lowest and the highest number."""

    first: int
    last: int

    @property
    def group(self) -> str:
        """What the file is about: its name without its last number."""
        return self.name.removesuffix(SUFFIX).rpartition(".")[0]


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A public key that has signed, in hexadecimal. If it was revoked, `until` is the hash of the
    last digest for which it is trusted (SPEC 28.7)."""

    id: str
    public: str
    until: str | None


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a folder. It has everything up to the number `through`, whose line has the
    SHA-256 `head`."""

    format: Format
    version: int
    through: int
    head: str
    files: list[FeedFile]
    players: File | None
    digests: File | None
    keys: list[Key]


class _Head(msgspec.Struct, frozen=True):
    format: str
    version: int


def read_manifest(folder: Path, name: str = MANIFEST) -> Manifest | None:
    """The manifest of a folder; None if there is none. Raises BadFolder."""
    path = folder / name
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.version > VERSION:
            raise BadFolder(
                f"{path} has version {head.version}, from a newer Pierule; this one reads {VERSION}"
            )
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadFolder(f"{path} is not a manifest: {error}") from None
    files: list[File] = [*manifest.files, *filter(None, [manifest.players, manifest.digests])]
    for file in files:
        if Path(file.name).name != file.name:
            raise BadFolder(f"{path} names a file outside its folder: {file.name!r}")
    return manifest


class Folder:
    """A folder to write to. No other process writes to it."""

    def __init__(self, path: Path, form: Format, mode: int) -> None:
        self._path, self._form, self._mode = path, form, mode
        self._published = read_manifest(path)
        part = read_manifest(path, _PART)
        for found in (self._published, part):
            if found is not None and found.format != form:
                raise BadFolder(f"{path} holds a {found.format}; name another folder")
        begun = part or self._published
        self._files = {file.group: file for file in begun.files} if begun else {}

    @property
    def through(self) -> int:
        """The folder has everything up to this number; 0 for a new folder."""
        return self._published.through if self._published else 0

    def check_head(self, head: Callable[[int], bytes | None]) -> None:
        """Raise BadFolder if the folder was written from another archive. `head` returns the
        archive's line of a number."""
        known = self._published
        if known is None or known.through == 0:
            return
        line = head(known.through)
        if line is None or sha256(line).hexdigest() != known.head:
            raise BadFolder(
                f"{self._path} is from another archive: number {known.through} differs; "
                "name another folder"
            )

    def damaged(self) -> list[FeedFile]:
        """The files that are missing or have the wrong size."""
        return [file for file in self._files.values() if self._size(file) != file.bytes]

    def grow(self, group: str, lines: Callable[[int], Iterator[Numbered]]) -> None:
        """Bring a group up to date. `lines` returns the group's lines after a number."""
        old = self._files.get(group)
        if old is not None and not self._intact(old):
            old = None
        new = lines(old.last if old else 0)
        first = next(new, None)
        if first is None:
            return
        counted = _Counted(first, new)
        kept = self._lines(old) if old else iter(())
        part = self._compress(_chained(kept, counted))
        file = FeedFile(
            name=f"{group}.{counted.last}{SUFFIX}",
            lines=(old.lines if old else 0) + counted.count,
            bytes=part.size, sha256=part.sha256,
            first=old.first if old else first.feed, last=counted.last,
        )  # fmt: skip
        self._files[group] = file
        self._write_manifest(_PART, self.through, "")
        self._take(part, file)

    def publish(
        self, through: int, head: bytes, players: Iterable[bytes], digests: Iterable[bytes],
        keys: list[Key],
    ) -> Manifest:  # fmt: skip
        """Write players and digests again, then the manifest, and remove our files that it does not
        name."""
        whole = self._whole("players", players), self._whole("digests", digests)
        manifest = self._write_manifest(MANIFEST, through, sha256(head).hexdigest(), *whole, keys)
        (self._path / _PART).unlink(missing_ok=True)
        named = {each.name for each in (*manifest.files, *whole)}
        for path in self._path.iterdir():
            if _OURS.fullmatch(path.name) and path.name not in named:
                path.unlink()
        return manifest

    def _whole(self, group: str, lines: Iterable[bytes]) -> File:
        count = 0

        def counted() -> Iterator[bytes]:
            nonlocal count
            for count, line in enumerate(lines, 1):  # noqa: B007
                yield line

        part = self._compress(counted())
        name = f"{group}.{part.sha256[:16]}{SUFFIX}"
        file = File(name=name, lines=count, bytes=part.size, sha256=part.sha256)
        self._take(part, file)
        return file

    def _size(self, file: File) -> int | None:
        with suppress(FileNotFoundError):
            return (self._path / file.name).stat().st_size
        return None

    def _intact(self, file: File) -> bool:
        return self._size(file) == file.bytes and digest(self._path / file.name) == file.sha256

    def _lines(self, file: File) -> Iterator[bytes]:
        with gzip.open(self._path / file.name, "rb") as stream:
            yield from stream

    def _compress(self, lines: Iterable[bytes]) -> _Sink:
        with (
            _Sink(self._path / f"new{SUFFIX}.part", self._mode) as sink,
            gzip.GzipFile("", "wb", _LEVEL, sink, mtime=0) as stream,
        ):
            for line in lines:
                stream.write(line)
        return sink

    def _take(self, part: _Sink, file: File) -> None:
        part.path.replace(self._path / file.name)
        _sync_folder(self._path)

    def _write_manifest(
        self, name: str, through: int, head: str, players: File | None = None,
        digests: File | None = None, keys: Sequence[Key] = (),
    ) -> Manifest:  # fmt: skip
        files = sorted(self._files.values(), key=lambda file: file.name)
        manifest = Manifest(
            format=self._form, version=VERSION, through=through, head=head, files=files,
            players=players, digests=digests, keys=list(keys),
        )  # fmt: skip
        with _Sink(self._path / f"{name}.new", self._mode) as sink:
            sink.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        sink.path.replace(self._path / name)
        _sync_folder(self._path)
        return manifest


@contextmanager
def writing_into(path: Path, form: Format, *, private: bool) -> Iterator[Folder]:
    """Create a folder if necessary, and lock it. Raises BadFolder if it cannot be used."""
    path.mkdir(mode=0o700 if private else 0o755, parents=True, exist_ok=True)
    with (path / _LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadFolder(f"another process writes to {path}") from None
        yield Folder(path, form, 0o600 if private else 0o644)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _chained(kept: Iterator[bytes], new: Iterable[bytes]) -> Iterator[bytes]:
    yield from kept
    yield from new


class _Counted:
    """Lines as bytes. After iterating, it has their count and the last number."""

    def __init__(self, first: Numbered, rest: Iterator[Numbered]) -> None:
        self._first, self._rest = first, rest
        self.count, self.last = 0, 0

    def __iter__(self) -> Iterator[bytes]:
        line: Numbered | None = self._first
        while line is not None:
            self.count, self.last = self.count + 1, line.feed
            yield line.data
            line = next(self._rest, None)


class _Sink:
    """A new file, which is forced to disk when it is closed. Counts and hashes its bytes."""

    def __init__(self, path: Path, mode: int) -> None:
        self.path, self._mode = path, mode
        self.size, self._hash = 0, sha256()
        self._file: BinaryIO

    def __enter__(self) -> _Sink:
        self._file = self.path.open("wb")
        os.fchmod(self._file.fileno(), self._mode)
        return self

    def write(self, data: bytes) -> int:
        self.size += len(data)
        self._hash.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Do nothing, because `gzip` calls it too early."""

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def _sync_folder(path: Path) -> None:
    """Force a folder to disk, so that renames in it last."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
