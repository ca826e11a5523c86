"""The side-by-side workloads: each adds its rounds and facts to the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from urllib.parse import urlsplit

from bench.crowd import FIGURES, spectator, storms, table
from bench.figures import Fact, Measured
from bench.machine import Machine, fsync_seconds, round_trip_seconds
from bench.ours import Pierule
from bench.peer import Audience, Peer, all_peers
from bench.rounds import Contender, Kind, interleave, say, started

IN_FLIGHT = 8
"""Steps in flight in front of an audience: enough to keep every server busy."""

FASTEST = 480_000
FASTEST_JOINED = 2_400_000
"""More deliveries a second than any server can reach, and than the C loop with joined writes, to
know how many steps to prepare."""

GENTLE = ("pierule", "loop", "colyseus", "broadcast")
GENTLE_RATE = 10

TABLES = 500


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    rounds: int = 3
    seconds: float = 2.0
    sizes: tuple[int, ...] = (100, 1_000, 4_000)
    peers: tuple[str, ...] = tuple(peer.name for peer in all_peers())
    store_core: str = "server"

    @property
    def gentle_seconds(self) -> float:
        """The length of a round at the gentle rate: at ten events a second, p99 needs a hundred of
        them."""
        return 5.5 * self.seconds


@dataclass(frozen=True)
class Bench:
    """A run: its machine, its options, and the results so far."""

    machine: Machine
    options: Options
    measured: list[Measured] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Prepare all programs. Raises `Missing`."""
        self.machine.built("load.c")
        for peer in all_peers():
            if peer.name in self.options.peers:
                peer.prepare(self.machine)

    def contenders(self, *only: str) -> list[Contender]:
        """Pierule and the chosen peers, or only the named ones."""
        found: list[Contender] = [Pierule(store_core=self.options.store_core)]
        found += [peer for peer in all_peers() if peer.name in self.options.peers]
        return [each for each in found if not only or each.name in only]

    def side_by_side(
        self,
        contenders: list[Contender],
        audience: Callable[[Contender], Audience],
        kinds: list[Kind],
    ) -> None:
        """Add the rounds of these contenders, even if one of them fails; then raise `Ended`."""
        try:
            for one in interleave(self.machine, contenders, audience, kinds, self.options.rounds):
                self.measured.append(one)
        finally:
            self.note(contenders)

    def note(self, contenders: list[Contender]) -> None:
        """Record the names and settings of the contenders."""
        for each in contenders:
            self.titles[each.name] = each.title
            if each.settings:
                self.settings[each.name] = each.settings

    def fact(self, group: str, name: str, value: float, unit: str) -> None:
        self.facts.append(Fact(group, name, value, unit))
        say(f"  {group}, {name}: {value:,.2f} {unit}")


def pace(contender: Contender) -> int:
    """More actions a second than it can reach in rooms of two."""
    return contender.pace if isinstance(contender, Peer) else 15_000


def fan_out(bench: Bench) -> None:
    """One small event to each of many, as fast as possible."""
    for size in bench.options.sizes:
        kind = Kind(f"fan-out {size}", bench.options.seconds, IN_FLIGHT)
        span = bench.options.rounds * kind.seconds + 1
        bench.side_by_side(bench.contenders(), partial(_watching, size, span), [kind])


def _watching(size: int, seconds: float, each: Contender) -> Audience:
    fastest = FASTEST_JOINED if each.name == "joined" else FASTEST
    return Audience.watching(size, int(seconds * fastest / size) + IN_FLIGHT)


def _same(audience: Audience, _each: Contender) -> Audience:
    return audience


def gentle(bench: Bench) -> None:
    """Ten events a second to 1,000 spectators: when does the last one have it?"""
    kind = Kind("gentle 1000", bench.options.gentle_seconds, IN_FLIGHT, GENTLE_RATE)
    steps = int(bench.options.rounds * kind.seconds * kind.rate) + 2 * GENTLE_RATE
    audience = Audience.watching(1_000, steps)
    bench.side_by_side(bench.contenders(*GENTLE), partial(_same, audience), [kind])


def rooms(bench: Bench, in_flight: tuple[int, ...] = (1, 64, TABLES)) -> None:
    """500 rooms of two: from an action until both have the event."""
    seconds = bench.options.seconds
    kinds = [Kind(f"rooms, {tokens} in flight", seconds, tokens) for tokens in in_flight]
    busy = sum(tokens > 1 for tokens in in_flight)
    span = bench.options.rounds * seconds * (busy + 0.2) + 1
    bench.side_by_side(
        bench.contenders(),
        lambda each: Audience(TABLES, 2, int(span * pace(each) / TABLES) + 10),
        kinds,
    )


def alone(bench: Bench) -> None:
    """One room and nobody else, beside the times of an fsync and a bare round trip to the store."""
    span = bench.options.rounds * bench.options.seconds + 1
    ours = bench.contenders("pierule", "loop")
    bench.side_by_side(
        ours,
        lambda each: Audience(1, 2, int(span * (2_000 if each.name == "pierule" else 30_000)), 2),
        [Kind("alone", bench.options.seconds, 1)],
    )
    pierule = Pierule()
    with started(bench.machine, pierule) as folder, bench.machine.on(bench.machine.server_core):
        bench.fact("floor", "one fsync", fsync_seconds(folder) * 1e6, "µs")
        path = urlsplit(pierule.store_urls[0]).path
        bench.fact("floor", "one bare round trip", round_trip_seconds(path) * 1e6, "µs")


def memory(bench: Bench) -> None:
    """What an idle spectator and a room with its two players cost the server."""
    contenders = bench.contenders()
    for each in contenders:
        bench.fact("idle spectator", each.name, spectator(bench.machine, each), "kB")
    for each in contenders:
        bench.fact("room with its two players", each.name, table(bench.machine, each), "kB")
    bench.note(contenders)


def storm(bench: Bench) -> None:
    """4,000 clients come at once to a freshly started node: the cost of each."""
    pierule = Pierule(store_core=bench.options.store_core)
    (came,) = storms(bench.machine, [pierule], bench.options.rounds)
    for what, (_, figure) in FIGURES.items():
        bench.fact("storm of 4,000", what.removesuffix(", ms"), median(map(figure, came)), "ms")
    bench.note([pierule])
