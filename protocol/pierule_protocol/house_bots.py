"""The names, levels and ids of house bots (SPEC 23.15, 23.21).

Only nodes make such ids: the ids of guests and of an identity provider's users look different.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"random": "Pip", "one-step": "Mira", "search": "Otto"}
)
"""The name of the bot of each level, the weakest first."""

_ID = re.compile(r"house-([a-z][a-z0-9-]*)-[0-9a-f]{12}")


def house_id(level: str, node: str) -> str:
    """The id of a node's bot of a level; `node` has 12 hexadecimal digits."""
    return f"house-{level}-{node}"


def level_of(user: str) -> str | None:
    """The level of the house bot that has this id; None for all other users."""
    found = _ID.fullmatch(user)
    return found and found[1]
