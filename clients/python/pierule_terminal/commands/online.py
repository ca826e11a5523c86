"""What all commands that talk to a server share: options, error messages, identity."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, Protocol

import pierule
from pierule.archive import Archive
from pierule_terminal.chat_panel import show_announcement
from pierule_terminal.keyboard import is_interactive
from pierule_terminal.profile import Identity, Profile, ProfileTrouble
from pierule_terminal.screen import Screen, clean

DEFAULT_SERVER = "ws://127.0.0.1:8000/ws"
NAME_LENGTH = 24
DEFAULT_ARCHIVE = "http://127.0.0.1:10000"


class Failed(Exception):
    """The command ends with exit status 1; the text says why."""


class Notices(Protocol):
    """Shows news that are not about a room."""

    def warn(self, *lines: str) -> None:
        """Show that something went wrong, or differently than requested."""
        ...

    def connection(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is back."""
        ...


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that talks to a server."""
    group = parser.add_argument_group("server")
    group.add_argument(
        "--server",
        metavar="URL",
        default=os.environ.get("PIERULE_SERVER") or DEFAULT_SERVER,
        help=f"the server's address [PIERULE_SERVER, default {DEFAULT_SERVER}]",
    )
    group.add_argument("--name", type=_name, help="your name, at most 24 characters")
    group.add_argument(
        "--token-file",
        metavar="FILE",
        default=os.environ.get("PIERULE_TOKEN_FILE") or None,
        help="a token of the server's identity provider, read for each connection "
        "[PIERULE_TOKEN_FILE, or the token itself in PIERULE_TOKEN]",
    )
    group.add_argument(
        "--codec",
        choices=("msgpack", "json"),
        default="msgpack",
        help="the encoding of messages [default msgpack]",
    )


def _name(text: str) -> str:
    if not 1 <= len(text) <= NAME_LENGTH:
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of 1 to {NAME_LENGTH} characters")
    return text


def add_archive_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that read an archive."""
    server = os.environ.get("PIERULE_SERVER")
    parser.add_argument(
        "--api",
        metavar="URL",
        default=web_address(server) if server else DEFAULT_ARCHIVE,
        help="address of the archive, or of its server [default: the server that PIERULE_SERVER "
        f"names, or else {DEFAULT_ARCHIVE}]",
    )


def archive_of(args: argparse.Namespace) -> Archive:
    """The archive that the arguments name. It says on standard error that it tries again. Raises
    ValueError for a wrong address."""

    def tell(why: str) -> None:
        sys.stderr.write(f"-- {clean(why)}; trying again\n")

    return Archive(args.api, on_trouble=tell)


def web_address(server: str) -> str:
    """Where a browser finds a server, which may be below a path."""
    scheme, _, rest = server.partition("://")
    return f"{'https' if scheme == 'wss' else 'http'}://{rest.rstrip('/').removesuffix('/ws')}"


def add_profile_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that keep an identity."""
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="be another user: identities are in tokens-NAME.json instead of tokens.json, in "
        "$XDG_CONFIG_HOME/pierule or ~/.config/pierule",
    )


def add_color_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that draw boards."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="draw in color [default auto: on a terminal, unless NO_COLOR is set]",
    )


def add_plain_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that can take the whole terminal."""
    parser.add_argument(
        "--plain",
        action="store_true",
        default=bool(os.environ.get("PIERULE_PLAIN")),
        help="write line by line, even on a terminal [PIERULE_PLAIN]",
    )


