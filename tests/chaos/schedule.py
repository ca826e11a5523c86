"""What goes wrong, and when: a list of faults that follows from a seed alone. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

Store: TypeAlias = Literal["single", "sentinel", "cluster"]

NODES = 3
DOORS = 3
"""Proxies in front of each node, through which clients connect."""

EVERYWHERE: dict[str, tuple[float, float]] = {
    "client delay": (0.3, 1.5),
    "client cut": (0.0, 0.0),
    "client black hole": (0.2, 1.0),
    "client one way": (0.2, 1.0),
    "node kill": (0.0, 0.8),
    "node pause": (0.1, 1.5),
    "clock jump": (1.0, 4.0),
}
"""Kinds that need no particular store, with their shortest and longest duration in seconds."""

OVER_A_LINK: dict[str, tuple[float, float]] = {
    "store link delay": (0.3, 1.5),
    "store link cut": (0.0, 0.0),
    "store link black hole": (0.1, 1.0),
    "store link one way": (0.1, 1.0),
    "lost message": (0.0, 0.0),
}
"""Kinds that hit the way from one node to any store."""

OF_A_STORE: dict[str, tuple[float, float]] = {
    "store kill": (0.0, 0.5),
    "store pause": (0.1, 1.0),
}

OF_THE_ARCHIVE: dict[str, tuple[float, float]] = {
    "database kill": (0.0, 3.0),
    "database pause": (0.1, 3.0),
    "database slow": (1.0, 4.0),
}

OF_WORKERS: dict[str, tuple[float, float]] = {
    "worker kill": (0.0, 0.0),
    "worker pause": (0.1, 1.5),
    "workers restart": (0.0, 0.0),
}
"""Kinds for nodes that are supervisors with workers; the other kinds then hit supervisors."""

KINDS: dict[Store, dict[str, tuple[float, float]]] = {
    "single": EVERYWHERE | OVER_A_LINK | OF_A_STORE | OF_THE_ARCHIVE,
    "sentinel": {"store fail-over": (0.0, 0.0), "client cut": (0.0, 0.0), "node kill": (0.0, 0.8)}
    | OVER_A_LINK,
    "cluster": {"slot migration": (0.0, 0.0), "client cut": (0.0, 0.0)} | OVER_A_LINK,
}
"""The kinds for each store."""

OUTAGE = (2.7, 3.5)
"""Seconds that one in `OUTAGES` store faults lasts: long enough for a credit to the clocks."""
OUTAGES = 10

JUMPS = (-90_000.0, -3_600.0, -30.0, -3.0, 3.0, 30.0, 3_600.0, 90_000.0)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that begins `at` seconds after the start and lasts `seconds`.

    `target` is the number of the node, door or other part that the kind hits; `chance`, from 0 up
    to 1, decides everything else.
    """

    at: float
    kind: str
    target: int
    seconds: float
    chance: float


def schedule(seed: int, counts: dict[str, int], store: Store, seconds: float) -> list[Fault]:
    """These counts of faults of each kind, shuffled and spread over the time."""
    rng = Random(f"{seed} {store}")
    kinds = [kind for kind, count in sorted(counts.items()) for _ in range(count)]
    rng.shuffle(kinds)
    step = seconds / max(len(kinds), 1)
    return [_fault((n + rng.random()) * step, kind, store, rng) for n, kind in enumerate(kinds)]


def _fault(at: float, kind: str, store: Store, rng: Random) -> Fault:
    lasts = (KINDS[store] | OF_WORKERS)[kind]
    if kind in ("store kill", "store pause") and rng.randrange(OUTAGES) == 0:
        lasts = OUTAGE
    targets = NODES * DOORS if kind.startswith("client") else NODES
    return Fault(at, kind, rng.randrange(targets), rng.uniform(*lasts), rng.random())


def kinds_of(store: Store, workers: int) -> dict[str, tuple[float, float]]:
    """The kinds for a store whose nodes have this many workers each."""
    return KINDS[store] | (OF_WORKERS if workers > 1 else {})


def counts_of(store: Store, total: int, rare: int = 0, workers: int = 1) -> dict[str, int]:
    """`total` faults in equal parts of each kind of a store; if `rare` is given, so many of the
    kinds that only this store has, and the others share the rest."""
    kinds = kinds_of(store, workers)
    own = [kind for kind in kinds if rare and kind not in KINDS["single"] | OF_WORKERS]
    others = [kind for kind in kinds if kind not in own]
    rest = max(0, total - rare * len(own))
    shares = {kind: rest // len(others) + (n < rest % len(others)) for n, kind in enumerate(others)}
    return {kind: count for kind, count in (shares | dict.fromkeys(own, rare)).items() if count}
