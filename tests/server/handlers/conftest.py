"""Nodes over the model of the store."""

from __future__ import annotations

from server.rooms.conftest import node, two

__all__ = ["node", "two"]
