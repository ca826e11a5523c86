"""Checks what must be gone at the end: tasks, connections, subscriptions, and what the store keeps
for finished rooms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulation.model.keyspace import Keyspace
from simulation.model.server import Store
from simulation.parts import SimulatedNode


def left_over(nodes: Iterable[SimulatedNode], store: Store) -> Iterator[str]:
    """What orderly stopped nodes have left behind, in words."""
    for node in nodes:
        for task in node.process.tasks.values():
            yield f"{node.name} left the task {task}"
    for _ in store.sessions:
        yield "a node left a connection to the store"
    for name in store.subscribers:
        yield f"nobody has left {name!r}"


def queued(space: Keyspace) -> bool:
    """Whether something is still queued for the archive."""
    return any(key.endswith(b"}unarchived") and _members(space, key) for key in list(space.values))


def kept_for_nothing(space: Keyspace, over: set[str], *, calm: bool) -> Iterator[str]:
    """What the store keeps although nobody needs it, if these rooms are over. Unless all was calm,
    a user may hold a room for longer: it is released with the next one."""
    for key in list(space.values):
        name = key.decode().partition("}")[2]
        if name == "pairings" and _members(space, key):
            yield f"nobody has carried out {_members(space, key)}"
        elif name in ("deadlines", "unarchived") or (calm and name.startswith("user:")):
            held = over.intersection(each.split()[0] for each in _members(space, key))
            if held:
                yield f"{key.decode()} holds rooms that are over: {sorted(held)}"


def _members(space: Keyspace, key: bytes) -> list[str]:
    """Those of a key; an empty one is a mark."""
    value = space.values[key] if space.there(key) else None
    found: Iterable[bytes] = getattr(value, "scores", value) or ()
    return [each.decode(errors="replace") for each in found if each]
