"""Who the house bots are that come with every server (SPEC 23.15, 23.21).

Their ids are made by nodes alone: those of guests and of a provider's users look different.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"random": "Pip", "one-step": "Mira", "search": "Otto"}
)
"""The levels, the weakest first, and who plays there."""

_ID = re.compile(r"house-([a-z][a-z0-9-]*)-[0-9a-f]{12}")


def house_id(level: str, node: str) -> str:
    """The id of a node's bot of a level; `node` has 12 hexadecimal digits."""
    return f"house-{level}-{node}"


def level_of(user: str) -> str | None:
    """The level of the house bot that has this id; None for all other users."""
    found = _ID.fullmatch(user)
    return found and found[1]
