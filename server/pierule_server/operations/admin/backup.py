"""`pierule admin dump` and `pierule admin load`: write the whole store to a file, and back.

Progress goes to standard error; standard output is free for the dump itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pierule_protocol import world
from pierule_server.operations.admin.stores import store_of
from pierule_server.store.address import flag_of
from pierule_server.store.backup import dumping
from pierule_server.store.backup.dumpfile import BadDump

KINDS = ("dump", "load")

TOLD = 1.0
"""Seconds between two reports of progress."""

_DUMP = """\
Write everything in the store to FILE: rooms, clocks, accounts, names, block lists, webhooks,
chats, bans, reports and secrets. Keep the file as secret as the store. The server may keep running:
the dump has each room as it was at one moment. The dump lacks the keys that sign tokens:
PIERULE_KEYS, or keys.json in the data folder of an embedded store.
"""
_LOAD = """\
Write a dump into a store of any kind, of any version, on any number of servers. Stop all nodes
first. If the load is interrupted, no node starts on the store until you repeat it.
"""


def configure(kinds: Any, of_store: Callable[[argparse.ArgumentParser], None]) -> None:
    """Add both commands; `of_store` adds the options that name a store."""
    for name, text, what in (
        ("dump", _DUMP, "a file that does not exist yet, or - for standard output"),
        ("load", _LOAD, "a file, or - for standard input"),
    ):
        parser = kinds.add_parser(name, help=text.partition(":")[0], description=text)
        parser.add_argument("file", metavar="FILE", help=what)
        of_store(parser)
    parser.add_argument("--replace", action="store_true",
                        help="first delete everything that Pierule has in the store")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Dump or load, and return the exit status: 0 if all of it is done, 1 if a file cannot be used.
    Raises StoreUnavailable, StoreUnusable or ValueError."""
    try:
        if args.kind == "dump":
            with _to(args.file) as target:
                done = asyncio.run(_dump(args, target))
        else:
            with _source(args.file) as source:
                done = asyncio.run(_load(args, source))
    except (BadDump, OSError) as error:
        why = isinstance(error, OSError) and error.strerror
        sys.stderr.write(f"pierule admin: {f'{args.file}: {why}' if why else error}\n")
        return 1
    sys.stderr.write(f"{args.kind}: done, {done} ({flag_of(args.store, args.data)})\n")
    return 0


async def _dump(args: argparse.Namespace, target: BinaryIO) -> dumping.Summary:
    async with store_of(args, must_exist=True) as url:
        return await dumping.dump(url, target, _Progress("dump"))


async def _load(args: argparse.Namespace, source: BinaryIO) -> dumping.Summary:
    dumping.verify(source)
    source.seek(0)
    async with store_of(args, must_exist=False) as url:
        return await dumping.load(url, source, replace=args.replace, tell=_Progress("load"))


class _Progress:
    """Reports progress at most every `TOLD` seconds."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._told = world.monotonic()

    def __call__(self, text: str) -> None:
        if world.monotonic() - self._told >= TOLD:
            self._told = world.monotonic()
            sys.stderr.write(f"{self._kind}: {text}\n")


@contextmanager
def _to(name: str) -> Iterator[BinaryIO]:
    """The file for a dump. It gets its name once it is complete, and only its owner can read it."""
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path, part = Path(name), Path(f"{name}.part")
    if path.exists():
        raise FileExistsError(f"{path} exists already; choose another name or remove it")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except BaseException:  # the disk is full, the store went away, or Ctrl-C
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _source(name: str) -> Iterator[BinaryIO]:
    """A dump that can be read twice: once to check that it is complete, then to load it."""
    if name != "-":
        with Path(name).open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.seek(0)
        yield file
