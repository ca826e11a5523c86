"""The shapes by which the kit judges a server's messages fit what a server may rightly send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pierule_conform.checks.shapes import RECORDS, misfit, oddity

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"


def records(value: Any) -> Iterator[dict[str, Any]]:
    """All records of a vector file: wherever a message carries one, it is JSON text."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if key == "record" and isinstance(inner, str):
            record = json.loads(inner)
            if isinstance(record, dict) and record.get("kind") in RECORDS:
                yield record
        elif isinstance(inner, dict | list):
            yield from records(inner)


def test_every_record_of_the_vectors_fits() -> None:
    kinds = set()
    for name in ("fold.json", "sessions.json"):
        for record in records(json.loads((VECTORS / name).read_text())):
            kinds.add(record["kind"])
            assert misfit(record, RECORDS[record["kind"]]) is None, record
            assert oddity(record) is None, record
    assert kinds == set(RECORDS)
