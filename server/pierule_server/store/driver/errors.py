"""Counts and logs error replies of the store by their kind, and puts them into words.

The kind of an error reply is its first word, such as `OOM` or `READONLY`. A store that answers with
one of `KINDS` is there, but refuses writes. This module does not decide what happens to the
request.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import structlog
from redis.exceptions import RedisError

from pierule_protocol import world
from pierule_server import metrics

logger = structlog.get_logger()

LOG_EVERY = 10.0
"""Seconds between two log messages about the same kind of error of the same primary."""

AWAY = "AWAY"
"""The kind if there is no error reply: the primary does not answer."""

DISK = "MISCONF"
"""The kind if the primary cannot write to its disk."""

ORDINARY = frozenset({"NOSCRIPT", "MOVED", "ASK", "TRYAGAIN"})
"""Kinds that are part of normal operation. The driver handles them."""


_FORBIDDEN_SCRIPT = re.compile(
    "(ERR )?(ACL failure in script|The user executing the script can't )"
)
"""Matches the error for a command that an ACL forbids to a script: the text of Valkey and of Redis
from 7.2 on, and that of Redis 7.0."""


class Words(NamedTuple):
    """The texts of a kind of trouble, for players and for operators."""

    players: str
    operators: str


KINDS: dict[str, Words] = {
    AWAY: Words("the store does not answer; nothing is lost, try again", "does not answer"),
    "OOM": Words(
        "the store is full: running games cannot go on until the operators make room",
        "refuses writes because its memory is full (maxmemory)",
    ),
    "READONLY": Words(
        "the store takes no writes at the moment: games go on when it does",
        "refuses writes because it is a replica",
    ),
    DISK: Words(
        "the store cannot write to its disk: games cannot go on until the operators mend it",
        "refuses writes because it cannot write to its disk",
    ),
    "NOREPLICAS": Words(
        "the store has lost its replicas: games go on when they are back",
        "refuses writes because too few replicas follow it (min-replicas-to-write)",
    ),
    "CLUSTERDOWN": Words(
        "a part of the store is down: games go on when it is back",
        "refuses everything because another primary of the cluster is down",
    ),
    "MASTERDOWN": Words(
        "a part of the store is down: games go on when it is back",
        "is a replica that has lost its primary",
    ),
    "LOADING": Words("the store is starting: games go on in a moment", "is still loading its data"),
    "BUSY": Words("the store is busy: games go on in a moment", "is busy with a script"),
    "NOAUTH": Words(
        "the store refuses the server: games cannot go on until the operators mend it",
        "asks for a password",
    ),
    "WRONGPASS": Words(
        "the store refuses the server: games cannot go on until the operators mend it",
        "does not accept the user or the password",
    ),
    "NOPERM": Words(
        "the store refuses the server: games cannot go on until the operators mend it",
        "forbids a command that the server needs (ACL)",
    ),
}


class Trouble(NamedTuple):
    """What is wrong with a primary: a kind of `KINDS`, and the text of the error."""

    kind: str
    text: str

    def __str__(self) -> str:
        name = "" if self.kind == AWAY else f"{self.kind}: "
        return f"{KINDS[self.kind].operators} ({name}{self.text})"


def kind_of(error: BaseException) -> str:
    """The kind of an error reply; empty for any other error. If redis-py knows the kind, it cuts it
    off the text. A command that an ACL forbids to a script is `NOPERM`, like any forbidden
    command."""
    if not isinstance(error, RedisError):
        return ""
    if _FORBIDDEN_SCRIPT.match(str(error)):
        return "NOPERM"
    first = getattr(error, "status_code", None) or str(error).partition(" ")[0]
    return first if first.isupper() else ""


def trouble_of(error: BaseException) -> Trouble:
    """What an error says about the primary that gave it, or that did not answer."""
    kind = kind_of(error)
    return Trouble(kind if kind in KINDS else AWAY, str(error) or "no answer in time")


def for_players(troubles: Collection[Trouble], primaries: int) -> str | None:
    """What to tell players if some primaries are in trouble; None if none is. `primaries` is the
    number of all primaries."""
    if not troubles:
        return None
    words = KINDS[min(trouble.kind for trouble in troubles)].players
    return words if len(troubles) == primaries else f"some games cannot go on: {words}"


class ErrorLog:
    """Counts and logs the error replies of one primary."""

    def __init__(self, primary: str) -> None:
        self._primary = primary
        self._silent_until: dict[str, float] = {}
        self._unlogged = 0

    def note(self, error: RedisError) -> None:
        """Count an error reply of the primary, and log it unless that kind was logged lately."""
        kind = kind_of(error)
        if kind in ORDINARY:
            return
        kind = kind if kind in KINDS else "other"
        metrics.STORE_ERROR_REPLIES.labels(kind).inc()
        now = world.monotonic()
        if now < self._silent_until.get(kind, 0.0):
            self._unlogged += 1
            return
        self._silent_until[kind] = now + LOG_EVERY
        # Every store that starts loads its data, and nobody needs to do anything.
        loads = kind == "LOADING"
        log, event = (
            (logger.info, "the store is loading its data")
            if loads
            else (logger.error, "the store answers with an error")
        )
        log(event, primary=self._primary, kind=kind, error=str(error), unlogged=self._unlogged)
        self._unlogged = 0


for _kind in (*(kind for kind in KINDS if kind != AWAY), "other"):
    metrics.STORE_ERROR_REPLIES.labels(_kind)
