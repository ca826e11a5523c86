"""What the machine has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def usable_memory(root: Path = Path("/")) -> int:
    """Bytes of memory that this process may use: those of the machine, or fewer if it runs in a
    control group with a bound (a container, or a systemd unit with `MemoryMax`). `root` is where
    /proc and /sys are."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_bounds(root)])


def _bounds(root: Path) -> Iterator[int]:
    """Of the control group (version 2) of this process, and of those that it is in."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for group in groups:
        number, _, path = group.split(":", 2)
        if number != "0":
            continue
        inner = PurePosixPath(path)
        for each in (inner, *inner.parents):
            try:
                bound = (root / "sys/fs/cgroup" / str(each).lstrip("/") / "memory.max").read_text()
            except OSError:
                continue
            if bound.strip().isdecimal():
                yield int(bound)
