"""Who begins in which turn of the event loop."""

from __future__ import annotations

import asyncio
from functools import partial

from pierule_server.gateway.fair_queue import AT_ONCE, FairQueue


async def test_an_address_begins_so_much_in_each_turn_in_the_order_in_which_it_came() -> None:
    queue, begun = FairQueue(), list[int]()
    for number in range(2 * AT_ONCE + 1):
        assert queue.add("here", partial(begun.append, number)) is (number < AT_ONCE)
    assert begun == list(range(AT_ONCE))
    await asyncio.sleep(0)
    assert not queue.add("here", partial(begun.append, 2 * AT_ONCE + 1)), "no one overtakes"
    assert begun == list(range(2 * AT_ONCE))
    await asyncio.sleep(0)
    assert begun == list(range(2 * AT_ONCE + 2))


async def test_addresses_do_not_wait_for_each_other() -> None:
    queue, begun = FairQueue(), list[str]()
    for address in ("busy",) * 100 + ("one", "two"):
        queue.add(address, partial(begun.append, address))
    assert begun == ["busy"] * AT_ONCE + ["one", "two"]


async def test_a_turn_without_work_is_not_followed_by_another() -> None:
    queue, begun = FairQueue(), list[int]()
    queue.add("here", partial(begun.append, 1))
    await asyncio.sleep(0)
    assert not queue._begun
    assert not queue._waiting
    assert queue.add("here", partial(begun.append, 2))
    assert begun == [1, 2]


async def test_work_may_lead_to_more_work() -> None:
    queue, begun = FairQueue(), list[int]()

    def work(left: int) -> None:
        begun.append(left)
        if left:
            queue.add("here", partial(work, left - 1))

    queue.add("here", partial(work, 2 * AT_ONCE))
    assert len(begun) == AT_ONCE
    await asyncio.sleep(0)
    assert len(begun) == 2 * AT_ONCE
    await asyncio.sleep(0)
    assert len(begun) == 2 * AT_ONCE + 1


async def test_a_bug_in_one_piece_of_work_does_not_lose_the_others() -> None:
    queue, begun = FairQueue(), list[str]()

    def broken() -> None:
        raise RuntimeError("a bug")

    for _ in range(AT_ONCE):
        queue.add("here", partial(begun.append, "first"))
    queue.add("here", broken)
    queue.add("here", partial(begun.append, "last"))
    await asyncio.sleep(0)
    assert begun == ["first"] * AT_ONCE + ["last"]
