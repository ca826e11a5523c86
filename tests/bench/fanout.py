"""Simulates one famous game with up to a million spectators over many nodes, and a node's death,
and computes what so many connected people cost.

python -m bench.fanout [--spectators N] [--seed N]

Costs are those measured by `bench` (`last/bench.md`); figures that were never measured are named as
assumptions. Nothing here runs a server: it computes where limits are, not that anybody has reached
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from pierule.backoff import retry_delay

# --- measured, in seconds of a core (2026-11-22) ---

DELIVERY_SMALL, DELIVERY_LARGE = 2.0e-6, 3.1e-6
"""To write an event to each of 1,000, and of 4,000 spectators at a node. For more the latter is
assumed."""
ACTION, FURTHER_NODE, STORE_ACTION = 145e-6, 70e-6, 55e-6
"""Cost of an action in the mover's node; of its event at each further node with followers of the
room; in the store."""
CONNECTION_BYTES, PLAYER_BYTES = 7_500, 13_400  # of 2026-11-27

# --- assumed ---

PUBLISH = 5e-6
"""The store's cost of sending an event to one more node."""
RECONNECT = 0.5e-3
"""Cost of a handshake, a hello and joining the room again."""
PING, PING_SECONDS = 15e-6, 20
NETWORK, EVENT_BYTES = 1e-3, 400
"""Median seconds on the way to a node; bytes of an event with all headers."""
ROUND = 10.0
"""How long a client waits for a connection before it tries again."""


def delivery(audience: int) -> float:
    """The cost of one delivery at a node with this audience."""
    return DELIVERY_SMALL if audience <= 1_000 else DELIVERY_LARGE


@dataclass(frozen=True, slots=True)
class Fanout:
    """The fate of a game's events."""

    nodes: int
    p50: float
    p99: float
    busy: float
    """The share of a core that the game takes at each node."""
    mbit: float
    """The traffic of each node, in Mbit/s."""


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def watched(
    spectators: int, nodes: int, rng: Random, *, every: float = 2.0, events: int = 500,
    other: float = 0.3,
) -> Fanout:  # fmt: skip
    """A game with an event `every` so many seconds; nodes spend the share `other` of their time on
    other games, and serve one event after the other."""
    audience = -(-spectators // nodes)
    service = (FURTHER_NODE + audience * delivery(audience)) / (1 - other)
    free = [0.0] * nodes
    now, latest = 0.0, list[float]()
    for _ in range(events):
        now += rng.expovariate(1 / every)
        last = 0.0
        for node in range(nodes):
            # The store sends it to one node after the other.
            arrived = now + STORE_ACTION + node * PUBLISH + NETWORK * rng.lognormvariate(0, 0.5)
            free[node] = max(free[node], arrived) + service * rng.uniform(0.9, 1.2)
            last = max(last, free[node])
        latest.append(last + NETWORK * rng.lognormvariate(0, 0.5) - now)
    return Fanout(
        nodes, quantile(latest, 0.5), quantile(latest, 0.99), service * (1 - other) / every,
        audience * EVENT_BYTES * 8 / every / 1e6,
    )  # fmt: skip


def storm(connections: int, nodes: int, rng: Random, *, other: float = 0.3) -> tuple[float, float]:
    """One node dies, and its share of all connections comes to the others, as clients do. Return
    the seconds until half of them are back, and the last one."""
    share = -(-connections // nodes // max(1, nodes - 1))
    arrivals = sorted((retry_delay(0, rng), 0) for _ in range(share))
    cost = RECONNECT / (1 - other)
    free, back = 0.0, list[float]()
    while arrivals:
        again: list[tuple[float, int]] = []
        for at, attempt in arrivals:
            if free - at > ROUND:  # it gave up before its turn, and needs no answer
                again.append((at + ROUND + retry_delay(attempt + 1, rng), attempt + 1))
            else:
                free = max(free, at) + cost
                back.append(free)
        arrivals = sorted(again)
    return quantile(back, 0.5), back[-1]


@dataclass(frozen=True, slots=True)
class People:
    """A crowd: the share of players in it, and their pace."""

    connected: int
    playing: float = 0.1
    seconds_an_action: float = 10.0
    """Seconds between actions of a game, of both players together."""
    connections_a_node: int = 20_000

    @property
    def games(self) -> float:
        return self.connected * self.playing / 2

    @property
    def actions(self) -> float:
        """A second."""
        return self.games / self.seconds_an_action

    @property
    def nodes(self) -> int:
        return max(2, -(-self.connected // self.connections_a_node))

    def spread(self, together: bool) -> float:
        """The mean number of nodes with followers of a room: all are anywhere, or `together` with
        the players on one."""
        followers = self.connected / self.games
        return 1.0 if together else self.nodes * (1 - (1 - 1 / self.nodes) ** followers)

    def cores(self, together: bool) -> dict[str, float]:
        """The used cores, by purpose."""
        spread = self.spread(together)
        return {
            "actions": self.actions * ACTION,
            "further nodes": self.actions * (spread - 1) * FURTHER_NODE,
            "deliveries": self.actions * self.connected / self.games * 4.2e-6,
            "pings": self.connected / PING_SECONDS * PING,
            "store": self.actions * (STORE_ACTION + spread * PUBLISH),
        }

    @property
    def gigabytes(self) -> float:
        players = self.connected * self.playing
        return (players * PLAYER_BYTES + (self.connected - players) * CONNECTION_BYTES) / 1e9


def crowds() -> Iterator[str]:
    """What people cost, as a table."""
    yield (
        "| connected | nodes | actions/s | memory | cores: actions | further nodes | deliveries |"
        " pings | store | with followers together |"
    )
    yield "| ---: |" + " ---: |" * 9
    for connected in (10_000, 100_000, 1_000_000):
        crowd = People(connected)
        cores = [f"{part:.2f}" for part in crowd.cores(together=False).values()]
        together = sum(crowd.cores(together=True).values())
        yield (
            f"| {connected:,} | {crowd.nodes} | {crowd.actions:,.0f} | {crowd.gigabytes:.1f} GB | "
            + " | ".join(cores)
            + f" | {together:.2f} |"
        )


def fanouts(spectators: int, rng: Random) -> Iterator[str]:
    """One famous game, as a table."""
    yield (
        f"| {spectators:,} spectators over | to the last: p50 | p99 | of a core at each node |"
        " each sends | a node dies: half are back | all |"
    )
    yield "| ---: |" + " ---: |" * 6
    for nodes in (1, 5, 10, 20, 50, 100, 200):
        one = watched(spectators, nodes, rng)
        half, last = storm(spectators, nodes, rng) if nodes > 1 else (float("nan"), float("nan"))
        shown = [f"{seconds:,.2f} s" for seconds in (one.p50, one.p99)]
        again = [f"{seconds:,.1f} s" if nodes > 1 else "-" for seconds in (half, last)]
        yield (
            f"| {nodes} | "
            + " | ".join([*shown, f"{one.busy:.0%}", f"{one.mbit:,.0f} Mbit/s", *again])
            + " |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spectators", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("\n".join(crowds()))
    print()
    print("\n".join(fanouts(args.spectators, Random(args.seed))))


if __name__ == "__main__":
    main()