def add_sending_option(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that let you play on the whole terminal."""
    parser.add_argument(
        "--send-at-once",
        action="store_true",
        help="on the whole terminal: send an action without confirmation, with its last point or "
        "with the key of a word such as pass",
    )


def takes_terminal(args: argparse.Namespace, screen: Screen) -> bool:
    """Whether to take the whole terminal: if the user sits at one that can show it. If only Textual
    is missing, say what to install."""
    if args.plain or not is_interactive() or not screen.style.unicode:
        return False
    if importlib.util.find_spec("textual") is None:
        screen.warn("-- line mode; to use the whole terminal: pip install 'pierule[tui]'")
        return False
    return True


def add_room(parser: argparse.ArgumentParser, otherwise: str = "a link") -> None:
    """Add the argument that names a room: its id, `ID.INVITATION`, or a link (SPEC 20.4, 29.1).
    `otherwise` is what else the command takes."""
    parser.set_defaults(invitation=None)
    parser.add_argument(
        "room", metavar="ROOM", action=_Ticket,
        help=f"the room's id, what `pierule new` printed for a private one, or {otherwise}",
    )  # fmt: skip


_ROOM = re.compile("[a-z]{1,32}")
_INVITATION = re.compile("[A-Za-z0-9_-]{16,64}")


class _Ticket(argparse.Action):
    """Sets `room`, `invitation` and, from a link, `server`."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        text = str(values)
        address, _, ticket = text.rpartition("#" if "#" in text else "/game/")
        if address:
            scheme, _, host = address.rstrip("/").partition("://")
            namespace.server = f"{'wss' if scheme == 'https' else 'ws'}://{host}/ws"
        namespace.room, _, invitation = ticket.partition(".")
        if not _ROOM.fullmatch(namespace.room):
            raise argparse.ArgumentError(
                self, f"{values!r} is not a room: its id has only letters from a to z"
            )
        if invitation and not _INVITATION.fullmatch(invitation):
            raise argparse.ArgumentError(
                self,
                f"{values!r} is not a room: the invitation after its id has 16 to 64 characters",
            )
        namespace.invitation = invitation or None


async def follow(
    client: pierule.Client, args: argparse.Namespace, otherwise: str = ""
) -> pierule.Room:
    """Join the room that the arguments name. Raises Failed if there is none; `otherwise` says what
    else could have been meant."""
    try:
        return await client.join(args.room, invitation=args.invitation)
    except pierule.Refused as error:
        if error.code != pierule.Code.UNKNOWN_ROOM:
            raise
        raise Failed(f"{clean(error.text)}; `pierule lobby` lists the rooms{otherwise}") from None


def ticket_of(room: pierule.Room) -> str:
    """What another command needs to join a room: its id, with the invitation if it has one."""
    return f"{room.id}.{room.invitation}" if room.invitation else room.id


def run_online(screen: Screen, work: Coroutine[Any, Any, int]) -> int:
    """Run a command to its exit status. Every expected error becomes a message."""
    try:
        return asyncio.run(work)
    except (Failed, ProfileTrouble) as error:
        text = str(error)
    except pierule.Refused as error:
        text = clean(error.text)
    except pierule.PieruleError as error:
        text = clean(str(error))
    screen.warn(f"pierule: {text}")
    return 1


@asynccontextmanager
async def connected(
    args: argparse.Namespace,
    notices: Notices,
    token: str | None = None,
    *,
    recovery: str | None = None,
    bot: bool = False,
) -> AsyncIterator[pierule.Client]:
    """A connection to the server that the arguments name. Without a token or a recovery code, the
    user is a new guest.

    Raises Failed if there is no connection.
    """
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(
                pierule.connect(
                    args.server,
                    name=args.name,
                    token=_proof(args) or token,
                    recovery=recovery,
                    bot=bot,
                    codec=args.codec,
                    room=getattr(args, "room", None),
                    on_connection=notices.connection,
                    on_announcement=lambda text, at: notices.warn(show_announcement(text, at)),
                    on_paired=None if bot else lambda room: notices.warn(_playing(room, args)),
                )
            )
        except pierule.ConnectionLost as error:
            raise Failed(no_server(args.server, error)) from error
        yield client


def _playing(room: str, args: argparse.Namespace) -> str:
    return f"-- a game of yours has begun: pierule play {clean(room)}{options_of(args)}"


def _proof(args: argparse.Namespace) -> Callable[[], str] | str | None:
    """The token of an identity provider, if there is one. It is not a command-line argument,
    because everybody on the machine can read these."""
    file: str | None = args.token_file

    def read() -> str:
        try:
            return Path(file or "").read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise pierule.ConnectionLost(f"cannot read the token: {error}") from None

    return read if file else os.environ.get("PIERULE_TOKEN") or None


def no_server(
    server: str,
    error: pierule.ConnectionLost,
    remedy: str = "start one with `pierule serve`, or name another with --server URL",
) -> str:
    """A message that there is no server, why, and what to do."""
    cause = error.__cause__.__cause__ if error.__cause__ else None
    if isinstance(cause, SSLCertVerificationError):
        return (
            f"the certificate of {server} is not trusted: {cause.verify_message}. If it is from "
            "your own authority, name the authority's certificate in SSL_CERT_FILE"
        )
    if not isinstance(cause, OSError):
        return str(error)
    return f"no server at {server} ({_reason(cause)}); {remedy}"


def _reason(error: OSError) -> str:
    """Why there is no connection. asyncio has its own words for a refused connection, unknown hosts
    have no errno, and a server without TLS may just hang up on a client with TLS."""
    if error.errno and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error) or "it hung up"


@asynccontextmanager
async def identified(
    args: argparse.Namespace,
    profile: Profile,
    player: int,
    notices: Notices,
    *,
    bot: bool = False,
) -> AsyncIterator[pierule.Client]:
    """Connect as a player of the profile. The profile keeps the token of a new player, and the
    present name of a known one."""
    if _proof(args):  # the profile does not keep an identity provider's tokens
        async with connected(args, notices, bot=bot) as client:
            yield client
        return
    known = profile.players(args.server)[player]
    token = known.token if known else None
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(connected(args, notices, token, bot=bot))
        except pierule.Refused as error:
            if known is None or error.code != pierule.Code.BAD_TOKEN:
                raise
            notices.warn(f"pierule: {args.server} no longer knows you; you are a new guest")
            client = await stack.enter_async_context(connected(args, notices, bot=bot))
        if client.token is not None and client.token != token:
            profile.keep(args.server, player, Identity(client.token, client.user))
        yield client


def server_of(args: argparse.Namespace) -> str:
    """The option with which anybody's command uses the same server."""
    known = os.environ.get("PIERULE_SERVER") or DEFAULT_SERVER
    return "" if args.server == known else f" --server {args.server}"


def options_of(args: argparse.Namespace) -> str:
    """The options with which another command of this user uses the same server and profile."""
    said = server_of(args)
    if getattr(args, "profile", None):
        said += f" --profile {args.profile}"
    return said
