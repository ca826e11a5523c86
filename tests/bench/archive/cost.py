"""What archiving costs a node: one with an archive and one without play the same games in turn.

Before each round the archive has all finished games, so that no round pays for another. The nodes
take turns at going first, because the machine's speed changes. The games are those of the smallest
boards: they are short, and so end often.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import msgspec
import redis

from bench.figures import Case, Spread, actions
from bench.load import loading
from bench.machine import Machine, processor_seconds
from bench.ours import Pierule
from bench.peer import Audience
from bench.rounds import WARM_UP, Kind, measure, say, started
from support.stores import wait_for

BOARDS = (("taugo", 6), ("loose", 5), ("veletas", 7))
TABLES = 200
IN_FLIGHT = 64
FASTEST = 6_000
"""More actions a second than a node can reach."""

BOUND = 300.0
CASE = "short games"
WITH, WITHOUT = "with", "without"


class Playing(Pierule):
    """A node with its archive in SQLite, or without one."""

    kinds = BOARDS

    def __init__(self, name: str) -> None:
        super().__init__(flags=("--archive", "auto" if name == WITH else "off"))
        self.name = name
        self.title = f"{name} an archive"

    def rest(self) -> None:
        """Wait until the archive has everything."""
        if self.name == WITH:
            wait_for(lambda: not self._waiting(), "the archive", BOUND)

    def archived(self) -> int:
        """How many games the node has archived."""
        return int(self.nodes[0].measured("pierule_archive_games_total"))

    def _waiting(self) -> int:
        with redis.Redis.from_url(self.store_urls[0]) as store:
            keys = store.scan_iter(match="*}unarchived", count=1_000)
            return sum(sum(map(bool, store.zrange(key, 0, -1))) for key in keys)


class Cost(msgspec.Struct, frozen=True):
    """The results: actions a second with and without an archive, the ratio of paired rounds, the
    processor µs of node and store for an action, and the archive's cost for a game in µs, including
    the rest after each round."""

    with_archive: Spread
    without: Spread
    ratio: Spread
    games: int
    plies: float
    costs: dict[str, float]
    each: float


def measured(rounds: int, seconds: float) -> Cost:
    """Play this many rounds of this many seconds with each node."""
    with tempfile.TemporaryDirectory(prefix="pierule-bench-") as folder, ExitStack() as stack:
        machine = Machine(Path(folder))
        kind = Kind(CASE, seconds, IN_FLIGHT)
        steps = int((rounds * seconds + 2 * WARM_UP) * FASTEST / TABLES) + 10
        nodes, loads = [Playing(WITHOUT), Playing(WITH)], []
        for node in nodes:
            stack.enter_context(started(machine, node))
            plan = node.plan(Audience(TABLES, 2, steps))
            loads.append(stack.enter_context(loading(machine, plan)))
            loads[-1].run(WARM_UP, IN_FLIGHT)
            say(f"  {node.title}: {len(plan.members)} players")
        found, after = [], 0.0
        nodes[1].rest()
        before = nodes[1].archived()
        pairs = list(zip(nodes, loads, strict=True))
        for number in range(rounds):
            for node, load in pairs[:: -1 if number % 2 else 1]:
                one = measure(machine, node, load, kind, number)
                begun = _used(node)
                node.rest()
                after += _used(node) - begun if node.name == WITH else 0.0
                found.append(one)
                rate = one.round.actions / one.round.seconds
                say(f"  round {number + 1}, {node.title}: {rate:,.0f} actions a second")
        return _cost(Case(CASE, found), nodes[1].archived() - before, after)


def _used(node: Playing) -> float:
    return processor_seconds([*node.pids, *node.store_pids])


def _cost(case: Case, games: int, after: float) -> Cost:
    ratio = case.ratio(WITH, WITHOUT, actions)
    assert ratio is not None
    played = sum(one.round.actions for one in case.rounds(WITH))
    costs = {}
    for name in (WITHOUT, WITH):
        rounds = case.rounds(name)
        used = sum(one.server + one.store for one in rounds)
        costs[name] = 1e6 * used / sum(one.round.actions for one in rounds)
    more = (costs[WITH] - costs[WITHOUT]) * played / 1e6 + after
    return Cost(
        with_archive=case.spread(WITH, actions), without=case.spread(WITHOUT, actions),
        ratio=ratio, games=games, plies=played / max(1, games), costs=costs,
        each=1e6 * more / max(1, games),
    )  # fmt: skip
