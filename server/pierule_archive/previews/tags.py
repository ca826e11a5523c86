"""The page with the tags that crawlers read (Open Graph, Twitter cards) in its head."""

from __future__ import annotations

import re
from html import escape

from pierule_archive.previews.picture import HEIGHT, WIDTH
from pierule_archive.previews.story import SITE, Preview

_BARE = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n</head>\n</html>\n'

_OWN = re.compile(r'\s*(?:<title>[^<]*</title>|<meta name="description"[^>]*>)')
"""The tags in the page's head that a preview replaces."""


class Document:
    """The built page. Without one (an empty text), a bare page."""

    def __init__(self, html: str) -> None:
        page = _OWN.sub("", html or _BARE)
        head, self._end, self._rest = page.partition("</head>")
        self._head = head.rstrip() + "\n"

    def tagged(self, preview: Preview, url: str, image: str) -> bytes:
        """The page with a preview. `url` and `image` are addresses."""
        tags = _tags(preview, url, image)
        return f"{self._head}{tags}  {self._end}{self._rest}".encode()


def _tags(preview: Preview, url: str, image: str) -> str:
    title = preview.title if preview.title == SITE else f"{preview.title} · {SITE}"
    graph = {
        "og:site_name": SITE, "og:type": "website", "og:title": preview.title,
        "og:description": preview.about, "og:url": url, "og:image": image,
        "og:image:type": "image/png", "og:image:width": str(WIDTH), "og:image:height": str(HEIGHT),
        "og:image:alt": preview.title,
    }  # fmt: skip
    card = {
        "description": preview.about, "twitter:card": "summary_large_image",
        "twitter:title": preview.title, "twitter:description": preview.about,
        "twitter:image": image, "twitter:image:alt": preview.title,
    }  # fmt: skip
    lines = [f"<title>{escape(title)}</title>"]
    lines += (_meta("property", name, text) for name, text in graph.items())
    lines += (_meta("name", name, text) for name, text in card.items())
    return "".join(f"    {line}\n" for line in lines)


def _meta(kind: str, name: str, text: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(_printable(text))}" />'


def _printable(text: str) -> str:
    """A text without line breaks and other control characters."""
    return "".join(each if each.isprintable() else " " for each in text)
