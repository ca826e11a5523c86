"""Tags in the head of the page: whole, and safe whatever names say."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pierule_archive.previews.story import UNTOLD
from pierule_archive.previews.tags import Document

PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta name="description" content="Play." />
    <title>Pierule</title>
    <script type="module" src="../assets/index.js"></script>
  </head>
  <body><div id="app"></div></body>
</html>
"""


class Head(HTMLParser):
    """What a crawler reads."""

    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.tags: dict[str, str] = {}
        self.elements: list[str] = []
        self.titles: list[str] = []
        self.feed(html.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        given = dict(attrs)
        name = given.get("property") or given.get("name")
        if tag == "meta" and name:
            assert name not in self.tags
            self.tags[name] = given["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.elements[-1:] == ["title"] and data.strip():
            self.titles.append(data)


@pytest.mark.parametrize(
    "name",
    [
        "Ada", '"><script>alert(1)</script>', "</title><script>x", "' onload=x '", "&quot;&amp;",
        "</head><body>", "<!--", '="./', "a\nb", "\x00\x1f", "\\1 \\g<0>", "{0}",
    ],
)  # fmt: skip
def test_any_name_is_escaped_in_the_tags(name: str) -> None:
    plain = Head(Document(PAGE).tagged(UNTOLD, "https://a.org/game/x", "https://a.org/x.png"))
    preview = replace(UNTOLD, title=name, about=f"{name} wins")
    head = Head(Document(PAGE).tagged(preview, "https://a.org/game/x", "https://a.org/x.png"))
    assert head.elements == plain.elements
    said = "".join(each if each.isprintable() else " " for each in name)
    assert (head.tags["og:title"], head.tags["twitter:title"]) == (said, said)
    assert head.tags["description"] == head.tags["og:description"] == f"{said} wins"


def test_the_rest_of_the_page_is_unchanged() -> None:
    html = Document(PAGE).tagged(UNTOLD, "https://a.org/game/x", "https://a.org/x.png").decode()
    assert html.count("<title>") == html.count('name="description"') == 1
    assert html.endswith(PAGE[PAGE.index("  </head>") :])
    assert '<script type="module" src="../assets/index.js"></script>' in html


def test_without_a_built_page_the_tags_are_served() -> None:
    head = Head(Document("").tagged(UNTOLD, "https://a.org/game/x", "https://a.org/x.png"))
    assert head.tags["og:url"] == "https://a.org/game/x"
    assert head.tags["og:image"] == head.tags["twitter:image"] == "https://a.org/x.png"
    assert (head.tags["og:image:width"], head.tags["og:image:height"]) == ("1200", "630")
    assert head.tags["twitter:card"] == "summary_large_image"
    assert head.titles == ["Pierule"]
