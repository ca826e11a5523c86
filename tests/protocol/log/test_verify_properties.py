"""No change of a record goes unnoticed, whatever it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.record import (
    BadRecord,
    read_record,
    write_record,
)
from pierule_protocol.state.position import digest
from support.forging import (
    RECORDS,
    change,
    found,
    relink,
    with_events,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in JSON that is no container, with the way to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, (*path, index))
    else:
        yield path, value


JSON = {name: json.loads(write_record(record)) for name, record in RECORDS.items()}
SCALARS = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), st.integers(-5, 5),
    st.integers(-(10**40), 10**40), st.sampled_from(["open", "over", "fischer", "played", 0.5]),
)  # fmt: skip


@given(st.data(), st.sampled_from(sorted(JSON)))
def test_a_change_of_any_value_is_found(data: st.DataObject, name: str) -> None:
    fields = json.loads(json.dumps(JSON[name]))
    path, old = data.draw(
        st.sampled_from([each for each in leaves(fields) if each[0] != ("room",)])
    )
    new = data.draw(_others(old).filter(lambda new: new != old or type(new) is not type(old)))
    at = fields
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    try:
        record = read_record(json.dumps(fields).encode())
    except BadRecord:
        return
    flaw = found(record)
    if path[0] == "events":
        assert flaw.seq == path[1] + 1 or path[2] == "seq" or flaw.where == "seats"
        assert (flaw.where == "seats") == (path[2] == "names")


def _others(old: Any) -> st.SearchStrategy[Any]:
    if isinstance(old, int):
        return SCALARS | st.integers(-3, 3).map(lambda more: old + more)
    if isinstance(old, str) and old:
        places = st.integers(0, len(old) - 1)
        return SCALARS | st.builds(
            lambda at, letter: old[:at] + letter + old[at + 1 :], places, st.characters()
        )
    return SCALARS


@given(st.data(), st.sampled_from(sorted(RECORDS)))
def test_any_other_choice_or_order_of_events_is_found(data: st.DataObject, name: str) -> None:
    record = RECORDS[name]
    events = data.draw(st.lists(st.sampled_from(record.events), max_size=len(record.events) + 1))
    if events != record.events:
        wrong = next(
            (i for i, (a, b) in enumerate(zip(events, record.events, strict=False)) if a != b),
            min(len(events), len(record.events)),
        )
        flaw = found(with_events(record, events))
        assert flaw.seq is not None
        assert flaw.seq <= wrong + 1


@given(st.text() | st.builds(json.dumps, st.dictionaries(st.text(), st.integers())))
def test_an_event_with_any_other_text_is_a_flaw(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    forged = relink(change(RECORDS["running"], 5, record=text))
    flaw = found(forged)
    assert (flaw.seq, flaw.where) == (5, "event 5")
    assert flaw.why.startswith("is not a record: ")


def test_the_digest_is_that_of_the_final_position() -> None:
    for record in RECORDS.values():
        assert digest(record.final.position) == record.events[-1].digest
