"""What draws nothing, and what cannot be told apart (SPEC 1.3, 24.9)."""

from __future__ import annotations

import json
import string
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pierule_server.handlers.chat import clean_message
from pierule_server.identity.lookalikes import (
    _prototypes,
    fold,
    ignorable,
    letters,
    skeleton,
    visible,
)
from pierule_server.identity.tokens import BadName, clean_name
from pierule_server.lobby.names import RESERVED, is_kept
from pierule_server.rooms.decisions.decide import Refused
from support.vectors.files import FOLDER

VECTORS = json.loads((FOLDER / "names.json").read_text("utf-8"))
LETTERS = string.ascii_letters + string.digits + "_-"
ALIKE: dict[str, list[str]] = {}
for point, shape in _prototypes().items():
    ALIKE.setdefault(shape, []).append(chr(point))
LOOKS = {each: ALIKE.get(skeleton(each), []) for each in LETTERS}


@pytest.mark.parametrize("case", VECTORS["registered"], ids=lambda case: case["name"])
def test_lookalike_names_count_as_the_same_name(case: dict[str, list[str]]) -> None:
    for name in case["alike"]:
        assert fold(name) == fold(str(case["name"])), name
    for name in case["different"]:
        assert fold(name) != fold(str(case["name"])), name


def test_skeletons_match_the_vectors() -> None:
    for case in VECTORS["skeletons"]:
        assert skeleton(case["text"]) == case["skeleton"]
    assert skeleton("\u0440\u0430\u0443\u0440\u0430l") == "paypal"
    assert skeleton("Tom") == "Torn"
    assert skeleton("I1l|") == "llll"


@given(st.text(LETTERS, min_size=2, max_size=24), st.data())
def test_a_look_alike_folds_to_the_same_name(name: str, data: st.DataObject) -> None:
    seen = "".join(data.draw(st.sampled_from([each, *LOOKS[each]])) for each in name)
    assert fold(seen) == fold(name)
    assert fold(name.swapcase()) == fold(name)
    hidden = data.draw(st.sampled_from("\u17b4\u034f\ufe0f\u200b\u00ad\U000e0100"))
    assert fold(f"{name}{hidden}") == fold(name)


@given(st.text())
def test_the_skeleton_of_a_skeleton_is_itself(text: str) -> None:
    """UTS 39 has no mapping of what something else is mapped to."""
    assert skeleton(skeleton(text)) == skeleton(text)
    assert unicodedata.is_normalized("NFD", skeleton(text))


def test_names_that_look_like_an_operators_or_a_house_bots_are_those_of_the_vectors() -> None:
    for name in VECTORS["taken"]:
        assert clean_name(name) == name
        assert is_kept(name), name
    for name in [*VECTORS["names"]["fit"], *(case["name"] for case in VECTORS["registered"])]:
        assert not is_kept(name), name


@given(st.sampled_from(["server", "Pierule", "ADMIN"]), st.data())
def test_no_sign_makes_an_operators_name_another(name: str, data: st.DataObject) -> None:
    signs = st.text(st.characters(categories=["P", "S", "Z", "M"]), max_size=2)
    seen = "".join(data.draw(st.sampled_from([each, *LOOKS[each]])) for each in name)
    marked = data.draw(signs) + seen + data.draw(signs)
    kept = "".join(c for c in fold(marked) if unicodedata.category(c)[0] in "LN")
    assume(len(kept) == len(fold(name)))  # some signs look like a letter: `|` like `l`
    assert letters(marked) in RESERVED


BRACKETS = st.characters(categories=["Ps", "Pe"]).filter(
    lambda shape: "QUOTATION" not in unicodedata.name(shape)
)


@given(st.text(LETTERS, max_size=9), BRACKETS, st.text(LETTERS, max_size=9))
def test_no_bracket_gets_into_a_name(before: str, shape: str, after: str) -> None:
    with pytest.raises(BadName):
        clean_name(f"a{before}{shape}{after}a")


@given(st.text(min_size=1, max_size=24))
def test_what_a_name_becomes_has_no_bracket(name: str) -> None:
    try:
        clean = clean_name(name)
    except BadName:
        return
    assert not set("()[]{}") & set(unicodedata.normalize("NFKC", clean))
    assert not set("()[]") & set(skeleton(clean))


@pytest.mark.parametrize("kind", ["fit", "unfit"])
def test_names_and_messages_are_fit_or_unfit_as_in_the_vectors(kind: str) -> None:
    for name in VECTORS["names"][kind]:
        if kind == "fit":
            assert clean_name(name) == name
        else:
            with pytest.raises(BadName):
                clean_name(name)
    for line in VECTORS["lines"][kind]:
        if kind == "fit":
            assert clean_message(line) == line
        else:
            with pytest.raises(Refused):
                clean_message(line)


def test_ignorable_characters_are_those_of_unicode() -> None:
    points = [point for point in range(0x110000) if ignorable(chr(point))]
    assert len(points) == 4_174  # as DerivedCoreProperties.txt of Unicode 17 says
    assert not any(visible(chr(point)) for point in points)
