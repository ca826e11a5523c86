"""`pierule replay`: replay recorded games by the rules, offline, line by line."""

from __future__ import annotations

import argparse

from pierule_terminal.commands.replaying import replay_file

HELP = "replay recorded games by the rules, offline; reads and writes JSON lines"

_DESCRIPTION = """\
Replay recorded games by the rules, without a server. Reads one JSON object per line with the keys
"game", "size" and "actions", and optionally "rules", the version of the rules (absent or null: 1,
as in a room's record). Other keys are ignored. For an analysis saved by the page, replays the main
line. Writes one JSON object for each line:

  game, size     as read
  plies          how many of the actions were played
  phase          the phase of the last position; "over" when the game is over
  to_act         the seat that acts next, null when the game is over
  cells          the board: index (row - 1) * size + column; 0 empty, 1 black, 2 white,
                 others as the game's document says
  result         null, or {"winner": 0 | 1 | "draw", "score": {"black": n, "white": n}}
  text, digest   the position's canonical text and its checksum
  variations     for an analysis: how many actions are in variations, which are not replayed
  error          null, or {"ply", "action", "reason"} of the first illegal action (ply counts
                 from 0); the rest then describes the position before it

Blank lines are skipped."""

_EPILOG = """\
examples:
  pierule replay games.jsonl
  pierule watch kobadimutelosa --json | tail -1 |
    jq -c '.state | {game: .position.game, size: .position.size, actions, rules}' | pierule replay
  pierule replay --legal games.jsonl | head -1

exit status:
  0  all lines were replayed to their ends
  1  a line had an illegal action
  2  a line, or the file, could not be read (stderr has the line's number and the reason); the
     results of earlier lines are written
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule replay`."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="JSON lines; - or nothing: stdin"
    )
    parser.add_argument(
        "--legal",
        action="store_true",
        help='also write "legal", the number of legal actions before each action, and '
        '"legal_actions", the legal actions in the last position (null for set-ups of several '
        "pieces, which may have millions)",
    )


def run(args: argparse.Namespace) -> int:
    """Replay the file. Returns the exit status, as the help says."""
    return replay_file(args.file, args.legal)
