"""`pierule load`: measure how much load your server can take, and what breaks first."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from random import Random

import pierule
from pierule_load.hints import LIFTED
from pierule_load.plan import Plan, Unwilling, check_url, is_near
from pierule_load.report import as_json, human
from pierule_load.run import run as load
from pierule_load.tally import Second, Tally
from pierule_protocol.messages import Welcome
from pierule_terminal.commands.numbers import real, whole
from pierule_terminal.commands.online import Failed, no_server, run_online
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "put load on your server, and report what breaks first"

PLAINLY = 10
"""Seconds between two lines of progress if the output is not a terminal."""

MOST = 100_000
"""The most games, spectators of a game, points or milliseconds."""

INTERRUPTED = 128 + signal.SIGINT

_EPILOG = f"""\
Bots play complete games of random legal actions while spectators watch. Each table plays one game
after the other. When the time is up, unfinished games are resigned, so no open room stays behind.
The players are guests, so nothing is rated. But finished games are archived, so use a separate
server (`pierule serve --archive off`) rather than the one that people play on.

A server has limits for each address, and all this load comes from one. To measure a server without
these limits, start it with

  pierule serve {LIFTED}

The report says which limits were reached. Latencies are measured from sending an action. After
--storm, clients wait up to half a second before they come back, as all clients do.

examples:
  pierule load ws://127.0.0.1:8000/ws
  pierule load ws://127.0.0.1:8000/ws --games 200 --rate 2000 --ramp --seconds 120
  pierule load ws://127.0.0.1:8000/ws --games 1 --spectators 1000 --rate 2
  pierule load ws://10.0.0.5:8000/ws ws://10.0.0.6:8000/ws --games 500 --storm 20 --json load.json

