"""What the README shows is what there is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_bot_in_the_readme_is_the_example() -> None:
    readme = (ROOT / "README.md").read_text()
    bot = (ROOT / "clients" / "examples" / "random_bot.py").read_text()
    assert f"```python\n{bot}```\n" in readme
