"""All servers with a fault: each module registers its own."""

from __future__ import annotations

from conform import (
    mutations_of_agreements,
    mutations_of_chat,
    mutations_of_lists,
    mutations_of_ratings,
    mutations_of_requests,
    mutations_of_rooms,
    mutations_of_strangers,
)
from conform.mutating import MUTATIONS, Mutation

__all__ = [
    "MUTATIONS",
    "Mutation",
    "mutations_of_agreements",
    "mutations_of_chat",
    "mutations_of_lists",
    "mutations_of_ratings",
    "mutations_of_requests",
    "mutations_of_rooms",
    "mutations_of_strangers",
]
