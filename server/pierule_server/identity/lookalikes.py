"""Finds characters that draw nothing and texts that look the same, as Unicode defines them.

The table of look-alikes is that of UTS 39 (confusables.txt), from the package
`confusable-homoglyphs`. The functions are pure; callers decide what follows.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cache
from importlib.resources import files

import msgspec

JOINERS = "\u200c\u200d"
"""They draw nothing, but some scripts and emoji need them."""

_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default_Ignorable_Code_Point of Unicode 17, which Python's `unicodedata` lacks."""

_TURNS = [turn for first, last in _IGNORABLE for turn in (first, last + 1)]
"""The first code point of each range, and the first after it, in turn."""

BLANK = "\u2800"
"""Braille without dots: Unicode calls it a symbol, but nobody can see it."""

_QUOTES = "\u201a\u201e\u2e42\u301d\u301e\u301f"
"""Quotation marks that Unicode puts among the brackets (categories Ps and Pe)."""

_PIECES = "".join(map(chr, range(0x239B, 0x23AE)))
"""Pieces from which tall brackets are put together."""

_ALIKE = str.maketrans("1i-", "ll_")
"""Case does not count in a name, and `I` looks like `l`, so `i` counts as `l`, too."""


def ignorable(character: str) -> bool:
    """Whether a character draws nothing at all (Default_Ignorable_Code_Point)."""
    return bisect_right(_TURNS, ord(character)) % 2 == 1


def visible(text: str) -> bool:
    """Whether a text draws anything. Spaces, marks without a letter, and characters that draw
    nothing do not count."""
    return any(
        unicodedata.category(each)[0] in "LNPS" and each != BLANK and not ignorable(each)
        for each in text
    )


def bracket(character: str) -> bool:
    """Whether a character is a bracket, a piece of a tall bracket, or drawn with brackets."""
    return any(
        (unicodedata.category(each) in ("Ps", "Pe") and each not in _QUOTES) or each in _PIECES
        for each in character + unicodedata.normalize("NFKC", character)
    )


def skeleton(text: str) -> str:
    """The skeleton of UTS 39: two texts with the same skeleton look the same."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not ignorable(c))
    return unicodedata.normalize("NFD", plain.translate(_prototypes()))


def fold(name: str) -> str:
    """The skeleton of a name, whatever its case. No two registered names may share it, and no
    guest's name may share it with a registered name."""
    plain = unicodedata.normalize("NFKC", skeleton(name)).casefold()
    return skeleton(plain).casefold().translate(_ALIKE)


def letters(name: str) -> str:
    """The letters and digits of a folded name, without marks: what catches the eye."""
    plain = unicodedata.normalize("NFD", fold(name))
    return "".join(each for each in plain if unicodedata.category(each)[0] in "LN")


class _Glyph(msgspec.Struct):
    c: str


@cache
def _prototypes() -> dict[int, str]:
    """The character that each character looks like.

    The package lists each pair twice, under either character, in the order of Unicode's file. There
    a character comes before its prototype. A prototype of many characters has no prototype itself.
    By mistake, left-to-right marks stand around some characters."""
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_bytes()
    pairs = {
        key.strip("\u200e"): [glyph.c.strip("\u200e") for glyph in glyphs]
        for key, glyphs in msgspec.json.decode(text, type=dict[str, list[_Glyph]]).items()
    }
    order = {key: place for place, key in enumerate(pairs)}
    return {
        ord(key): found[0]
        for key, found in pairs.items()
        if len(key) == len(found) == 1
        and (len(pairs.get(found[0], "")) > 1 or order[key] < order.get(found[0], len(order)))
    }
