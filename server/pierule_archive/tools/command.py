"""`pierule archive`: backups, public dumps, imports and checks of the archive of finished games."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from pierule_archive.database import UnusableArchive, opened, parsed, url_in
from pierule_archive.tools.backup import back_up
from pierule_archive.tools.checking import flaws
from pierule_archive.tools.dump import dump
from pierule_archive.tools.folder import BadFolder, Manifest
from pierule_archive.tools.importing import Import
from pierule_archive.tools.keys import (
    KEY,
    KEY_EPILOG,
    REVOKE,
    add_key_arguments,
    add_revoke_arguments,
    revoke_key,
    show_keys,
)
from pierule_archive.tools.lines import Unwritable
from pierule_archive.tools.progress import Progress
from pierule_archive.tools.series import SERIES, add_series_arguments, series_epilog, show_series
from pierule_archive.tools.sources import Flaw, raw, sources_in

HELP = "back up, publish, import and check the archive of finished games"

DONE, FAILED, USAGE = 0, 1, 2

Work: TypeAlias = Callable[[argparse.Namespace, Engine], int]

_ENDING = """
Name the archive as for `pierule serve`: --archive or PIERULE_ARCHIVE, or --data or PIERULE_DATA for
the archive in a data folder. Nodes can keep running. Progress goes to standard error, if that is a
terminal.

exit status: 0 done, 1 something is wrong (the message says what), 2 wrong usage
"""

_EPILOG = f"""\
examples:
  pierule archive backup /backups/games --data /var/lib/pierule
  pierule archive dump /srv/www/dumps --archive postgresql://pierule@db/games
  pierule archive check --data /var/lib/pierule
  pierule archive import /backups/games --deleted none --data /var/lib/pierule
{_ENDING}"""

_BACKUP = """\
Write everything in the archive to FOLDER, including private games and names: compressed lines of
JSON, and a manifest with checksums. Later runs write only what is new. If a run is interrupted,
repeat the command to continue it; until then, the folder holds the previous backup.
"""
_BACKUP_EPILOG = f"""\
examples:
  pierule archive backup /backups/games --data /var/lib/pierule
{_ENDING}"""

_DUMP = """\
Write public dumps to FOLDER, for a static file server: the games of each month and game in a
compressed file of JSON lines, and a manifest with checksums. Games have no names; a separate file
has the names of all players, and is written again each time. Unlisted games are published; private
games are only numbers. Later runs write only files with something new.
"""
_DUMP_EPILOG = f"""\
examples:
  pierule archive dump /srv/www/dumps --data /var/lib/pierule
{_ENDING}"""

_CHECK = """\
Read the whole archive, and print every flaw with its number: each log must unpack, form a chain and
follow the rules, the columns must agree with it, and numbers must have no gaps.
"""
_CHECK_EPILOG = f"""\
examples:
  pierule archive check --data /var/lib/pierule
{_ENDING}"""

_IMPORT = """\
Import games. A PATH is the folder of a backup or of dumps, a file from such a folder, or a file of
records without numbers (`pierule export`, `pierule serve --export-file`). Numbered games keep their
numbers, so the archive must be empty or have the same games at the beginning. Records without
numbers are added in the order in which the games ended.
"""
_IMPORT_EPILOG = f"""\
A damaged line, or a game that breaks its rules or its chain, is reported with its file and line,
and not imported. An import of numbered games stops there. Earlier games are kept: repair the file
and repeat the command. Importing the same files twice changes nothing.

