"""names.json: which names and messages are accepted, and which names count as the same."""

from __future__ import annotations

from typing import Any

from pierule_server.identity.lookalikes import skeleton

ABOUT = (
    "Names (SPEC 1.3, 24.1, 24.9) and lines of chat (21.3). While `registered` is one user's, the "
    "server refuses the `alike` to others as name_taken and takes the `different`. `skeletons` are "
    "those of UTS 39. `taken` names are nobody's, or a house bot's: they are refused as "
    "name_taken. `unfit` names and lines are refused as bad_field, `fit` ones taken as they stand."
)

_REGISTERED = [
    ("Ada", ["ADA", "ada", "\u0410d\u0430", "\uff21da", "\u13aada", "\U0001d400da"],
     ["Adam", "\u00c1da", "Aada"]),
    ("l0rd", ["lord", "L0RD", "I0rd", "1ord", "iord", "l\u041erd", "\u217c\u03bfrd", "|ord"],
     ["l8rd", "lorrd"]),
    ("Tom", ["tom", "Torn", "\u0422\u043em", "To\u217f"], ["Ton", "T\u00f6m"]),
    ("a_b", ["A-b", "a\u2010b", "\u0430_b"], ["ab", "a b"]),
]  # fmt: skip

_SKELETONS = [
    "", "Ada", "l0rd", "\u0440\u0430\u0443\u0440\u0430l", "Tom", "\u00e9", "\u217f\u00e4", "I1l|",
    "x\ufe0fy\u034fz",
]  # fmt: skip

NAMES = {
    "unfit": [
        "", " ", " Ada", "Ada ", "A" * 25, "A\nda", "A\u202eda", "A\u200bda", "l0rd\u17b4",
        "l0rd\u034f", "l0rd\ufe0f", "\u00adAda", "\u3164", "\u2800", "\u0301", "\u0301 \u0308",
        "A\U000e0100", "Ada (you)", "[bot] Ada", "Ada \uff08bot\uff09", "Ada \u2768you\u2769",
        "Ada \u27e8you\u27e9", "Ada \uff5fyou\uff60", "Ada {you}", "Ada \u3010you\u3011",
        "Ada \u239dyou\u23a0", "Ada \u24b4\u24aa\u24b0", "Ada \u2985you\u2986",
        "Ada \u207dyou\u207e",
    ],
    "fit": ["Ada", "\u00c1d\u00e1m", "\u674e\u96f7", "O'Neil", "\U0001f600", "x" * 24, "-",
            "\u3055\u304f\u3089", "<Ada>", "\u00abAda\u00bb", "\u201eAda\u201c", "d\u2019Arc"],
}  # fmt: skip

TAKEN = [
    "Server", "admin", "0perator", "\u0405ystem", "Server.", "Server\u2024", "* Admin *",
    "S t a f f", "Supp\u00f3rt", "pierule \u2714", "Otto", "0TT0", "-p1p-", "M\u0456ra", "Pip.",
]  # fmt: skip

LINES = {
    "unfit": [
        "", " ", "a\nb", "a\u202eb", "\u200d", "\ufe0f", "\u2800 \u2800", "\u0301", "\u3164\u115f",
    ],
    "fit": ["?", "\U0001f469\u200d\U0001f33e", "\u2764\ufe0f", "\u0645\u06cc\u200c\u062e"],
}  # fmt: skip


def build() -> dict[str, Any]:
    """names.json."""
    return {
        "about": ABOUT,
        "registered": [
            {"name": name, "alike": alike, "different": different}
            for name, alike, different in _REGISTERED
        ],
        "skeletons": [{"text": text, "skeleton": skeleton(text)} for text in _SKELETONS],
        "names": NAMES,
        "taken": TAKEN,
        "lines": LINES,
    }
