"""What the keys of the model hold: sorted sets and streams. Strings are bytes, hashes and lists are
Python's own. No table needs a set yet; Python's own would have an order that depends on the process
that runs it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import TypeAlias

Id: TypeAlias = tuple[int, int]

LAST = 2**64 - 1


class SortedSet:
    """Members by score, and then by name."""

    __slots__ = ("order", "scores")

    def __init__(self) -> None:
        self.scores: dict[bytes, float] = {}
        self.order: list[tuple[float, bytes]] = []

    def __len__(self) -> int:
        return len(self.scores)

    def put(self, member: bytes, score: float) -> bool:
        """Whether it is new."""
        before = self.scores.get(member)
        if before is not None:
            if before == score:
                return False
            del self.order[bisect_left(self.order, (before, member))]
        self.scores[member] = score
        insort(self.order, (score, member))
        return before is None

    def drop(self, member: bytes) -> bool:
        score = self.scores.pop(member, None)
        if score is None:
            return False
        del self.order[bisect_left(self.order, (score, member))]
        return True

    def span(self, low: bytes, high: bytes) -> tuple[int, int]:
        """The places of the members between two scores, as commands write them."""
        first, last = _bound(low), _bound(high)
        begin = _place(self.order, first[0], above=first[1])
        return begin, max(begin, _place(self.order, last[0], above=not last[1]))


def _place(order: list[tuple[float, bytes]], score: float, *, above: bool) -> int:
    place = bisect_right if above else bisect_left
    return place(order, score, key=lambda each: each[0])


def _bound(text: bytes) -> tuple[float, bool]:
    """A score, and whether it does not count itself."""
    return (float(text[1:]), True) if text[:1] == b"(" else (float(text), False)


class Stream:
    """Entries by their ids."""

    __slots__ = ("entries", "ids", "last")

    def __init__(self) -> None:
        self.ids: list[Id] = []
        self.entries: list[list[bytes]] = []
        self.last: Id = (0, 0)

    def __len__(self) -> int:
        return len(self.ids)

    def span(self, low: bytes, high: bytes) -> tuple[int, int]:
        """The places of the entries between two ids, as commands write them."""
        begin = bisect_left(self.ids, self._first(low))
        return begin, max(begin, bisect_right(self.ids, self._last(high)))

    def trim(self, most: int) -> int:
        gone = max(0, len(self.ids) - most)
        del self.ids[:gone], self.entries[:gone]
        return gone

    def _first(self, text: bytes) -> Id:
        if text == b"-":
            return 0, 0
        if text[:1] == b"(":
            main, seq = read_id(text[1:], 0)
            return main, seq + 1
        return read_id(text, 0)

    def _last(self, text: bytes) -> Id:
        if text == b"+":
            return LAST, LAST
        if text[:1] == b"(":
            main, seq = read_id(text[1:], 0)
            return (main, seq - 1) if seq else (main - 1, LAST)
        return read_id(text, LAST)


def read_id(text: bytes, default: int) -> Id:
    main, _, seq = text.partition(b"-")
    return int(main), int(seq) if seq else default


def written(id_: Id) -> bytes:
    return b"%d-%d" % id_


def digits(score: float) -> bytes:
    """A score as replies show it."""
    if score == int(score) if abs(score) < 1e17 else False:
        return b"%d" % int(score)
    return f"{score:.17g}".encode()
