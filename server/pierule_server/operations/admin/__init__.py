"""`pierule admin`: rooms, users, reports, announcements, the audit log, and dumps.

It talks to the store directly, as `pierule serve` does, and not to a node. Anybody who may write to
the store is an operator already, so it needs no other secret. It works even if no node runs, and
clients cannot reach any of it.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from pierule_protocol.state.room import UnknownGame
from pierule_server.operations import logs
from pierule_server.operations.admin import backup
from pierule_server.operations.admin.people import named
from pierule_server.operations.admin.service import AdminService, opened
from pierule_server.operations.admin.showing import Row, as_json, as_text
from pierule_server.operations.admin.stores import store_of
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.settings import Settings
from pierule_server.store.address import archive_url, flag_of
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable

HELP = "manage rooms, users and reports, and back up the store, as an operator"

_EPILOG = """\
Name the store as for `pierule serve`: --store or PIERULE_STORE, or the data folder of a server with
an embedded store. --data without --store means the store in that folder, whatever PIERULE_STORE
says. Anybody who may write to the store may use all commands; there is no other key.

The audit log records every change with your name and your reason: `pierule admin audit`.

examples:
  pierule admin rooms list
  pierule admin rooms close kobadimutelosa --reason "a bot has run wild" --yes
  pierule admin users ban 6d1f00c2a9b3e874 --for 7d --reason "insults" --yes
  pierule admin users ban 203.0.113.7 --for 2h --reason "floods" --yes
  pierule admin reports list
  pierule admin announce "A new version: we restart." --in 10m
  pierule admin audit --json
  pierule admin dump monday.dump
  pierule admin load monday.dump --store redis://127.0.0.1:6379

exit status: 0 done, 1 refused or the store cannot be used, 2 wrong usage
"""

Work: TypeAlias = Callable[[AdminService, argparse.Namespace], Awaitable[list[Row]]]
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
LONGEST = 3_650 * _UNITS["d"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the commands of `pierule admin`."""
    parser.description = "Look after a server as its operator. Each command has a --help."
    parser.epilog = _EPILOG
    kinds = parser.add_subparsers(dest="kind", metavar="WHAT", required=True)
    _configure_rooms(kinds)
    _configure_users(kinds)
    _configure_reports(kinds)
    _configure_secrets(kinds)
    archive = _group(kinds, "archive", "give-up: for a store that will have no archive any more")
    give_up = _leaf(archive, "give-up", "let the store forget games that wait for an archive",
                    lambda d, a: d.give_up_archive(a.seconds, a.reason, force=a.force))  # fmt: skip
    kept = os.environ.get("PIERULE_RETENTION", f"{Settings().retention}")
    give_up.add_argument("--after", dest="seconds", type=_seconds, metavar="TIME",
                         default=f"{kept.lstrip('0') or 1}s",
                         help="after which time: 12h, 30d [PIERULE_RETENTION]")  # fmt: skip
    give_up.add_argument("--force", action="store_true",
                         help="even if nodes with an archive serve the store")  # fmt: skip
    _grave(give_up)
    announce = _leaf(kinds, "announce", "announce something to all clients",
                     lambda d, a: d.announce(a.text, a.seconds))  # fmt: skip
    announce.add_argument("text", metavar="TEXT", type=_words)
    announce.add_argument("--in", dest="seconds", type=_seconds, metavar="TIME",
                          help="when it happens: 90s, 10m, 2h")  # fmt: skip
    _limited(_leaf(kinds, "audit", "list what operators did", lambda d, a: d.audit(a.limit)))
    backup.configure(kinds, _of_store)


def _configure_rooms(kinds: Any) -> None:
    rooms = _group(kinds, "rooms", "list, show, close, quarantine")
    _limited(
        _leaf(rooms, "list", "list open and running rooms", lambda d, a: d.list_rooms(a.limit))
    )
    _leaf(
        rooms, "show", "show a room, its log and its chat", lambda d, a: d.show_room(a.room), "room"
    )
    close = _leaf(rooms, "close", "end a room, or void the result of one that is over",
                  lambda d, a: d.close_room(a.room, a.reason), "room")  # fmt: skip
    close.add_argument("--archive", default=os.environ.get("PIERULE_ARCHIVE", "auto"),
                       help="the archive, as for `pierule serve`, for a game that the store has "
                       "put away or forgotten [PIERULE_ARCHIVE]")  # fmt: skip
    _grave(close)
    quarantine = _leaf(rooms, "quarantine",
                       "list rooms in quarantine; put a room into it, or release a room",
                       _quarantine)  # fmt: skip
    quarantine.add_argument("room", metavar="ROOM", nargs="?")
    quarantine.add_argument(
        "--release", action="store_true", help="release the room, after a repair"
    )
    quarantine.add_argument("--reason", type=_words, metavar="TEXT", help="why, for the audit log")


def _configure_users(kinds: Any) -> None:
    users = _group(kinds, "users", "show, ban, unban, bans")
    _leaf(
        users, "show", "show what is known about a user", lambda d, a: d.show_user(a.user), "user"
    )
    ban = _leaf(users, "ban", "ban a user or an address for a time",
                lambda d, a: d.ban(a.who, a.seconds, a.reason), "who")  # fmt: skip
    ban.add_argument("--for", dest="seconds", type=_seconds, required=True, metavar="TIME",
                     help="30m, 12h, 7d")  # fmt: skip
    _grave(ban)
    _reasoned(_leaf(users, "unban", "lift a ban", lambda d, a: d.unban(a.who, a.reason), "who"))
    _leaf(users, "bans", "list all bans", lambda d, _: d.list_bans())


