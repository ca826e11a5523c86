"""`pierule replay`: play recorded games by the rules, offline, a line in and a line out."""

from __future__ import annotations

import argparse

from pierule_terminal.commands.replaying import replay_file

HELP = "replay recorded games by the rules, JSON lines in and out, offline"

_DESCRIPTION = """\
Play recorded games by the rules, without a server. Reads one JSON object a line with the keys
"game", "size" and "actions", and maybe "rules", the version of the rules (absent or null: 1, as in
a room's record); others are ignored. Of an analysis that the page has saved it plays the main line.
Writes one JSON object a line, as soon as it is known:

  game, size     as read
  plies          how many of the actions were played
  phase          the phase of the last position, "over" when the game is
  to_act         the seat that acts next, null when the game is over
  cells          the board: index (row - 1) * size + column; 0 empty, 1 black, 2 white,
                 others as the game's document says
  result         null, or {"winner": 0 | 1 | "draw", "score": {"black": n, "white": n}}
  text, digest   the position's canonical text and its checksum
  variations     of an analysis: how many of its actions are in variations, which are not played
  error          null, or {"ply", "action", "reason"} of the first illegal action (ply counts
                 from 0); the rest then describes the position before it

Lines of nothing but white space are skipped."""

_EPILOG = """\
examples:
  pierule replay games.jsonl
  pierule watch kobadimu --json | tail -1 |
    jq -c '.state | {game: .position.game, size: .position.size, actions, rules}' | pierule replay
  pierule replay --legal games.jsonl | head -1

exit status:
  0  every line was replayed to its end
  1  some line had an illegal action
  2  a line, or the file, could not be read (stderr has the line's number and the reason); the
     lines before it are written
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="JSON lines; - or nothing: stdin"
    )
    parser.add_argument(
        "--legal",
        action="store_true",
        help='also write "legal", the number of legal actions before each action played, and '
        '"legal_actions", those of the last position; null where several pieces are set up, in '
        "millions of ways",
    )


def run(args: argparse.Namespace) -> int:
    return replay_file(args.file, args.legal)
