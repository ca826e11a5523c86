"""A scenario under way: what the server is set to do, and what the client has done and reported.

The steps of the script and the server's replies (see `replies`) read and change it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

from pierule_conform.contract import Board, Breach, Fault, Task, read_line
from pierule_conform.judge import Judge
from pierule_conform.scripted import Refusal, ScriptedConnection
from pierule_conform.truth import Truth, proof_of
from pierule_protocol.messages import BoardMismatch, Error, Event, Ok


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and the connection on which it came."""

    connection: ScriptedConnection
    message: Any


class Trial:
    """One scenario under way. The steps read and set what is public here.

    `lag` is in seconds, `not_before` a time of the event loop. The nodes in `refusing` accept no
    connections, and the first `turned_away` handshakes are refused, as `refusal` says. `tried` is
    the number of `handshakes` when the last connection ended, at `ended_at`; `delays` are the
    seconds from each such end to the next handshake. `passing` are the requests that are refused
    once, by their type, with a code and `retry_ms`; with `goto`, only a join that says `goto`.
    `put_off` are the types that were refused so. A join is answered while `admitting` is set;
    `asked` counts the joins that came. `reports` are the boards that the client reported as
    different. If `gappy`, a resumed join brings no events. Each message is `padding` characters
    longer than it has to be. `wrote` is whether a line has come on standard output.
    """

    def __init__(self, truth: Truth, task: Task, section: str) -> None:
        self.truth = truth
        self.task = task
        self.section = section
        self.judge = Judge(truth, section)
        self.connections: list[ScriptedConnection] = []
        self.joins: list[Asked] = []
        self.acts: deque[Asked] = deque()
        self.withheld: Asked | None = None
        self.played = 0
        self.seen = 0
        self.handshakes: list[int] = []
        self.tried = 0
        self.refusing: set[int] = set()
        self.turned_away = self.asked = self.padding = 0
        self.refusal = Refusal(HTTPStatus.SERVICE_UNAVAILABLE)
        self.ended_at: float | None = None
        self.delays: list[float] = []
        self.passing: dict[str, tuple[str, int | None]] = {}
        self.put_off: set[str] = set()
        self.admitting = asyncio.Event()
        self.admitting.set()
        self.reports: list[BoardMismatch] = []
        self.lag = 0.0
        self.not_before = 0.0
        self.forgetful = self.stuffed = self.spoilt = self.proves = self.gappy = False
        self.greeting: tuple[dict[str, Any], ...] = ()
        self.features: tuple[str, ...] = ()
        self.hello_refused: str | None = None
        self.cut_when_seated = self.wrote = False
        self.fault: str | None = None
        self.may_give_up = False
        self.exit_status: int | None = None
        self.last_sent: Any = None
        self.heard: Any = None
        self.lock = asyncio.Lock()
        self._breach: Breach | None = None
        self._news = asyncio.Event()

    # --- for the steps ---

    @property
    def followers(self) -> list[ScriptedConnection]:
        return [
            connection
            for connection in self.connections
            if connection.open and connection.following
        ]

    async def until(
        self, condition: Callable[[], bool], seconds: float, section: str, what: str
    ) -> None:
        """Wait for what the client has to do. Raises Breach if it does something wrong, or does not
        do this in time."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    self.check()
                    if condition():
                        return
                    if self.exit_status is not None:
                        why = f"the client ended with status {self.exit_status} before {what}"
                        raise Breach(section, why, what, self.heard, self.last_sent)
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            why = f"waited {seconds:g} s in vain for {what}"
            if not self.wrote and "report" in what:
                why += "; no line has come yet on standard output: is each one flushed?"
            raise Breach(section, why, what, self.heard, self.last_sent) from None

    async def quiet(self, seconds: float) -> None:
        """Let time pass. Raises Breach for what the client does wrong meanwhile."""
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            self.check()
            await asyncio.sleep(min(left, 0.05))

    def check(self) -> None:
        """Raises the first breach, if there was one."""
        if self._breach is not None:
            raise self._breach

    def check_frames(self) -> None:
        """Raises Breach if the client has broken the WebSocket protocol."""
        for connection in self.connections:
            if why := connection.misused:
                raise Breach("7", f"breaks the WebSocket protocol: {why}", None, self.heard)

    async def tell(self, event: Event) -> None:
        """Send an event, as it is, to all followers."""
        async with self.lock:
            for connection in self.followers:
                await self.send_event(connection, event)

    async def say(self, *messages: Any) -> None:
        """Send messages to all followers. They call for no report of a board."""
        async with self.lock:
            for message in messages:
                self.last_sent = msgspec.to_builtins(message)
                for connection in self.followers:
                    await self.send(connection, message)

    async def send(self, connection: ScriptedConnection, message: Any) -> None:
        """Send one message in the way that this scenario demands."""
        if self.stuffed:
            message = stuff(msgspec.to_builtins(message))
        if self.padding:
            message = msgspec.to_builtins(message) | {"x_long": "x" * self.padding}
        if self.lag:
            await connection.send_in_pieces(message, self.lag / 10)
        else:
            await connection.send(message)

    async def send_event(self, connection: ScriptedConnection, event: Event) -> None:
        """Send an event to one connection, whose client has to report it."""
        self.last_sent = msgspec.to_builtins(event)
        if self.proves:
            place = self.truth.states[event.epoch, event.seq].place
            event = msgspec.structs.replace(event, proof=proof_of(place))
        self.judge.told(self.truth.states[event.epoch, event.seq], "event")
        await self.send(connection, event)

    async def answer(self, asked: Asked, **fields: Any) -> None:
        """Answer a request with `ok`."""
        asked.connection.pending.discard(asked.message.id)
        await self.send(asked.connection, Ok(id=asked.message.id, **fields))

    async def refuse(self, asked: Asked, code: str, **fields: Any) -> None:
        """Answer a request with an error."""
        asked.connection.pending.discard(asked.message.id)
        error = Error(id=asked.message.id, code=code, text="as the script says", **fields)
        self.last_sent = msgspec.to_builtins(error)
        await self.send(asked.connection, error)

    # --- what the client reports ---

    def heard_line(self, data: bytes) -> None:
        """A line has come on the client's standard output."""
        self.wrote = True
        try:
            said = read_line(data)
            self.heard = said
            if isinstance(said, Board):
                self.judge.report(said)
            else:
                self._gave_up(said)
        except Breach as breach:
            self.fail(breach)
        self.wake()

    def ended(self, status: int) -> None:
        """The client's process has ended, and all its lines were read."""
        self.exit_status = status
        self.wake()

    def _gave_up(self, said: Fault) -> None:
        self.fault = said.fault
        self.check_frames()
        if not self.may_give_up:
            why = f"the client gave up without need: {said.fault}"
            wanted = self.judge.wanted
            if wanted is not None and (said.text is not None or not self.judge.last):
                unspoilt = not (self.judge.tricked or self.turned_away)
                section = "5.3" if unspoilt else self.section  # not even the first board was right
                actual = said.text or f"{said.fault} (no `text` says which board it has)"
                raise Breach(section, why, wanted.text, actual, self.last_sent)
            raise Breach(self.section, why, None, said, self.last_sent)

    # --- news ---

    def wake(self) -> None:
        """Something has happened that a step may wait for."""
        self._news.set()

    def fail(self, breach: Breach) -> None:
        """The client broke a rule; only the first breach counts."""
        self._breach = self._breach or breach
        self.wake()


def stuff(value: Any) -> Any:
    """A message with a field that no client knows in every map of it."""
    if isinstance(value, dict):
        return {"x_new": {"deep": [1, None]}} | {name: stuff(sub) for name, sub in value.items()}
    return [stuff(item) for item in value] if isinstance(value, list) else value
