"""Nodes over a store in memory."""

from __future__ import annotations

from server.rooms.conftest import node, two

__all__ = ["node", "two"]