exit status:
  0    nothing broke
  1    something broke, or there is no server
  2    wrong usage, or the server is neither on this machine nor in a private network
  130  stopped by Ctrl-C, after the report
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule load`."""
    parser.description = "Put load on your server with games, and report what breaks first."
    parser.epilog = _EPILOG
    parser.add_argument(
        "urls", metavar="URL", nargs="+",
        help="the server, ws://HOST:PORT/ws; several URLs are nodes of one server, used in turn",
    )  # fmt: skip
    parser.add_argument(
        "--games", type=whole(1, MOST), default=20, metavar="N",
        help="games at the same time [default 20]",
    )  # fmt: skip
    parser.add_argument(
        "--spectators", type=whole(0, MOST), default=1, metavar="N",
        help="spectators of each game [default 1]",
    )  # fmt: skip
    parser.add_argument(
        "--rate", type=_rate, default="20", metavar="N",
        help="actions per second of all games together; `max`: each as soon as the server has "
        "acknowledged the one before [default 20]",
    )  # fmt: skip
    parser.add_argument(
        "--game", action="append", default=[], metavar="GAME",
        help="only this game; repeatable [default: all]",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=whole(1, MOST), metavar="N",
        help="points along a side [default: the game's default]",
    )  # fmt: skip
    _add_course(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="seed for the games, to repeat them")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON; -: to stdout")
    parser.add_argument(
        "--i-run-this-server", action="store_true",
        help="load a server that is neither on this machine nor in a private network. Never do "
        "this to a server of others: it is an attack",
    )  # fmt: skip


def _add_course(parser: argparse.ArgumentParser) -> None:
    """Add the arguments about how long the run is, what happens in it, and what counts as
    broken."""
    parser.add_argument(
        "--ramp", action="store_true", help="raise the rate evenly, from a tenth to the whole rate"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=60.0, metavar="S",
        help="how long they play, up to a day [default 60]",
    )  # fmt: skip
    parser.add_argument(
        "--storm", type=_seconds, metavar="S",
        help="drop all connections every S seconds, as when a node dies; all come back",
    )  # fmt: skip
    parser.add_argument(
        "--no-hints", dest="hints", action="store_false",
        help="keep each connection; otherwise clients connect where their room's other clients "
        "are, if the server asks",
    )  # fmt: skip
    parser.add_argument(
        "--bound", type=whole(1, MOST), default=250, metavar="MS",
        help="the server counts as broken if the p99 of acknowledgements in a second exceeds this, "
        "or that of the last follower's event twice this [default 250]",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=_seconds, default=10.0, metavar="S",
        help="how long an answer may take [default 10]",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Load the server, and print the report. Returns the exit status."""
    screen = make_screen("auto")
    plan = Plan(
        tuple(args.urls), tuple(args.game), args.size, args.games, args.spectators, args.rate,
        args.ramp, args.seconds, args.storm, args.bound / 1_000, args.timeout,
        args.hints,
    )  # fmt: skip
    try:
        check(plan, own=args.i_run_this_server)
        return run_online(screen, _loaded(plan, args, screen))
    except Unwilling as error:
        screen.warn(f"pierule load: {clean(str(error))}")
        return 2


def check(plan: Plan, *, own: bool) -> None:
    """Raise Unwilling for a plan that makes no sense, and for servers that may belong to others,
    unless they are the user's `own`."""
    for url in plan.urls:
        check_url(url)
        if not own and not is_near(url):
            raise Unwilling(
                f"{url} is neither on this machine nor in a private network. If you run it, say so "
                "with --i-run-this-server"
            )
    if plan.ramp and plan.rate is None:
        raise Unwilling("--ramp needs a --rate to rise to")


async def _loaded(plan: Plan, args: argparse.Namespace, screen: Screen) -> int:
    welcome, *_ = [await _greeted(url) for url in plan.urls]
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def told() -> None:
        if stop.is_set():
            task.cancel()  # the second Ctrl-C
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told)
    progress = Progress(plan, sys.stderr.isatty())
    try:
        tally = await load(plan, welcome, stop, progress.show, Random(args.seed))  # noqa: S311
    finally:
        progress.end()
    _report(plan, tally, args.json, screen)
    if stop.is_set():
        return INTERRUPTED
    return 1 if tally.troubles else 0


async def _greeted(url: str) -> Welcome:
    """The server's welcome. Raises Failed if there is no server."""
    try:
        async with pierule.connect(url, bot=True, name="Load", patience=5.0) as client:
            return client.welcome
    except pierule.ConnectionLost as error:
        raise Failed(no_server(url, error, "check the address")) from error


def _report(plan: Plan, tally: Tally, file: str | None, screen: Screen) -> None:
    if file != "-":
        screen.say(*map(clean, human(plan, tally)))
    if file is None:
        return
    text = json.dumps(as_json(plan, tally), indent=1) + "\n"
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text, "utf-8")
    except OSError as error:
        raise Failed(f"{file}: {error.strerror}") from None


class Progress:
    """Shows progress on standard error: in a line that changes, or line by line."""

    def __init__(self, plan: Plan, redraw: bool) -> None:
        self._plan, self._redraw = plan, redraw
        self._shown = 0

    def show(self, second: Second) -> None:
        """Show a second."""
        self._shown += 1
        if self._redraw:
            sys.stderr.write(f"\r\x1b[K{self._line(second)}")
            sys.stderr.flush()
        elif self._shown % PLAINLY == 0:
            sys.stderr.write(f"{self._line(second)}\n")

    def end(self) -> None:
        """Clear the line."""
        if self._redraw and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _line(self, second: Second) -> str:
        plan = self._plan
        there = f"{second.connected:,}/{plan.connections:,} connections"
        if not second.at:
            return f"opening: {there}"
        if second.at > plan.seconds:
            return f"ending the games: {there}"
        slow = second.kept_p99
        p99 = "" if slow is None else f", p99 {slow * 1_000:.0f} ms"
        return f"{second.at:4.0f}/{plan.seconds:.0f} s  {second.acted:,} actions/s{p99}  {there}"


def _rate(text: str) -> float | None:
    if text == "max":
        return None
    if not 0 < (value := real(text)) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is neither a rate, such as 200, nor `max`")
    return value


def _seconds(text: str) -> float:
    if not 1 <= (value := real(text)) <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 1 to 86400")
    return value
