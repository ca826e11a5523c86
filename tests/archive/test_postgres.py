"""The tests' own PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from support.postgres import database_folder
from support.stores import alive

SERVE = """
import sys, time
from pathlib import Path
from support.postgres import running_postgres
with running_postgres(Path(sys.argv[1])):
    print("runs", flush=True)
    time.sleep(600)
"""


def test_a_server_ends_with_a_killed_process() -> None:
    tests = Path(__file__).parents[1]
    with database_folder() as folder:
        command = [sys.executable, "-c", SERVE, str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tests)
        assert process.stdout is not None
        assert process.stdout.readline() == "runs\n"
        server = int((folder / "postmaster.pid").read_text().split("\n")[0])
        process.kill()
        process.communicate()
        until = time.monotonic() + 60
        while alive(server) and time.monotonic() < until:
            time.sleep(0.1)
        assert not alive(server)
