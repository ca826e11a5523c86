"""Writes the API reference of the Python client as web pages: python -m support.api_pages FOLDER

pdoc reads names, types and docstrings off the code. The meanings of fields come from
`pierule_protocol.fields`, the only place that has them.
"""

from __future__ import annotations

import re
import sys
from inspect import formatannotation
from pathlib import Path

import msgspec
import pdoc.doc
import pdoc.render

import pierule
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.fields import meaning

ALIASES = {
    "CodecName": "The wire formats.",
    "BlockLevel": "How far you keep from a user: `mute` or `block`.",
}
"""Names for types have no docstring of their own."""


def reference() -> pdoc.doc.Module:
    """The public API, with a docstring for everything."""
    module = pdoc.doc.Module(pierule)
    for name, text in ALIASES.items():
        module.members[name].docstring = text
    for of in module.classes:
        rows = _rows(of.obj)
        for name in rows:
            of.members.pop(name, None)
        of.docstring += "".join(["\n\n", *(f"- {text}\n" for text in rows.values())])
    return module


def _rows(kind: type) -> dict[str, str]:
    """A line for each field of a message, and for each error code."""
    if issubclass(kind, Code):
        again = {True: " May be sent again.", False: ""}
        return {
            code.name: f"`{code.name}`: {told.text}.{again[told.retry]}"
            for code, told in MEANINGS.items()
        }
    if issubclass(kind, msgspec.Struct):
        return {
            field.name: f"`{field.name}` ({_type(field)}): "
            + re.sub(r"\bnull\b", "None", meaning(kind.__name__, field.name) or "")
            for field in msgspec.structs.fields(kind)
        }
    return {}


def _type(field: msgspec.structs.FieldInfo) -> str:
    """The type of a field, by names that a reader can import from `pierule`."""
    return re.sub(r"\bpierule_\w+(\.[a-z]\w*)*\.", "", formatannotation(field.type))


def main(folder: Path) -> None:
    """Write the page."""
    folder.mkdir(parents=True, exist_ok=True)
    module = reference()
    pdoc.render.configure(docformat="markdown", search=False, show_source=False)
    page = pdoc.render.html_module(module, {module.modulename: module})
    (folder / "pierule.html").write_text(page, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
