"""`make fuzz`: looks for input that is neither accepted nor refused in order, and for what the two
client libraries understand differently.

`python -m fuzz.run TARGET [libFuzzer's flags]`. atheris (libFuzzer) is guided by the coverage of
our own code. Input that reached new code is kept in `corpus/TARGET`: the next run begins with it,
and `test_corpus.py` tries it. msgspec is compiled and stays a black box, so for `messages`,
`session` and `libraries` hypothesis makes something well-formed out of the bytes. It makes nothing
of too few bytes, so these targets begin with many, and say at the end of how many inputs it made
something. What bytes mean depends on its version, so they are not kept. A finding is written to
`crash-*` where it is run, and ends the run with an error.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("make fuzz needs atheris, which is not installed: pip install -e '.[fuzz]'")

import structlog

OURS = ["pierule", "pierule_protocol", "pierule_server", "fuzz.oracle"]

with atheris.instrument_imports(include=OURS):
    from fuzz.targets import KEPT, SEEDS, TARGETS

FLAGS = ["-max_len=4096", "-rss_limit_mb=1024", "-timeout=20"]

made = multiprocessing.Value("Q", 0, lock=False)
"""Of how many inputs hypothesis made something, in both processes."""


def main() -> None:
    """Look for as long as the flags say."""
    target, *flags = sys.argv[1:]
    with ExitStack() as stack:
        seeds, found = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-"))) for _ in "12"
        )
        for number, data in enumerate(SEEDS[target]()):
            (seeds / str(number)).write_bytes(data)
        if target in KEPT:
            found = KEPT[target]
            found.mkdir(parents=True, exist_ok=True)
        looking = os.fork()  # libFuzzer ends its process at once, so nothing would be cleared away
        if not looking:
            long = [] if target in KEPT else ["-len_control=0"]
            look(target, [*FLAGS, *long, *flags, str(found), str(seeds)])
        _, status = os.waitpid(looking, 0)
    if target not in KEPT:
        print(f"{target}: {made.value} inputs of which something could be made", file=sys.stderr)
    sys.exit(os.waitstatus_to_exitcode(status))


def look(target: str, arguments: list[str]) -> None:
    """Never returns."""
    # A refusal is logged, and this makes millions of them.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    check = TARGETS[target]
    atheris.Setup([sys.argv[0], *arguments], check if target in KEPT else counted(check))
    atheris.Fuzz()


def counted(check: Callable[[bytes], object]) -> Callable[[bytes], None]:
    """A target of hypothesis, which returns nothing for bytes of which it makes nothing."""

    def counting(data: bytes) -> None:
        made.value += check(data) is not None

    return counting


if __name__ == "__main__":
    main()
