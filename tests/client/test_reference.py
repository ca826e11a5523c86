"""The reference of the client says something about everything that is public."""

from __future__ import annotations

from inspect import get_annotations, isclass
from pathlib import Path

import msgspec
import pdoc.doc
import pytest

import pierule
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.fields import meaning
from pierule_protocol.messages import Error
from support import api_pages


def documented(module: pdoc.doc.Module) -> list[pdoc.doc.Doc[object]]:
    members = [of.members.values() for of in module.classes]
    return [*module.members.values(), *(each for own in members for each in own)]


def test_everything_public_has_a_docstring() -> None:
    module = api_pages.reference()
    assert set(pierule.__all__) <= module.members.keys()
    ours = [each for each in documented(module) if each.taken_from[0].startswith("pierule")]
    every = [each for each in ours if not each.name.startswith("_")]
    assert len(every) > 100
    assert [each.fullname for each in every if not each.docstring.strip()] == []


def test_every_field_of_a_message_is_described() -> None:
    kinds = [kind for name in pierule.__all__ if isclass(kind := getattr(pierule, name))]
    messages = [kind for kind in kinds if issubclass(kind, msgspec.Struct)]
    assert len(messages) > 40
    fields = [
        (kind.__name__, each.name) for kind in messages for each in msgspec.structs.fields(kind)
    ]
    assert [field for field in fields if not meaning(*field)] == []
    assert set(MEANINGS) == set(Code)


@pytest.mark.parametrize(
    "error",
    [
        pierule.Refused(Error(id=1, code="stale", text="too late")),
        pierule.ConnectionLost("gone", 4001),
        pierule.Desync("kobadimu", "another digest"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_attribute_of_an_exception_is_declared(error: pierule.PieruleError) -> None:
    """For only what is declared is in the reference."""
    assert vars(error).keys() == get_annotations(type(error)).keys()


def test_the_page_of_the_reference_is_written(tmp_path: Path) -> None:
    api_pages.main(tmp_path)
    page = (tmp_path / "pierule.html").read_text("utf-8")
    for text in (
        "lag quota, in ms",
        "how many ms after the deadline the action arrived",
        "may be sent again",
        "(tuple[HandState, HandState])",
        "None if no clock runs",
    ):
        assert text.lower() in page.lower()
