"""A line as it is typed, key by key."""

from __future__ import annotations

import pytest

from pierule_terminal.editor import LONGEST, LineEditor


@pytest.mark.parametrize(
    ("keys", "finished", "typed"),
    [
        (b"c3", [], "c3"),
        (b"c3\n", ["c3"], ""),
        (b"c3\r", ["c3"], ""),
        (b"a1\nb2\nc", ["a1", "b2"], "c"),
        (b"c34\x7f\n", ["c3"], ""),
        (b"\x7f\x7fc\b\n", [""], ""),
        (b"c3 d4\x17e5", [], "c3 e5"),
        (b"c3\x15d4", [], "d4"),
        (b"c\x1b[A\x1b[1;5D\x1bOB3", [], "c3"),
        (b"\x01\x02c\x003\t", [], "c3"),
        ("é".encode(), [], "é"),
        (b"\xff", [], "�"),
        (b"x" * 1000, [], "x" * LONGEST),
    ],
)
def test_keys_edit_the_line(keys: bytes, finished: list[str], typed: str) -> None:
    for step in (len(keys), 1):
        editor = LineEditor()
        lines = []
        for i in range(0, len(keys), step):
            lines += editor.feed(keys[i : i + step])
        assert (lines, editor.typed) == (finished, typed)


def test_ctrl_d_ends_an_empty_line_only() -> None:
    editor = LineEditor()
    editor.feed(b"c\x04")
    assert not editor.ended
    editor.feed(b"\x7f\x04")
    assert editor.ended
