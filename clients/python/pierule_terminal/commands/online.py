"""What the commands that talk to a server share: options, errors in words, identity."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, Protocol

import pierule
from pierule_terminal.chat_panel import show_announcement
from pierule_terminal.keyboard import is_interactive
from pierule_terminal.profile import Identity, Profile, ProfileTrouble
from pierule_terminal.screen import Screen, clean

DEFAULT_SERVER = "ws://127.0.0.1:8000/ws"


class Failed(Exception):
    """The command ends with exit status 1; the text says why."""


class Notices(Protocol):
    """Shows what players have to know besides the room."""

    def warn(self, *lines: str) -> None:
        """Something went another way than was asked for."""
        ...

    def connection(self, news: pierule.ConnectionStatus) -> None:
        """The connection was lost, or is there again."""
        ...


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that talks to a server."""
    group = parser.add_argument_group("server")
    group.add_argument(
        "--server",
        metavar="URL",
        default=os.environ.get("PIERULE_SERVER") or DEFAULT_SERVER,
        help=f"the server's address [PIERULE_SERVER, default {DEFAULT_SERVER}]",
    )
    group.add_argument("--name", help="your name, at most 24 characters")
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
        help="the wire format [default msgpack]",
    )


def add_profile_option(parser: argparse.ArgumentParser) -> None:
    """The option of commands that keep an identity."""
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="be another user: keep identities in tokens-NAME.json instead of tokens.json, "
        "in $XDG_CONFIG_HOME/pierule or ~/.config/pierule",
    )


def add_color_option(parser: argparse.ArgumentParser) -> None:
    """The option of commands that draw boards."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="draw in color [default auto: on a terminal, unless NO_COLOR is set]",
    )


def add_plain_option(parser: argparse.ArgumentParser) -> None:
    """The option of commands that can take the whole terminal."""
    parser.add_argument(
        "--plain",
        action="store_true",
        default=bool(os.environ.get("PIERULE_PLAIN")),
        help="write line by line, even on a terminal [PIERULE_PLAIN]",
    )


def add_sending_option(parser: argparse.ArgumentParser) -> None:
    """The option of commands by which you can play on the whole terminal."""
    parser.add_argument(
        "--send-at-once",
        action="store_true",
        help="on the whole terminal: send an action with its last point, or with the key of a word "
        "such as pass, without confirmation",
    )


def takes_terminal(args: argparse.Namespace, screen: Screen) -> bool:
    """Whether to take the whole terminal: where somebody sits at one that can show it. If only
    Textual is missing, say what to install."""
    if args.plain or not is_interactive() or not screen.style.unicode:
        return False
    if importlib.util.find_spec("textual") is None:
        screen.warn("-- line by line; for the whole terminal: pip install 'pierule[tui]'")
        return False
    return True


def add_room(parser: argparse.ArgumentParser, otherwise: str = "a link") -> None:
    """The argument that names a room: its id, `ID.INVITATION`, or a link (SPEC 20.4, 29.1).
    `otherwise` says what else a command takes."""
    parser.set_defaults(invitation=None)
    parser.add_argument(
        "room", metavar="ROOM", action=_Ticket,
        help=f"the room's id, what `pierule new` printed for a private one, or {otherwise}",
    )  # fmt: skip


_ROOM = re.compile("[a-z]{1,32}")


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
                self, f"{values!r} is no room: ids are letters from a to z"
            )
        namespace.invitation = invitation or None


async def follow(client: pierule.Client, args: argparse.Namespace) -> pierule.Room:
    """The room of the options. Raises Failed if there is none."""
    try:
        return await client.join(args.room, invitation=args.invitation)
    except pierule.Refused as error:
        if error.code != pierule.Code.UNKNOWN_ROOM:
            raise
        raise Failed(f"{clean(error.text)}; `pierule lobby` lists the rooms") from None


def ticket_of(room: pierule.Room) -> str:
    """What another command needs to find a room."""
    return f"{room.id}.{room.invitation}" if room.invitation else room.id


def run_online(screen: Screen, work: Coroutine[Any, Any, int]) -> int:
    """Do the work of a command to its exit status, with every expected error said in words."""
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
    """A connection to the server of the options; without a token or a recovery code, as a guest of
    the moment.

    Raises Failed if there is none.
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
    return f"-- you are in a game that has begun: pierule play {clean(room)}{options_of(args)}"


def _proof(args: argparse.Namespace) -> Callable[[], str] | str | None:
    """The token of an identity provider, if there is one: never on the command line, which
    everybody at the machine can read."""
    file: str | None = args.token_file

    def read() -> str:
        try:
            return Path(file or "").read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise pierule.ConnectionLost(f"the token cannot be read: {error}") from None

    return read if file else os.environ.get("PIERULE_TOKEN") or None


def no_server(
    server: str,
    error: pierule.ConnectionLost,
    remedy: str = "start one with `pierule serve`, or name another with --server URL",
) -> str:
    """That there is no server, why, and what to do."""
    cause = error.__cause__.__cause__ if error.__cause__ else None
    if isinstance(cause, SSLCertVerificationError):
        return (
            f"the certificate of {server} is not trusted: {cause.verify_message}. If its "
            "authority is your own, name the authority's certificate in SSL_CERT_FILE"
        )
    if not isinstance(cause, OSError):
        return str(error)
    return f"no server at {server} ({_reason(cause)}); {remedy}"


def _reason(error: OSError) -> str:
    """asyncio words a refused connection in its own way; names that are not found have no errno;
    who speaks TLS to a server without may only see that it hangs up."""
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
    """Connect as one of the profile's players. The profile keeps the token of a new player and the
    name that a known one has now."""
    if _proof(args):  # which is kept where it comes from
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
            notices.warn(f"pierule: {args.server} does not know you any more; you are a new guest")
            client = await stack.enter_async_context(connected(args, notices, bot=bot))
        if client.token is not None and client.token != token:
            profile.keep(args.server, player, Identity(client.token, client.user))
        yield client


def server_of(args: argparse.Namespace) -> str:
    """The option that anybody's command needs to meet the same server."""
    known = os.environ.get("PIERULE_SERVER") or DEFAULT_SERVER
    return "" if args.server == known else f" --server {args.server}"


def options_of(args: argparse.Namespace) -> str:
    """The options that another command needs to meet the same server as the same person."""
    said = server_of(args)
    if getattr(args, "profile", None):
        said += f" --profile {args.profile}"
    return said
