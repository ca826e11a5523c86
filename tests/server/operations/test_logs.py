"""With JSON asked for, nothing but JSON comes: whoever it is that writes."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from ast import literal_eval
from typing import Any

import pytest

from pierule_server.operations.logs import PAUSE, Seldom

EVERYTHING = """
import asyncio, gc, logging, threading, warnings
import structlog
from pierule_server.operations import logs

logs.configure("info", "json")
logger = structlog.get_logger()
logger.info("ours", odd=b"\\xff", room="kobadimu")
logger.debug("too quiet")
token = "a-secret"
try:
    1 / 0
except ZeroDivisionError:
    logger.exception("ours that failed")
warnings.warn("a warning\\nof two lines")
logging.getLogger("library").warning("of a %s", "library")
logging.getLogger("websockets.server").error("a stranger's fault")


def fail():
    raise OSError("in a thread")


thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()


class Falling:
    def __del__(self):
        raise ValueError("while it was collected")


Falling()
gc.collect()


async def forgotten():
    async def fail():
        raise KeyError("nobody waits")

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    gc.collect()


asyncio.run(forgotten())
raise RuntimeError("the end")
"""


def said(form: str) -> tuple[list[str], int]:
    script = EVERYTHING.replace('"json"', repr(form))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    return done.stderr.splitlines(), done.returncode


@pytest.fixture(scope="module")
def entries() -> list[dict[str, Any]]:
    lines, status = said("json")
    assert status == 1
    return [json.loads(line) for line in lines]


def test_every_line_is_a_json_entry(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        assert {"event", "level", "timestamp"} <= set(entry), entry
    assert len(entries) == 8


@pytest.mark.parametrize(
    ("level", "event", "of"),
    [
        ("info", "ours", None),
        ("error", "ours that failed", "ZeroDivisionError"),
        ("warning", "of a library", None),
        ("critical", "uncaught exception", "OSError"),
        ("error", "Exception ignored in", "ValueError"),
        ("error", "Task exception was never retrieved", "KeyError"),
        ("critical", "uncaught exception", "RuntimeError"),
    ],
)
def test_log_entries_name_their_logger(
    entries: list[dict[str, Any]], level: str, event: str, of: str | None
) -> None:
    found = [
        entry
        for entry in entries
        if entry["event"].startswith((event, "exception ignored") if "ignored" in event else event)
        and entry["level"] == level
        and (of is None or entry["exception"][0]["exc_type"] == of)
    ]
    assert len(found) == 1, entries


def test_a_warning_is_one_entry(entries: list[dict[str, Any]]) -> None:
    (entry,) = (entry for entry in entries if entry.get("logger") == "py.warnings")
    assert "a warning\nof two lines" in entry["event"]


@pytest.mark.parametrize("form", ["json", "text"])
def test_logs_show_no_local_variables(form: str) -> None:
    lines, _ = said(form)
    assert not any("a-secret" in line for line in lines)


def test_in_text_form_a_traceback_stays_text() -> None:
    lines, status = said("text")
    assert status == 1
    assert any("of a library" in line for line in lines)
    assert lines[-1] == "RuntimeError: the end"


IN_ONE_WRITE = """
import sys
from pierule_server.operations import logs
import structlog

class Heard:
    def write(self, text):
        print(repr(text))
    def flush(self): ...
    def isatty(self):
        return False

sys.stderr = Heard()
logs.configure("info", "json")
structlog.get_logger().info("one")
structlog.stdlib.logging.getLogger("library").warning("two")
"""


def test_each_entry_is_one_write_since_workers_share_a_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE_WRITE], capture_output=True, text=True, timeout=60, check=True
    )
    written = [literal_eval(line) for line in done.stdout.splitlines()]
    assert [json.loads(text)["event"] for text in written] == ["one", "two"]
    assert all(text.endswith("}\n") for text in written)


STRANGERS = """
import logging
from pierule_server.operations import logs

logs.configure("info", "json")
for _ in range(1_000):
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
"""


def test_the_mistakes_of_strangers_do_not_fill_the_log() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STRANGERS], capture_output=True, text=True, timeout=60
    )
    assert [json.loads(line)["event"] for line in done.stderr.splitlines()] == [
        "Invalid HTTP request received."
    ]


def test_a_repeated_warning_comes_once_a_pause_and_tells_how_many_were_held_back() -> None:
    now = 0.0
    seldom = Seldom(lambda: now)

    def passed(text: str, level: int = logging.WARNING) -> str | None:
        record = logging.LogRecord("uvicorn.error", level, __file__, 1, text, ("x",), None)
        return record.getMessage() if seldom.filter(record) else None

    assert [passed("bad %s") for _ in range(3)] == ["bad x", None, None]
    assert passed("other %s") == "other x"
    assert [passed("failed %s", logging.ERROR) for _ in range(2)] == ["failed x"] * 2
    now = PAUSE
    assert passed("bad %s") == "bad x (2 more since the last such entry)"
    now = 2 * PAUSE
    assert passed("bad %s") == "bad x"
