"""The lines of the lobby. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule.clocks import show_clock
from pierule.lobby import LobbyView
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.messages import Card, Challenged, MyRoom, Pool
from pierule_terminal.clockface import age
from pierule_terminal.scene import named
from pierule_terminal.screen import fit, pad
from pierule_terminal.standings import together

NAMES = 8
"""The columns that the players' names need at least."""

Kind: TypeAlias = Literal["mine", "asked", "bot", "open", "seek", "running"]

HEADINGS: dict[Kind, str] = {
    "mine": "Your games",
    "asked": "Players who challenge you: Enter accepts, d declines",
    "bot": "Bots that wait for an opponent",
    "open": "Players who wait for an opponent",
    "seek": "Players who seek a game",
    "running": "Being played",
}

EMPTY = """\
Nobody is here yet, and nothing is being played.

n creates a game that others can join, s seeks one. The server's operators can run
bots to play against: pierule serve --bots search, or pierule bot anywhere."""

KEYS = """\
arrows, mouse  move the cursor; Enter, Space or a click does what the line is
               for: takes a seat, watches, seeks the same, or accepts a challenge
w d            watch only; decline the challenge under the cursor
n s            create a game that others can join; seek an opponent for one
Escape         stop seeking
g o            list another game; only rooms of one status, or with a free seat
m              list more rooms, if there may be more
r              the leaderboards
? q Ctrl-L     this help; leave; draw the screen again
"""

NO_MATCH = """\
No games match right now.

g lists another game, o lists other rooms: those that wait, those where you
cut or choose, those being played. n creates a game, s seeks one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that the user can choose: a room, a pool, or a challenge."""

    kind: Kind
    text: str
    room: str = ""
    pool: Pool | None = None
    challenge: str = ""

    @property
    def key(self) -> str:
        """A key that stays the same while the entry exists."""
        pool = self.pool
        wanted = "" if pool is None else _wanted(pool)
        return f"{self.kind} {self.room}{wanted}{self.challenge}"


def entries(
    view: LobbyView,
    mine: Sequence[MyRoom],
    challenges: Sequence[Challenged],
    sought: Pool | None,
    now: int,
    width: int,
) -> list[Entry]:
    """All lines that the user can choose, in the order of `HEADINGS`. `mine` are the user's own
    rooms, `challenges` those to the user, and `sought` is the user's own seek. `now` is the
    server's time in ms."""
    own = {room.card.room for room in mine}
    found = [_of_mine(room, now, width) for room in mine]
    found += [_of_challenge(challenged, width) for challenged in challenges]
    for room in view.rooms:
        card = room.card
        if card.room not in own:
            watched = f"{room.spectators} watching" if room.spectators else ""
            last = age(now - card.at) if card.status == "open" else f"turn {card.turn}"
            found.append(Entry(_kind(card), _line(card, (last, watched), width), card.room))
    for pool in view.pools:
        others = pool.waiting - (sought is not None and _wanted(pool) == _wanted(sought))
        if others:
            many = "1 player seeks this" if others == 1 else f"{others} players seek this"
            head = _head(pool.game, pool.size, pool.control)
            found.append(Entry("seek", fit(f"{head}{many}", width), pool=pool))
    order = list(HEADINGS)
    return sorted(found, key=lambda entry: order.index(entry.kind))


def _of_mine(room: MyRoom, now: int, width: int) -> Entry:
    if room.aside:
        what = "set aside"
    elif room.card.status == "open":
        what = "waits for a player"
    else:
        what = "your turn" if room.to_act in room.seats else "not your turn"
    last = (what, age(now - room.card.at))
    return Entry("mine", _line(room.card, last, width, kept=1), room.card.room)


def _of_challenge(challenged: Challenged, width: int) -> Entry:
    seat = "a random seat" if challenged.seat is None else f"seat {challenged.seat}"
    head = _head(challenged.game, challenged.size, challenged.control)
    text = fit(f"{head}{named(challenged)} asks you to take {seat}", width)
    return Entry("asked", text, challenge=challenged.challenge)


def _wanted(pool: Pool) -> str:
    return f"{pool.game} {pool.size} {_clock(pool.control)}"


def _kind(card: Card) -> Kind:
    if card.status != "open":
        return "running"
    return "bot" if any(card.bots) else "open"


def _line(card: Card, facts: Iterable[str], width: int, kept: int = 0) -> str:
    """A room's line. If the terminal is too narrow, it lacks the last facts, but not the first
    `kept` of them."""
    head = _head(card.game, card.size, card.control)
    told = [f"  {fact}" for fact in (*facts, card.room) if fact]
    while len(told) > kept and width - len(head) - sum(map(len, told)) < NAMES:
        told.pop()
    tail = "".join(told)
    left = width - len(head) - len(tail)
    who = together(card, left) or "two free seats"
    return fit(f"{head}{pad(who, left)}{tail}", width)


def _head(game: str, size: int, control: ClockOptions | None) -> str:
    return f"{f'{game.capitalize()} {size}':<11} {_clock(control):<12} "


def _clock(control: ClockOptions | None) -> str:
    return show_clock(control) if control else "no clock"
