"""The store that `pierule admin` works on."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from pierule_server.store.driver.embedded import embedded_store, running_store
from pierule_server.store.driver.primary import trusting
from pierule_server.store.room_log import StoreUnusable


@asynccontextmanager
async def store_of(args: argparse.Namespace, *, must_exist: bool) -> AsyncIterator[str]:
    """The store's URL. If the store is embedded and does not run, start it for this. Raises
    StoreUnusable, also if it `must_exist` and no server ever kept its data there."""
    if args.store != "embedded":
        yield trusting(args.store, args.store_ca)
        return
    running = running_store(args.data) if must_exist else None
    async with AsyncExitStack() as stack:
        try:
            url = await stack.enter_async_context(embedded_store(args.data))
        except StoreUnusable:  # a server has it open
            if running is None:
                raise
            url = running
        yield url
