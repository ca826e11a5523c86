"""Every citation leads somewhere: paragraphs of the SPEC, laws, files and tests that are named."""

from __future__ import annotations

import re

import pytest

from support.repository import ARCHITECTURE, ROOT, SPEC, files

PUBLIC = (
    "protocol/schema/",
    "protocol/vectors/",
    "clients/web/client/src/messages.ts",
    "clients/web/client/src/archiveAnswers.ts",
)
"""What strangers get without the rest of the repository: it may cite the SPEC alone."""

PARAGRAPHS = set(re.findall(r"^(?:#+ )?(\d+(?:\.\d+)?)\. ", SPEC, re.MULTILINE))
LAWS = set(re.findall(r"^### Law (\d+)\. ", ARCHITECTURE, re.MULTILINE))

NUMBERS = r"(\d+(?:\.\d+)?(?:(?:,| and| to| or|;) \d+(?:\.\d+)?)*)"
OF_SPEC = re.compile(rf"\bSPEC(?:,|\(|\s|#|\*|\)|\]\(protocol/SPEC\.md\))*\s*{NUMBERS}")
OF_LAWS = re.compile(rf"\b[Ll]aws? {NUMBERS}")
GONE = re.compile(
    r"\b(?:DESIGN|RULES|STYLE)\.md\b|\(RULES, [A-Z]|\.\./shared"
    r"|(?:\(|see )SPEC, [A-Z]"
)


def numbers(group: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", group)


def wrong_citations(name: str, text: str) -> list[str]:
    """What is cited there and does not exist."""
    text = re.sub(r"\n[ \t]*(?:#|--|//|\*)?[ \t]*", " ", text)  # a citation may be broken
    wrong = [
        f"SPEC {number}"
        for found in OF_SPEC.finditer(text) for number in numbers(found[1])
        if number not in PARAGRAPHS
    ]  # fmt: skip
    laws = [number for found in OF_LAWS.finditer(text) for number in numbers(found[1])]
    public = name.startswith(PUBLIC)
    wrong += [f"law {number}" for number in laws if public or number not in LAWS]
    if public:
        wrong += re.findall(r"ARCHITECTURE|CONTRIBUTING", text)
    return wrong + [found[0] for found in GONE.finditer(text)]


def test_every_citation_resolves() -> None:
    wrong = {}
    for name in files():
        if name != "tests/test_citations.py":
            found = wrong_citations(name, (ROOT / name).read_text())
            if found:
                wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("a.py", "as it was (SPEC 9.3, 6.2 and 3.1; laws 6 and 13)", []),
        ("a.py", "(SPEC 9.99)", ["SPEC 9.99"]),
        ("a.py", "(SPEC\n    99)", ["SPEC 99"]),
        ("a.lua", "one step (laws 3 and 14)", ["law 14"]),
        ("a.md", "see DESIGN.md", ["DESIGN.md"]),
        ("protocol/schema/a.json", "what was left of it (law 6)", ["law 6"]),
    ],
)
def test_a_wrong_citation_is_found(name: str, text: str, wrong: list[str]) -> None:
    assert wrong_citations(name, text) == wrong


def test_there_are_thirteen_laws_each_with_its_reason_code_and_test() -> None:
    assert {str(number) for number in range(1, 14)} == LAWS
    for part in re.split(r"^### ", ARCHITECTURE, flags=re.MULTILINE)[1:14]:
        law = re.split(r"^## ", part, flags=re.MULTILINE)[0]
        assert all(each in law for each in ("*Why:*", "*Kept by*", "*If broken, this fails:*")), law


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_files_and_tests_that_are_named_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    tests = {
        found for name in files() if name.startswith("tests/") and name.endswith(".py")
        for found in re.findall(r"def (test_\w+)", (ROOT / name).read_text())
    }  # fmt: skip
    if page != "CONTRIBUTING.md":  # whose example of a name is one
        tests |= {"test_a_muted_user_is_not_heard"}
    assert set(re.findall(r"`(test_\w+)`", text)) - tests == set()
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text)
    paths += [link for link in re.findall(r"\]\(([^)#:]+)[^)]*\)", text) if "//" not in link]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_anchors_of_the_new_pages_lead_somewhere() -> None:
    for page in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"):
        for target, anchor in re.findall(r"\]\(([\w/.-]*)#([^)]+)\)", (ROOT / page).read_text()):
            text = (ROOT / (target or page)).read_text()
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
            assert anchor in slugs, f"{page}: {target}#{anchor}"
