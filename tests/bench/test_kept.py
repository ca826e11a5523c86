"""The README's figures are replaced as a whole, and nothing else of it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.kept import BEGIN, END, README, keep


def test_only_text_between_the_marks_is_replaced(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"# Before\n{BEGIN}\nold\n{END}\nAfter\n")
    keep("first\n", readme)
    keep("second\n", readme)
    text = readme.read_text()
    assert text.startswith(f"# Before\n{BEGIN}\n")
    assert text.endswith(f"second\n\n{END}\nAfter\n")
    assert "first" not in text
    assert "old" not in text


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}{BEGIN}"])
def test_a_readme_without_marks_is_left_alone(text: str, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(text)
    with pytest.raises(ValueError, match="no place"):
        keep("page", readme)
    assert readme.read_text() == text


def test_our_readme_has_the_markers(tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    copy.write_text(README.read_text())
    keep("page", copy)
    assert "\npage\n" in copy.read_text()
