"""The expected files of `protocol/vectors`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pierule_protocol.games.writing import documents
from support.vectors import (
    clocks,
    codec,
    names,
    places,
    proofs,
    ratings,
    rooms,
    sessions,
    transcripts,
)
from support.vectors.layout import write

FOLDER = Path(__file__).parents[3] / "protocol" / "vectors"


@cache
def texts() -> dict[str, str]:
    """The text of each file by its name."""
    return {
        "chain.json": write(places.chains()),
        "clocks.json": write(clocks.build()),
        "codec.json": write(codec.build()),
        "fold.json": write(rooms.build()),
        "names.json": write(names.build()),
        "position.json": write(places.positions()),
        "proofs.json": write(proofs.build()),
        "ratings.json": write(ratings.build()),
        "resume.json": write(transcripts.build()),
        "sessions.json": write(sessions.build()),
        **{f"game-{name}.json": written.text for name, written in documents().items()},
        **{
            f"lessons-{name}.json": written.lessons.text
            for name, written in documents().items()
            if written.lessons
        },
    }
