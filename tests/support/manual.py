"""Writes the manual page of `pierule` from its parsers: python -m support.manual FILE"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

from argparse_manpage.manpage import Manpage

from pierule_terminal.cli import build_parser, find_commands


def manual() -> str:
    """The page in roff, with every command and the examples of each."""
    others = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
    with patch.dict(os.environ, others, clear=True):  # ours are defaults of options
        parser = build_parser(find_commands(), whole=True)
    epilogs = _take_epilogs(parser)
    told = {
        "project_name": "pierule",
        "version": version("pierule"),
        "manual_title": "Pierule",
        "description": "play, watch and serve board games that open with a pie rule",
        "url": "https://github.com/pierule/pierule",
    }
    page = Manpage(parser, told, format="single-commands-section")
    for command, text in epilogs.items():
        page.add_section(f"{command}: more", "=", f".nf\n{_plain(text)}\n.fi")
    return str(page)


def _take_epilogs(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The epilogs by command. The library would leave out those of commands, and refill the lines
    of ours."""
    found = {parser.prog: parser.epilog} if parser.epilog else {}
    parser.epilog = None
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                found |= _take_epilogs(one)
    return found


def _plain(text: str) -> str:
    """Text escaped for roff, whatever its lines begin with."""
    escaped = text.strip("\n").replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" for line in escaped.splitlines())


def main(file: Path) -> None:
    """Write the page."""
    file.write_text(manual(), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
