"""Nodes over the model of the store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from support.nodes import Node, running


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with running() as [node]:
        yield node


@pytest.fixture
async def two() -> AsyncIterator[list[Node]]:
    async with running(2) as nodes:
        yield nodes