examples:
  pierule archive import /backups/games --deleted none --data /var/lib/pierule
  pierule archive import dumps/ --deleted players.ndjson --archive postgresql://pierule@db/games
  pierule archive import rooms.jsonl kobadimutelosa.json --deleted deleted.txt --data .
{_ENDING}"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the commands of `pierule archive`."""
    parser.description = "Manage the archive of finished games. Each command has a --help."
    parser.epilog = _EPILOG
    kinds = parser.add_subparsers(dest="kind", metavar="WHAT", required=True)
    for name, work, text, epilog in (
        ("backup", _back_up, _BACKUP, _BACKUP_EPILOG),
        ("dump", _dump, _DUMP, _DUMP_EPILOG),
    ):
        kind = _kind(kinds, name, work, text, epilog)
        kind.add_argument(
            "folder",
            metavar="FOLDER",
            type=Path,
            help="where to write; created if it does not exist",
        )
    _kind(kinds, "check", _check, _CHECK, _CHECK_EPILOG)
    kind = _kind(kinds, "import", _import, _IMPORT, _IMPORT_EPILOG)
    kind.add_argument("paths", metavar="PATH", type=Path, nargs="+", help="what to import")
    kind.add_argument(
        "--deleted", metavar="FILE", required=True,
        help="users who have deleted their accounts, so that their names do not come back: the "
        "latest file of players from a backup or dump, or one id per line; `none` if nobody has",
    )  # fmt: skip
    add_revoke_arguments(_kind(kinds, "revoke", revoke_key, REVOKE, _ENDING))
    add_series_arguments(_kind(kinds, "series", show_series, SERIES, series_epilog(_ENDING)))
    keys = kinds.add_parser(
        "key", help="show the keys that sign games, or create one", description=KEY,
        epilog=KEY_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_key_arguments(keys)


def _kind(kinds: Any, name: str, work: Work, text: str, epilog: str) -> argparse.ArgumentParser:
    kind: argparse.ArgumentParser = kinds.add_parser(
        name, help=_SHORT[name], description=text, epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    kind.set_defaults(work=work)
    where = kind.add_mutually_exclusive_group()
    where.add_argument("--data", metavar="FOLDER", help="data folder of the node")
    where.add_argument("--archive", metavar="URL", help="postgresql://… or sqlite:///FILE")
    return kind


_SHORT = {
    "backup": "write everything to a folder, from which `import` can restore the archive",
    "dump": "write public files, one for each month and game",
    "check": "read everything and print every flaw",
    "revoke": "stop trusting a stolen key",
    "import": "import a backup, dumps, or records",
    "series": "list rated games by which one account may have fed another",
}


def run(args: argparse.Namespace) -> int:
    """Run the chosen command."""
    if args.kind == "key":
        try:
            return show_keys(args)
        except (ValueError, OSError) as error:
            return _say(str(error), USAGE)
    try:
        url = _url(args)
        parts = parsed(url)
    except ValueError as error:
        return _say(str(error), USAGE)
    writes = args.work in (_import, revoke_key)
    if parts.drivername == "sqlite" and not writes and not Path(str(parts.database)).exists():
        return _say(f"there is no archive {parts.database}", FAILED)
    try:
        if args.data and writes:
            Path(args.data).mkdir(mode=0o700, parents=True, exist_ok=True)
        engine = opened(url, read_only=not writes)
        try:
            work: Work = args.work
            return work(args, engine)
        finally:
            engine.dispose()
    except (BadFolder, Flaw, LookupError, Unwritable, UnusableArchive, OSError) as error:
        return _say(str(error), FAILED)
    except SQLAlchemyError as error:
        why = getattr(error, "orig", None) or error
        return _say(f"the archive {parts.render_as_string()} cannot be used: {why}", FAILED)


def _url(args: argparse.Namespace) -> str:
    """The URL of the archive that the arguments or variables name. Raises ValueError if none is
    named."""
    if args.archive or args.data:
        return args.archive or url_in(Path(args.data))
    url = os.environ.get("PIERULE_ARCHIVE", "auto")  # as a node has it
    if url not in ("", "auto", "off"):
        return url
    if data := os.environ.get("PIERULE_DATA"):
        return url_in(Path(data))
    raise ValueError("name the archive: --data FOLDER or --archive URL")


def _back_up(args: argparse.Namespace, engine: Engine) -> int:
    progress = Progress("backup")
    return _written(args, progress, back_up(engine, args.folder, progress))


def _dump(args: argparse.Namespace, engine: Engine) -> int:
    progress = Progress("dump")
    return _written(args, progress, dump(engine, args.folder, progress))


def _written(args: argparse.Namespace, progress: Progress, manifest: Manifest) -> int:
    progress.end()
    _tell(f"{args.folder}: everything up to number {manifest.through}, "
          f"in {len(manifest.files)} files; {progress.count} new lines")  # fmt: skip
    return DONE


def _check(_: argparse.Namespace, engine: Engine) -> int:
    progress, found = Progress("check"), 0
    for flaw in flaws(engine, progress):
        found += 1
        _tell(flaw)
    progress.end()
    _tell(f"{progress.count} numbers, {found} flaws")
    return FAILED if found else DONE


def _import(args: argparse.Namespace, engine: Engine) -> int:
    deleted, sources = _deleted(args.deleted), sources_in(args.paths)
    run = Import(engine, deleted, Progress("import"), _say_only)
    try:
        run.run(sources)
    finally:
        run.progress.end()
        _tell(f"{run.added} imported, {run.refused} refused")
    return FAILED if run.refused else DONE


class _Gone(msgspec.Struct, frozen=True):
    id: str
    name: str | None


def _deleted(name: str) -> frozenset[str]:
    """The ids of the users in the file of deleted accounts. Raises Flaw."""
    if name == "none":
        return frozenset()
    found = set()
    for where, data in raw(Path(name)):
        text = data.strip()
        if not text.startswith(b"{"):
            found.add(_id(where, text))
            continue
        try:
            player = msgspec.json.decode(text, type=_Gone)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Flaw(where, f"is not a player: {error}") from None
        if player.name is None:
            found.add(player.id)
    return frozenset(found)


def _id(where: str, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise Flaw(where, "is not UTF-8 text") from None


def _tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _say_only(text: str) -> None:
    sys.stderr.write(f"pierule archive: {text}\n")


def _say(text: str, status: int) -> int:
    _say_only(text)
    return status
