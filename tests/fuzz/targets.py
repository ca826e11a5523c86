"""What `make fuzz` tries, by name: what is done with any bytes, and the bytes to begin with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random

from fuzz.library import SERVER
from fuzz.oracle import check_decoder, seeds
from fuzz.test_decoder import test_any_well_formed_frame_is_decoded_or_refused
from fuzz.test_libraries import test_both_follow_a_room_alike
from fuzz.test_session import test_requests_in_any_order_are_each_answered_once
from fuzz.visits import Visits, visits

KEPT = {name: Path(__file__).with_name("corpus") / name for name in (*SERVER, "page")}
"""Where the input is kept that reached new code."""

_visited = cache(Visits)


def _visit(data: bytes) -> None:
    _visited().check(data)


def long_bytes() -> list[bytes]:
    """Enough of them for hypothesis: of fewer than a thousand, it often makes nothing."""
    return [Random(number).randbytes(2_048) for number in range(16)]


TARGETS: dict[str, Callable[[bytes], object]] = {
    **{name: partial(check_decoder, codec) for name, codec in SERVER.items()},
    "page": _visit,
    "messages": test_any_well_formed_frame_is_decoded_or_refused.hypothesis.fuzz_one_input,  # type: ignore[attr-defined]
    "session": test_requests_in_any_order_are_each_answered_once.hypothesis.fuzz_one_input,  # type: ignore[attr-defined]
    "libraries": test_both_follow_a_room_alike.hypothesis.fuzz_one_input,  # type: ignore[attr-defined]
}

SEEDS: dict[str, Callable[[], list[bytes]]] = {
    **{name: partial(seeds, codec) for name, codec in SERVER.items()},
    "page": visits,
    **dict.fromkeys(("messages", "session", "libraries"), long_bytes),
}
