"""An explicit-state model checker: visits every state that can be reached, the nearest first.

So the story that it tells of a broken law is a shortest one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Model(Protocol[S]):
    """What there is to check. A step whose name begins with `!` is a fault: it may happen, but
    nobody may rely on it."""

    def initial(self) -> S: ...

    def steps(self, state: S) -> Iterator[tuple[str, S]]:
        """What may happen next, and what comes of it."""
        ...

    def wrong(self, state: S) -> str | None:
        """Which law does not hold in this state."""
        ...

    def wrong_at_rest(self, state: S) -> str | None:
        """The same for a state in which nothing happens any more but faults."""
        ...


@dataclass(frozen=True)
class Found(Generic[S]):
    """A law that does not hold, and the steps that lead there."""

    why: str
    story: list[str]


@dataclass(frozen=True)
class Outcome(Generic[S]):
    """What a run has seen; `whole`: there is nothing more to see."""

    states: int
    steps: int
    depth: int
    whole: bool
    found: Found[S] | None


def check(
    model: Model[S], most: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Outcome[S]:
    """Visit all states, or `most` of them, until a law is broken. `progress` hears of the states
    and the depth of each level."""
    first = model.initial()
    came: dict[S, tuple[S, str] | None] = {first: None}
    level, depth, steps = deque([first]), 0, 0
    while level:
        following: deque[S] = deque()
        for state in level:
            why, rests = model.wrong(state), True
            for name, after in model.steps(state):
                steps += 1
                rests = rests and (name.startswith("!") or after == state)
                if after not in came:
                    came[after] = state, name
                    following.append(after)
            if why is None and rests:
                why = model.wrong_at_rest(state)
            if why is not None:
                return Outcome(len(came), steps, depth, False, Found(why, _story(came, state)))
            if most is not None and len(came) >= most:
                return Outcome(len(came), steps, depth, False, None)
        level, depth = following, depth + 1
        if progress is not None:
            progress(len(came), depth)
    return Outcome(len(came), steps, depth - 1, True, None)


def _story(came: dict[S, tuple[S, str] | None], state: S) -> list[str]:
    names = []
    while (before := came[state]) is not None:
        state, name = before
        names.append(name)
    return names[::-1]
