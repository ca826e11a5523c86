"""A model of the log: append, confirm, renew, resume, and who can witness a loss (SPEC 3, 6).

Two nodes serve one room in which two players act in turns. The store is a primary with a replica,
and may be replaced by it; the primary of before may go on answering nodes that do not know yet. A
place (epoch, seq, chain) is modelled by the events up to it: the chain is taken to tell all logs
apart. What the product does in one step of the store (law 3), the model does in one step, too:

| here | there |
|---|---|
| `_append` | `append.lua`: compare, append, publish |
| `_confirmed` | `confirm.lua` and `RoomLog.confirm` |
| `_catch_up`, `_renew` | `Recovery.catch_up`, `Recovery._renew`, `Recovery._left` |
| `_handle`, `_written` | `Changes.change`, `decide.act`, `WAIT` |
| `_hear` | `Hub.entry`, `log.events.step` |
| `_join` | `Rooms.join`, `Recovery.missed`, `Rooms._lost` |
| `_check` | `PlaceCheck` |

Clocks are a model of their own (`clock.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

Event: TypeAlias = tuple[int, int, str]
"""Epoch, turn, action; the event that begins an epoch has the turn -1."""

Log: TypeAlias = tuple[Event, ...]

Steps: TypeAlias = "Iterator[tuple[str, State]]"

ACTIONS = ("a", "b")
AWAY = -1
"""The node of a client that is connected to none."""


class Node(NamedTuple):
    """A process: the room as it has it in memory (None: not at all), publications under way to it,
    and whether it asks the primary of before."""

    known: Log | None = None
    inbox: tuple[Log, ...] = ()
    misled: bool = False


class Player(NamedTuple):
    """A client: its mirror, the node that it is connected to, its unanswered act, and the log up to
    the event that the node has appended for it and not acknowledged yet."""

    mirror: Log | None = None
    node: int = AWAY
    asked: tuple[int, str] | None = None
    written: Log | None = None


class State(NamedTuple):
    """All there is. `replica` is how many events of the log the replica has; `deposed` is the log
    of the primary of before. The rest is for the laws and the bounds."""

    log: Log = ()
    replica: int = 0
    deposed: Log | None = None
    nodes: tuple[Node, ...] = (Node(), Node())
    players: tuple[Player, ...] = (Player(), Player())
    acknowledged: frozenset[Log] = frozenset()
    epoch: int = 1
    failovers: int = 0
    deaths: int = 0
    cuts: int = 0
    losses: int = 0
    wrong: str | None = None


@dataclass(frozen=True)
class Bounds:
    """How much happens at most. `waits`: nodes wait for the replica (`--replicas 1`)."""

    waits: bool = True
    turns: int = 2
    failovers: int = 1
    deaths: int = 0
    cuts: int = 1
    losses: int = 0


def epoch_of(log: Log) -> int:
    return log[-1][0] if log else 1


def turn_of(log: Log) -> int:
    """How many actions a log holds."""
    return sum(turn >= 0 for _, turn, _ in log)


def begins(log: Log, place: Log) -> bool:
    """Whether a log knows a place."""
    return log[: len(place)] == place


class LogModel:
    """The model within bounds; `broken` is what it does wrong on purpose (`runs.BREAKS`)."""

    def __init__(self, bounds: Bounds, broken: str = "") -> None:
        self.bounds = bounds
        self.broken = broken

    def initial(self) -> State:
        return State()

    # --- what may happen --------------------------------------------------------------------------

    def steps(self, s: State) -> Steps:
        if s.replica < len(s.log):
            yield "the replica gets an event", s._replace(replica=s.replica + 1)
        for index, player in enumerate(s.players):
            yield from self._of_player(s, index, player)
        for index, node in enumerate(s.nodes):
            yield from self._of_node(s, index, node)
        yield from self._faults(s)

    def _of_player(self, s: State, index: int, player: Player) -> Steps:
        who = f"player {index}"
        if player.node == AWAY:
            # Until somebody has come, the nodes are all alike: the first one stands for them.
            untouched = all(node.known is None for node in s.nodes) and not s.deaths
            for at in range(1 if untouched else len(s.nodes)):
                yield f"{who} joins at node {at}", self._join(s, index, at)
            return
        turn = turn_of(player.mirror or ())
        if player.asked is None and turn < self.bounds.turns and turn % 2 == index:
            for action in ACTIONS:
                after = _player(s, index, asked=(turn, action))
                yield f"{who} plays {action} at turn {turn}", after
        if player.written is not None:
            yield from self._written(s, index, player)
        elif player.asked is not None:
            yield from self._handle(s, index, player)

    def _of_node(self, s: State, index: int, node: Node) -> Steps:
        if node.inbox:
            yield f"node {index} hears of an event", self._hear(s, index)
        behind = node.known is not None and node.known != self._store(s, index)
        if behind and self.broken != "no place check":
            yield f"node {index} checks its place", self._catch_up(s, index)
        if node.misled:
            found = _node(s, index, misled=False)
            yield f"node {index} finds the new primary", self._disconnected(found, index)

    def _faults(self, s: State) -> Steps:
        bounds = self.bounds
        if s.failovers < bounds.failovers:
            left = s._replace(log=s.log[: s.replica], failovers=s.failovers + 1, deposed=None)
            left = self._disconnected(left, *range(len(s.nodes)))
            yield "!the replica is promoted", left
            split = left._replace(
                deposed=s.log, nodes=tuple(each._replace(misled=True) for each in s.nodes)
            )
            yield "!the replica is promoted, and no node knows", split
        for index, node in enumerate(s.nodes):
            if s.deaths < bounds.deaths and node.known is not None:
                dead = _node(s, index, known=None, inbox=())
                yield f"!node {index} dies", _cut(dead._replace(deaths=s.deaths + 1), index)
            if s.losses < bounds.losses and node.inbox:
                lost = _node(s, index, inbox=node.inbox[1:])
                yield f"!a publication to node {index} is lost", lost._replace(losses=s.losses + 1)
        for index, player in enumerate(s.players):
            if s.cuts < bounds.cuts and player.node != AWAY:
                cut = _player(s, index, node=AWAY, written=None)
                yield f"!player {index} loses the connection", cut._replace(cuts=s.cuts + 1)

    # --- the store --------------------------------------------------------------------------------

    def _store(self, s: State, node: int) -> Log:
        """The log that a node reads."""
        misled = s.nodes[node].misled and s.deposed is not None
        return s.deposed if misled else s.log  # type: ignore[return-value]

    def _put(self, s: State, node: int, log: Log) -> State:
        """Append what makes a log this, and publish it to whoever listens there."""
        misled = s.nodes[node].misled and s.deposed is not None
        nodes = tuple(
            each._replace(inbox=(*each.inbox, log))
            if each.known is not None and (each.misled and s.deposed is not None) == misled
            else each
            for each in s.nodes
        )
        return s._replace(deposed=log, nodes=nodes) if misled else s._replace(log=log, nodes=nodes)

    def _append(self, s: State, node: int, expected: Log, event: Event) -> State | None:
        """append.lua; None: the log ends elsewhere."""
        log = self._store(s, node)
        if log != expected and self.broken != "no compare":
            return None
        return self._put(s, node, (*log, event))

    def _safe(self, s: State, node: int, length: int) -> bool:
        """Whether as many events as nodes wait for are at the replica (WAIT)."""
        if not self.bounds.waits:
            return True
        misled = s.nodes[node].misled and s.deposed is not None
        return not misled and s.replica >= length

    def _confirmed(self, s: State, node: int, place: Log, *, last: bool = False) -> bool:
        log = self._store(s, node)
        held = log == place if last else begins(log, place)
        return held and (self.broken == "no confirm" or self._safe(s, node, len(log)))

    def _disconnected(self, s: State, *nodes: int) -> State:
        """A node waits for the replica on the connection on which it has written."""
        if not self.bounds.waits:
            return s
        players = (p._replace(written=None) if p.node in nodes else p for p in s.players)
        return s._replace(players=tuple(players))

    # --- nodes ------------------------------------------------------------------------------------

    def _know(self, s: State, index: int, log: Log) -> State:
        """A node has this log, and tells all who follow the room there."""
        players = tuple(
            each._replace(mirror=log) if each.node == index else each for each in s.players
        )
        return _node(s, index, known=log)._replace(players=players)

    def _hear(self, s: State, index: int) -> State:
        """A publication arrives: the next event, one that is known, or a hole or a fork."""
        (heard, *rest), known = s.nodes[index].inbox, s.nodes[index].known
        s = _node(s, index, inbox=tuple(rest))
        if known is None or epoch_of(heard) < epoch_of(known) or begins(known, heard):
            return s
        follows = heard[:-1] == known
        if self.broken == "ignore the chain":
            if len(heard) <= len(known):
                return s
            follows = len(heard) == len(known) + 1
        if follows:
            return self._know(s, index, (*known, heard[-1]))
        return self._catch_up(s, index)

    def _catch_up(self, s: State, index: int) -> State:
        """Read the log; if it lacks what we know, it has lost its end."""
        known, log = s.nodes[index].known, self._store(s, index)
        if known is None or begins(log, known):
            return self._know(s, index, log)
        if self.broken == "ignore the chain" and len(log) >= len(known):
            return self._know(s, index, (*known, *log[len(known) :]))
        return self._renew(s, index, known)

    def _renew(self, s: State, index: int, known: Log) -> State:
        """Begin a new epoch after what is left, unless somebody has."""
        log = self._store(s, index)
        if not self._confirmed(s, index, log, last=True):
            return s
        if epoch_of(log) > epoch_of(known) or self.broken == "renew nothing":
            return self._know(s, index, log)
        if self.bounds.waits and begins(s.log, known):
            return s._replace(wrong="law 6: a new epoch began, and nothing was lost")
        epoch = epoch_of(known) + 1 if self.broken == "count epochs" else s.epoch + 1
        if epoch <= s.epoch:
            return s._replace(wrong="law 6: an epoch comes twice")
        after = self._append(s, index, log, (epoch, -1, ""))
        assert after is not None
        return after._replace(epoch=epoch)

    # --- requests ---------------------------------------------------------------------------------

    def _join(self, s: State, index: int, at: int) -> State:
        """Follow the room at a node, from the mirror on if the log knows its place."""
        mirror = s.players[index].mirror
        if s.nodes[at].known is None:
            s = _node(s, at, known=self._store(s, at))
        known = s.nodes[at].known or ()
        resumes = mirror is None or begins(known, mirror)
        by_number = self.broken == "resume by number" and mirror is not None
        if by_number and len(mirror or ()) <= len(known):
            return _player(s, index, node=at, mirror=(*(mirror or ()), *known[len(mirror or ()) :]))
        if resumes:
            return _player(s, index, node=at, mirror=known)
        if known != self._store(s, at):
            return self._catch_up(s, at)
        assert mirror is not None
        if epoch_of(known) <= epoch_of(mirror) and self.broken != "no witnesses":
            return self._renew(s, at, mirror)
        return _player(s, index, node=at, mirror=known)

    def _handle(self, s: State, index: int, player: Player) -> Steps:
        """A node decides an act on the room as it knows it."""
        assert player.asked is not None
        turn, at = player.asked[0], player.node
        known = s.nodes[at].known or ()
        done = next((known[: i + 1] for i, e in enumerate(known) if e[1:] == player.asked), None)
        if self.broken == "play at any turn":
            turn, done = turn_of(known), None
        if done is not None:
            if self._confirmed(s, at, done) or self.broken == "believe what is known":
                yield f"node {at} acknowledges again", self._acknowledge(s, index, done)
            else:
                yield f"node {at} cannot confirm", self._catch_up(s, at)
        elif turn != turn_of(known):
            if self._confirmed(s, at, known, last=True):
                yield f"node {at} refuses", self._refuse(s, index, turn)
            else:
                yield f"node {at} cannot refuse", self._catch_up(s, at)
        else:
            event = epoch_of(known), *player.asked
            if self.broken == "acknowledge first":
                early = self._acknowledge(s, index, (*known, event))
                yield f"node {at} acknowledges", early
            after = self._append(s, at, known, event)
            if after is None:
                yield f"node {at} meets a conflict", self._catch_up(s, at)
                return
            log = self._store(after, at)
            told = self._know(after, at, log)
            yield f"node {at} appends", _player(told, index, written=log)
            yield f"node {at} appends, and does not hear so", after

    def _written(self, s: State, index: int, player: Player) -> Steps:
        """A node waits for the replica."""
        assert player.written is not None
        at = player.node
        if self._safe(s, at, len(player.written)) or self.broken == "no wait":
            yield f"node {at} acknowledges", self._acknowledge(s, index, player.written)
        else:
            yield f"node {at} waits in vain", _player(s, index, written=None)

    def _acknowledge(self, s: State, index: int, place: Log) -> State:
        after = _player(s, index, asked=None, written=None)
        return after._replace(acknowledged=s.acknowledged | {place})

    def _refuse(self, s: State, index: int, turn: int) -> State:
        if self.bounds.waits and turn_of(s.log) == turn:
            return s._replace(wrong="law 3: an act was refused by a log that is none")
        return _player(s, index, asked=None)

    # --- laws -------------------------------------------------------------------------------------

    def wrong(self, s: State) -> str | None:
        if s.wrong is not None:
            return s.wrong
        turns = [turn for _, turn, _ in s.log if turn >= 0]
        if turns != list(range(len(turns))):
            return "law 7: an action was played twice, or at a turn that was over"
        epochs = [epoch for epoch, turn, _ in s.log]
        if epochs != sorted(epochs):
            return "law 6: an epoch came again"
        promised = self.bounds.waits or not s.failovers
        if promised and not all(begins(s.log, place) for place in s.acknowledged):
            return "law 4: what was acknowledged is not in the log"
        return None

    def wrong_at_rest(self, s: State) -> str | None:
        for index, player in enumerate(s.players):
            if player.asked is not None or player.node == AWAY:
                return f"law 8: player {index} waits for ever"
            if player.mirror != s.log:
                return f"law 6: player {index} sees another board than the log has"
        for place in s.acknowledged:
            if not begins(s.log, place) and epoch_of(s.log) <= epoch_of(place):
                return "law 6: what was acknowledged is lost, and no new epoch says so"
        return None


def _node(s: State, index: int, **changes: Any) -> State:
    nodes = list(s.nodes)
    nodes[index] = nodes[index]._replace(**changes)
    return s._replace(nodes=tuple(nodes))


def _player(s: State, index: int, **changes: Any) -> State:
    players = list(s.players)
    players[index] = players[index]._replace(**changes)
    return s._replace(players=tuple(players))


def _cut(s: State, node: int) -> State:
    """All who are connected to a node lose it."""
    gone = (
        each._replace(node=AWAY, written=None) if each.node == node else each for each in s.players
    )
    return s._replace(players=tuple(gone))
