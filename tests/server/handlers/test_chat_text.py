"""What a chat message may consist of (SPEC 21)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_server.handlers.chat import MESSAGE_CHARACTERS, clean_message
from pierule_server.rooms.decisions.decide import Refused


def cleaned(text: str) -> str | None:
    """The line that a text becomes; None if it is refused."""
    try:
        return clean_message(text)
    except Refused:
        return None


@given(st.text(max_size=320))
def test_a_message_is_cleaned_or_refused(text: str) -> None:
    line = cleaned(text)
    if line is not None:
        assert 1 <= len(line) <= MESSAGE_CHARACTERS
        assert cleaned(line) == line
        assert not set(line) & {"\n", "\r", "\x1b", "\u202e", "\u2028", "\u2066", "\x7f"}


@pytest.mark.parametrize(
    "text", ["", "  ", "x" * 301, "a\nb", "\x1b[2J", "a\u202eb", "\u2028", "\0"]
)
def test_control_characters_are_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        clean_message(f"x{text}x" if text and text != "  " else text)
    assert (caught.value.code, caught.value.fields) == (Code.BAD_FIELD, {"field": "text"})


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  e\u0301 ", "\u00e9"),
        ("\U0001f469\u200d\U0001f33e", "\U0001f469\u200d\U0001f33e"),  # a joiner makes one of two
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian needs the other
        ("\u68cb" * 300, "\u68cb" * 300),
    ],
)
def test_ordinary_text_is_kept(text: str, kept: str) -> None:
    assert clean_message(text) == kept