def _configure_reports(kinds: Any) -> None:
    reports = _group(kinds, "reports", "list, show, settle: messages that users have reported")
    _leaf(reports, "list", "list open reports", lambda d, _: d.list_reports())
    _leaf(reports, "show", "show a report, with the messages around it",
          lambda d, a: d.show_report(a.report), "report")  # fmt: skip
    _reasoned(_leaf(reports, "settle", "settle a report",
                    lambda d, a: d.settle_report(a.report, a.reason), "report"))  # fmt: skip


def _configure_secrets(kinds: Any) -> None:
    secrets = _group(kinds, "secrets", "list, rotate, drop: secrets that prove places (SPEC 6.13)")
    _leaf(
        secrets, "list", "list key ids; the secrets are never shown", lambda d, _: d.list_secrets()
    )
    _reasoned(_leaf(secrets, "rotate", "use a new secret; earlier ones still count",
                    lambda d, a: d.rotate_secret(a.reason)))  # fmt: skip
    _grave(_leaf(secrets, "drop", "forget an earlier secret",
                 lambda d, a: d.drop_secret(a.secret, a.reason), "secret"))  # fmt: skip


def _quarantine(service: AdminService, args: argparse.Namespace) -> Awaitable[list[Row]]:
    if args.room is None:
        return service.list_quarantine()
    if args.reason is None:
        raise ValueError("give a reason: --reason TEXT")
    return (service.let_out if args.release else service.set_aside)(args.room, args.reason)


def _group(kinds: Any, name: str, text: str) -> Any:
    group = kinds.add_parser(name, help=text, description=text)
    return group.add_subparsers(dest="command_of_kind", metavar="COMMAND", required=True)


def _leaf(
    group: Any, name: str, text: str, work: Work, argument: str | None = None
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = group.add_parser(name, help=text, description=text)
    parser.set_defaults(work=work, grave=False)
    if argument is not None:
        parser.add_argument(argument, metavar=argument.upper())
    _of_store(parser)
    parser.add_argument("--as", dest="operator", metavar="NAME",
                        help="your name in the audit log [default: your login]")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="write one JSON object a line")
    return parser


def _of_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", help="the store, as for `pierule serve` [PIERULE_STORE]")
    parser.add_argument("--store-ca", default=os.environ.get("PIERULE_STORE_CA", ""),
                        help="PEM file of the authorities of its certificate "
                        "[PIERULE_STORE_CA]")  # fmt: skip
    parser.add_argument("--data", type=Path,
                        help="data folder of an embedded store [PIERULE_DATA]")  # fmt: skip


def _name_store(args: argparse.Namespace) -> None:
    """Fill in what names the store. A data folder on the command line beats a store in the
    environment: operators who move to another store have both, and mean the one that they type."""
    default = Settings()
    if args.store is None:
        of_environment = os.environ.get("PIERULE_STORE", default.store)
        args.store = "embedded" if args.data is not None else of_environment
    if args.data is None:
        args.data = Path(os.environ.get("PIERULE_DATA", default.data))


def _limited(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=_number, default=100, metavar="N",
                        help="at most N [default 100]")  # fmt: skip


def _reasoned(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", type=_words, required=True, metavar="TEXT",
                        help="why, for the audit log and for the users concerned")  # fmt: skip


def _grave(parser: argparse.ArgumentParser) -> None:
    _reasoned(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask whether you mean it")
    parser.set_defaults(grave=True)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say, and return the exit status: 0 if it is done, 1 if it is refused or
    the store cannot be used, 2 for wrong usage."""
    logs.configure("error", "text")
    _name_store(args)
    try:
        if args.kind in backup.KINDS:
            return backup.run(args)
        if hasattr(args, "who"):
            args.who = named(args.who)
        if args.grave and not (args.yes or _confirmed(args)):
            return _complain("nothing was changed; to confirm, add --yes", 2)
        rows = asyncio.run(_work(args))
    except (StoreUnavailable, StoreUnusable) as error:
        where = flag_of(args.store, args.data)
        return _complain(f"the store cannot be used: {error} (see {where})", 1)
    except Refused as refused:
        return _complain(refused.text, 1)
    except UnknownGame as error:
        return _complain(str(error), 1)
    except ValueError as error:
        return _complain(str(error), 2)
    sys.stdout.write(as_json(rows) if args.json else as_text(rows))
    return 0


async def _work(args: argparse.Namespace) -> list[Row]:
    archive = archive_url(getattr(args, "archive", "off"), args.store, args.data)
    data = args.data if args.store == "embedded" else None
    async with (
        store_of(args, must_exist=True) as store,
        opened(store, args.operator or getpass.getuser(), archive, data) as service,
    ):
        rows: list[Row] = await args.work(service, args)
        return rows


def _confirmed(args: argparse.Namespace) -> bool:
    """Ask the operator to confirm; False if there is no terminal."""
    if not sys.stdin.isatty():
        return False
    what = " ".join(getattr(args, name, "") for name in ("room", "secret", "who")).strip()
    sys.stderr.write(f"{args.kind} {args.command_of_kind} {what}: are you sure? Type yes: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == "yes"


def _seconds(text: str) -> int:
    """The seconds in `90s`, `10m`, `12h` or `7d`. Raises ArgumentTypeError."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdecimal() and unit in _UNITS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 90s, 10m, 12h or 7d")
    seconds = int(number) * _UNITS[unit]
    if not 0 < seconds <= LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is out of range; a time is from 1s to 3650d")
    return seconds


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 10_000):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 10000")
    return int(text)


def _words(text: str) -> str:
    if not 1 <= len(text.strip()) <= 200:
        raise argparse.ArgumentTypeError("write 1 to 200 characters")
    return text.strip()


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"pierule admin: {text}\n")
    return status
