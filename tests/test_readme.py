"""What the README, the handbook and the cookbook show is what there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pierule

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "clients" / "examples"
HANDBOOK = ROOT / "clients" / "python" / "HANDBOOK.md"
COOKBOOK = EXAMPLES / "cookbook" / "README.md"


@pytest.mark.parametrize("page", [ROOT / "README.md", HANDBOOK], ids=lambda page: page.stem)
def test_the_bot_in_the_page_is_the_example(page: Path) -> None:
    bot = (EXAMPLES / "random_bot.py").read_text()
    assert f"```python\n{bot}```\n" in page.read_text()


@pytest.mark.parametrize("program", sorted(EXAMPLES.rglob("*.py")), ids=lambda path: path.stem)
def test_programs_that_choose_actions_say_that_they_are_bots(program: Path) -> None:
    """As SPEC 1.3 demands of them; the reference client gets it from its environment."""
    found = [
        {keyword.arg for keyword in node.keywords}
        for node in ast.walk(ast.parse(program.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pierule.connect"
    ]
    assert [given for given in found if "bot" not in given] == []


def test_the_cookbook_shows_its_programs_as_they_are() -> None:
    programs = sorted(COOKBOOK.parent.glob("*.py"))
    assert len(programs) == 5
    page = COOKBOOK.read_text()
    shown = re.findall(r"\n\[`(\w+\.py)`\]\(\1\)\n\n```python\n(.*?)```\n", page, re.DOTALL)
    assert dict(shown) == {program.name: program.read_text() for program in programs}


def test_the_handbook_says_what_to_do_for_every_error() -> None:
    page = HANDBOOK.read_text()
    errors = [
        name
        for name in pierule.__all__
        if isinstance(kind := getattr(pierule, name), type)
        and issubclass(kind, pierule.PieruleError)
    ]
    assert len(errors) > 5
    assert [name for name in errors if f"`{name}`" not in page and name != "PieruleError"] == []
    table = page[page.index("What to do for each code") : page.index("## Limits")]
    assert [code for code in pierule.Code if f"`{code}`" not in table] == []


def test_the_handbook_s_code_can_be_read_and_names_what_there_is() -> None:
    page = HANDBOOK.read_text()
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        compile(block, "HANDBOOK.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for owner, kind in (("client", pierule.Client), ("room", pierule.Room), ("pierule", pierule)):
        named = set(re.findall(rf"(?<![\w./]){owner}\.([a-z]\w*|[A-Z]\w*)", page))
        assert named - {"html"}
        assert [name for name in named - {"html"} if not hasattr(kind, name)] == []


@pytest.mark.parametrize(
    "page", [HANDBOOK, COOKBOOK, ROOT / "README.md"], ids=lambda page: page.stem
)
def test_links_of_the_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    headings = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("#"):
            assert link[1:] in headings
        elif "://" not in link:
            assert (page.parent / link.partition("#")[0]).exists(), link
