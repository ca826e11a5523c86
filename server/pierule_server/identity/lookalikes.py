"""What text looks like, by Unicode: characters that draw nothing, and texts that look the same.

The table of look-alikes is that of UTS 39 (confusables.txt), from the package
`confusable-homoglyphs`. Pure functions; the consequences are decided elsewhere.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cache
from importlib.resources import files

import msgspec

JOINERS = "\u200c\u200d"
"""Characters that draw nothing, without which some scripts and emoji cannot be written."""

_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default_Ignorable_Code_Point of Unicode 17, which Python's `unicodedata` lacks."""

_TURNS = [turn for first, last in _IGNORABLE for turn in (first, last + 1)]
"""Where it begins to hold, and where it ceases to, in turn."""

BLANK = "\u2800"
"""Braille without dots: a symbol to Unicode, nothing to the eye."""

_ALIKE = str.maketrans("1i-", "ll_")
"""In a name whose case does not count: `I` looks like `l`, so `i` counts as `l`, too."""


def ignorable(character: str) -> bool:
    """Whether a character is shown as nothing at all (Default_Ignorable_Code_Point)."""
    return bisect_right(_TURNS, ord(character)) % 2 == 1


def visible(text: str) -> bool:
    """Whether there is anything to see: more than spaces, marks without a letter, and characters
    that draw nothing."""
    return any(
        unicodedata.category(each)[0] in "LNPS" and each != BLANK and not ignorable(each)
        for each in text
    )


def skeleton(text: str) -> str:
    """The skeleton of UTS 39: two texts that have the same one look the same."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not ignorable(c))
    return unicodedata.normalize("NFD", plain.translate(_prototypes()))


def fold(name: str) -> str:
    """The text that no two registered names may share, nor a guest's name with a registered one:
    the skeleton, whatever the case."""
    plain = unicodedata.normalize("NFKC", skeleton(name)).casefold()
    return skeleton(plain).casefold().translate(_ALIKE)


class _Glyph(msgspec.Struct):
    c: str


@cache
def _prototypes() -> dict[int, str]:
    """What each character looks like. The package lists pairs under both of their ends, in the
    order of Unicode's file, where each character comes before the one it is mapped to; a character
    to which many are mapped is not mapped itself. Some have left-to-right marks around them by
    mistake."""
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
